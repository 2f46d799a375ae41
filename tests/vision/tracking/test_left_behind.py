"""What stays at a place from round to round is printed there or was forgotten; a round's own tiles are not."""

from dataclasses import replace

import pytest

from tests.vision.tracking.laid_tables import BOX2, HOUSE, MIDDLES, Table, backs, discards, hand, reading, status, tile
from vision.findings import Code
from vision.reading import TileReading
from vision.tracking import Seen

X, Y = MIDDLES["box3"]
PRINT = tile("6-4", "box3", X, Y, 90.0)
BACK = tile(None, "box3", X, Y, 90.0)
OTHER_HOUSE, OTHER_BOX = "4-3 4-1 2-2 5-4", "6-2 3-3 1-1 3-1"


def closed(place: str) -> list[TileReading]:
    return [replace(each, face=None, face_up=False) for each in hand(place, HOUSE)]


def play(table: Table, left: list[TileReading], house: str, box: str, *, clear_pictures: int = 25) -> Seen:
    """A round: closed tiles, two hands opened, put away, and the table clear except for objects left behind."""
    table.see([*closed("house"), *closed("box2"), *left], 8)
    table.see([*hand("house", house), *closed("box2"), *left], 8)
    seen = table.lie([*hand("house", house), *hand("box2", box), *left], 120)
    table.see([*discards(8), *left], clear_pictures)
    return seen


def left_codes(seen: Seen) -> list[dict[str, object]]:
    return [dict(each.params) for each in seen.lay_findings if each.code is Code.LEFT_ON_TABLE]


def test_what_outlasts_a_whole_round_does_not_count() -> None:
    table = Table()
    table.see([PRINT], 25)
    assert left_codes(play(table, [PRINT], HOUSE, BOX2)) == []
    seen = table.see([PRINT], 10)
    assert left_codes(seen) == [{"place": "box3", "face": "6-4"}]
    assert table.watch.without_left_behind(reading([PRINT])).tiles == ()
    assert table.watch.cleared, "a table with nothing but a print on it is clear"
    assert left_codes(play(table, [PRINT], OTHER_HOUSE, OTHER_BOX)) == [{"place": "box3", "face": "6-4"}]
    assert left_codes(play(table, [PRINT], HOUSE, BOX2)) == [{"place": "box3", "face": "6-4"}]


def test_a_hand_laid_over_what_was_left_is_read() -> None:
    table = Table()
    table.see([PRINT], 25)
    play(table, [PRINT], HOUSE, BOX2)
    seen = table.see([*hand("box3", OTHER_BOX), PRINT], 8)
    assert status(seen, "box3") == "verified"


def test_backs_must_outlast_two_rounds() -> None:
    table = Table()
    table.see([BACK], 25)
    play(table, [BACK], HOUSE, BOX2)
    assert left_codes(table.see([BACK])) == []
    play(table, [BACK], OTHER_HOUSE, OTHER_BOX)
    assert left_codes(table.see([BACK])) == [{"place": "box3"}]


@pytest.mark.parametrize("moved_mm", [0.0, 5.0])
def test_a_hand_that_lies_still_for_long_is_none(moved_mm: float) -> None:
    table = Table()
    play(table, [], HOUSE, BOX2)
    seen = play(table, [], HOUSE, BOX2)
    assert (status(seen), status(seen, "box2")) == ("verified", "verified")
    lone = hand("house", HOUSE)[:2]
    table.lie(lone, 600)
    table.see([*hand("house", HOUSE, off=moved_mm)], 8)
    assert left_codes(table.lie(lone, 600)) == []


def test_what_was_moved_or_taken_is_none() -> None:
    table = Table()
    table.see([PRINT], 25)
    play(table, [replace(PRINT, center_mm=(X + 9.0, Y))], HOUSE, BOX2)
    assert left_codes(table.see([PRINT], 2)) == []


def test_what_was_forgotten_and_taken_counts_again() -> None:
    table = Table()
    table.see([PRINT], 25)
    play(table, [PRINT], HOUSE, BOX2)
    assert left_codes(table.see([PRINT]))
    play(table, [], OTHER_HOUSE, OTHER_BOX)
    play(table, [], HOUSE, BOX2)
    assert left_codes(table.see([PRINT])) == []


def test_a_table_hidden_by_arms_is_not_clear() -> None:
    table = Table()
    table.see([PRINT], 25)
    play(table, [PRINT], HOUSE, BOX2, clear_pictures=10)
    assert left_codes(table.see([PRINT])) == []


def test_tiles_dealt_where_others_lay_in_the_rounds_before_are_seen() -> None:
    """Of four dealt on top of each other two are seen, and each deal may lay them at the same spot."""
    stacks = [tile(None, None, -100.0 + 27.0 * n, -60.0, 90.0) for n in range(8)]
    table = Table()
    for house, box in ((HOUSE, BOX2), (OTHER_HOUSE, OTHER_BOX), (HOUSE, BOX2)):
        table.see(stacks, 5)
        table.see([*stacks[1:], *backs("box3")], 5)
        table.see([*backs("box2"), *backs("box3")], 25)
        assert table.watch.without_left_behind(reading(backs("box3"))).tiles
        play(table, [], house, box)
