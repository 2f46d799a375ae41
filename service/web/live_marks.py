"""What pages draw over the live picture: outlines of tiles and dice, labels of places, and how a hand should lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from service.rounds.reports import moved
from service.table.evidence_keeper import VIEW_WIDTH_PX
from service.web.tile_svg import FACE_LENGTH, FACE_WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from service.rounds.reports import HandReport, RoundReport
    from vision.reading import Point, Reading, TileReading

Sort: TypeAlias = Literal["well", "doubt", "wrong", "closed"]


@dataclass(frozen=True, slots=True)
class Outline:
    """Corners for an SVG polygon, and how to colour it."""

    points: str
    sort: Sort


@dataclass(frozen=True, slots=True)
class PlaceMark:
    """A place with open tiles.

    Attributes:
        place: such as ``house`` or ``box3``.
        sort: of the hand there.
        box: left, top, width and height around its tiles, pixels.
        zoom: the same with a margin, in pixels of the picture as pages show it, for an SVG view box.
    """

    place: str
    sort: Sort
    box: tuple[int, int, int, int]
    zoom: str


@dataclass(frozen=True, slots=True)
class Ghost:
    """A tile where it should lie instead: its face, and the SVG matrix that puts a drawn face there."""

    face: str
    matrix: str


@dataclass(frozen=True, slots=True)
class LiveMarks:
    """All that is drawn over a picture of this width and height, in its pixels."""

    size: tuple[int, int]
    outlines: tuple[Outline, ...]
    places: tuple[PlaceMark, ...]
    ghosts: tuple[Ghost, ...]


def live_marks(reading: Reading, played: RoundReport | None) -> LiveMarks:
    """Gather what is drawn over the picture of a reading.

    Args:
        reading: of the picture.
        played: the round that is open, whose verdicts apply as far as its tiles lie there.
    """
    hands = {} if played is None else {hand.place: hand for hand in played.hands}
    at_places: dict[str, list[TileReading]] = {}
    for tile in reading.tiles:
        if tile.face_up and tile.place is not None:
            at_places.setdefault(str(tile.place), []).append(tile)
    here = {place: hand for place, hand in hands.items() if _lies(hand, at_places.get(place, ()))}
    outlines = [Outline(_points(tile.polygon), _of_tile(tile, here)) for tile in reading.tiles]
    outlines += [Outline(_points(die.polygon), "well" if die.status == "verified" else "doubt") for die in reading.dice]
    places = (_place_mark(place, tiles, here.get(place), reading.size) for place, tiles in at_places.items())
    ghosts = (ghost for place, hand in here.items() for ghost in _ghosts(hand, at_places[place]))
    return LiveMarks(reading.size, tuple(outlines), tuple(places), tuple(ghosts))


def _lies(hand: HandReport, tiles: Iterable[TileReading]) -> bool:
    return sorted((*hand.low, *hand.high)) == sorted(str(tile.face) for tile in tiles)


def _of_hand(hand: HandReport) -> Sort:
    return "wrong" if hand.is_set_wrongly else "doubt" if hand.status == "uncertain" else "well"


def _of_tile(tile: TileReading, here: dict[str, HandReport]) -> Sort:
    if not tile.face_up:
        return "closed" if tile.status == "verified" else "doubt"
    hand = here.get(str(tile.place))
    # A tile of a hand that several pictures agree on is not in doubt because one of them was not clear.
    return _of_hand(hand) if hand is not None else "well" if tile.status == "verified" else "doubt"


def _place_mark(place: str, tiles: Sequence[TileReading], hand: HandReport | None, size: tuple[int, int]) -> PlaceMark:
    corners = np.array([corner for tile in tiles for corner in tile.polygon])
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    scale, margin = min(1.0, VIEW_WIDTH_PX / size[0]), 0.5 * max(right - left, bottom - top)
    wide = (left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin)
    doubt: Sort = "doubt" if any(tile.status != "verified" for tile in tiles) else "well"
    return PlaceMark(
        place,
        doubt if hand is None else _of_hand(hand),
        (round(left), round(top), round(right - left), round(bottom - top)),
        " ".join(str(round(each * scale)) for each in wide),
    )


def _ghosts(hand: HandReport, tiles: Iterable[TileReading]) -> Iterator[Ghost]:
    """The tiles that belong in the other hand, each where the one that it is exchanged for lies."""
    expected = None if hand.house_way is None else hand.house_way.expected
    if expected is None or not hand.is_set_wrongly:
        return
    for laid, right in ((hand.low, expected.low), (hand.high, expected.high)):
        away = [face for face, moves in zip(laid, moved(laid, right), strict=True) if moves]
        come = [face for face, moves in zip(right, moved(right, laid), strict=True) if moves]
        for gone, face in zip(away, come, strict=True):
            lying = next((tile for tile in tiles if str(tile.face) == gone), None)
            if lying is not None:
                yield Ghost(face, _matrix(lying.polygon))


def _points(polygon: Sequence[Point]) -> str:
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in polygon)


def _matrix(polygon: Sequence[Point]) -> str:
    """Put a face, drawn upright, on a tile whose first two corners are at a short edge."""
    first, second, _, last = (np.array(corner) for corner in polygon)
    across, along = (second - first) / FACE_WIDTH, (last - first) / FACE_LENGTH
    return "matrix({})".format(" ".join(f"{each:.3f}" for each in (*across, *along, *first)))
