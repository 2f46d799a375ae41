"""Draw props: chips, markers, cup, drinks, paper and clutter, and print on the felt."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from datasets.rendering.projected import circle
from datasets.rendering.props.brush import Brush, lettering, rectangle
from datasets.rendering.textures import keyboard
from datasets.scenes.scene import DISH_FLOOR_MM, DISH_FLOOR_SHARE

ROUND: Final = {"chips", "dish", "dome", "glass", "marker"}
"""Kinds of props whose outline is a circle."""
CHIP_MM: Final = 3.3
"""Thickness of a chip."""
FLAT: Final = {"text", "line", "ring", "box", "emblem"}
"""Kinds of props that are print: they throw no shadow and get no label."""
_BRIGHT: Final = 0.2
"""Colour of a marker from which its letters are dark."""
WORDS: Final = (
    *("PAI GOW", "TILES", "HOUSE", "DICE", "LOW", "HIGH", "BANK", "5% COMMISSION"),
    *("1", "2", "3", "4", "5", "6", "7", "8"),
)
"""Words and numerals that a felt bears."""


def chips(brush: Brush) -> None:
    """Stack chips: a striped wall and a round top with edge spots."""
    prop, light, base, rng = brush.prop, brush.light, brush.colour, brush.rng()
    radius = prop.size_mm[0] / 2
    spot = np.array(rng.uniform(0.3, 0.8, 3) if rng.random() < 0.4 else (0.75, 0.75, 0.75), np.float64)
    n = max(1, round(prop.height_mm / CHIP_MM))
    offset = rng.normal(0, 0.4, (n, 2))
    for k in range(n):
        z = prop.z_mm + k * CHIP_MM
        stripe = spot if (k + prop.seed) % 2 else base
        brush.wall(brush.outline(radius) + offset[k], z, z + CHIP_MM, (0.6 * base + 0.4 * stripe) * light * 0.5)
    z = prop.z_mm + n * CHIP_MM
    brush.fill(brush.outline(radius) + offset[-1], z, base * light)
    turn = rng.uniform(0, np.pi)
    for k in range(int(rng.integers(4, 9))):
        a = turn + 2 * np.pi * k / 6 + np.array([-0.18, 0.18])
        rim = np.stack([np.cos(a), np.sin(a)], 1) * radius
        brush.fill(np.concatenate([rim, rim * 0.72]) + brush.center + offset[-1], z, spot * light)
    brush.fill(brush.outline(radius * 0.6) + offset[-1], z, (0.4 * base + 0.6 * np.array([0.7, 0.7, 0.7])) * light)
    _label_disc(brush, z, radius * 0.5, rng)


def _label_disc(brush: Brush, z: float, radius: float, rng: np.random.Generator) -> None:
    prop = brush.prop
    cover = lettering(rng, prop.text or str(rng.choice(["5", "25", "100", "500", "OFF", "BANK", "$1"])), 24)
    aspect = cover.shape[1] / cover.shape[0]
    half = np.array([radius, radius / aspect]) if aspect > 1 else np.array([radius * aspect, radius])
    quad = brush.on_table(np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * half)
    dark = np.mean(prop.colour) > _BRIGHT if prop.text else prop.seed % 2
    ink = np.full((*cover.shape, 3), 0.02 if dark else 0.6, np.float32) * np.float32(brush.light)
    brush.canvas.lay(ink, cover, brush.pixels(quad, z), None)


def marker(brush: Brush) -> None:
    """Lay a chung, an off button or a plus/minus button."""
    prop, rng = brush.prop, brush.rng()
    outline = brush.outline(prop.size_mm[0] / 2)
    brush.wall(outline, 0, prop.height_mm, brush.colour * brush.light * 0.6)
    brush.fill(outline, prop.height_mm, brush.colour * brush.light)
    _label_disc(brush, prop.height_mm, prop.size_mm[0] * 0.35, rng)


def dish(brush: Brush) -> None:
    """Lay the round base of the dice cup: a rim around a lined floor."""
    prop, light, rng = brush.prop, brush.light, brush.rng()
    rim = np.array([rng.uniform(0.005, 0.4)] * 3) * rng.uniform(0.8, 1.2, 3)
    outline = circle(prop.size_mm[0] / 2, 40)
    brush.wall(outline + brush.center, 0, prop.height_mm, rim * light)
    floor = outline * DISH_FLOOR_SHARE + brush.center
    brush.fill(floor, min(DISH_FLOOR_MM, prop.height_mm), brush.colour * light)
    for a in rng.uniform(0, 2 * np.pi, 3):
        arc = np.linspace(a, a + rng.uniform(0.2, 0.9), 6)
        points = np.stack([np.cos(arc), np.sin(arc)], 1) * prop.size_mm[0] * 0.475 + brush.center
        tone = np.full(3, light * rng.uniform(0.2, 1.5), np.float32)
        brush.stroke(points, prop.height_mm, tone, 2 * brush.scale)
    for _ in range(int(rng.integers(0, 5))):
        _glint(brush, min(DISH_FLOOR_MM, prop.height_mm), rng)


def _glint(brush: Brush, z: float, rng: np.random.Generator) -> None:
    """Mirror a lamp somewhere in a dish: a white spot, round or drawn out, as large as a die or smaller."""
    away, turn = brush.prop.size_mm[0] * 0.42 * np.sqrt(rng.random()), rng.uniform(0, 2 * np.pi)
    squeeze = np.array([1.0, rng.uniform(0.3, 1.0)])
    spot = circle(rng.uniform(0.8, 6.0), 12) * squeeze + brush.center + away * np.array([np.cos(turn), np.sin(turn)])
    brush.canvas.fill(brush.pixels(spot, z), np.full(3, brush.light * rng.uniform(0.9, 3)), None)


def dome(brush: Brush) -> None:
    """Set down the cup or a metal dome: a ball's shading with a few lamp highlights."""
    prop, light, rng = brush.prop, brush.light, brush.rng()
    r = prop.size_mm[0] / 2
    metal = rng.uniform(0, 1)
    for k in range(14):
        f = 1 - k / 14
        tone = brush.colour * (0.35 + 0.65 * (1 - f)) + metal * 0.12 * np.sin(k * 1.3 + prop.seed) ** 2
        brush.fill(brush.outline(r * f, 32), prop.height_mm * np.sqrt(1 - f * f), tone * light)
    for _ in range(int(rng.integers(1, 5))):
        f = rng.uniform(0.1, 0.8)
        a = rng.uniform(0, 2 * np.pi)
        spot = brush.outline(r * rng.uniform(0.04, 0.16), 12) + f * r * np.array([np.cos(a), np.sin(a)])
        brush.fill(spot, prop.height_mm * np.sqrt(1 - f * f), np.full(3, light * rng.uniform(0.5, 3)))


def glass(brush: Brush) -> None:
    """Stand a drink: a translucent wall and a bright surface."""
    prop, light = brush.prop, brush.light
    base = brush.outline(prop.size_mm[0] / 2)
    brush.wall(base, 0, prop.height_mm, np.array([0.3, 0.35, 0.35]) * light, opacity=0.35)
    brush.fill(base, prop.height_mm * 0.8, brush.colour * light, opacity=0.8)
    brush.stroke(base, prop.height_mm, np.full(3, 0.8 * light, np.float32), 1.5, closed=True)


def paper(brush: Brush) -> None:
    """Lay a written slip, a card or a booklet."""
    rng, quad = brush.rng(), brush.slab()
    w, h = brush.texture_size((24, 400), (24, 300))
    ink = np.zeros((h, w), np.uint8)
    pitch = max(5, int(h * rng.uniform(0.06, 0.14)))
    for y in range(pitch, h - 2, pitch):
        x = int(w * 0.08)
        while x < w * 0.9:
            run = int(rng.integers(3, max(4, w // 6)))
            if rng.random() < 0.7:
                cv2.line(ink, (x, y), (min(x + run, int(w * 0.92)), y), 255, max(1, pitch // 4), cv2.LINE_AA)
            x += run + 3
    texture = np.full((h, w, 3), 0.03 * brush.light, np.float32)
    brush.canvas.lay(texture, np.asarray(ink, np.float32) * np.float32(0.8 / 255), quad, None)


def aruco(brush: Brush) -> None:
    """Lay a calibration marker: black squares on a white card, the worst look-alike of a tile."""
    quad = brush.slab()
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    card = np.full((80, 80), 230, np.uint8)
    card[10:70, 10:70] = cv2.aruco.generateImageMarker(dictionary, brush.prop.seed % 50, 60)
    texture = (card.astype(np.float32) / 255 * 0.75 * brush.light)[..., None].repeat(3, 2) + np.float32(0.01)
    brush.canvas.lay(texture, np.ones((80, 80), np.float32), quad, brush.owner)


def rod(brush: Brush) -> None:
    """Lay a pen or a cable: a bent line with a highlight."""
    prop, rng = brush.prop, brush.rng()
    t = np.linspace(-0.5, 0.5, 20)
    bend = rng.uniform(-0.3, 0.3) * prop.size_mm[0] if prop.size_mm[0] > 200 else 0.0
    path = brush.on_table(np.stack([t * prop.size_mm[0], bend * np.sin(3 * t)], 1))
    for share, tone in ((1.0, 0.7), (0.35, 2.0)):
        colour, width_px = brush.colour * brush.light * tone + 0.01, prop.size_mm[1] * brush.scale * share
        brush.stroke(path, prop.z_mm + prop.height_mm, colour, width_px, owner=brush.owner)


def rack(brush: Brush) -> None:
    """Set the float: a tray of chip columns lying on their edges."""
    rng, light, quad = brush.rng(), brush.light, brush.slab()
    w, h = brush.texture_size((40, 1400), (30, 500))
    texture = np.full((h, w, 3), brush.colour * light, np.float32)
    columns = int(rng.integers(8, 14))
    pitch = w / columns
    for k in range(columns):
        x0, x1 = int(k * pitch + pitch * 0.08), int((k + 1) * pitch - pitch * 0.08)
        texture[int(h * 0.05) : int(h * 0.95), x0:x1] = 0.02 * light
        end = int(h * rng.uniform(0.1, 0.95))
        ink = rng.uniform(0.01, 0.5, 3)
        step = max(2, int(CHIP_MM * brush.scale))
        for y in range(int(h * 0.05), end, step):
            tone = ink if rng.random() < 0.6 else np.full(3, 0.7)
            texture[y : y + max(1, step - 1), x0:x1] = tone * light * 0.7
    brush.canvas.lay(texture, np.ones((h, w), np.float32), quad, brush.owner)


def clutter(brush: Brush) -> None:
    """Lay a laptop, a phone or a keyboard: a slab with keys or a sheen."""
    quad = brush.slab()
    if brush.prop.seed % 3:
        return
    w, h = brush.texture_size((40, 700), (30, 500))
    keys = keyboard(brush.rng(), h, w) * np.float32(brush.light)
    brush.canvas.lay(keys, np.ones((h, w), np.float32), quad, brush.owner)


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
