"""Draw look-alikes of the game's tiles: western dominoes, mahjong tiles, cards with pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from datasets.rendering.textures import DIE_PIPS
from vision.tiles.faces import FACE_NAMES, LENGTH_OVER_WIDTH, Maker, pips_of

if TYPE_CHECKING:
    from datasets.rendering.props.brush import Brush
    from datasets.rendering.textures import F32

PX_PER_MM: Final = 4.0
"""Of the textures drawn here, which are then laid on the table."""
INKS: Final = ((0.02, 0.02, 0.02), (0.03, 0.03, 0.45), (0.05, 0.25, 0.03), (0.35, 0.08, 0.03))
"""Black, red, green and blue."""
BY_VALUE: Final = 0.4
"""Share of the dominoes whose pips have a colour for each value."""


def _blank(brush: Brush) -> tuple[F32, F32]:
    """Return the colour (h, w, 3) of a prop's top in this light, and no ink (h, w) on it yet."""
    w, h = (max(8, round(side * PX_PER_MM)) for side in brush.prop.size_mm)
    return np.full((h, w, 3), brush.colour * brush.light, np.float32), np.zeros((h, w), np.float32)


def _dot(ink: F32, x: float, y: float, radius: float, value: float = 1.0) -> None:
    sixteenths = (round(x * 16), round(y * 16))
    cv2.circle(ink, sixteenths, round(radius * 16), value, -1, cv2.LINE_AA, 4)


def domino(brush: Brush) -> None:
    """Lay a western domino: up to six pips in each half as on a die, and a bar, a line or a pin between."""
    rng, quad = brush.rng(), brush.slab()
    top, ink = _blank(brush)
    h, w = ink.shape
    dark = float(brush.colour.mean()) < 0.2
    paint = np.array((0.75, 0.75, 0.75) if dark else INKS[0] if rng.random() < 0.7 else rng.uniform(0.02, 0.5, 3))
    paints = rng.uniform(0.0, 0.6, (7, 3)) if rng.random() < BY_VALUE else np.tile(paint, (7, 1))
    spread, radius = h * rng.uniform(0.2, 0.3), h * rng.uniform(0.06, 0.13)
    for middle in (w / 4, 3 * w / 4):
        value = int(rng.integers(0, 7))
        half = np.zeros_like(ink)
        for x, y in DIE_PIPS.get(value, ()):
            across, along = (x, y) if value == 6 else (y, x)
            _dot(half, middle + along * spread, h / 2 + across * spread, radius)
        top += (np.asarray(paints[value] * brush.light, np.float32) - top) * half[..., None]
    if rng.random() < 0.85:
        inset, thick = rng.uniform(0.05, 0.2), max(1, round(h * rng.uniform(0.02, 0.1)))
        cv2.line(ink, (w // 2, round(h * inset)), (w // 2, round(h * (1 - inset))), 1.0, thick, cv2.LINE_AA)
    if rng.random() < 0.4:
        _dot(ink, w / 2, h / 2, h * rng.uniform(0.05, 0.09))
    top += (np.asarray(paint * brush.light, np.float32) - top) * ink[..., None]
    brush.canvas.lay(top, np.ones((h, w), np.float32), quad, brush.owner)


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
    """Lay a card: rows of small pictures of tiles, as on a list of ranks, or the spots of a playing card."""
    rng, quad = brush.rng(), brush.slab()
    top, _ = _blank(brush)
    h, w = top.shape[:2]
    if rng.random() < 0.6:
        _small_tiles(top, rng, brush.light)
    else:
        paint = np.array(INKS[int(rng.integers(2))], np.float32) * np.float32(brush.light)
        ink = np.zeros((h, w), np.float32)
        for x in np.linspace(0.2, 0.8, int(rng.integers(1, 5))):
            for y in np.linspace(0.25, 0.75, int(rng.integers(1, 4))):
                cv2.ellipse(ink, (round(x * w), round(y * h)), (round(w * 0.05), round(h * 0.08)), 0, 0, 360, 1.0, -1)
        top += (paint - top) * ink[..., None]
    brush.canvas.lay(top, np.ones((h, w), np.float32), quad, brush.owner)


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
