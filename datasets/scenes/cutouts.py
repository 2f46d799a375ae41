"""Composite cut-out photographs of single tiles onto synthetic backgrounds: any angle, scale and kind of ground."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.labels.labels import LabelError, PictureLabels, TileLabel
from datasets.scenes.sampling import pick

if TYPE_CHECKING:
    from pathlib import Path

    from engine.game.tiles import Tile

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]

LENGTHS_PX: Final = (60.0, 520.0)
SIZES: Final = ((640, 480), (960, 720), (1280, 960))
_MARGIN: Final = 1.3
"""The picture's short side is at least this many times the tile's length, so that every angle fits."""


def load_cutout(path: Path) -> Pixels:
    """Read a cut-out tile: (h, w, 4) uint8, blue-green-red and how much of each pixel is tile.

    Raises:
        LabelError: it is not a picture with transparent surroundings.
    """
    data = np.frombuffer(path.read_bytes(), np.uint8)
    image = cv2.imdecode(data, cv2.IMREAD_UNCHANGED) if data.size else None
    if image is None or image.ndim != 3 or image.shape[2] != 4 or image.dtype != np.uint8:
        raise LabelError(f"{path.name}: expected an 8 bit PNG of one tile with transparent surroundings")
    cutout = np.asarray(image, np.uint8)
    if cutout[..., 3].max() < 128:
        raise LabelError(f"{path.name}: is transparent all over")
    return cutout


def lay(cutout: Pixels, face: Tile, name: str, ground: str, rng: np.random.Generator) -> tuple[Pixels, PictureLabels]:
    """Lay one cut-out tile (``load_cutout``) on one of the ``GROUNDS``.

    Returns:
        The picture, (h, w, 3) uint8 blue-green-red, and its labels. The polygon starts at the cut-out's top left,
        whichever half lies there.
    """
    outline = _outline(cutout)
    length = float(np.exp(rng.uniform(*np.log(LENGTHS_PX))))
    fitting = [size for size in SIZES if min(size) >= _MARGIN * length]
    width, height = pick(rng, fitting)
    scale = length / float(np.linalg.norm(outline[3] - outline[0]))
    how = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    small = cv2.resize(_premultiplied(cutout), None, fx=scale, fy=scale, interpolation=how)
    to_picture = _placing(small.shape[1], small.shape[0], (width, height), length, rng)
    layer = np.asarray(cv2.warpAffine(small, to_picture, (width, height), flags=cv2.INTER_LINEAR), np.float32)
    alpha = np.clip(layer[..., 3:], 0, 1)
    blur_px = length * 0.04
    shadow = cv2.GaussianBlur(np.roll(alpha[..., 0], (round(blur_px), round(blur_px)), (0, 1)), (0, 0), blur_px)
    picture = GROUNDS[ground](width, height, rng) * (1 - rng.uniform(0.2, 0.6) * shadow[..., None])
    picture = picture * (1 - alpha) + layer[..., :3]
    labels = PictureLabels(
        image=name,
        size=(width, height),
        kind=f"tile on {ground}",
        objects=(TileLabel(face=face, face_up=True, polygon=_points(outline * scale, to_picture)),),
        scope="tiles",
    )
    return _photographed(picture, rng), labels


def _premultiplied(cutout: Pixels) -> Floats:
    """Colours weighted by how much of the pixel is tile: what lies under transparency must not bleed in."""
    alpha = cutout[..., 3:].astype(np.float32) / 255
    return np.concatenate([cutout[..., :3] * alpha, alpha], axis=2).astype(np.float32)


def _outline(cutout: Pixels) -> Floats:
    """The tile's rectangle in the cut-out, (4, 2), clockwise from the top left, corner 0 to 1 a short edge."""
    mask = (cutout[..., 3] > 127).astype(np.uint8)
    corners = cv2.boxPoints(cv2.minAreaRect(cv2.findNonZero(mask).reshape(-1, 2)))
    middle = corners.mean(axis=0)
    order = np.argsort(np.arctan2(corners[:, 1] - middle[1], corners[:, 0] - middle[0]))
    return np.asarray(corners[order], np.float32)


def _placing(
    width: int, height: int, size: tuple[int, int], length: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The turn and shift from the small cut-out into the picture, (2, 3), at any angle, wholly inside."""
    angle = rng.uniform(0, 2 * math.pi)
    room = [max(0.0, side - _MARGIN * length) / 2 for side in size]
    target = [side / 2 + rng.uniform(-free, free) for side, free in zip(size, room, strict=True)]
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    shift = np.array(target) - turn @ np.array([width / 2, height / 2])
    return np.column_stack([turn, shift])


def _points(outline: Floats, to_picture: NDArray[np.float64]) -> tuple[tuple[float, float], ...]:
    placed = outline @ to_picture[:, :2].T + to_picture[:, 2]
    return tuple((float(x), float(y)) for x, y in placed)


def _photographed(picture: Floats, rng: np.random.Generator) -> Pixels:
    """Light of some colour and strength, a little blur, noise, and JPEG."""
    lit = picture * rng.uniform(0.75, 1.15) * rng.uniform(0.92, 1.08, 3)
    soft = cv2.GaussianBlur(lit.astype(np.float32), (0, 0), rng.uniform(0.3, 0.8))
    grainy = np.clip(soft + rng.normal(0, rng.uniform(1, 4), soft.shape), 0, 255).astype(np.uint8)
    _, data = cv2.imencode(".jpg", grainy, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(75, 96))])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _colour(rng: np.random.Generator, low: float, high: float) -> Floats:
    return rng.uniform(low, high, 3).astype(np.float32)


def _spread(cells: NDArray[np.float64], width: int, height: int) -> Floats:
    return np.asarray(cv2.resize(cells.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def _plain(width: int, height: int, rng: np.random.Generator) -> Floats:
    """One colour, a little lighter on one side."""
    slope = np.linspace(rng.uniform(0.85, 1), rng.uniform(1, 1.15), width, dtype=np.float32)
    return np.asarray(np.ones((height, width, 3), np.float32) * slope[None, :, None] * _colour(rng, 30, 230))


def _felt(width: int, height: int, rng: np.random.Generator) -> Floats:
    """Cloth: one strong colour, fine grain, faint clouds."""
    colour = _colour(rng, 10, 60)
    colour[int(rng.integers(3))] += rng.uniform(60, 120)
    clouds = _spread(rng.normal(1, 0.08, (6, 8)), width, height)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 0.8)
    return np.asarray((clouds + 0.12 * grain)[..., None] * colour)


def _wood(width: int, height: int, rng: np.random.Generator) -> Floats:
    """Boards: long wavy rings and streaks in brown."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    bend = _spread(rng.normal(0, 14, (4, 5)), width, height)
    rings = np.sin((y + bend) / rng.uniform(4, 14) + 0.004 * x)
    streaks = cv2.GaussianBlur(rng.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 12, None, 0.6)
    brown = np.array([50, 85, 130], np.float32) * rng.uniform(0.5, 1.6)
    return np.asarray((1 + 0.12 * rings + 0.8 * streaks)[..., None] * brown)


def _noise(width: int, height: int, rng: np.random.Generator) -> Floats:
    """Coloured blotches of every size, as on a busy carpet."""
    picture = np.full((height, width, 3), 110, np.float32)
    for cells, strength in ((6, 40), (24, 30), (96, 20)):
        picture += _spread(rng.normal(0, strength, (cells, cells, 3)), width, height)
    return np.asarray(np.clip(picture, 0, 255))


def _stripes(width: int, height: int, rng: np.random.Generator) -> Floats:
    """Two colours in hard-edged bars, as on a printed cloth."""
    y, x = np.mgrid[0:height, 0:width]
    angle, pitch = rng.uniform(0, math.pi), rng.uniform(12, 90)
    bars = ((x * math.cos(angle) + y * math.sin(angle)) // pitch) % 2
    one, other = _colour(rng, 20, 235), _colour(rng, 20, 235)
    return np.asarray(np.where(bars[..., None] > 0, one, other), np.float32)


GROUNDS: Final = {"plain": _plain, "felt": _felt, "wood": _wood, "noise": _noise, "stripes": _stripes}
