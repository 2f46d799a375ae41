"""When hands count, and when a round starts, changes and ends, picture by picture."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.house_way.rules import Moment
from service.rounds.reports import RoundReport
from service.rounds.round_tracker import RoundTracker
from tests.service.stand_ins import EMPTY, RIGHT, WRONG, die, hand, noisy, reading, tile
from vision.findings import Code, Finding
from vision.reading import Reading

START = datetime(2026, 1, 1, tzinfo=UTC)
HOUSE = reading(hand("house", *RIGHT))
HOUSE_TWISTED = reading(hand("house", "5-3 6-3", "6-1 6-6"), tiles=HOUSE.tiles[::-1])
HOUSE_ANEW = reading(hand("house", *WRONG))
HOUSE_UNSURE = reading(hand("house", *RIGHT, "uncertain"))
WITH_BOX = reading(hand("box2", "1-1 4-3", "4-4 5-5"), hand("house", *RIGHT))
BACKS = reading(tiles=(tile(None, "box1"),))
DISCARDS = reading(tiles=(tile("6-6", "discard"), tile("1-1", None)))


def _watch(*readings: Reading, settle: int = 2, clear: int = 2) -> list[RoundReport | None]:
    ids = count(1)
    tracker = RoundTracker(lambda: f"r{next(ids)}", settle, clear)
    return [
        tracker.update(each, START + timedelta(seconds=second))
        for second, each in enumerate(map(noisy, readings, range(len(readings))))
    ]


def _changes(*readings: Reading, settle: int = 2, clear: int = 2) -> list[RoundReport]:
    return [changed for changed in _watch(*readings, settle=settle, clear=clear) if changed is not None]


def test_a_hand_counts_once_enough_pictures_agree() -> None:
    first, second, third = _watch(HOUSE, HOUSE_TWISTED, HOUSE)
    assert first is None
    assert second is not None
    assert second.id == "r1"
    assert second.opened_at == START + timedelta(seconds=1)
    assert third is None


def test_an_interrupted_streak_starts_over() -> None:
    assert _changes(HOUSE, EMPTY, HOUSE, HOUSE_ANEW, HOUSE) == []


def test_a_second_hand_makes_a_revision_house_first() -> None:
    changes = _changes(HOUSE, HOUSE, WITH_BOX, WITH_BOX)
    assert len(changes) == 2
    assert [str(each.place) for each in changes[-1].hands] == ["house", "box2"]


def test_a_hand_laid_anew_is_news_and_a_hand_picked_up_stays() -> None:
    changes = _changes(WITH_BOX, WITH_BOX, HOUSE_ANEW, HOUSE_ANEW)
    assert len(changes) == 2
    assert [str(each.place) for each in changes[-1].hands] == ["house", "box2"]
    assert set(changes[-1].hands[0].low) == set(map(str, HOUSE_ANEW.hands[0].low))


def test_a_poorer_look_does_not_put_a_verified_hand_in_doubt() -> None:
    assert len(_changes(HOUSE, HOUSE, HOUSE_UNSURE, HOUSE_UNSURE, HOUSE_UNSURE)) == 1


def test_a_better_look_settles_a_doubt() -> None:
    changes = _changes(*[HOUSE_UNSURE] * 6, HOUSE, HOUSE)
    assert [each.status for change in changes for each in change.hands] == ["uncertain", "verified"]


@pytest.mark.parametrize("gone", [EMPTY, DISCARDS], ids=["bare-felt", "only-discards"])
def test_a_round_ends_when_the_tiles_have_left(gone: Reading) -> None:
    opened, away, closed = _changes(HOUSE, HOUSE, gone, gone)
    assert (opened.reached, away.reached) == (Moment.NO_HAND_EXPOSED, Moment.BANK_PUT_AWAY)
    assert (opened.closed_at, closed.closed_at) == (None, START + timedelta(seconds=3))
    assert (closed.id, closed.hands) == (opened.id, opened.hands)


@pytest.mark.parametrize(
    ("finding", "told"),
    [
        (Finding(Code.NOTHING_FOUND), []),
        (Finding.of(Code.FACE_DOWN_HAND, place="house", count=4), []),
        (Finding.of(Code.FACE_DOWN_TILE, place="house", count=2), [Code.FACE_DOWN_TILE]),
        (Finding(Code.TOO_DARK), [Code.TOO_DARK]),
    ],
)
def test_the_usual_end_of_a_round_is_no_fault(finding: Finding, told: list[Code]) -> None:
    bare = replace(EMPTY, findings=(finding,))
    away = _changes(HOUSE, HOUSE, bare, bare)[1]
    assert [found.code for found in away.findings] == told


def test_tiles_face_down_keep_a_round_open() -> None:
    assert len(_changes(HOUSE, HOUSE, BACKS, BACKS, BACKS)) == 1


def test_the_same_hand_again_is_another_round() -> None:
    changes = _changes(HOUSE, HOUSE, EMPTY, EMPTY, HOUSE, HOUSE)
    assert [change.id for change in changes] == ["r1", "r1", "r1", "r2"]


def test_dice_thrown_before_the_deal_belong_to_the_round() -> None:
    thrown = reading(dice=(die(3), die(5), die(1)))
    (opened,) = _changes(thrown, thrown, EMPTY, HOUSE, HOUSE)
    assert [each.value for each in opened.dice] == [3, 5, 1]


def test_dice_are_not_carried_into_the_next_round() -> None:
    thrown = reading(dice=(die(3),))
    changes = _changes(thrown, thrown, HOUSE, HOUSE, EMPTY, EMPTY, HOUSE, HOUSE)
    assert [len(change.dice) for change in changes] == [1, 1, 1, 0]


def test_dice_read_later_make_a_revision() -> None:
    later = reading(hand("house", *RIGHT), dice=(die(6),))
    changes = _changes(HOUSE, HOUSE, later, later)
    assert [len(change.dice) for change in changes] == [0, 1]


@settings(deadline=None)
@given(st.lists(st.sampled_from([HOUSE, HOUSE_ANEW, HOUSE_UNSURE, WITH_BOX, EMPTY, BACKS, DISCARDS]), max_size=40))
def test_closed_rounds_stay_closed(readings: list[Reading]) -> None:
    last: dict[str, RoundReport] = {}
    for change in _changes(*readings):
        before = last.get(change.id)
        assert before is None or before.closed_at is None
        # Hands open in single pictures only are a round that was not seen.
        assert change.hands or [each.code for each in change.findings] == [Code.ROUND_NOT_SEEN]
        last[change.id] = change
    assert sum(known.closed_at is None for known in last.values()) <= 1


def _resumed(first: RoundReport, *readings: Reading) -> list[RoundReport]:
    """What a service that was stopped in a round makes of the next readings."""
    tracker = RoundTracker(lambda: "new", 2, 2)
    tracker.resume(first)
    moments = (START + timedelta(seconds=100 + second) for second in range(len(readings)))
    changes = map(tracker.update, map(noisy, readings, range(len(readings))), moments)
    return [changed for changed in changes if changed is not None]


OTHER_HOUSE = hand("house", "1-1 4-3", "4-4 5-5")
OTHER_BOX = hand("box2", "6-5 6-5", "3-2 4-2")
OTHER_ROUND = reading(OTHER_HOUSE, OTHER_BOX)
OTHER_UNSURE = reading(hand("house", "1-1 4-3", "4-4 5-5", "uncertain"))


@pytest.mark.parametrize("seen_first", [OTHER_UNSURE, reading(OTHER_BOX)], ids=["uncertain", "a box first"])
def test_another_round_after_a_pause_is_not_merged_into_the_one_before(seen_first: Reading) -> None:
    (before,) = _changes(HOUSE, HOUSE)
    changes = _resumed(before, seen_first, seen_first, OTHER_ROUND, OTHER_ROUND, OTHER_ROUND, EMPTY, EMPTY, EMPTY)
    assert {each.id for each in changes} == {"new"}
    assert {hand.place: hand.high for hand in changes[-1].hands} == {"house": ("4-4", "5-5"), "box2": ("3-2", "4-2")}


def test_hands_that_cannot_be_attributed_after_a_pause_are_a_round_of_their_own() -> None:
    (before,) = _changes(HOUSE, HOUSE)
    box = reading(OTHER_BOX)
    (own,) = _resumed(before, box, box, box, EMPTY, EMPTY, EMPTY, EMPTY)
    assert (own.id, own.state, [hand.place for hand in own.hands]) == ("new", "closed", ["box2"])


def test_a_round_whose_end_was_not_seen_says_so() -> None:
    (before,) = _changes(HOUSE, HOUSE)
    (closed,) = _resumed(before, EMPTY, EMPTY, EMPTY, EMPTY)
    assert (closed.id, closed.state, closed.hands) == (before.id, "closed", before.hands)
    assert [finding.code for finding in closed.findings] == ["interrupted"]


def test_a_round_goes_on_once_one_of_its_hands_is_verified_again() -> None:
    (before,) = _changes(HOUSE, HOUSE)
    changes = _resumed(before, HOUSE_UNSURE, HOUSE_UNSURE, WITH_BOX, WITH_BOX, WITH_BOX)
    assert {each.id for each in changes} == {before.id}
    assert [(hand.place, hand.status) for hand in changes[-1].hands] == [("house", "verified"), ("box2", "verified")]
