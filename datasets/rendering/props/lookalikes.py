"""Draw look-alikes of the game's tiles: western dominoes, mahjong tiles, cards with pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from datasets.rendering.props.brush import lettering
from datasets.rendering.textures import DIE_PIPS
from vision.tiles.faces import FACE_NAMES, LENGTH_OVER_WIDTH, Maker, pips_of

if TYPE_CHECKING:
    from datasets.rendering.props.brush import Brush
    from datasets.rendering.textures import F32

PX_PER_MM: Final = 4.0
"""Of the textures drawn here, which are then laid on the table."""
INKS: Final = ((0.02, 0.02, 0.02), (0.03, 0.03, 0.45), (0.05, 0.25, 0.03), (0.35, 0.08, 0.03))
"""Black, red, green and blue."""
BY_VALUE: Final = 0.5
"""Share of the sets of dominoes whose pips have a colour for each value."""
GLOSSY: Final = 0.25
"""Share of the dominoes in which a lamp is reflected."""
LISTS: Final = 0.4
"""Share of the cards that show small tiles; the others are playing cards."""


def _blank(brush: Brush) -> tuple[F32, F32]:
    """Return the colour (h, w, 3) of a prop's top in this light, and no ink (h, w) on it yet."""
    w, h = (max(8, round(side * PX_PER_MM)) for side in brush.prop.size_mm)
    return np.full((h, w, 3), brush.colour * brush.light, np.float32), np.zeros((h, w), np.float32)


def _dot(ink: F32, x: float, y: float, radius: float, value: float = 1.0) -> None:
    sixteenths = (round(x * 16), round(y * 16))
    cv2.circle(ink, sixteenths, round(radius * 16), value, -1, cv2.LINE_AA, 4)


def domino(brush: Brush) -> None:
    """Lay a western domino: up to six pips in each half as on a die, and a bar, a line or a pin between.

    Dominoes of one colour are of one set: they differ in their values only.
    """
    make, rng, quad = np.random.default_rng(round(sum(brush.prop.colour) * 1e9)), brush.rng(), brush.slab()
    top, ink = _blank(brush)
    h, w = ink.shape
    dark = float(brush.colour.mean()) < 0.2
    paint = np.array((0.75, 0.75, 0.75) if dark else INKS[0] if make.random() < 0.7 else make.uniform(0.02, 0.5, 3))
    paints = make.uniform(0.0, 0.6, (7, 3)) if make.random() < BY_VALUE else np.tile(paint, (7, 1))
    spread, radius = h * make.uniform(0.2, 0.3), h * make.uniform(0.06, 0.13)
    hollow, toward = make.uniform(0, 0.9) * (make.random() < 0.6), rng.uniform(0, 2 * np.pi)
    for middle in (w / 4, 3 * w / 4):
        value = int(rng.integers(0, 7))
        for x, y in DIE_PIPS.get(value, ()):
            across, along = (x, y) if value == 6 else (y, x)
            place = middle + along * spread, h / 2 + across * spread
            _drill(top, place, radius, paints[value] * brush.light, hollow, toward)
    if make.random() < 0.85:
        inset, thick = make.uniform(0.05, 0.2), max(1, round(h * make.uniform(0.02, 0.16)))
        cv2.line(ink, (w // 2, round(h * inset)), (w // 2, round(h * (1 - inset))), 1.0, thick, cv2.LINE_AA)
    if make.random() < 0.3:
        _dot(ink, w / 2, h / 2, h * make.uniform(0.05, 0.09))
    top += (np.asarray(paint * brush.light, np.float32) - top) * ink[..., None]
    _gloss(top, rng)
    brush.canvas.lay(top, _rounded(h, w, make.uniform(0.0, 0.2)), quad, brush.owner)


def _drill(top: F32, place: tuple[float, float], radius: float, colour: F32, hollow: float, toward: float) -> None:
    """Paint a pip in place; the wall of a drilled one that faces the light is bright, the other dark."""
    h, w = top.shape[:2]
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    dx, dy = x - np.float32(place[0]), y - np.float32(place[1])
    away = np.hypot(dx, dy)
    shade = 1 + hollow * 0.7 * (np.cos(toward) * dx + np.sin(toward) * dy) / radius
    paint = np.maximum(np.asarray(colour, np.float32) * shade[..., None] + 0.1 * hollow * (shade[..., None] - 1), 0)
    top += (paint.astype(np.float32) - top) * np.clip(radius - away + 0.5, 0, 1)[..., None]


def _rounded(h: int, w: int, corner: float) -> F32:
    """Return (h, w) coverage of a rectangle with corners rounded by a share of its short side."""
    cover = np.zeros((h, w), np.float32)
    radius = round(corner * min(h, w))
    cv2.rectangle(cover, (radius, 0), (w - 1 - radius, h - 1), 1.0, -1)
    cv2.rectangle(cover, (0, radius), (w - 1, h - 1 - radius), 1.0, -1)
    for x in (radius, w - 1 - radius):
        for y in (radius, h - 1 - radius):
            cv2.circle(cover, (x, y), radius, 1.0, -1, cv2.LINE_AA)
    return cover


def _gloss(top: F32, rng: np.random.Generator) -> None:
    """Reflect a lamp in a polished top at times, in place."""
    if rng.random() >= GLOSSY:
        return
    h, w = top.shape[:2]
    light = np.zeros((h, w), np.float32)
    box = (rng.uniform((0, 0), (w, h)).tolist(), (rng.uniform(0.05, 0.6, 2) * h).tolist(), float(rng.uniform(0, 180)))
    cv2.fillConvexPoly(light, cv2.boxPoints(box).astype(np.int32), 1.0, cv2.LINE_AA)
    light = np.asarray(cv2.GaussianBlur(light, (0, 0), h * float(rng.uniform(0.01, 0.15))), np.float32)
    top += np.float32(rng.uniform(0.2, 1.5)) * light[..., None]


def mahjong(brush: Brush) -> None:
    """Lay a mahjong tile: circles, sticks or a sign in two or three colours on ivory."""
    rng, quad = brush.rng(), brush.slab()
    top, _ = _blank(brush)
    h, w = top.shape[:2]
    kind = int(rng.integers(3))
    rows, columns = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    for row in range(rows):
        for column in range(columns):
            ink = np.zeros((h, w), np.float32)
            x, y = w * (column + 1) / (columns + 1), h * (row + 1) / (rows + 1)
            if kind == 0:
                radius = min(w / (columns + 1), h / (rows + 1)) * rng.uniform(0.35, 0.6)
                _dot(ink, x, y, radius)
                _dot(ink, x, y, radius * 0.6, 0.0)
                _dot(ink, x, y, radius * 0.35)
            elif kind == 1:
                reach = h / (rows + 1) * 0.4
                ends = (round(x), round(y - reach)), (round(x), round(y + reach))
                cv2.line(ink, *ends, 1.0, max(1, round(w * 0.07)), cv2.LINE_AA)
            else:
                for _ in range(int(rng.integers(3, 8))):
                    ends = rng.uniform(-0.25, 0.25, (2, 2)) * min(h, w) + [x, y]
                    one, other = (tuple(map(round, end)) for end in ends.tolist())
                    cv2.line(ink, one, other, 1.0, max(1, round(w * 0.05)), cv2.LINE_AA)
            paint = np.array(INKS[int(rng.integers(len(INKS)))], np.float32) * np.float32(brush.light)
            top += (paint - top) * ink[..., None]
    brush.canvas.lay(top, np.ones((h, w), np.float32), quad, brush.owner)


def card(brush: Brush) -> None:
    """Lay a card: rows of small pictures of tiles, as on a list of ranks, or a playing card."""
    rng, quad = brush.rng(), brush.slab()
    top, _ = _blank(brush)
    h, w = top.shape[:2]
    if rng.random() < LISTS:
        _small_tiles(top, rng, brush.light)
    else:
        _spots(top, rng, brush.light)
    brush.canvas.lay(top, _rounded(h, w, rng.uniform(0, 0.08)), quad, brush.owner)


def _spots(top: F32, rng: np.random.Generator, light: float) -> None:
    """Print the spots of a playing card in its three columns, and its value in two corners, in place."""
    h, w = top.shape[:2]
    ink = np.zeros((h, w), np.float32)
    value, kind, size = int(rng.integers(1, 11)), int(rng.integers(4)), min(h, w) * rng.uniform(0.07, 0.13)
    columns = {1: (0, 1, 0), 2: (0, 2, 0), 3: (0, 3, 0), 4: (2, 0, 2), 5: (2, 1, 2), 6: (3, 0, 3), 7: (3, 1, 3)}
    columns |= {8: (3, 2, 3), 9: (4, 1, 4), 10: (4, 2, 4)}
    long, short = (h, w) if h >= w else (w, h)
    for column, number in zip((0.3, 0.5, 0.7), columns[value], strict=True):
        rows = np.linspace(0.2, 0.8, number).tolist() if number > 1 else [0.5]
        if column == 0.5 and number == 2:
            rows = [0.32, 0.68] if value > 2 else [0.2, 0.8]
        for row in rows:
            _spot(ink, (column * short, row * long) if h >= w else (row * long, column * short), size, kind)
    index = lettering(rng, "A" if value == 1 else str(value), max(8, round(min(h, w) * 0.12)))
    high, wide = index.shape
    if high < h and wide < w:
        ink[:high, :wide] = index
        ink[h - high :, w - wide :] = index[::-1, ::-1]
    paint = np.array(INKS[kind % 2], np.float32) * np.float32(light)
    top += (paint - top) * ink[..., None]


def _spot(ink: F32, at: tuple[float, float], size: float, kind: int) -> None:
    """Print a spade, a heart, a club or a diamond, about ``size`` in radius."""
    x, y = at
    hearts = (0, 1), (0.85, -0.2), (-0.85, -0.2)
    corners = {0: ((0, -1), (0.8, 0.4), (-0.8, 0.4)), 1: hearts, 2: ((0, 0), (0.3, 1), (-0.3, 1))}
    diamond = (0, -1.1), (0.8, 0), (0, 1.1), (-0.8, 0)
    balls = {0: ((0.4, 0.4), (-0.4, 0.4)), 1: ((0.42, -0.4), (-0.42, -0.4)), 2: ((0, -0.5), (0.5, 0.2), (-0.5, 0.2))}
    points = np.array(corners.get(kind, diamond)) * size + (x, y)
    cv2.fillConvexPoly(ink, np.rint(points * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
    for right, down in balls.get(kind, ()):
        _dot(ink, x + right * size, y + down * size, 0.48 * size)


def _small_tiles(top: F32, rng: np.random.Generator, light: float) -> None:
    """Print small tiles in rows, in place; far smaller than real ones."""
    h, w = top.shape[:2]
    length = rng.uniform(10, 26) * PX_PER_MM
    width = length / LENGTH_OVER_WIDTH
    maker = Maker(style="photo" if rng.random() < 0.7 else "small")
    dark = rng.random() < 0.8
    body, plain = ((0.02,) * 3, (0.75,) * 3) if dark else ((0.7, 0.75, 0.78), (0.02,) * 3)
    for y in np.arange(width, h - width, width * rng.uniform(1.2, 2.0)):
        for x in np.arange(length * 0.7, w - length * 0.6, length * rng.uniform(1.1, 1.6)):
            if rng.random() < 0.25:
                continue
            corner = (round(x - length / 2), round(y - width / 2))
            other = (round(x + length / 2), round(y + width / 2))
            cv2.rectangle(top, corner, other, tuple(float(c) * light for c in body), -1)
            for pip in pips_of(FACE_NAMES[int(rng.integers(len(FACE_NAMES)))], maker):
                place = (round(corner[0] + pip.u * length), round(corner[1] + pip.v * width))
                paint = (0.03, 0.03, 0.4) if pip.red else plain
                radius = max(1, round(pip.diameter * width / 2))
                cv2.circle(top, place, radius, tuple(float(c) * light for c in paint), -1, cv2.LINE_AA)
