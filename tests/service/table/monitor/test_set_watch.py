"""Watching the set: displays are checked, automatically and on request; an exchanged set is found and confirmed."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.game.tiles import Tile
from service.access.roles import UserRole
from service.table.monitor.set_watch import APART_S, OVER_S, PATIENCE_S, SHOTS, Act, SetReport, SetRequest, SetWatch
from service.words.codes import ServiceCode
from tests.calibration.watched import watched_table
from tests.service.stand_ins import FakeReader, app_of, config, person, signed_in
from tests.vision import drawn
from tests.vision.enrolment.test_display_check import faces, laid
from tests.vision.enrolment.test_enrolment import crop, spread
from tests.vision.enrolment.test_tile_set import HANDS, shown
from vision.findings import Finding
from vision.reading import Reading, TileReading, Verdict
from vision.tracking.phases import Phase
from vision.tracking.tracks.tile_tracks import Spot, Track

pytestmark = pytest.mark.exhaustive

CALIBRATION = watched_table().calibration
WIDTH, HEIGHT = CALIBRATION.size


def picture(
    tiles: Sequence[Tile | None], seed: int, wider: frozenset[int] = frozenset()
) -> tuple[NDArray[np.uint8], Reading]:
    """A display of drawn tiles with its reading; those in ``wider`` are of another maker."""
    image = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    image[:] = drawn.BLACK["felt"]
    image[::7, ::7] = (seed * 7 + 1) % 97
    known = iter(laid(tiles))
    found: list[TileReading] = []
    for place, face in enumerate(tiles):
        if face is None:
            continue
        drawing = crop(face, 100 * seed + place)
        if place in wider:
            drawing = spread(crop(face, 100 * seed + place, colours=drawn.IVORY), 0.04)
        x, y = 40 + 60 * (place % 16), 300 - 120 * (place // 16)
        image[y : y + 96, x : x + 48] = drawing
        a, b, c, d = x + 7.5, y + 7.5, x + 39.5, y + 87.5
        found.append(replace(next(known), polygon=((a, b), (c, b), (c, d), (a, d))))
    return image, Reading("", (WIDTH, HEIGHT), True, True, tuple(found), (), (), (), {}, {})  # noqa: FBT003


def displayed(
    watch: SetWatch, tiles: Sequence[Tile | None], seed: int, t_s: float, wider: frozenset[int] = frozenset()
) -> list[SetReport]:
    """Show a watch one picture of a display whose tiles lie still; returns what it tells."""
    image, reading = picture(tiles, seed, wider)
    spots = [Spot(0.0, 0.0, 0.0, tile) for tile in reading.tiles]
    lying = [Track(n, 1, spot, spot, 0.0, t_s, pictures=9) for n, spot in enumerate(spots)]
    return list(watch.see(image, reading, lying, Phase.DISPLAY, t_s, fit=True))


class Table:
    """A watch, and a clock that each picture moves on."""

    def __init__(self, path: Path | None = None) -> None:
        self.watch = SetWatch(CALIBRATION, path)
        self.t_s = 0.0
        self.seed = 0
        self.told: list[SetReport] = []

    def display(
        self,
        tiles: Sequence[Tile | None],
        times: int = SHOTS,
        wider: frozenset[int] = frozenset(),
        step_s: float = APART_S + 0.01,
    ) -> None:
        for _ in range(times):
            self.seed += 1
            self.t_s += step_s
            self.told += displayed(self.watch, tiles, self.seed, self.t_s, wider)

    def play(self, faces_: str, verdict: Verdict | None, times: int = 4, first: int = 1, step_s: float = 0.2) -> None:
        image, reading = picture([], 0)
        for _ in range(times):
            self.t_s += step_s
            lying = shown(faces_, [verdict] * 4, first)
            self.told += self.watch.see(image, reading, lying, Phase.SETTING, self.t_s, fit=True)

    def ask(self, act: Act) -> SetRequest:
        asked = SetRequest(act, "ann", "asked for")
        self.watch.ask(asked)
        return asked


@pytest.fixture(scope="module")
def enrolled(tmp_path_factory: pytest.TempPathFactory) -> SetWatch:
    table = Table(tmp_path_factory.mktemp("own") / "own.json")
    assert table.watch.fault() is not None
    table.ask("enrol")
    table.display(faces())
    assert [(each.act, each.ok, each.blocks) for each in table.told] == [("enrol", True, False)]
    return table.watch


@pytest.fixture
def table(enrolled: SetWatch) -> Table:
    fresh = Table()
    fresh.watch = SetWatch(CALIBRATION, enrolled.path, enrolled.enrolment)
    return fresh


def without(place: int) -> list[Tile | None]:
    return [face if n != place else None for n, face in enumerate(faces())]


def swapped(one: int, other: int) -> list[Tile | None]:
    tiles: list[Tile | None] = list(faces())
    tiles[one], tiles[other] = tiles[other], tiles[one]
    return tiles


def test_a_whole_display_is_told_once(table: Table) -> None:
    table.display(faces(), 8)
    assert [(each.act, each.ok, each.blocks, each.faults) for each in table.told] == [("check", True, False, ())]
    assert table.told[0].enrolment == table.watch.version
    table.play(HANDS[0], "own", round(OVER_S / 0.2) + 2)
    table.display(faces(), 4)
    assert len(table.told) == 2


@pytest.mark.parametrize(
    ("tiles", "wider", "codes", "blocks"),
    [
        pytest.param(without(7), frozenset(), {"missing_tile"}, True, id="missing"),
        pytest.param(swapped(0, 31), frozenset(), {"swapped_tiles"}, False, id="swapped"),
        pytest.param(faces(), frozenset({0}), {"foreign_tile"}, False, id="one of another maker"),
        pytest.param(faces(), frozenset(range(32)), {"foreign_tile"}, True, id="all of another maker"),
    ],
)
def test_a_faulty_display_is_told_when_it_is_over(
    table: Table, tiles: list[Tile | None], wider: frozenset[int], codes: set[str], *, blocks: bool
) -> None:
    table.display(tiles, 5, wider)
    assert table.told == []  # it may still be put right
    table.play(HANDS[0], None, round(OVER_S / 0.2) + 2)
    (report,) = table.told
    assert ({fault.code for fault in report.faults}, report.ok, report.blocks) == (codes, False, blocks)
    assert (table.watch.fault() is not None) is blocks


def test_a_display_that_is_put_right_is_a_whole_one(table: Table) -> None:
    table.display(without(7), 4)
    table.display(faces(), 4)
    assert [(each.ok, each.blocks) for each in table.told] == [(True, False)]


@pytest.mark.parametrize("puts_right", ["check", "confirm", "enrol", "display"])
def test_an_exchanged_set_blocks_until_it_is_put_right(table: Table, puts_right: str) -> None:
    table.play(HANDS[0], "own")
    assert table.watch.fault() is None
    table.play(HANDS[1], "unlike", first=9)
    assert [(each.act, each.ok, each.blocks) for each in table.told] == [("alarm", False, True)]
    for hand in HANDS:
        table.play(hand, "own", first=20)
        assert table.watch.fault() is not None
    assert len(table.told) == 1
    asked = None if puts_right == "display" else table.ask(puts_right)  # type: ignore[arg-type]
    if puts_right == "confirm":
        table.play(HANDS[2], "own", 1, first=30)
    else:
        table.display(faces())
    assert table.watch.fault() is None
    last = table.told[-1]
    assert (last.act, last.ok, last.blocks) == ("check" if asked is None else puts_right, True, False)
    if asked is not None:
        assert asked.answer.result(0) == last
        assert (last.by, last.reason) == ("ann", "asked for")


def test_who_asks_without_a_display_is_told_so(table: Table) -> None:
    asked = table.ask("check")
    table.play(HANDS[0], "own", round(PATIENCE_S / 0.2) + 3)
    assert not asked.answer.result(0).ok
    assert asked.answer.result(0).finding.code is ServiceCode.NO_DISPLAY_SEEN


@pytest.mark.parametrize("every_s", [0.2, 0.6, 2.1])
def test_displays_are_checked_at_every_rate_of_pictures(table: Table, every_s: float) -> None:
    pictures = SHOTS * math.ceil(APART_S / every_s) + 1
    # A hand passes over it once; then somebody asks, while tiles are still put straight.
    table.display(faces(), 1, step_s=every_s)
    table.play(HANDS[0], None, 1, step_s=every_s)
    table.display(faces(), pictures, step_s=every_s)
    assert [(each.act, each.ok) for each in table.told] == [("check", True)]
    asked = table.ask("check")
    table.play(HANDS[0], None, 3, step_s=every_s)
    table.display(faces(), pictures, step_s=every_s)
    assert asked.answer.result(0).ok
    assert [(each.act, each.ok) for each in table.told] == [("check", True)] * 2


def test_what_is_not_whole_is_not_enrolled(table: Table) -> None:
    before = table.watch.enrolment
    asked = table.ask("enrol")
    table.display(without(3))
    assert [fault.code for fault in asked.answer.result(0).faults] == ["missing_tile"]
    assert table.watch.enrolment is before


def test_an_alarm_outlives_a_restart_but_not_another_enrolment(table: Table) -> None:
    table.play(HANDS[1], "unlike", first=9)
    written = table.told[-1].written()
    of_another = written | {"enrolment": "sha256:old"}
    for last, fault in ((None, None), (written, table.watch.fault()), (of_another, None)):
        fresh = SetWatch(CALIBRATION, table.watch.path, table.watch.enrolment)
        fresh.resume(last)
        assert fresh.fault() == fault
    assert table.watch.fault() is not None


def test_a_table_without_an_enrolment_is_told_but_not_blocked() -> None:
    table = Table()
    table.display(without(7), 4)
    table.play(HANDS[0], None, round(OVER_S / 0.2) + 2)
    assert [(each.ok, each.blocks) for each in table.told] == [(False, False)]


class Answering(SetWatch):
    """Completes every request at once."""

    def ask(self, asked: SetRequest) -> None:
        done = Finding(ServiceCode.SET_ENROLLED)
        asked.answer.set_result(SetReport(asked.act, ok=True, finding=done, by=asked.by, reason=asked.reason))


@pytest.mark.parametrize(
    ("role", "act", "status"),
    [
        (UserRole.SUPERVISOR, "confirmation", 200),
        (UserRole.TECHNICIAN, "confirmation", 403),
        (UserRole.TECHNICIAN, "check", 200),
        (UserRole.INTEGRATOR, "check", 403),
        (UserRole.TECHNICIAN, "enrolment", 200),
    ],
)
def test_over_http(tmp_path: Path, role: UserRole, act: str, status: int) -> None:
    tiles = Answering(CALIBRATION, tmp_path / "own.json")
    app = app_of(config(), reader=FakeReader(), watch=False, tiles=tiles)
    with signed_in(app, role) as client:
        answer = client.post(f"/v1/tables/test/tiles/{act}", json={"reason": "opening"})
        assert answer.status_code == status
        if status == 200:
            assert answer.json()["ok"]
            assert answer.json()["by"].startswith("key test ")
            assert answer.json()["reason"] == "opening"
        told = client.get("/v1/tables/test/tiles").json()
        assert (told["enrolment"], told["ok"], told["last"]) == (None, False, None)


def test_a_table_without_calibration_has_no_set_to_follow() -> None:
    with signed_in(app_of(config(), reader=FakeReader(), watch=False)) as client:
        assert client.get("/v1/tables/test/tiles").json()["code"] == "not_calibrated"
        assert client.get("/v1/tables/other/tiles").status_code == 404


@pytest.mark.parametrize(("role", "offered"), [(UserRole.SUPERVISOR, True), (UserRole.TECHNICIAN, False)])
def test_on_the_page(tmp_path: Path, role: UserRole, offered: bool) -> None:  # noqa: FBT001  a parameter
    tiles = Answering(CALIBRATION, tmp_path / "own.json")
    app = app_of(config(), reader=FakeReader(), watch=False, tiles=tiles)
    client = person(app, role)
    shown = client.get("/tables/test/tiles").text
    assert "lay out the whole set at the display, then enrol it" in shown
    assert ("/tables/test/tiles/confirmation" in shown) is offered
    assert "/tables/test/tiles/enrolment" in shown
    answer = client.post("/tables/test/tiles/enrolment", data={"reason": "new tiles"})
    assert (answer.status_code, "the set at the display is enrolled" in answer.text) == (200, True)
    assert client.post("/tables/test/tiles/confirmation", data={"reason": "known"}).status_code == (
        200 if offered else 403
    )
    assert client.post("/tables/test/tiles/check", data={"reason": " "}).status_code == 422
    app.state.parts.record.close()


def test_the_page_offers_no_enrolment_without_a_file() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False, tiles=SetWatch(CALIBRATION))
    shown = person(app, UserRole.TECHNICIAN).get("/tables/test/tiles").text
    assert "name a file as enrolment in the table" in shown
    assert "/tables/test/tiles/enrolment" not in shown
    app.state.parts.record.close()


def test_on_the_page_without_calibration() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    client = person(app, UserRole.TECHNICIAN)
    assert "the set of tiles cannot be checked" in client.get("/tables/test/tiles").text
    assert client.post("/tables/test/tiles/check", data={"reason": "opening"}).status_code == 409
    app.state.parts.record.close()
