"""Which pictures are kept with a hand or a throw, and what is drawn on them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import cv2
import numpy as np
import pytest

from service.record.ledger import Evidence, Ledger
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.rounds.round_tracker import RoundTracker
from service.table.evidence_keeper import EvidenceKeeper, draw_round
from tests.service.stand_ins import EMPTY, RIGHT, WRONG, die, hand, new_folder, noisy, picture, reading, report_round
from vision.capture.images import Image
from vision.reading import Reading

START = datetime(2026, 1, 1, tzinfo=UTC)
RULES = TableRules.of("crown-6.1")
HOUSE = reading(hand("house", *RIGHT))
WITH_BOX = reading(hand("house", *RIGHT), hand("box2", "1-1 4-3", "4-4 5-5"))
ANEW = reading(hand("house", *WRONG), hand("box2", "1-1 4-3", "4-4 5-5"))


def shade(grey: int) -> Image:
    """A plain picture, told from others by its grey."""
    return np.full((360, 640, 3), grey, np.uint8)


def grey_of(evidence: Evidence) -> int:
    shown = cv2.imdecode(np.frombuffer(evidence.picture.data, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    return int(np.median(shown))


def sharp(said: Reading, match: float) -> Reading:
    """The same, every tile with pips that match so well."""
    return replace(said, tiles=tuple(replace(tile, scores={"pips": match}) for tile in said.tiles))


def play(*shown: tuple[Reading, int]) -> list[tuple[RoundReport, tuple[Evidence, ...]]]:
    """Each revision with the evidence of what changed, of readings with the grey of their pictures."""
    tracker, keeper = RoundTracker(lambda: "r1", 2, 2), EvidenceKeeper()
    made: list[tuple[RoundReport, tuple[Evidence, ...]]] = []
    for number, (said, grey) in enumerate(shown):
        seen = noisy(said, number)
        changed = tracker.update(seen, START + timedelta(seconds=number))
        keeper.see(shade(grey), seen, tracker.watch)
        if changed is not None:
            report = report_round(changed, table="test", rules=RULES, versions={})
            made.append((report, keeper.of(report, made[-1][0] if made else None)))
    return made


def test_each_new_hand_has_the_table_the_drawing_and_a_close_up() -> None:
    (_, house), (_, box) = play((HOUSE, 90), (HOUSE, 90), (WITH_BOX, 110), (WITH_BOX, 110))
    assert [(one.place, one.role) for one in house] == [
        ("house", "frame"),
        ("house", "annotated"),
        ("house", "close_up"),
    ]
    assert {one.place for one in box} == {"box2"}
    assert [grey_of(one) for one in (*house, *box) if one.role == "frame"] == [90, 110]


def test_the_clearest_of_the_pictures_that_agreed_is_kept() -> None:
    blurred, clear = sharp(HOUSE, 0.6), sharp(HOUSE, 0.9)
    ((_, evidence),) = play((blurred, 60), (clear, 120), (blurred, 80))[:1]
    assert {grey_of(one) for one in evidence if one.role == "frame"} == {120}


@pytest.mark.parametrize(("later", "kept"), [(0.91, [120, 120]), (0.86, [120, 120]), (0.7, [90, 120])])
def test_a_picture_that_is_kept_stands_for_all_that_it_shows_as_clearly(later: float, kept: list[int]) -> None:
    """Few full pictures stay in memory; one that shows a hand less clearly does not replace its own."""
    first, then = sharp(HOUSE, 0.88), sharp(WITH_BOX, later)
    tracker, keeper = RoundTracker(lambda: "r1", 2, 2), EvidenceKeeper()
    changed = None
    for number, (said, grey) in enumerate([(first, 90), (first, 90), (then, 120), (then, 120)]):
        seen = noisy(said, number)
        changed = tracker.update(seen, START + timedelta(seconds=number)) or changed
        keeper.see(shade(grey), seen, tracker.watch)
    assert changed is not None
    evidence = keeper.of(report_round(changed, table="test", rules=RULES, versions={}), None)
    assert [grey_of(one) for one in evidence if one.role == "frame"] == kept


def test_a_picture_that_shows_other_tiles_is_no_evidence() -> None:
    changes = play((HOUSE, 90), (HOUSE, 90), (ANEW, 130), (ANEW, 130))
    laid_anew = {one.place: grey_of(one) for one in changes[-1][1] if one.role == "frame"}
    assert laid_anew == {"house": 130, "box2": 130}


def test_only_what_the_picture_shows_as_recorded_is_drawn() -> None:
    (report, _), *_ = play((HOUSE, 90), (HOUSE, 90))
    nothing = draw_round(picture(), EMPTY, report, ())
    other_tiles = reading(hand("house", "1-1 4-3", "4-4 5-5"), dice=(die(3),))
    assert np.array_equal(draw_round(picture(), other_tiles, report, {"house"}), nothing)
    laid_otherwise = draw_round(picture(), HOUSE, report, ())
    assert np.array_equal(laid_otherwise, nothing)
    assert not np.array_equal(draw_round(picture(), HOUSE, report, {"house"}), nothing)


def test_the_same_tiles_laid_otherwise_are_no_evidence_of_a_hand() -> None:
    """Laid again, they are the same four faces and another hand."""
    laid_anew = reading(hand("house", *WRONG))
    changes = play((HOUSE, 90), (HOUSE, 90), (laid_anew, 130), (laid_anew, 130))
    assert [report.hands[0].low for report, _ in changes] == [("6-3", "5-3"), ("6-1", "5-3")]
    assert [{grey_of(one) for one in evidence if one.role == "frame"} for _, evidence in changes] == [{90}, {130}]


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    record = Record(RecordSettings(new_folder()))
    yield Ledger(record, "test", RULES)
    record.close()


def test_what_does_not_change_keeps_its_evidence(ledger: Ledger) -> None:
    changes = play((HOUSE, 90), (HOUSE, 90), (WITH_BOX, 110), (WITH_BOX, 110), (EMPTY, 20), (EMPTY, 20), (EMPTY, 20))
    recorded = [ledger.revise(report, evidence)[-1] for report, evidence in changes]
    by_place = [
        {place: {one.sha256 for one in each.evidence if one.place == place} for place in ("house", "box2")}
        for each in recorded
    ]
    assert recorded[-1].state == "closed"
    assert by_place[0]["house"] == by_place[1]["house"] == by_place[-1]["house"] != set()
    assert by_place[1]["box2"] == by_place[-1]["box2"] != set()
    for each in recorded[-1].evidence:
        assert ledger.record.picture(each.sha256) is not None


def test_a_wrong_hand_has_a_close_up_with_the_tiles_to_exchange_ringed() -> None:
    laid = reading(hand("house", *WRONG))
    lefts = {str(tile.face): 60.0 + 130.0 * number for number, tile in enumerate(laid.tiles)}
    apart = tuple(
        replace(tile, polygon=((x, 100.0), (x + 40.0, 100.0), (x + 40.0, 200.0), (x, 200.0)))
        for tile in laid.tiles
        for x in [lefts[str(tile.face)]]
    )
    wrong = replace(laid, tiles=apart)
    ((_, evidence),) = play((wrong, 90), (wrong, 90))
    shown = {one.role: cv2.imdecode(np.frombuffer(one.picture.data, np.uint8), cv2.IMREAD_COLOR) for one in evidence}
    assert set(shown) == {"frame", "annotated", "close_up", "exchange"}
    plain, ringed = shown["close_up"], shown["exchange"]
    assert plain is not None
    assert ringed is not None
    assert ringed.shape == plain.shape
    red = (ringed[..., 2] > 200) & (ringed[..., 1] < 120)
    count, _, stats, middles = cv2.connectedComponentsWithStats(red.astype(np.uint8))
    rings = [middles[each][0] for each in range(1, count) if stats[each, cv2.CC_STAT_AREA] > 500]
    scale = ringed.shape[1] / 640  # with its margins the close-up is as wide as the picture
    assert {min(lefts, key=lambda face: abs(lefts[face] + 20.0 - x / scale)) for x in rings} == {"6-1", "6-3"}
    assert len(rings) == 2
    assert not ((plain[..., 2] > 200) & (plain[..., 1] < 120)).any()


def test_nothing_is_ringed_where_a_face_does_not_name_its_tile() -> None:
    twins = reading(hand("house", "1-1 5-4", "1-1 6-3"))
    ((report, evidence),) = play((twins, 90), (twins, 90))
    assert report.hands[0].is_set_wrongly
    assert {one.role for one in evidence} == {"frame", "annotated", "close_up"}
