"""Print on the felt: lines, frames, rings, emblems and letters."""

from __future__ import annotations

from typing import Final

import numpy as np

from datasets.rendering.props.brush import Brush, lettering, rectangle

FLAT: Final = {"text", "line", "ring", "box", "emblem"}
"""Kinds of props that are print: they throw no shadow and get no label."""
WORDS: Final = (
    *("PAI GOW", "TILES", "HOUSE", "DICE", "LOW", "HIGH", "BANK", "5% COMMISSION"),
    *("1", "2", "3", "4", "5", "6", "7", "8"),
)
"""Words and numerals that a felt bears."""


def line(brush: Brush) -> None:
    """Print a long, slightly curved line, single or double."""
    prop, rng = brush.prop, brush.rng()
    t = np.linspace(-0.5, 0.5, 16)
    bend = rng.uniform(-0.08, 0.08) * prop.size_mm[0]
    for k in range(int(rng.integers(1, 3))):
        local = np.stack([t * prop.size_mm[0], bend * (4 * t * t) + k * rng.uniform(5, 12)], 1)
        brush.stroke(brush.on_table(local), 0, brush.ink, prop.size_mm[1] * brush.scale)


def box(brush: Brush) -> None:
    """Print a frame: a betting box, a place for tiles."""
    outer = rectangle(brush.prop)
    brush.stroke(outer, 0, brush.ink, 4 * brush.scale, closed=True)
    if brush.prop.seed % 3 == 0:
        inner = outer.mean(0) + (outer - outer.mean(0)) * 0.93
        brush.stroke(inner, 0, brush.ink * 0.7, 2 * brush.scale, closed=True)


def ring(brush: Brush) -> None:
    """Print a circle."""
    diameter, width = brush.prop.size_mm
    brush.stroke(brush.outline(diameter / 2, 40), 0, brush.ink, width * brush.scale, closed=True)


def emblem(brush: Brush) -> None:
    """Print a wheel of curved spokes in a ring, as a casino's emblem."""
    ring(brush)
    prop = brush.prop
    spokes = 8 + prop.seed % 9
    r = np.linspace(0.15, 0.42, 8) * prop.size_mm[0]
    for k in range(spokes):
        a = 2 * np.pi * k / spokes + np.linspace(0, 1.2, 8) + prop.angle
        points = np.stack([r * np.cos(a), r * np.sin(a)], 1) + brush.center
        brush.stroke(points, 0, brush.ink, 3 * brush.scale)


def text(brush: Brush) -> None:
    """Print letters or a numeral."""
    rng, high = brush.rng(), brush.prop.size_mm[1]
    cover = lettering(rng, str(rng.choice(WORDS)), max(12, int(high * brush.scale * 1.2)))
    wide = high * cover.shape[1] / cover.shape[0]
    local = np.array([[-wide, high], [wide, high], [wide, -high], [-wide, -high]])
    texture = np.full((*cover.shape, 3), brush.ink, np.float32)
    brush.canvas.lay(texture, cover, brush.pixels(brush.on_table(local / 2), 0), None)
