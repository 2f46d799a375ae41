"""Flat pictures that the renderer lays on things: tile faces and backs, die faces, felts, woods, papers.

Every texture is linear light, channels blue-green-red, float32 in 0..1 unless said otherwise.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.scenes.scene import TILE_LENGTH_MM, TILE_WIDTH_MM, DieStyle, Lamp, LinearColour, TileSet
from vision.tiles.faces import Pip
from vision.tiles.faces import pips_of as maker_pips

if TYPE_CHECKING:
    from collections.abc import Sequence

F32 = NDArray[np.float32]

FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_COMPLEX_SMALL,
)
DIE_PIPS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Pip centres in units of the spread, x and y of the face."""
FACES_OF_A_DIE = (
    # value, turn of the pips, outward normal, texture column axis, texture row axis (die's own axes)
    (1, False, (0, 0, 1), (1, 0, 0), (0, -1, 0)),
    (6, False, (0, 0, -1), (1, 0, 0), (0, 1, 0)),
    (2, False, (0, 1, 0), (-1, 0, 0), (0, 0, -1)),
    (5, False, (0, -1, 0), (1, 0, 0), (0, 0, -1)),
    (3, True, (1, 0, 0), (0, 1, 0), (0, 0, -1)),
    (4, True, (-1, 0, 0), (0, -1, 0), (0, 0, -1)),
)
PIP_RED: LinearColour = (0.03, 0.02, 0.45)
"""Paint of the red pips of Chinese dice."""
HIGHLIGHT_POWER = 40.0
"""Sharpness of highlights (Blinn 1977)."""


def smooth_noise(rng: np.random.Generator, size: tuple[int, int], cell: float) -> F32:
    """Return (h, w) float32 noise of unit variance whose lumps are about `cell` pixels wide."""
    h, w = size
    small = rng.standard_normal((max(2, int(h / cell) + 2), max(2, int(w / cell) + 2))).astype(np.float32)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)


def pips_of(face: str, tile_set: TileSet) -> tuple[Pip, ...]:
    """Return a face's pips as this set's maker cuts them, larger half first along the length."""

    def stretched(x: float) -> float:
        return 0.5 + (x - 0.5) * tile_set.spread

    return tuple(
        replace(p, u=stretched(p.u), v=stretched(p.v), diameter=p.diameter * tile_set.pip_scale)
        for p in maker_pips(face, tile_set.maker)
    )


def _rounded_mask(h: int, w: int, radius: float) -> tuple[F32, F32]:
    """Return (h, w) distance in pixels inside a rounded rectangle (negative outside) and its 0..1 coverage."""
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    qx = np.abs(x + 0.5 - w / 2) - (w / 2 - radius)
    qy = np.abs(y + 0.5 - h / 2) - (h / 2 - radius)
    outside = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0)) + np.minimum(np.maximum(qx, qy), 0) - radius
    inside = (-outside).astype(np.float32)
    return inside, np.clip(inside + 0.5, 0, 1).astype(np.float32)


def _shade(normals: F32, albedo: F32, shine: F32, lamps: Sequence[Lamp], ambient: float) -> F32:
    """Light a surface seen from straight above; normals and lamps are in the texture's own axes, z to the viewer."""
    out = albedo * np.float32(ambient)
    for lamp in lamps:
        d = lamp.direction.astype(np.float32)
        half = d + np.array([0, 0, 1], np.float32)
        half /= np.linalg.norm(half)
        lit = np.maximum(normals @ d, 0)
        spark = np.maximum(normals @ half, 0) ** HIGHLIGHT_POWER * shine
        colour = np.array(lamp.colour, np.float32)
        out += albedo * lit[..., None] * colour + spark[..., None] * colour
    return np.asarray(out, np.float32)


def tile_face(
    face: str | None, tile_set: TileSet, lamps: Sequence[Lamp], ambient: float, px_per_mm: float
) -> tuple[F32, F32]:
    """Draw one face (None: the back) of a tile lying with its larger half to the left.

    Returns:
        (h, w, 3) linear light and (h, w, 2): coverage of the rounded outline, and how much of a mirror reflection
        each point shows. Columns run along the tile's length.
    """
    w, h = round(TILE_LENGTH_MM * px_per_mm), round(TILE_WIDTH_MM * px_per_mm)
    inside, cover = _rounded_mask(h, w, tile_set.corner_mm * px_per_mm)
    albedo = np.full((h, w, 3), tile_set.back if face is None else tile_set.body, np.float32)
    normals = np.zeros((h, w, 3), np.float32)
    normals[..., 2] = 1
    gloss = np.ones((h, w), np.float32)
    # the rounded edge turns the light away: a bright or dark rim, as on the real thing
    edge = np.clip(1 - inside / (tile_set.bevel_mm * px_per_mm), 0, 1)
    gy, gx = np.gradient(inside)
    normals[..., 0] = -gx * edge * 0.9
    normals[..., 1] = -gy * edge * 0.9
    shine = np.full((h, w), tile_set.gloss, np.float32)
    if face is None:
        _mark_back(albedo, tile_set, px_per_mm)
    else:
        for pip in pips_of(face, tile_set):
            _hollow(pip, tile_set, px_per_mm, albedo, normals, gloss, shine)
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    return _shade(normals, albedo, shine, lamps, ambient), np.dstack([cover, gloss])


def _hollow(pip: Pip, tile_set: TileSet, scale: float, albedo: F32, normals: F32, gloss: F32, shine: F32) -> None:
    """Sink one pip into the face, in place: paint, wall normals, and less mirror than the body."""
    h, w = gloss.shape
    radius = pip.diameter * TILE_WIDTH_MM * scale / 2
    cx, cy = pip.u * w - 0.5, pip.v * h - 0.5
    x0, x1 = max(0, int(cx - radius - 2)), min(w, int(cx + radius + 3))
    y0, y1 = max(0, int(cy - radius - 2)), min(h, int(cy + radius + 3))
    y, x = np.mgrid[y0:y1, x0:x1].astype(np.float32)
    dx, dy = x - np.float32(cx), y - np.float32(cy)
    rho = np.hypot(dx, dy) + 1e-6
    cover = np.clip(radius - rho + 0.5, 0, 1)
    colour = np.array(tile_set.pip_red if pip.red else tile_set.pip_plain, np.float32)
    roi = np.s_[y0:y1, x0:x1]
    albedo[roi] += (colour - albedo[roi]) * cover[..., None]
    relative = rho / radius
    slope = np.sin(tile_set.cone) * (1 - tile_set.bowl + tile_set.bowl * relative)
    slope = slope * np.clip(relative * 5, 0, 1) * (cover > 0.5)
    normals[roi][..., 0] += -dx / rho * slope
    normals[roi][..., 1] += -dy / rho * slope
    gloss[roi] += (tile_set.pip_gloss - gloss[roi]) * cover
    shine[roi] *= 1 - 0.5 * cover


def _mark_back(albedo: F32, tile_set: TileSet, scale: float) -> None:
    """Paint the casino's mark on a back, in place."""
    if not tile_set.back_mark:
        return
    h, w = albedo.shape[:2]
    rng = np.random.default_rng(tile_set.back_mark)
    ink = np.clip(np.array(tile_set.back, np.float32) * rng.uniform(0.3, 3) + rng.uniform(0, 0.3, 3), 0, 1)
    mask = np.zeros((h, w), np.uint8)
    centre = (w // 2, h // 2)
    line = max(1, round(scale * rng.uniform(0.3, 0.8)))
    match int(rng.integers(4)):
        case 0:
            cv2.circle(mask, centre, round(h * rng.uniform(0.2, 0.4)), 255, line, cv2.LINE_AA)
        case 1:
            font = int(rng.choice(FONTS))
            cv2.putText(mask, "HW", (w // 4, round(h * 0.7)), font, scale * 0.45, 255, line, cv2.LINE_AA)
        case 2:
            inset = round(h * 0.15)
            cv2.rectangle(mask, (inset, inset), (w - inset, h - inset), 255, line, cv2.LINE_AA)
        case _:
            for k in range(5):
                cv2.ellipse(mask, centre, (h // 3, h // 8), k * 36, 0, 360, 255, line, cv2.LINE_AA)
    albedo += (ink.astype(np.float32) - albedo) * (mask.astype(np.float32) / 255)[..., None]


def die_pips(value: int, style: DieStyle, *, turn: bool) -> tuple[float, LinearColour, list[tuple[float, float]]]:
    """Return one face's pips: diameter, paint, and centres from the middle, all in sides; `turn` swaps x and y."""
    large = value == 1 and style.red_one > 0
    red = large or (value == 4 and style.red_four)
    closer = style.six_across if value == 6 else 1.0
    places = [(y, x * closer) if turn else (x * closer, y) for x, y in DIE_PIPS[value]]
    return (
        style.red_one if large else style.pip_diameter,
        PIP_RED if red else style.pip,
        [(x * style.spread, y * style.spread) for x, y in places],
    )


def die_face(value: int, style: DieStyle, size: int, *, turn: bool) -> tuple[F32, F32]:
    """Draw one face of a die: (size, size, 3) albedo and (size, size) coverage of the pips."""
    albedo = np.full((size, size, 3), style.colour, np.float32)
    rng = np.random.default_rng((style.seed, value))
    if style.vein is not None:
        _marble(albedo, np.array(style.vein, np.float32), rng)
    pips = np.zeros((size, size), np.float32)
    walls = np.zeros((size, size), np.float32)
    diameter, colour, places = die_pips(value, style, turn=turn)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    radius, light = diameter * size / 2, np.random.default_rng(style.seed).uniform(0, 2 * np.pi)
    for a, b in places:
        dx, dy = x - ((0.5 + a) * size - 0.5), y - ((0.5 + b) * size - 0.5)
        away = np.hypot(dx, dy)
        np.maximum(pips, np.clip(radius - away + 0.5, 0, 1), out=pips)
        # The wall of a drilled pip that faces the light is bright, the opposite one dark.
        walls += (away < radius) * np.float32(style.hollow) * (np.cos(light) * dx + np.sin(light) * dy) / radius
    paint = np.array(colour, np.float32) * (1 + 0.7 * walls[..., None])
    paint += np.float32(0.25) * np.maximum(walls, 0)[..., None] ** 6
    albedo += (np.maximum(paint, 0) - albedo) * pips[..., None]
    if value == 1 and style.ring_diameter > 0:
        away = np.hypot(x - (size - 1) / 2, y - (size - 1) / 2)
        ring = np.clip(size * 0.03 - np.abs(away - style.ring_diameter * size / 2) + 0.5, 0, 1)
        albedo += (np.array(style.pip, np.float32) - albedo) * ring[..., None]
    return albedo, pips


def _marble(albedo: F32, vein: F32, rng: np.random.Generator) -> None:
    """Mix a second colour into a body, in place, in soft clouds and streaks."""
    size = albedo.shape[0]
    clouds = smooth_noise(rng, (size, size), size * rng.uniform(0.15, 0.6))
    share = np.clip(0.5 + clouds * rng.uniform(0.3, 1.5) + rng.uniform(-0.3, 0.3), 0, 1)
    albedo += (vein - albedo) * np.asarray(share, np.float32)[..., None]


@lru_cache(maxsize=8)
def _weave(seed: int) -> F32:
    """Return a (512, 512) felt grain of mean one that tiles without a seam."""
    rng = np.random.default_rng(seed)
    fine = rng.standard_normal((512, 512)).astype(np.float32)
    coarse = cv2.blur(rng.standard_normal((512, 512)).astype(np.float32), (9, 9), borderType=cv2.BORDER_REFLECT) * 5
    return np.asarray(1 + 0.05 * fine + 0.04 * coarse, np.float32)


def felt_grain(h: int, w: int, seed: int) -> F32:
    """Return (h, w) multiplicative grain."""
    tile = _weave(seed % 8)
    return np.tile(tile, (h // 512 + 1, w // 512 + 1))[:h, :w]


def wood(rng: np.random.Generator, h: int, w: int, colour: LinearColour) -> F32:
    """Return (h, w, 3) planks with a grain along the columns."""
    y = np.arange(h, dtype=np.float32)[:, None]
    warp = smooth_noise(rng, (h, w), max(h, w) / 3) * rng.uniform(2, 12)
    rings = np.sin((y + warp) * rng.uniform(0.05, 0.5)) * 0.5 + 0.5
    streaks = cv2.resize(rng.standard_normal((h, max(2, w // 60))).astype(np.float32), (w, h))
    tone = 1 + rng.uniform(0.05, 0.25) * (rings - 0.5) + rng.uniform(0.02, 0.08) * streaks
    return np.asarray(np.clip(np.array(colour, np.float32) * tone[..., None], 0.005, 1), np.float32)


def carpet(rng: np.random.Generator, h: int, w: int, colour: LinearColour) -> F32:
    """Return (h, w, 3) a casino carpet: loud curves on a dark ground."""
    plain = [np.full((h, w), part, np.float32) for part in np.array(colour, np.float32) * 0.3]
    out = np.asarray(cv2.merge(plain), np.float32)
    inks = rng.uniform(0.01, 0.35, (4, 3))
    for _ in range(int(rng.integers(20, 120) * h * w / 400_000) + 4):
        centre = (int(rng.integers(w)), int(rng.integers(h)))
        axes = (int(rng.integers(4, 40)), int(rng.integers(3, 25)))
        start = rng.uniform(0, 360)
        ink = tuple(float(c) for c in inks[rng.integers(4)])
        turn, sweep, line = rng.uniform(0, 180), rng.uniform(90, 360), int(rng.integers(1, 5))
        cv2.ellipse(out, centre, axes, turn, start, start + sweep, ink, line, cv2.LINE_AA)
    grain = 1 + 0.15 * rng.standard_normal((h, w)).astype(np.float32)
    return np.asarray(np.clip(out * np.asarray(cv2.merge([grain, grain, grain])), 0.001, 1), np.float32)


def keyboard(rng: np.random.Generator, h: int, w: int) -> F32:
    """Return (h, w, 3) a laptop's keys: rounded dark rectangles with light letters, a hard look-alike of tiles."""
    out = np.full((h, w), int(rng.integers(25, 150)), np.uint8)
    key = int(rng.integers(14, 60))
    pitch = int(key * rng.uniform(1.1, 1.3))
    dark = rng.random() < 0.7
    ink, letter = (int(rng.integers(1, 12)), 180) if dark else (int(rng.integers(75, 200)), 12)
    for y in range(-int(rng.integers(pitch)), h, pitch):
        x = -int(rng.integers(pitch))
        while x < w:
            wide = key if rng.random() < 0.85 else int(key * rng.uniform(1.3, 2.6))
            cv2.rectangle(out, (x, y), (x + wide, y + key), ink, -1, cv2.LINE_AA)
            sign = chr(int(rng.integers(48, 91)))
            cv2.putText(out, sign, (x + key // 4, y + key * 2 // 3), 0, key / 50, letter, 1, cv2.LINE_AA)
            x += wide + pitch - key
    return np.asarray(out[..., None].repeat(3, 2), np.float32) / np.float32(255)
