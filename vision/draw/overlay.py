"""A reading drawn on its picture, so that a person can check it at a glance.

Tiles and dice are outlined in the colour of their status. Beside each group of tiles stands a card with the faces that
were read, drawn as they ought to look and lying as the tiles lie: a misreading jumps to the eye. Cards never cover
tiles where there is room elsewhere. What was found wrong with the picture stands in a strip above it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import cv2
import numpy as np

from vision.draw.primitives import (
    AMBER,
    FAINT,
    GREEN,
    GREY,
    INK,
    RED,
    STRIP,
    Colour,
    card,
    ideal_face,
    leader,
    outline,
    put_face,
    put_text,
    text_width,
    wrap,
)
from vision.tiles.faces import LENGTH_OVER_WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from engine.game.tiles import Tile
    from vision.capture.images import Image
    from vision.reading import DieReading, HandReading, Reading, Status, TileReading

Tone: TypeAlias = Literal["good", "bad", "doubt"]
Box: TypeAlias = tuple[int, int, int, int]
FloatArray: TypeAlias = "NDArray[np.float64]"

_TONES: Final[dict[Tone, Colour]] = {"good": GREEN, "bad": RED, "doubt": AMBER}
_STATUS: Final[dict[Status, Colour]] = {"verified": GREEN, "uncertain": AMBER}
_FACE_PX: Final = (34.0, 96.0)
"""Shortest and longest ideal face: large enough to count pips, small enough not to hide the table."""
_SPREAD: Final = 1.7
"""How much further apart faces stand on a card than tiles on the table, to make room for their names."""


_DISTANCE_COST: Final = 0.1
"""What a pixel of distance costs a card, in square pixels covered for each pixel of its width and height."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One line about a hand.

    Attributes:
        text: for example ``House Way: correct (crown-6.1 7.4.1)``.
        tone: ``good``, ``bad``, or ``doubt`` where a person must look.
    """

    text: str
    tone: Tone


def draw_reading(
    image: Image, reading: Reading, verdicts: Mapping[str, Verdict] | None = None, notes: Sequence[str] = ()
) -> Image:
    """A picture with what was read from it.

    Args:
        image: the picture that was read; it is not changed.
        reading: what was read.
        verdicts: by place of the hand, what to say about it.
        notes: the findings of the reading in words, for the strip.

    Returns:
        (h, w, 3) uint8 blue-green-red: the picture under a strip with what was found, as wide as the picture.
    """
    canvas = image.copy()
    pen = _Pen.of(canvas, reading)
    groups = _groups(reading)
    keep = [_bounds(tile.polygon) for tile in reading.tiles] + [_bounds(die.polygon) for die in reading.dice]
    board = _Board(canvas.shape[1], canvas.shape[0], keep)
    cards = [_TileCard.of(canvas, group, pen, (verdicts or {}).get(group.name)) for group in groups]
    # The widest first: small cards still find room between large ones.
    placed = [(each, board.place(each.around, each.size)) for each in sorted(cards, key=lambda each: -each.size[0])]
    placed_dice = [(die, board.place(_bounds(die.polygon), pen.badge_size(_die_words(die)))) for die in reading.dice]
    for tile in reading.tiles:
        down = not tile.face_up and tile.status == "verified"
        outline(canvas, tile.polygon, GREY if down else _STATUS[tile.status], pen.line_px)
    for die in reading.dice:
        outline(canvas, die.polygon, _STATUS[die.status], pen.line_px)
    for group in groups:
        _draw_brackets(canvas, group, pen)
    for each, box in placed:
        leader(canvas, *_nearest(each.around, box), each.colour)
        each.draw(canvas, box, pen)
    for die, box in placed_dice:
        leader(canvas, *_nearest(_bounds(die.polygon), box), _STATUS[die.status])
        card(canvas, box, _STATUS[die.status], 1)
        put_text(canvas, _die_words(die), (box[0] + pen.pad, box[3] - pen.pad), pen.text_px, INK, 600)
    return np.vstack([_header(canvas.shape[1], reading, notes, pen), canvas])


@dataclass(frozen=True, slots=True)
class _Pen:
    """Sizes that suit a picture.

    Attributes:
        text_px: height of text.
        line_px: thickness of outlines.
        pad: space around text.
    """

    text_px: int
    line_px: int
    pad: int

    @classmethod
    def of(cls, image: Image, reading: Reading) -> _Pen:
        height, width = image.shape[:2]
        text_px = int(np.clip(round(math.hypot(width, height) / 150), 12, 30))
        lengths = [_length(tile) for tile in reading.tiles]
        line_px = int(np.clip(round((np.median(lengths) if lengths else text_px * 3) / 30), 1, 6))
        return cls(text_px, line_px, max(3, text_px // 3))

    def badge_size(self, words: str) -> tuple[int, int]:
        return text_width(words, self.text_px, 600) + 2 * self.pad, self.text_px + 2 * self.pad


@dataclass(frozen=True, slots=True)
class _Group:
    """Tiles lying together.

    Attributes:
        name: the hand's place, or empty.
        tiles: those that show a face.
        hand: the hand they make, if they make one.
    """

    name: str
    tiles: tuple[TileReading, ...]
    hand: HandReading | None = None


def _groups(reading: Reading) -> tuple[_Group, ...]:
    """The hands, and what else shows a face, gathered by nearness."""
    free = [tile for tile in reading.tiles if tile.face_up]
    groups: list[_Group] = []
    for hand in reading.hands:
        tiles = _tiles_of(hand, free)
        if tiles:
            free = [tile for tile in free if not any(tile is each for each in tiles)]
            groups.append(_Group(hand.place, tiles, hand))
    while free:
        cluster, rest = [free[0]], free[1:]
        grown = True
        while grown:
            near = [tile for tile in rest if any(_are_near(tile, each) for each in cluster)]
            grown = bool(near)
            cluster.extend(near)
            rest = [tile for tile in rest if not any(tile is each for each in near)]
        groups.append(_Group("", tuple(cluster)))
        free = rest
    return tuple(groups)


def _tiles_of(hand: HandReading, tiles: Sequence[TileReading]) -> tuple[TileReading, ...]:
    """The four tiles a hand was made of: those at its place, else the closest four that bear its faces."""
    here = [tile for tile in tiles if tile.place == hand.place]
    choices = [[tile for tile in here or tiles if tile.face == face] for face in (*hand.low, *hand.high)]
    fits = [four for four in product(*choices) if len({id(tile) for tile in four}) == 4]
    return min(fits, key=_extent, default=())


def _extent(tiles: Sequence[TileReading]) -> float:
    middles = np.array([_middle(tile) for tile in tiles])
    return float(np.ptp(middles, axis=0).sum())


def _are_near(one: TileReading, other: TileReading) -> bool:
    return math.dist(_middle(one), _middle(other)) < 1.25 * max(_length(one), _length(other))


@dataclass(frozen=True, slots=True)
class _Spot:
    """One face on a card, from the card's left top corner: what, where, how turned, and where its name is written."""

    face: Tile | None
    at: tuple[float, float]
    angle: float
    name: str
    name_at: tuple[float, float]
    colour: Colour


@dataclass(frozen=True, slots=True)
class _TileCard:
    """The card of one group.

    Attributes:
        around: the box of the group in the picture, with its brackets.
        size: width and height of the card.
        colour: of its edge.
        length: of its faces.
        spots: the faces.
        lines: text under them, with colour and weight.
    """

    around: Box
    size: tuple[int, int]
    colour: Colour
    length: float
    spots: tuple[_Spot, ...]
    lines: tuple[tuple[str, Colour, int], ...]

    @classmethod
    def of(cls, image: Image, group: _Group, pen: _Pen, verdict: Verdict | None) -> _TileCard:
        typical = float(np.median([_length(tile) for tile in group.tiles]))
        length = float(np.clip(typical, *_FACE_PX))
        middles = np.array([_middle(tile) for tile in group.tiles]) * _SPREAD * length / typical
        centre = middles.mean(axis=0)
        parts = [
            _lettered(image, tile, middle, length, pen, on_right=bool(middle[0] >= centre[0]))
            for tile, middle in zip(group.tiles, middles, strict=True)
        ]
        x0, y0, x1, y1 = _union([box for _, box in parts])
        lines = _lines(group, verdict, pen, max(x1 - x0, 9 * pen.text_px if group.hand else 0))
        inner = max([x1 - x0, *(text_width(text, pen.text_px, weight) for text, _, weight in lines)])
        shift = np.array([x0 - pen.pad - (inner - (x1 - x0)) / 2, y0 - pen.pad])
        spots = tuple(
            replace(spot, at=_moved(spot.at, shift), name_at=_moved(spot.name_at, shift)) for spot, _ in parts
        )
        depth = y1 - y0 + 2 * pen.pad + len(lines) * (pen.text_px + pen.pad) + (pen.pad if lines else 0)
        size = (round(inner) + 2 * pen.pad, depth)
        judged: Sequence[HandReading | TileReading] = [group.hand] if group.hand else group.tiles
        colour = GREEN if all(each.status == "verified" for each in judged) else AMBER
        rim = 3 * pen.line_px + (pen.text_px if group.hand else 0)
        left, top, right, bottom = _union([_bounds(tile.polygon) for tile in group.tiles])
        return cls((left - rim, top - rim, right + rim, bottom + rim), size, colour, length, spots, lines)

    def draw(self, image: Image, box: Box, pen: _Pen) -> None:
        card(image, box, self.colour, max(1, pen.line_px))
        for spot in self.spots:
            put_face(image, spot.face, (box[0] + spot.at[0], box[1] + spot.at[1]), self.length, spot.angle)
            at = (round(box[0] + spot.name_at[0]), round(box[1] + spot.name_at[1]))
            put_text(image, spot.name, at, pen.text_px, spot.colour, 600)
        y = box[3] - 2 * pen.pad - (len(self.lines) - 1) * (pen.text_px + pen.pad)
        for text, colour, weight in self.lines:
            put_text(image, text, (box[0] + pen.pad, y), pen.text_px, colour, weight)
            y += pen.text_px + pen.pad


def _lettered(
    image: Image,
    tile: TileReading,
    middle: FloatArray,
    length: float,
    pen: _Pen,
    *,
    on_right: bool,
) -> tuple[_Spot, Box]:
    """One face and its name: below an upright tile, past the outer end of a lying one. Also the box of both."""
    x, y = float(middle[0]), float(middle[1])
    angle = _upright(image, tile)
    name = str(tile.face or "") + ("" if tile.status == "verified" else "?")
    wide, width = text_width(name, pen.text_px, 600), length / LENGTH_OVER_WIDTH
    reach_x = abs(math.sin(angle)) * length / 2 + abs(math.cos(angle)) * width / 2
    reach_y = abs(math.cos(angle)) * length / 2 + abs(math.sin(angle)) * width / 2
    if abs(math.sin(angle)) > math.sqrt(0.5):
        left = x + reach_x + pen.pad if on_right else x - reach_x - pen.pad - wide
        name_at = (left, y + 0.36 * pen.text_px)
    else:
        name_at = (x - wide / 2, y + reach_y + pen.text_px)
    corners = [
        (x - reach_x, y - reach_y),
        (x + reach_x, y + reach_y),
        (name_at[0], name_at[1] - pen.text_px),
        (name_at[0] + wide, name_at[1] + 0.2 * pen.text_px),
    ]
    return _Spot(tile.face, (x, y), angle, name, name_at, _STATUS[tile.status]), _bounds(corners)


def _moved(point: tuple[float, float], shift: FloatArray) -> tuple[float, float]:
    return point[0] - float(shift[0]), point[1] - float(shift[1])


def _lines(group: _Group, verdict: Verdict | None, pen: _Pen, width: int) -> tuple[tuple[str, Colour, int], ...]:
    """What stands on a card under the faces."""
    texts: list[tuple[str, Colour, int]] = []
    if group.hand is not None:
        texts.append((group.hand.place.upper(), INK, 700))
        texts.extend((f"{lay} {' '.join(map(str, pair))}", INK, 400) for lay, pair in _pairs(group.hand))
    texts.extend(
        (f"{tile.face}, or {tile.runner_up}?", AMBER, 400)
        for tile in group.tiles
        if tile.status == "uncertain" and tile.face is not None and tile.runner_up is not None
    )
    if verdict is not None:
        texts.append((verdict.text, _TONES[verdict.tone], 600))
    return tuple(
        (line, colour, weight) for text, colour, weight in texts for line in wrap(text, pen.text_px, width, weight)
    )


def _pairs(hand: HandReading) -> tuple[tuple[str, tuple[Tile, Tile]], ...]:
    return ("low", hand.low), ("high", hand.high)


def _draw_brackets(image: Image, group: _Group, pen: _Pen) -> None:
    """A frame around each pair of a hand, named low or high."""
    if group.hand is None:
        return
    colour = _STATUS[group.hand.status]
    for name, tiles in (("low", group.tiles[:2]), ("high", group.tiles[2:])):
        corners = np.array([corner for tile in tiles for corner in tile.polygon], np.float32)
        middle, size, angle = cv2.minAreaRect(corners)
        margin = 2.5 * pen.line_px + 2
        frame = cv2.boxPoints((middle, (size[0] + 2 * margin, size[1] + 2 * margin), angle))
        outline(image, [(float(x), float(y)) for x, y in frame], colour, max(1, pen.line_px // 2))
        size_px = max(10, round(0.8 * pen.text_px))
        left, top = frame.min(axis=0)
        at = (round(float(left)), round(float(top)) - 3)
        put_text(image, name, (at[0] + 1, at[1] + 1), size_px, (0, 0, 0), 700)
        put_text(image, name, at, size_px, colour, 700)


class _Board:
    """Finds room for cards on a picture.

    Args:
        width: of the picture.
        height: of the picture.
        keep: boxes that ought to stay uncovered.
    """

    def __init__(self, width: int, height: int, keep: Sequence[Box]) -> None:
        self._size = (width, height)
        self._keep = np.array(keep, np.float64).reshape(-1, 4)
        self._cards = np.empty((0, 4))

    def place(self, around: Box, size: tuple[int, int]) -> Box:
        """The best place for a card near a box: over nothing else if possible, and close."""
        width, height = size
        x0, y0, x1, y1 = around
        gap = max(6.0, 0.05 * (x1 - x0))
        choices: list[tuple[float, Box]] = []
        for reach in (gap + ring * 0.15 * max(width, height) for ring in range(8)):
            left, right = x0 - reach - width, x1 + reach
            top, bottom = y0 - reach - height, y1 + reach
            for share in (0.5, 0.0, 1.0, -0.5, 1.5):
                slide_x = x0 + share * (x1 - x0 - width)
                slide_y = y0 + share * (y1 - y0 - height)
                for x, y in ((slide_x, top), (slide_x, bottom), (left, slide_y), (right, slide_y)):
                    box = self._inside(x, y, width, height)
                    choices.append((self._cost(box, around), box))
            if any(self._covers(box, around) == 0 for _, box in choices):
                break  # further away it only gets worse
        _, chosen = min(choices, key=lambda choice: choice[0])
        self._cards = np.vstack([self._cards, chosen])
        return chosen

    def _inside(self, x: float, y: float, width: int, height: int) -> Box:
        left = round(min(max(0.0, x), max(0, self._size[0] - width)))
        top = round(min(max(0.0, y), max(0, self._size[1] - height)))
        return left, top, left + width, top + height

    def _cost(self, box: Box, around: Box) -> float:
        away = math.dist(*_nearest(around, box))
        return self._covers(box, around) + _DISTANCE_COST * away * (box[2] - box[0] + box[3] - box[1])

    def _covers(self, box: Box, around: Box) -> float:
        """Square pixels covered that ought not to be; what the card speaks of counts most."""
        own = np.array([around], np.float64)
        return 4 * _covered(box, self._keep) + 3 * _covered(box, self._cards) + 4 * _covered(box, own)


def _covered(box: Box, others: FloatArray) -> float:
    wide = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    high = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    return float(np.sum(np.clip(wide, 0, None) * np.clip(high, 0, None)))


def _header(width: int, reading: Reading, notes: Sequence[str], pen: _Pen) -> Image:
    """The strip above the picture: what was read, and what was found wrong."""
    verified = sum(tile.status == "verified" for tile in reading.tiles)
    dice = sum(die.status == "verified" for die in reading.dice)
    counts = [
        f"{len(reading.tiles)} tiles, {verified} verified",
        f"{len(reading.dice)} dice, {dice} verified",
        f"{len(reading.hands)} hands",
        "calibrated" if reading.calibrated else "no calibration",
        *(["one picture: rest over time not shown"] if reading.single_frame else []),
    ]
    room = width - 2 * pen.pad
    lines = [(line, INK, 700) for line in wrap(reading.image, pen.text_px, room, 700)]
    lines += [(line, FAINT, 400) for line in wrap(" · ".join(counts), pen.text_px, room)]
    for note in notes:
        lines += [(line, AMBER, 600) for line in wrap(f"! {note}", pen.text_px, room, 600)]
    if not notes:
        lines.append(("nothing found wrong", GREEN, 400))
    step = pen.text_px + pen.pad
    strip = np.full((len(lines) * step + 2 * pen.pad, width, 3), STRIP, np.uint8)
    for number, (line, colour, weight) in enumerate(lines):
        put_text(strip, line, (pen.pad, (number + 1) * step), pen.text_px, colour, weight)
    return strip


def _die_words(die: DieReading) -> str:
    value = "?" if die.value is None else str(die.value)
    doubt = "?" if die.status == "uncertain" and die.value is not None else ""
    return " ".join(filter(None, ("cut" if die.role == "cut" else "", value + doubt, "cocked" if die.cocked else "")))


def _upright(image: Image, tile: TileReading) -> float:
    """How far the larger end is turned from up, clockwise: the way round that looks more like the picture."""
    corners = np.array(tile.polygon, np.float32)
    toward = (corners[0] + corners[1] - corners[2] - corners[3]) / 2
    angle = math.atan2(float(toward[0]), -float(toward[1]))
    if tile.face is None:
        return angle
    width, length = 24, 60
    target = np.array([[0, 0], [width, 0], [width, length], [0, length]], np.float32)
    flat = cv2.warpPerspective(image, cv2.getPerspectiveTransform(corners, target), (width, length))
    ideal = np.asarray(cv2.resize(ideal_face(tile.face), (width, length), interpolation=cv2.INTER_AREA), np.float32)
    seen = np.asarray(flat, np.float32) - float(np.mean(flat))
    same, turned = (float(np.sum(seen * face)) for face in (ideal, ideal[::-1, ::-1]))
    return angle if same >= turned else angle + math.pi


def _length(tile: TileReading) -> float:
    corners = np.array(tile.polygon)
    return float(np.linalg.norm(corners[1] + corners[0] - corners[2] - corners[3])) / 2


def _middle(tile: TileReading) -> tuple[float, float]:
    x, y = np.array(tile.polygon).mean(axis=0)
    return float(x), float(y)


def _bounds(polygon: Sequence[tuple[float, float]]) -> Box:
    points = np.array(polygon)
    (x0, y0), (x1, y1) = np.floor(points.min(axis=0)), np.ceil(points.max(axis=0))
    return int(x0), int(y0), int(x1), int(y1)


def _union(boxes: Sequence[Box]) -> Box:
    table = np.array(boxes)
    (x0, y0), (x1, y1) = table[:, :2].min(axis=0), table[:, 2:].max(axis=0)
    return int(x0), int(y0), int(x1), int(y1)


def _nearest(one: Box, other: Box) -> tuple[tuple[float, float], tuple[float, float]]:
    """The ends of the shortest line between two boxes."""
    ends: list[tuple[float, float]] = []
    for axis in (0, 1):
        low, high = max(one[axis], other[axis]), min(one[axis + 2], other[axis + 2])
        if low <= high:
            ends.append(((low + high) / 2, (low + high) / 2))
        else:
            ends.append((one[axis + 2], other[axis]) if one[axis + 2] < other[axis] else (one[axis], other[axis + 2]))
    (x_one, x_other), (y_one, y_other) = ends
    return (float(x_one), float(y_one)), (float(x_other), float(y_other))
