"""Following the house's dice: confirmed throws are added, a person enrols others; the requests and the set-up page."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from service.access.roles import UserRole
from service.table.monitor.dice_watch import DiceReport, DiceRequest, DiceWatch
from service.table.monitor.set_watch import PATIENCE_PICTURES, PATIENCE_S
from service.words.codes import ServiceCode
from tests.calibration.watched import watched_table
from tests.service.stand_ins import FakeReader, app_of, config, person, signed_in
from tests.vision import drawn
from vision.arrays import Pixels
from vision.enrolment.dice_file import load_dice
from vision.enrolment.own_dice import OwnDice
from vision.findings import Code
from vision.hand_grouping import Conventions
from vision.reading import DieReading, Reading
from vision.tracking import TableWatch

CALIBRATION = watched_table().calibration
WIDTH, HEIGHT = CALIBRATION.size
RED, WHITE, PALE, DARK = (40, 30, 170), (225, 230, 230), (230, 232, 230), (20, 20, 20)


def picture(values: Sequence[int], seed: int) -> tuple[Pixels, Reading]:
    """Dice on the felt, the last one white, and their reading; another seed is another throw."""
    rng = np.random.default_rng(seed)
    image = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    image[:] = (60, 110, 20)
    dice = []
    for n, value in enumerate(values):
        white = n == len(values) - 1
        x, y = 60 + 90 * n + int(rng.integers(20)), 120 + 50 * (seed % 3)
        image[y : y + 80, x : x + 80] = drawn.die(value, WHITE if white else RED, DARK if white else PALE, rng=rng)
        a, b, c, d = x + 19.5, y + 19.5, x + 59.5, y + 59.5
        outline = ((a, b), (c, b), (c, d), (a, d))
        dice.append(DieReading(value, None, "red", cocked=False, polygon=outline, confidence=0.999, status="verified"))
    found = [replace(die, own="own") for die in dice]
    return image, Reading("", (WIDTH, HEIGHT), True, True, (), tuple(found), (), (), {}, {})  # noqa: FBT003


class Table:
    """A watch of dice, and the table that it follows."""

    def __init__(self, path: Path | None) -> None:
        self.watch = DiceWatch(CALIBRATION, path)
        self.table = TableWatch(Conventions())
        self.t_s = 0.0
        self.told: list[DiceReport] = []

    def throw(self, values: Sequence[int], seed: int, times: int = 8, step_s: float = 0.2) -> None:
        for number in range(times):
            self.t_s += step_s
            image, reading = picture(values, seed)
            dice = tuple(replace(die, confidence=die.confidence - number * 1e-6) for die in reading.dice)
            seen = replace(reading, dice=dice)
            self.table.see(seen, self.t_s)
            self.told += self.watch.see(image, seen, self.table, self.t_s)
            if self.watch._learning is not None:
                self.watch._learning.exception()

    def ask(self, cut_value: int | None = None) -> DiceRequest:
        asked = DiceRequest("ann", "new dice", cut_value)
        self.watch.ask(asked)
        return asked


def test_dice_are_enrolled_by_one_throw_and_confirmed_throws_are_added(tmp_path: Path) -> None:
    path = tmp_path / "dice.json"
    table = Table(path)
    table.throw([1, 2, 3, 4], 1)
    assert table.told == []
    asked = table.ask()
    table.throw([1, 2, 3, 4], 1, times=1)
    report = asked.answer.result(0)
    assert (report.ok, report.finding.code, report.by) == (True, ServiceCode.DICE_ENROLLED, "ann")
    assert report.version == load_dice(path).version
    table.throw([2, 3, 6, 5], 2)
    assert [each.act for each in table.told] == ["enrol", "add"]
    assert table.watch.own is not None
    assert (len(load_dice(path).throws), table.watch.version) == (2, load_dice(path).version)
    assert table.watch.own.cuts == (3, 3)


def test_a_throw_that_may_be_of_other_dice_is_not_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(tmp_path / "dice.json")
    table.ask()
    table.throw([1, 2, 3, 4], 1)
    monkeypatch.setattr(OwnDice, "with_throw", lambda *_: pytest.fail("learnt from"))
    image, reading = picture([5, 5, 6, 6], 2)
    doubtful = [
        tuple(replace(die, own="unlike") for die in reading.dice),
        tuple(replace(die, status="uncertain") for die in reading.dice),
    ]
    for known in doubtful:
        for number in range(10):
            table.t_s += 0.2
            dice = tuple(replace(die, confidence=0.99 - number * 1e-6) for die in known)
            seen = replace(reading, dice=dice)
            table.table.see(seen, table.t_s)
            table.watch.see(image, seen, table.table, table.t_s)


def test_a_new_set_of_dice_replaces_the_old_one(tmp_path: Path) -> None:
    table = Table(tmp_path / "dice.json")
    table.ask()
    table.throw([1, 2, 3, 4], 1)
    table.throw([1, 2, 5, 6], 2)
    table.ask()
    table.throw([3, 2, 5, 6], 3)
    assert table.watch.own is not None
    assert len(table.watch.own.throws) == 1


def test_a_request_without_a_throw_or_with_a_wrong_cut_die_is_refused(tmp_path: Path) -> None:
    table = Table(tmp_path / "dice.json")
    asked = table.ask()
    table.throw([], 1, times=PATIENCE_PICTURES + 2, step_s=PATIENCE_S / 4)
    assert asked.answer.result(0).finding.code is Code.NO_THROW
    wrong = table.ask(cut_value=6)
    table.throw([1, 2, 3, 4], 1)
    assert wrong.answer.result(0).finding.code is Code.CUT_DIE_NOT_THERE
    assert table.watch.own is None
    unnamed = Table(None)
    asked = unnamed.ask()
    unnamed.throw([1, 2, 3, 4], 1)
    assert asked.answer.result(0).finding.code is ServiceCode.NO_DICE_FILE


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    table = Table(tmp_path / "file" / "dice.json")
    asked = table.ask()
    table.throw([1, 2, 3, 4], 1)
    assert asked.answer.result(0).finding.code is ServiceCode.FILE_NOT_WRITTEN


class Thrown(DiceWatch):
    """Dice that lie there whenever they are asked for."""

    def ask(self, request: DiceRequest) -> None:
        super().ask(request)
        lying = Table(self.path)
        lying.watch = self
        lying.throw([1, 2, 3, 4], 1)


def test_requests_and_the_page_show_what_is_learnt(tmp_path: Path) -> None:
    app = app_of(config(), reader=FakeReader(), watch=False, dice=Thrown(CALIBRATION, tmp_path / "dice.json"))
    with signed_in(app, UserRole.SUPERVISOR) as client:
        at = "/v1/tables/test/dice"
        assert client.get(at).json() == {"dice": None, "throws": 0, "kinds": [], "last": None}
        done = client.post(f"{at}/enrolment", json={"reason": "new dice", "cut_value": 4}).json()
        assert (done["act"], done["ok"], done["code"]) == ("enrol", True, "dice_enrolled")
        found = client.get(at).json()
        assert (found["throws"], found["last"]) == (1, done)
        assert [(kind["role"], kind["values"]) for kind in found["kinds"]] == [("box", [1, 2, 3]), ("cut", [4])]
        assert client.post(f"{at}/enrolment", json={"reason": "x", "cut_value": 7}).status_code == 422


def test_the_set_up_page_enrols_the_dice(tmp_path: Path) -> None:
    app = app_of(config(), reader=FakeReader(), watch=False, dice=Thrown(CALIBRATION, tmp_path / "dice.json"))
    client = person(app, UserRole.ADMIN)
    assert "Throw all dice" in client.get("/tables/test/setup/dice").text
    answer = client.post("/tables/test/setup/dice/enrolment", data={"reason": "new dice", "cut_value": ""})
    assert (answer.status_code, "the dice that lie there are enrolled" in answer.text) == (200, True)
    assert "values seen: 1 2 3" in answer.text
    app.state.parts.record.close()


def test_a_table_without_calibration_has_no_dice_to_follow() -> None:
    with signed_in(app_of(config(), reader=FakeReader(), watch=False)) as client:
        assert client.get("/v1/tables/test/dice").json()["code"] == "not_calibrated"
