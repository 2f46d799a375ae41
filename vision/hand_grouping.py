"""From tiles to hands: four tiles at one place, two vertical and two horizontal.

With a calibration everything is measured in the table frame, so that the camera's orientation does not matter. In an
uncalibrated photograph neighbouring tiles form a hand; its low pair then follows from rank, since a low hand may not
outrank the high one (ruling 18). Which pair is the low hand is the table's convention, by the books the vertical one
(`engine.vocabulary.play.Play.low_hand`, ruling 39).

A faulty layout (three tiles, five, one face down, one across another) is reported as a finding and is not a hand.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from calibration.table.places import Place, PlaceKind
from engine.errors import DealError
from engine.game.box_order import FROM_RIGHT, BoxOrder
from engine.game.hands import Hand
from engine.game.ranking import rank_of
from engine.vocabulary.play import Lie
from vision.findings import Code, Finding
from vision.reading import FEWEST_DICE, HandReading

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from calibration.files.calibration_file import TableCalibration
    from calibration.table.zones import Layout
    from engine.game.tiles import Tile
    from vision.reading import Status, TileReading

TILES_OF_A_HAND: Final = 4
MAX_TURN_DEG: Final = 25.0
"""Angle up to which a tile counts as vertical or horizontal at its place."""
MAX_HAND_GAP_LENGTHS: Final = 1.5
"""Maximum distance of neighbouring tiles of one hand, centre to centre in tile lengths; boxes are further apart."""
MAX_PAIR_GAP_LENGTHS: Final = 1.2
"""The same for the two tiles of one pair, which lie side by side or end to end."""


def _straight(_: Place) -> float:
    return 0.0


def box_order(layout: Layout) -> BoxOrder | None:
    """Counter-clockwise order of the boxes in a layout; None if its numbers do not determine it, or it has no boxes."""
    boxes, from_right = layout.boxes_counter_clockwise, layout.numbered_from_right
    return BoxOrder(max(boxes), from_right) if boxes and from_right is not None else None


@dataclass(frozen=True, slots=True)
class Conventions:
    """Table conventions that no picture shows.

    Attributes:
        angle_deg: direction of a place, 0 if straight for the dealer.
        order: layout of the boxes; None if unknown, in which case order is not judged.
        low_hand: how a low hand lies, as seen by the dealer; the high hand lies the other way.
        dealer_sets: boxes whose hands the dealer always sets.
        fewest_dice: with fewer in sight, a cup or a hand hides some of a throw.
    """

    angle_deg: Callable[[Place], float] = _straight
    order: BoxOrder | None = FROM_RIGHT
    low_hand: Lie = Lie.VERTICAL
    dealer_sets: frozenset[int] = frozenset()
    fewest_dice: int = FEWEST_DICE

    @classmethod
    def of(
        cls,
        calibration: TableCalibration | None,
        low_hand: Lie = Lie.VERTICAL,
        dealer_sets: Collection[int] = (),
        fewest_dice: int = FEWEST_DICE,
    ) -> Self:
        """Conventions of a table with this calibration; without one neither places nor boxes are known."""
        if calibration is None:
            return cls(order=None, low_hand=low_hand, fewest_dice=fewest_dice)
        order, boxes = box_order(calibration.layout), frozenset(dealer_sets)
        return cls(calibration.angle_of, order, low_hand, boxes, fewest_dice)


@dataclass(frozen=True, slots=True)
class _Laid:
    """One tile that may belong to a hand.

    Attributes:
        index: its index among the picture's tiles.
        tile: its reading.
        x, y: centre, in tile lengths; the direction of y is irrelevant here.
        turn_deg: long axis relative to the place's direction, in [0, 180).
    """

    index: int
    tile: TileReading
    x: float
    y: float
    turn_deg: float

    def distance_to(self, other: _Laid) -> float:
        """Distance of the centres in tile lengths."""
        return math.hypot(self.x - other.x, self.y - other.y)


def hands_at_places(
    tiles: Sequence[TileReading],
    faulty: Collection[int],
    conventions: Conventions,
    tile_length_mm: float,
) -> tuple[list[HandReading], list[Finding]]:
    """Assemble the hands of a calibrated picture.

    Args:
        tiles: all tiles, with their centres and places on the table.
        faulty: indices of the tiles that overlap another or have a wrong size.
        conventions: direction of each place, and how low hands lie.
        tile_length_mm: length of a tile.

    Returns:
        A hand for each place with a valid layout, in the order house, box1 ..., and the findings elsewhere.
    """
    by_place: dict[Place, list[_Laid]] = defaultdict(list)
    for index, tile in enumerate(tiles):
        if tile.place is None or tile.center_mm is None or tile.angle_deg is None or not tile.in_play:
            continue
        turn = (tile.angle_deg - conventions.angle_deg(tile.place)) % 180
        x, y = tile.center_mm
        by_place[tile.place].append(_Laid(index, tile, x / tile_length_mm, -y / tile_length_mm, turn))
    hands: list[HandReading] = []
    findings: list[Finding] = []
    for place in sorted(by_place):
        lay = _without_faint_backs(by_place[place])
        fault = _fault(place, lay, faulty)
        pairs = None if fault else _pairs(lay)
        if fault:
            findings.append(fault)
        elif pairs is None:
            findings.append(Finding.of(Code.UNCLEAR_LAY, place=str(place)))
        else:
            low, high = pairs if conventions.low_hand is Lie.VERTICAL else reversed(pairs)
            hand, finding = _hand(place, low, high)
            hands += [hand] if hand else []
            findings += [finding] if finding else []
    return hands, findings


def hands_by_nearness(tiles: Sequence[TileReading], faulty: Collection[int]) -> tuple[list[HandReading], list[Finding]]:
    """Assemble the hands of a picture without calibration, named hand1 ... in reading order.

    Args:
        tiles: all tiles.
        faulty: indices of the tiles that overlap another or have a wrong size.
    """
    groups = sorted(_groups(_in_lengths(tiles)), key=_reading_order)
    hands: list[HandReading] = []
    findings: list[Finding] = []
    left_over = 0
    for group in groups:
        pairs = _perpendicular_pairs(group) if len(group) == 4 else None
        if pairs is None:
            left_over += len(group)
            continue
        place = Place(PlaceKind.HAND, len(hands) + 1)
        fault = _fault(place, group, faulty)
        hand, finding = (None, fault) if fault else _hand_by_rank(place, *pairs)
        hands += [hand] if hand else []
        findings += [finding] if finding else []
    if left_over and hands:
        findings.append(Finding.of(Code.LOOSE_TILES, count=left_over))
    elif left_over:
        findings.append(Finding(Code.NO_HANDS))
    return hands, findings


def _without_faint_backs(lay: list[_Laid]) -> list[_Laid]:
    """The layout without doubtful backs, if four tiles are open: a hand is not lost to a frame or a fold."""
    open_ = [each for each in lay if each.tile.face_up]
    faint = all(each.tile.face_up or any(doubt.code is Code.NOT_A_TILE for doubt in each.tile.doubts) for each in lay)
    return open_ if len(open_) == TILES_OF_A_HAND and faint else lay


def _fault(place: Place, lay: Sequence[_Laid], faulty: Collection[int]) -> Finding | None:
    """The reason why the tiles of one place are not a hand; None if they are one."""
    count = len(lay)
    down = sum(not each.tile.face_up for each in lay)
    unread = sum(each.tile.face_up and each.tile.face is None for each in lay)
    faults = (
        (down == count, Code.FACE_DOWN_HAND, down),
        (count > 4, Code.EXTRA_TILE, count),
        (any(each.index in faulty for each in lay), Code.OVERLAPPING_TILES, count),
        (count < 4, Code.INCOMPLETE_HAND, count),
        (down > 0, Code.FACE_DOWN_TILE, down),
        (unread > 0, Code.UNREAD_TILE, unread),
    )
    return next((Finding.of(code, place=str(place), count=tiles) for holds, code, tiles in faults if holds), None)


def _pairs(lay: Sequence[_Laid]) -> tuple[list[_Laid], list[_Laid]] | None:
    """The vertical and the horizontal pair of four neighbouring tiles; None if they are not arranged so."""
    vertical = [each for each in lay if abs(each.turn_deg - 90) <= MAX_TURN_DEG]
    horizontal = [each for each in lay if min(each.turn_deg, 180 - each.turn_deg) <= MAX_TURN_DEG]
    if len(vertical) != 2 or len(horizontal) != 2:
        return None
    if (
        max(pair[0].distance_to(pair[1]) for pair in (vertical, horizontal)) > MAX_PAIR_GAP_LENGTHS
        or len(_groups(lay)) > 1
    ):
        return None
    return sorted(vertical, key=lambda each: each.x), sorted(horizontal, key=lambda each: each.y)


def _perpendicular_pairs(lay: Sequence[_Laid]) -> tuple[list[_Laid], list[_Laid]] | None:
    """The same if the direction of the place is unknown: the pair that is vertical in the picture first."""
    # Doubling makes opposite directions coincide; doubling again, those of both pairs: the place's direction.
    quadrupled = np.exp(4j * np.deg2rad([each.turn_deg for each in lay])).mean()
    direction = float(np.rad2deg(np.angle(quadrupled))) / 4
    return _pairs(
        [_Laid(each.index, each.tile, each.x, each.y, (each.turn_deg - direction) % 180) for each in lay],
    )


def _hand(place: Place, low: Sequence[_Laid], high: Sequence[_Laid]) -> tuple[HandReading | None, Finding | None]:
    """The hand as laid; a finding if no set contains it, or if the low one outranks the high one."""
    ranks = _ranks(low, high)
    if ranks is None:
        return None, _impossible(place)
    status, doubts = _status([*low, *high])
    hand = HandReading(place, _faces(low), _faces(high), status, doubts)
    if ranks[0] <= ranks[1]:
        return hand, None
    return hand, Finding.of(Code.LAID_OTHER_WAY, place=str(place))


def _hand_by_rank(
    place: Place, one: Sequence[_Laid], other: Sequence[_Laid]
) -> tuple[HandReading | None, Finding | None]:
    """The hand of a picture with unknown orientation: the pair that ranks lower is the low hand."""
    ranks = _ranks(one, other)
    if ranks is None:
        return None, _impossible(place)
    by_rank = Finding(Code.PAIRS_RANK_ALIKE if ranks[0] == ranks[1] else Code.DECIDED_BY_RANK)
    low, high = (one, other) if ranks[0] <= ranks[1] else (other, one)
    _, doubts = _status([*low, *high])
    unplaced = Finding(Code.NO_CALIBRATION)
    return HandReading(place, _faces(low), _faces(high), "uncertain", (*doubts, unplaced, by_rank)), None


def _ranks(low: Sequence[_Laid], high: Sequence[_Laid]) -> tuple[int, int] | None:
    """Ranks of both hands; None if a hand has the same military tile twice."""
    try:
        return rank_of(Hand(*_faces(low))), rank_of(Hand(*_faces(high)))
    except DealError:
        return None


def _impossible(place: Place) -> Finding:
    """A finding that no set contains such a hand."""
    return Finding.of(Code.IMPOSSIBLE_HAND, place=str(place))


def _faces(pair: Sequence[_Laid]) -> tuple[Tile, Tile]:
    """Faces of two tiles with known faces."""
    first, second = (each.tile.face for each in pair)
    if first is None or second is None:
        raise ValueError("a hand was put together from tiles without a face")
    return first, second


def _status(lay: Sequence[_Laid]) -> tuple[Status, tuple[Finding, ...]]:
    """A hand is as certain as its least certain tile."""
    doubts = [
        doubt.regarding(each.tile.face) for each in lay for doubt in each.tile.doubts if each.tile.status == "uncertain"
    ]
    certain = all(each.tile.status == "verified" for each in lay)
    return ("verified" if certain else "uncertain"), tuple(doubts)


def _in_lengths(tiles: Sequence[TileReading]) -> list[_Laid]:
    """The tiles of a picture, in units of their median length, with their directions in the picture."""
    if not tiles:
        return []
    quads = np.array([tile.polygon for tile in tiles])
    along = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    length = float(np.median(np.linalg.norm(along, axis=1)))
    middles = quads.mean(1) / length
    turns = np.rad2deg(np.arctan2(along[:, 1], along[:, 0])) % 180
    return [
        _Laid(index, tile, float(middles[index, 0]), float(middles[index, 1]), float(turns[index]))
        for index, tile in enumerate(tiles)
    ]


def _groups(lay: Sequence[_Laid]) -> list[list[_Laid]]:
    """Connected components of neighbouring tiles."""
    groups: list[list[_Laid]] = []
    for each in lay:
        near = [group for group in groups if any(each.distance_to(other) <= MAX_HAND_GAP_LENGTHS for other in group)]
        groups = [group for group in groups if group not in near] + [
            [each, *(other for group in near for other in group)]
        ]
    return groups


def _reading_order(group: Sequence[_Laid]) -> tuple[int, float]:
    """From top to bottom in steps of three tile lengths, then from left to right."""
    x, y = np.mean([(each.x, each.y) for each in group], axis=0)
    return round(float(y) / 3), float(x)
