"""The card of a group of tiles: their faces as read, in ideal form and in the layout of the tiles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, Literal, Self, TypeAlias

import cv2
import numpy as np

from engine.game.tiles import Tile
from vision.arrays import Box
from vision.capture.images import Image
from vision.draw.label_placement import Point, bounds, union
from vision.draw.primitives import (
    AMBER,
    GREEN,
    INK,
    RED,
    Bgr,
    card,
    ideal_face,
    outline,
    put_face,
    put_text,
    text_width,
    wrap,
)
from vision.reading import HandReading, Reading, Status, TileReading
from vision.tiles.faces import LENGTH_OVER_WIDTH

Tone: TypeAlias = Literal["good", "bad", "doubt"]

STATUS_COLOURS: Final[dict[Status, Bgr]] = {"verified": GREEN, "uncertain": AMBER}
_TONE_COLOURS: Final[dict[Tone, Bgr]] = {"good": GREEN, "bad": RED, "doubt": AMBER}
_FACE_PX: Final = (34.0, 96.0)
"""Shortest and longest ideal face: large enough to count pips, small enough not to hide the table."""
_SPREAD: Final = 1.7
"""Spacing of faces on a card relative to that of the tiles on the table, to make room for their names."""
_NEIGHBOUR_LENGTHS: Final = 1.25
"""Distance between the centres of two tiles of one group, in tile lengths: side by side or end to end."""


@dataclass(frozen=True, slots=True)
class HandCaption:
    """One line about a hand, such as ``Set correctly (crown-6.1 7.4.1)``; whether a person must check it."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Pen:
    """Text height, line thickness and padding suited to a picture, in pixels."""

    text_px: int
    line_px: int
    pad: int

    @classmethod
    def of(cls, image: Image, reading: Reading) -> Self:
        """Choose sizes by the picture's diagonal and the tiles' length."""
        height, width = image.shape[:2]
        text_px = int(np.clip(round(math.hypot(width, height) / 150), 12, 30))
        lengths = [_length(tile) for tile in reading.tiles]
        line_px = int(np.clip(round((np.median(lengths) if lengths else text_px * 3) / 30), 1, 6))
        return cls(text_px, line_px, max(3, text_px // 3))

    def label_size(self, text: str) -> tuple[int, int]:
        """Width and height of a label with one line of text."""
        return text_width(text, self.text_px, 600) + 2 * self.pad, self.text_px + 2 * self.pad


@dataclass(frozen=True, slots=True)
class TileGroup:
    """Open tiles lying together: those of a hand, with its place, or others."""

    name: str
    tiles: tuple[TileReading, ...]
    hand: HandReading | None = None


def group_colour(group: TileGroup, caption: HandCaption | None) -> Bgr:
    """Red for a hand that is set wrongly, however clearly it is read; otherwise by how clearly it is."""
    if caption is not None and caption.tone == "bad":
        return RED
    judged: Sequence[HandReading | TileReading] = [group.hand] if group.hand else group.tiles
    return GREEN if all(each.status == "verified" for each in judged) else AMBER


def tile_groups(reading: Reading) -> tuple[TileGroup, ...]:
    """Group the open tiles: hands, then other tiles close together."""
    free = [tile for tile in reading.tiles if tile.face_up]
    groups: list[TileGroup] = []
    for hand in reading.hands:
        tiles = _tiles_of(hand, free)
        if tiles:
            free = [tile for tile in free if not any(tile is each for each in tiles)]
            groups.append(TileGroup(str(hand.place), tiles, hand))
    while free:
        cluster, rest = [free[0]], free[1:]
        grown = True
        while grown:
            near = [tile for tile in rest if any(_are_near(tile, each) for each in cluster)]
            grown = bool(near)
            cluster.extend(near)
            rest = [tile for tile in rest if not any(tile is each for each in near)]
        groups.append(TileGroup("", tuple(cluster)))
        free = rest
    return tuple(groups)


def _tiles_of(hand: HandReading, tiles: Sequence[TileReading]) -> tuple[TileReading, ...]:
    """The four tiles of a hand: those at its place, else the closest four with its faces."""
    here = [tile for tile in tiles if tile.place == hand.place]
    choices = [[tile for tile in here or tiles if tile.face == face] for face in (*hand.low, *hand.high)]
    fits = [four for four in product(*choices) if len({id(tile) for tile in four}) == 4]
    return min(fits, key=_extent, default=())


def _extent(tiles: Sequence[TileReading]) -> float:
    middles = np.array([_middle(tile) for tile in tiles])
    return float(np.ptp(middles, axis=0).sum())


def _are_near(one: TileReading, other: TileReading) -> bool:
    return math.dist(_middle(one), _middle(other)) < _NEIGHBOUR_LENGTHS * max(_length(one), _length(other))


@dataclass(frozen=True, slots=True)
class _CardFace:
    """One face on a card: middle and baseline of its name from the card's left top corner, angle in radians."""

    face: Tile | None
    at: tuple[float, float]
    angle: float
    name: str
    name_at: tuple[float, float]
    colour: Bgr


@dataclass(frozen=True, slots=True)
class TileCard:
    """The card of one group: faces with a ``length`` in pixels, with lines of text (colour, weight) below.

    It is placed beside the box ``around`` the group and its brackets in the picture.
    """

    around: Box
    size: tuple[int, int]
    colour: Bgr
    length: float
    faces: tuple[_CardFace, ...]
    lines: tuple[tuple[str, Bgr, int], ...]

    @classmethod
    def of(cls, image: Image, group: TileGroup, pen: Pen, caption: HandCaption | None) -> Self:
        typical = float(np.median([_length(tile) for tile in group.tiles]))
        length = float(np.clip(typical, *_FACE_PX))
        middles = np.array([_middle(tile) for tile in group.tiles]) * _SPREAD * length / typical
        centre_x = middles[:, 0].mean()
        parts = [
            _card_face(image, tile, (x, y), length, pen, on_right=bool(x >= centre_x))
            for tile, (x, y) in zip(group.tiles, middles.tolist(), strict=True)
        ]
        x0, y0, x1, y1 = union([box for _, box in parts])
        lines = _lines(group, caption, pen, max(x1 - x0, 9 * pen.text_px if group.hand else 0))
        inner = max([x1 - x0, *(text_width(text, pen.text_px, weight) for text, _, weight in lines)])
        left, top = x0 - pen.pad - (inner - (x1 - x0)) / 2, y0 - pen.pad
        faces = tuple(
            replace(
                face,
                at=(face.at[0] - left, face.at[1] - top),
                name_at=(face.name_at[0] - left, face.name_at[1] - top),
            )
            for face, _ in parts
        )
        depth = y1 - y0 + 2 * pen.pad + len(lines) * (pen.text_px + pen.pad) + (pen.pad if lines else 0)
        size = (round(inner) + 2 * pen.pad, depth)
        rim = 3 * pen.line_px + (pen.text_px if group.hand else 0)
        left, top, right, bottom = union([bounds(tile.polygon) for tile in group.tiles])
        around = (left - rim, top - rim, right + rim, bottom + rim)
        return cls(around, size, group_colour(group, caption), length, faces, lines)

    def draw(self, image: Image, box: Box, pen: Pen) -> None:
        card(image, box, self.colour, max(1, pen.line_px))
        for face in self.faces:
            put_face(image, face.face, (box[0] + face.at[0], box[1] + face.at[1]), self.length, face.angle)
            at = (round(box[0] + face.name_at[0]), round(box[1] + face.name_at[1]))
            put_text(image, face.name, at, pen.text_px, face.colour, 600)
        y = box[3] - 2 * pen.pad - (len(self.lines) - 1) * (pen.text_px + pen.pad)
        for text, colour, weight in self.lines:
            put_text(image, text, (box[0] + pen.pad, y), pen.text_px, colour, weight)
            y += pen.text_px + pen.pad


def _card_face(
    image: Image, tile: TileReading, middle: Point, length: float, pen: Pen, *, on_right: bool
) -> tuple[_CardFace, Box]:
    """One face and its name: below a vertical tile, past the outer end of a horizontal one. Also the box of both."""
    x, y = middle
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
    return _CardFace(tile.face, (x, y), angle, name, name_at, STATUS_COLOURS[tile.status]), bounds(corners)


def _lines(group: TileGroup, caption: HandCaption | None, pen: Pen, width: int) -> tuple[tuple[str, Bgr, int], ...]:
    """Text on a card under the faces, with colour and weight."""
    texts: list[tuple[str, Bgr, int]] = []
    if group.hand is not None:
        texts.append((group.name.upper(), INK, 700))
        texts.append((f"low {' '.join(map(str, group.hand.low))}", INK, 400))
        texts.append((f"high {' '.join(map(str, group.hand.high))}", INK, 400))
    texts.extend(
        (f"{tile.face}, or {tile.runner_up}?", AMBER, 400)
        for tile in group.tiles
        if tile.status == "uncertain" and tile.face is not None and tile.runner_up is not None
    )
    if caption is not None:
        texts.append((caption.text, _TONE_COLOURS[caption.tone], 600))
    return tuple(
        (line, colour, weight) for text, colour, weight in texts for line in wrap(text, pen.text_px, width, weight)
    )


def draw_brackets(image: Image, group: TileGroup, pen: Pen, colour: Bgr) -> None:
    """A frame around each pair of a hand, named low or high."""
    if group.hand is None:
        return
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


def _upright(image: Image, tile: TileReading) -> float:
    """Angle of the larger end from up, clockwise, in radians: whichever correlates better with the picture."""
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
    same, turned = (float(np.sum(seen * each)) for each in (ideal, ideal[::-1, ::-1]))
    return angle if same >= turned else angle + math.pi


def _length(tile: TileReading) -> float:
    corners = np.array(tile.polygon)
    return float(np.linalg.norm(corners[1] + corners[0] - corners[2] - corners[3])) / 2


def _middle(tile: TileReading) -> tuple[float, float]:
    x, y = np.array(tile.polygon).mean(axis=0)
    return float(x), float(y)
