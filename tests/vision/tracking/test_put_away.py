"""Hands put away, covered or laid again, and the end of a round."""

from dataclasses import replace

import pytest

from calibration.table.places import Place
from engine.house_way.rules import Moment
from engine.observed.observations import HandOpened, HandPutAway
from tests.vision.tracking.laid_tables import BOX2, HOUSE, Table, backs, discards, hand, status
from vision.tracking.lays.hand_history import MOVED_SINCE
from vision.tracking.phases import Phase


def test_a_hand_rearranged_just_before_it_is_away_is_doubted() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    table.see(hand("house", HOUSE)[:1], 4)
    swapped = hand("house", "6-3 6-6 5-3 6-1")
    unsure = [swapped[0], *(replace(each, status="uncertain") for each in swapped[1:])]
    assert status(table.see(unsure, 4)) == "verified"
    seen = (table.see(discards(4)).hand(Place.parse("house")) for _ in range(6))
    known = next(each for each in seen if each is not None and each.away)
    assert known.now is not None
    assert (known.now.status, known.now.doubts) == ("uncertain", (MOVED_SINCE,))


@pytest.mark.parametrize(("wrong", "over"), [("covered", False), ("drifted", True)])
def test_a_round_ends_unless_nobody_can_see_it(wrong: str, *, over: bool) -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    ended = [table.see(discards(4), wrong=wrong).over for _ in range(60)]
    assert any(ended) is over


def test_a_covered_lens_ends_no_round() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    assert not table.see([], 25).over
    assert table.see(discards(4), 6).over or table.watch.seen.hands == ()


def test_closed_tiles_on_a_clear_table_are_the_next_rounds() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    assert not table.see([], 6).over
    assert table.see([*backs("house"), *backs("box2")]).over
    seen = table.see([*hand("house", BOX2), *hand("box2", HOUSE)], 5)
    assert (status(seen), status(seen, "box2")) == ("verified", "verified")
    assert not seen.findings


def test_a_hand_that_is_open_again_was_only_covered() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    table.see([], 6)
    assert not table.see(hand("house", HOUSE), 5).over
    assert not table.see([*hand("house", HOUSE), *backs("box2")], 5).over


@pytest.mark.parametrize(("pictures", "away"), [(1, 0), (2, 1)])
def test_rare_pictures_must_show_twice_that_a_hand_is_gone(pictures: int, away: int) -> None:
    """An arm hides it in one, while the tiles of another hand are put away."""
    table = Table(step_s=2.0)
    lying = [*hand("house", HOUSE), *backs("box3")]
    table.see([*lying, *hand("box2", BOX2)], 6)
    seen = table.see([*discards(8), *backs("box3")], pictures)
    assert sum(isinstance(each, HandPutAway) and each.box is None for _, each in seen.observed) == away


@pytest.mark.parametrize(("off_mm", "codes"), [(0.0, []), (2.0, []), (8.0, ["seen_again"])])
def test_a_hand_is_laid_again_only_if_it_lies_elsewhere(off_mm: float, codes: list[str]) -> None:
    """Fingers over a hand pass for the backs of its tiles now and then."""
    table = Table()
    first, *others = hand("box2", BOX2, off=off_mm / 4)
    assert first.center_mm is not None
    laid = [replace(first, center_mm=(first.center_mm[0] - off_mm, first.center_mm[1])), *others]
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    seen = table.see([*hand("house", HOUSE), *backs("box2")[:2]], 4)
    box = seen.hand(Place.parse("box2"))
    assert box is not None
    assert box.away
    assert Phase.PUT_AWAY in [step.phase for step in seen.steps]
    seen = table.see([*hand("house", HOUSE), *laid], 12)
    box = seen.hand(Place.parse("box2"))
    assert box is not None
    assert not box.away
    assert [finding.code for finding in seen.findings] == codes
    assert (Phase.PUT_AWAY in [step.phase for step in seen.steps]) == bool(codes)


def test_a_hand_that_is_still_being_set_is_not_laid_again() -> None:
    """Its tiles are turned one by one and pushed together under fingers that pass for backs."""
    table = Table()
    apart = hand("box2", BOX2, off=12.0)
    table.see([*hand("house", HOUSE), *apart[:3]], 3)
    table.see([*hand("house", HOUSE), *backs("box2")[:2]], 4)
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    assert status(seen, "box2") == "verified"
    assert not seen.findings


def test_another_hands_discards_leave_a_covered_hand_there() -> None:
    table = Table()
    still_there = hand("box3", "6-5 1-1 5-1 3-2")
    table.see([*hand("house", HOUSE), *hand("box2", BOX2), *still_there], 5)
    for tiles in (still_there, [*discards(4), *still_there]):
        seen = table.see(tiles, 5)
        assert seen.moment in (Moment.FIRST_HAND_EXPOSED, None)
    seen = table.see([*hand("house", HOUSE), *discards(4), *still_there], 5)
    known = [seen.hand(Place.parse(place)) for place in ("house", "box2")]
    assert [each.away for each in known if each is not None] == [False, True]
    assert not seen.findings


def test_a_hand_lost_from_sight_with_closed_ones_is_covered() -> None:
    """Half the table is covered, and the only hand still in sight is put away."""
    table = Table()
    covered, seen_on = [*hand("house", HOUSE), *backs("box3")], hand("box2", BOX2)
    table.see([*covered, *seen_on], 5)
    table.see(seen_on, 5)
    seen = table.see(discards(4), 10)
    assert not seen.over
    assert not seen.hand(Place.parse("house")).away  # type: ignore[union-attr]
    seen = table.see([*covered, *discards(4)], 5)
    assert [str(hand.place) for hand in seen.hands] == ["house", "box2"]
    assert status(seen) == "verified"


def test_closed_tiles_end_no_round_before_all_hands_are_away() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    table.see([], 6)
    assert not table.see(backs("box2"), 2).over


def test_a_hand_that_was_put_away_lies_no_longer_open_though_a_picture_shows_a_tile_there() -> None:
    table = Table()
    laid = [*hand("house", HOUSE), *hand("box2", BOX2), *backs("box3")]
    table.see(laid, 6)
    left = [*hand("house", HOUSE), *backs("box3"), *discards(4)]
    seen = table.see(left, 10)
    known = seen.hand(Place.parse("box2"))
    assert known is not None
    assert known.away
    ghost = hand("box2", BOX2, sure=False)[:1]
    seen = table.see([*hand("house", HOUSE), *hand("box3", "5-4 4-2 6-4 2-2"), *discards(4), *ghost], 4)
    (opened,) = [each for _, each in seen.observed if isinstance(each, HandOpened) and each.box == 3]
    assert opened.open == ()


@pytest.mark.parametrize(("seconds", "closed"), [(5.0, (3,)), (1.0, ())])
def test_a_hand_that_lay_closed_long_after_another_was_away_is_told(seconds: float, closed: tuple[int, ...]) -> None:
    """Where two hands are away at once, it is known only later that both were; the last may be open by then."""
    table = Table()
    table.see([*hand("house", HOUSE), *hand("box2", BOX2), *backs("box3")], 5)
    table.see([*discards(4), *backs("box3")], round(seconds / table.step_s))
    table.see([*discards(4), *hand("box3", "4-3 4-1 2-2 5-4")], 5)
    seen = table.see([*discards(8), *hand("box3", "4-3 4-1 2-2 5-4")], 45)
    (away,) = (each for _, each in seen.observed if isinstance(each, HandPutAway) and each.box is None)
    assert away.closed == closed
