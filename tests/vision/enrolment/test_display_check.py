"""The display check on laid-out readings: every fault is named with its place, whichever way the rows run."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.game.display_order import BY_POINTS, IN_PAIRS, LAID, ORDERS, SINGLY
from engine.game.tiles import FULL_SET, Kind, Tile
from vision.enrolment.display_check import read_display
from vision.reading import TileReading

_NOWHERE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def faces(order: str = "singly") -> list[Tile]:
    by_kind = {
        kind: sorted((tile for tile in FULL_SET if tile.kind is kind), key=lambda tile: tile.index) for kind in Kind
    }
    return [by_kind[kind].pop(0) for kind in LAID[order]]


def laid(
    tiles: Sequence[Tile | None],
    columns: int = 16,
    *,
    upside_down: bool = False,
    mirrored: bool = False,
    across: bool = False,
) -> list[TileReading]:
    """Readings of tiles in rows from the players' side on; None leaves a gap."""
    found = []
    for number, face in enumerate(tiles):
        row, column = divmod(number, columns)
        x, y = (column - columns / 2) * 27.0, -row * 72.0
        if across:
            x, y = (column - columns / 2) * 72.0, -row * 27.0
        x, y = (-x if mirrored else x), (-y if upside_down else y)
        if face is not None:
            found.append(
                TileReading(face, True, _NOWHERE, 0.99, None, "verified", (), (x, y), 0.0 if across else 90.0)  # noqa: FBT003
            )
    return found


def fault_codes(tiles: list[TileReading]) -> list[tuple[str, tuple[int, ...]]]:
    return [(fault.code, fault.places) for fault in read_display(tiles).faults]


def test_the_two_orders_are_those_of_the_engine() -> None:
    assert (SINGLY[0], SINGLY[-1]) == (Kind.TEEN, Kind.GEE_JUN)
    assert IN_PAIRS[:3] == (Kind.GEE_JUN, Kind.GEE_JUN, Kind.TEEN)
    assert sorted(IN_PAIRS) == sorted(SINGLY)


def test_an_order_by_points_is_known_that_no_book_ranks() -> None:
    assert BY_POINTS[-5:] == (Kind.LOW_7, Kind.GEE_JUN, Kind.FIVE, Kind.FIVE, Kind.GEE_JUN)
    assert BY_POINTS not in ORDERS.values()


@pytest.mark.parametrize("order", LAID)
@pytest.mark.parametrize("columns", [8, 16, 32])
@given(flags=st.tuples(st.booleans(), st.booleans(), st.booleans()), shuffled=st.randoms(use_true_random=False))
@settings(max_examples=4, deadline=None)
def test_a_faultless_display_is_read_any_way_round(
    order: str, columns: int, flags: tuple[bool, bool, bool], shuffled: Random
) -> None:
    upside_down, mirrored, across = flags
    readings = laid(faces(order), columns, upside_down=upside_down, mirrored=mirrored, across=across)
    shuffled.shuffle(readings)
    display = read_display(readings)
    assert (display.order, display.faults) == (order, ())
    kinds = [readings[number].face.kind for number in display.tiles if number is not None]  # type: ignore[union-attr]
    assert tuple(kinds) == LAID[order]


@given(one=st.integers(0, 31), other=st.integers(0, 31))
@example(one=28, other=30)
@example(one=29, other=30)
@settings(max_examples=12, deadline=None)
def test_two_swapped_tiles_are_named_with_both_places(one: int, other: int) -> None:
    tiles = faces()
    if tiles[one].kind is tiles[other].kind:
        return
    tiles[one], tiles[other] = tiles[other], tiles[one]
    places = (min(one, other) + 1, max(one, other) + 1)
    # A tile of Gee Jun in the first five's place is the order by points, whole.
    expected = [] if tuple(tile.kind for tile in tiles) == BY_POINTS else [("swapped_tiles", places)]
    assert fault_codes(laid([*tiles])) == expected


@given(gap=st.integers(0, 31), closed=st.booleans())
@settings(max_examples=12, deadline=None)
def test_a_missing_tile_is_named(gap: int, *, closed: bool) -> None:
    tiles: list[Tile | None] = [*faces()]
    lost = tiles[gap]
    rest = [tile for number, tile in enumerate(tiles) if number != gap]
    tiles[gap] = None
    readings = laid(rest, 16) if closed else laid(tiles)
    (fault,) = read_display(readings).faults
    assert fault.code == "missing_tile"
    assert str(lost) in dict(fault.finding.params)["belongs"]  # type: ignore[operator]
    assert faces()[fault.places[0] - 1].kind is lost.kind  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("number", "face", "expected"),
    [
        (0, "5-5", [("duplicate_tile", (1,))]),  # a third High 10 instead of a Teen
        (22, "5-4", [("duplicate_tile", (23,)), ("duplicate_tile", (24,))]),  # both nines alike
        (10, "4-1", [("duplicate_tile", (11,)), ("duplicate_tile", (29,))]),
    ],
)
def test_a_face_too_many_is_named(number: int, face: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    tiles = faces()
    tiles[number] = Tile.parse(face)
    assert fault_codes(laid([*tiles])) == expected


def test_unread_and_face_down_tiles_are_named_uncertain_backs_not() -> None:
    readings = laid([*faces()])
    readings[4] = replace(readings[4], face=None, status="uncertain")
    readings[20] = replace(readings[20], face=None, face_up=False)
    assert fault_codes(readings) == [("unread_tile", (5,)), ("face_down_tile", (21,))]
    readings[20] = replace(readings[20], status="uncertain")
    assert fault_codes(readings)[0] == ("unread_tile", (5,))
    assert fault_codes(readings)[1][0] == "missing_tile"


def test_a_tile_too_many_is_named_with_row_and_column() -> None:
    tiles = faces()
    tiles.insert(3, Tile.parse("2-1"))
    (fault, *_) = [each for each in read_display(laid([*tiles], 33)).faults if each.code == "extra_tile"]
    assert dict(fault.finding.params) == {"row": 1, "tile": 4, "face": "2-1"}


def test_tiles_in_no_order_are_no_display() -> None:
    assert fault_codes(laid(faces()[::3])) == [("not_in_rank_order", ())]
    assert fault_codes([]) == [("not_in_rank_order", ())]
