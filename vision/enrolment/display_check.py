"""The display check: whether all 32 tiles lie face up in rank order, and if not, which is wrong and where.

Rows are determined from the positions of the tiles; start, direction and kind of order (``engine.game.display_order``)
follow from the tiles. The tiles seen are aligned with the expected ones like sequences (Needleman and Wunsch, 1970), so
that one missing tile does not make all later ones wrong.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.table.sizes import TILE_MM
from engine.game.display_order import LAID
from engine.game.tiles import FULL_SET, Kind, Tile
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence
    from enum import StrEnum

    from vision.findings import Param
    from vision.reading import TileReading

WRONG: Final = 10
UNREAD: Final = 7
GAP: Final = 11
"""Costs of the alignment: a wrong tile, an unread one, a gap. Two swapped neighbours are two wrong tiles, not one
missing and one extra.
"""
FEWEST_IN_ORDER: Final = 20
"""Number of tiles in place below which the tiles are not in rank order at all."""
_SET: Final = Counter(FULL_SET)


@dataclass(frozen=True, slots=True)
class DisplayFault:
    """A fault of a display.

    Attributes:
        finding: the fault, with the tiles and their positions.
        places: places concerned, 1 to 32 in rank order.
    """

    finding: Finding
    places: tuple[int, ...] = ()

    @property
    def code(self) -> StrEnum:
        return self.finding.code


@dataclass(frozen=True, slots=True)
class Display:
    """The tiles of one picture as a display.

    Attributes:
        order: ``singly``, ``in pairs`` or ``by points``: which rank order they follow.
        tiles: for each of the 32 places the index in the reading of its tile; None for a missing one.
        spots: row and column of each place, from 1 in the direction of the order; None for a missing tile.
        faults: empty if all 32 are correct.
    """

    order: str
    tiles: tuple[int | None, ...]
    spots: tuple[tuple[int, int] | None, ...]
    faults: tuple[DisplayFault, ...]

    def fault(self, code: Code, *places: int, **params: Param) -> DisplayFault:
        """A fault at places, 1 to 32, described by row and tile."""
        return DisplayFault(Finding.of(code, where=tuple(map(self._where, places)), **params), places)

    def _where(self, number: int) -> Finding:
        spot = self.spots[number - 1]
        if spot is None:
            return Finding.of(Code.AT_PLACE, number=number)
        return Finding.of(Code.AT_PLACE, number=number, row=spot[0], tile=spot[1])


@dataclass(frozen=True, slots=True)
class _Alignment:
    """The tiles seen, aligned with the expected ones.

    Attributes:
        cost: of all differences.
        order: name of the order.
        steps: pairs of a place (0 to 31, or None for an extra tile) and a position in the row of tiles (or None).
        laid: indices of the tiles in reading order.
        spots: row and column of each of them.
    """

    cost: int
    order: str
    steps: tuple[tuple[int | None, int | None], ...]
    laid: tuple[int, ...]
    spots: tuple[tuple[int, int], ...]


def read_display(tiles: Sequence[TileReading]) -> Display:
    """Interpret the tiles of one calibrated picture as a display of the full set.

    Args:
        tiles: all tiles found, with their centres on the table.
    """
    rows = _rows(tiles)
    best = min(
        (_align(tiles, laid, spots, name) for (laid, spots), name in product(_ways_to_read(rows), LAID)),
        key=lambda each: each.cost,
    )
    places: list[int | None] = [None] * len(FULL_SET)
    spots: list[tuple[int, int] | None] = [None] * len(FULL_SET)
    for place, position in best.steps:
        if place is not None and position is not None:
            places[place], spots[place] = best.laid[position], best.spots[position]
    display = Display(best.order, tuple(places), tuple(spots), ())
    return Display(best.order, display.tiles, display.spots, _faults(tiles, display, best))


def _rows(tiles: Sequence[TileReading]) -> list[list[int]]:
    """Indices of the tiles by row: rows from the dealer's side, tiles from the dealer's left."""
    known = [number for number, tile in enumerate(tiles) if _lies(tile)]
    if not known:
        return []
    angles = np.deg2rad([tiles[number].angle_deg or 0.0 for number in known])
    middles = np.array([tiles[number].center_mm for number in known])
    # Directions that differ by right angles coincide when quadrupled.
    turn = float(np.angle(np.exp(4j * angles).mean())) / 4
    upright = float(np.median(np.abs(np.sin(angles - turn)))) > 0.7
    x = middles @ (np.cos(turn), np.sin(turn))
    y = middles @ (-np.sin(turn), np.cos(turn))
    height = TILE_MM[0] if upright else TILE_MM[1]
    by_height = np.argsort(y)
    ends = np.flatnonzero(np.diff(y[by_height]) > height / 2) + 1
    return [[known[each] for each in row[np.argsort(x[row])]] for row in np.split(by_height, ends)]


def _lies(tile: TileReading) -> bool:
    """Whether this is certainly a tile with a known position; an uncertain back is often bare felt."""
    return tile.center_mm is not None and tile.angle_deg is not None and (tile.face_up or tile.status == "verified")


def _ways_to_read(rows: list[list[int]]) -> list[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]:
    """The tiles in each possible reading order of the rows, with the row and column of each."""
    ways = []
    for down, backwards, winding in product((False, True), repeat=3):
        laid: list[int] = []
        spots: list[tuple[int, int]] = []
        for number, row in enumerate(rows[::-1] if down else rows):
            turned = backwards ^ (winding and number % 2 == 1)
            laid += row[::-1] if turned else row
            spots += [(number + 1, column + 1) for column in range(len(row))]
        ways.append((tuple(laid), tuple(spots)))
    return ways


def _align(
    tiles: Sequence[TileReading], laid: tuple[int, ...], spots: tuple[tuple[int, int], ...], name: str
) -> _Alignment:
    """The minimum-cost alignment with one of the orders."""
    order = LAID[name]
    costs = np.zeros((len(order) + 1, len(laid) + 1), np.int64)
    costs[:, 0], costs[0] = GAP * np.arange(len(order) + 1), GAP * np.arange(len(laid) + 1)
    wrong = [[_difference(tiles[each].face, kind) for each in laid] for kind in order]
    for place, position in product(range(1, len(order) + 1), range(1, len(laid) + 1)):
        costs[place, position] = min(
            costs[place - 1, position - 1] + wrong[place - 1][position - 1],
            costs[place - 1, position] + GAP,
            costs[place, position - 1] + GAP,
        )
    steps: list[tuple[int | None, int | None]] = []
    place, position = len(order), len(laid)
    while place or position:
        here = costs[place, position]
        if place and position and here == costs[place - 1, position - 1] + wrong[place - 1][position - 1]:
            place, position = place - 1, position - 1
            steps.append((place, position))
        elif place and here == costs[place - 1, position] + GAP:
            place -= 1
            steps.append((place, None))
        else:
            position -= 1
            steps.append((None, position))
    return _Alignment(int(costs[-1, -1]), name, tuple(steps[::-1]), laid, spots)


def _difference(face: Tile | None, kind: Kind) -> int:
    if face is None:
        return UNREAD
    return 0 if face.kind is kind else WRONG


def _faults(tiles: Sequence[TileReading], display: Display, best: _Alignment) -> tuple[DisplayFault, ...]:
    order = LAID[display.order]
    seen = [None if number is None else tiles[number] for number in display.tiles]
    right = [each is not None and each.face is not None and each.face.kind is order[n] for n, each in enumerate(seen)]
    if sum(right) < FEWEST_IN_ORDER:
        return (DisplayFault(Finding.of(Code.NOT_IN_RANK_ORDER, right=sum(right))),)
    held = Counter(tile.face for tile in tiles if tile.face is not None and tile.center_mm is not None)
    places = _Places(seen, order, held, display)
    found = [fault for number in range(1, len(order) + 1) if (fault := places.fault(number)) is not None]
    for place, position in best.steps:
        if place is None and position is not None and (face := tiles[best.laid[position]].face) is not None:
            row, column = best.spots[position]
            found.append(DisplayFault(Finding.of(Code.EXTRA_TILE, row=row, tile=column, face=str(face))))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Places:
    """The tile at each place, and the expected kind.

    Attributes:
        seen: the tile at each place, None for a missing one.
        order: the expected kinds.
        held: number of tiles of each face.
        display: the display.
        swapped: places already reported as swapped with an earlier one.
    """

    seen: Sequence[TileReading | None]
    order: Sequence[Kind]
    held: Counter[Tile]
    display: Display
    swapped: set[int] = field(default_factory=set)

    def fault(self, number: int) -> DisplayFault | None:
        """The fault at a place, 1 to 32; None if it is correct."""
        tile, kind = self.seen[number - 1], self.order[number - 1]
        belongs = _belongs(kind, self.held)
        if tile is None:
            return self.display.fault(Code.MISSING_TILE, number, belongs=belongs)
        if not tile.face_up:
            return self.display.fault(Code.FACE_DOWN_TILE, number)
        if tile.face is None:
            return self.display.fault(Code.UNREAD_TILE, number, belongs=belongs)
        if tile.face.kind is not kind:
            return self._wrong(number, tile.face, belongs)
        # Two identical tiles of a kind with two different faces: either may be the wrong one.
        if self.held[tile.face] > _SET[tile.face] == 1:
            return self._too_many(number, tile.face)
        return None

    def _wrong(self, number: int, face: Tile, belongs: tuple[str, ...]) -> DisplayFault | None:
        if number in self.swapped:
            return None
        other = self._swapped_with(number, face)
        if other is not None:
            self.swapped.add(other)
            there = str(self._face(other))
            return self.display.fault(Code.SWAPPED_TILES, number, other, face=str(face), other=there)
        if self.held[face] > _SET[face]:
            return self._too_many(number, face, belongs=belongs)
        return self.display.fault(Code.MISPLACED_TILE, number, face=str(face), belongs=belongs)

    def _too_many(self, number: int, face: Tile, **belongs: Param) -> DisplayFault:
        counts = {"seen": self.held[face], "copies": _SET[face]}
        return self.display.fault(Code.DUPLICATE_TILE, number, face=str(face), **counts, **belongs)

    def _face(self, number: int) -> Tile | None:
        tile = self.seen[number - 1]
        return None if tile is None else tile.face

    def _swapped_with(self, number: int, here: Tile) -> int | None:
        """The place whose tile belongs here while the tile here belongs there."""
        for other in range(1, len(self.seen) + 1):
            there = self._face(other)
            if there is not None and (here.kind, there.kind) == (self.order[other - 1], self.order[number - 1]):
                return other
        return None


def _belongs(kind: Kind, held: Counter[Tile]) -> tuple[str, ...]:
    """The face missing at a place of this kind, or both if either is possible."""
    faces = [tile for tile in Tile if tile.kind is kind]
    lacking = [tile for tile in faces if held[tile] < _SET[tile]] or faces
    return tuple(map(str, lacking))
