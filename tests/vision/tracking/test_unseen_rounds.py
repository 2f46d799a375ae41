"""Rounds that pass while pictures are missing, or too far apart: nothing of them is counted with the next."""

from dataclasses import replace

import pytest

from tests.vision.tracking.laid_tables import BOX2, HOUSE, MIDDLES, Table, die, discards, hand, tile
from vision.reading import TileReading
from vision.tracking import Seen

LEANING = [die(3, 0), die(5, 60), die(1, 120, cocked=True), die(2, 180, "cut")]
NEXT = [replace(each, polygon=die(each.value or 0, 300.0 + 60 * n).polygon) for n, each in enumerate(LEANING)]
PLACES = ("house", *(f"box{number}" for number in range(1, 9)))


def dealt(shift: float = 0.0) -> list[TileReading]:
    """Closed tiles at all places, laid a little elsewhere by each deal."""
    middles = {place: (-800.0 + 200.0 * number, 200.0) for number, place in enumerate(PLACES)} | MIDDLES
    return [
        tile(None, place, middles[place][0] + 26.0 * n + shift * (-1) ** number, middles[place][1] + shift, 90.0)
        for number, place in enumerate(PLACES)
        for n in range(2)
    ]


def mixed() -> list[TileReading]:
    return [tile(None, None, -380.0 + 94.0 * (n % 8), -100.0 + 76.0 * (n // 8), 40.0 * n) for n in range(16)]


def away(table: Table, seconds: float) -> None:
    table.t_s += seconds


def passed(seen: Seen) -> bool:
    return seen.over and seen.unseen_s is not None


@pytest.mark.parametrize("seconds", [30.0, 300.0])
def test_a_round_that_ended_while_no_picture_came_is_separated_from_the_next(seconds: float) -> None:
    table = Table()
    table.see([], 5, LEANING)
    seen = table.see(dealt(), 5, LEANING)
    assert {each.code for each in seen.findings} == {"cocked_die"}
    away(table, seconds)
    looks = [table.see(dealt(15.0), 1, LEANING[:0]) for _ in range(6)]
    assert sum(map(passed, looks)) == 1
    last = looks[-1]
    assert last.throw is None
    assert not last.findings
    assert not last.observed


def test_what_lies_where_it_lay_continues_the_round() -> None:
    table = Table()
    table.see([], 5, LEANING)
    table.see(dealt(), 5, LEANING)
    away(table, 60.0)
    seen = table.see(dealt(0.5), 6)
    assert not seen.over
    assert seen.throw is not None
    table.see(dealt(0.5), 5, LEANING)
    away(table, 60.0)
    moved = table.see(dealt(15.0), 6, LEANING)
    assert moved.throw == seen.throw


def test_a_short_time_without_pictures_ends_no_round() -> None:
    table = Table()
    table.see([], 5, LEANING)
    table.see(dealt(), 5, LEANING)
    away(table, 10.0)
    assert table.see(dealt(15.0), 6).throw is not None


def test_open_hands_that_were_not_followed_to_the_end() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 10)
    away(table, 40.0)
    looks = [table.see(dealt(), 1) for _ in range(4)]
    (end,) = filter(passed, looks)
    assert [str(each.place) for each in end.hands] == ["house", "box2"]
    assert not looks[-1].hands


def test_closed_hands_gone_while_no_picture_came_leave_the_end_of_the_round_unseen() -> None:
    for gap, unseen in ((5.0, True), (0.2, False)):
        table = Table()
        closed = [each for each in dealt() if str(each.place) == "box3"]
        table.see([*hand("house", HOUSE), *closed], 10)
        away(table, gap)
        looks = [table.see(discards(8)) for _ in range(60)]
        (end,) = (each for each in looks if each.over)
        assert (end.unseen_s is not None) is unseen


@pytest.mark.parametrize(("apart_s", "unseen"), [(3.0, True), (0.2, False)])
def test_a_deal_and_a_mix_in_pictures_too_far_apart_are_a_round_not_seen(apart_s: float, *, unseen: bool) -> None:
    """A deal that is taken back in sight of the camera is no round that was not seen."""
    table = Table(step_s=apart_s)
    looks = [table.see(each) for each in (*[mixed()] * 4, *[dealt()] * 6, *[mixed()] * 4)]
    assert sum(map(passed, looks)) == unseen


def test_hands_open_in_single_pictures_are_a_round_not_seen() -> None:
    table = Table(step_s=4.0)
    opened = [*hand("house", HOUSE), *hand("box2", BOX2)]
    looks = [table.see(each) for each in (*[mixed()] * 3, *[opened] * 3, *[mixed()] * 3)]
    (end,) = filter(passed, looks)
    assert not any(each.lays for each in end.hands)


@pytest.mark.parametrize(("place", "unseen"), [("house", True), ("box2", True), (None, False)])
def test_a_hand_open_after_a_deal_is_a_round_not_seen(place: str | None, *, unseen: bool) -> None:
    """Its four tiles lie still in too few pictures to be read."""
    table = Table(step_s=2.0)
    moved = [hand(place, HOUSE, off=9.0 * n) if place else [] for n in range(2)]
    looks = [table.see(each) for each in (*[mixed()] * 3, *[dealt()] * 3, *moved, *[mixed()] * 3)]
    assert sum(map(passed, looks)) == unseen


@pytest.mark.parametrize("thrown", [True, False])
def test_a_hand_open_after_a_throw_is_a_round_not_seen(*, thrown: bool) -> None:
    """At most tables few places are dealt to in a picture, if the delivery is seen at all."""
    table = Table(step_s=2.0)
    dice = LEANING if thrown else []
    moved = [hand("house", HOUSE, off=9.0 * n) for n in range(2)]
    looks = [table.see(each, 1, dice) for each in ([], [], [], *moved, *[mixed()] * 3)]
    assert sum(map(passed, looks)) == thrown


def test_dice_thrown_before_the_tiles_were_mixed_again_are_not_the_next_rounds() -> None:
    table = Table()
    table.see([], 5, LEANING)
    table.see(dealt(), 5, LEANING)
    seen = table.see(mixed(), 5)
    assert seen.throw is None
    assert not seen.findings
