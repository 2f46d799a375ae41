"""Likeness of a tile to a reference picture, for distance to a table's own tiles.

Two crops are compared on the face, after removing offset and slope of the light from each plane (levelled normalised
correlation), in both orientations, with small shifts and rotations for outline errors. Two planes are compared: green,
in which plain pips are visible, and red minus green, in which red ones are visible regardless of white reflections;
each is weighted by its share of the reference's energy. The results are the remaining mismatch and the relative size of
the pip pattern: the crop's scale is known from the calibration, so a manufacturer whose spacing differs by one percent
is detected.

Alignment is by Lucas and Kanade (1981), with Gauss-Newton, from the best whole-pixel shift.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.crops import TILE_CROP_PX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.arrays import Floats

_SMOOTH_PX: Final = 1.0
_MARGIN_PX: Final = 11, 10
"""Rows and columns excluded at the border: the tile's rounded edge and the surroundings."""
_REACH: Final = 2
"""Whole-pixel shifts tried to each side, at half resolution."""
_STEPS: Final = 4
_LONGEST_STEP: Final = np.array([1.5, 1.5, 0.05, 0.05], np.float32)
_SLACK: Final = 0.005
"""Mismatch always present between two pictures of one tile."""
_WIDTH, _HEIGHT = TILE_CROP_PX
_ROWS: Final = slice(_MARGIN_PX[0], _HEIGHT - _MARGIN_PX[0])
_COLUMNS: Final = slice(_MARGIN_PX[1], _WIDTH - _MARGIN_PX[1])


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two tiles are.

    Attributes:
        match: correlation of their drawings, in [-1, 1].
        stretch: relative size of the pattern minus one.
        gain: share of the mismatch removed by stretching; noise alone gives nearly none.
    """

    match: float
    stretch: float
    gain: float


@dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """A reference tile prepared for comparison.

    Attributes:
        crop: (96, 48, 2) float32, smoothed.
        drawing: (2, pixels) its levelled face, each plane with unit norm.
        share: (2,) of the drawing's energy in each plane.
        small: (2, pixels) the same at half resolution, with unit total norm weighted by ``share``.
    """

    crop: Floats
    drawing: Floats
    share: Floats
    small: Floats

    @classmethod
    def of(cls, crop: NDArray[np.uint8]) -> Reference:
        """From a crop (96, 48, 3) uint8 BGR."""
        smooth = _smooth(crop)
        face = _levelled(_face(smooth), _grid(1).tilt)
        length = np.linalg.norm(face, axis=1)
        share = length**2 / max(float((length**2).sum()), 1e-6)
        small = _unit(_levelled(_small(smooth, 0, 0), _grid(2).tilt)) * share[:, None]
        return cls(smooth, _unit(face), np.asarray(share, np.float32), np.asarray(small, np.float32))

    @property
    def turned(self) -> Reference:
        """The same tile rotated by 180 degrees."""
        return Reference(
            np.ascontiguousarray(self.crop[::-1, ::-1]), self.drawing[:, ::-1], self.share, self.small[:, ::-1]
        )


def likeness(crop: NDArray[np.uint8], references: Sequence[Reference]) -> Likeness:
    """Likeness of a crop (96, 48, 3) uint8 BGR to the most similar reference.

    Args:
        crop: the tile, either way round.
        references: candidates; each is tried both ways round.
    """
    smooth = _smooth(crop)
    shifts = [(dy, dx) for dy in range(-_REACH, _REACH + 1) for dx in range(-_REACH, _REACH + 1)]
    tilt = _grid(2).tilt
    tried = np.stack([_unit(_levelled(_small(smooth, dy, dx), tilt)) for dy, dx in shifts]).reshape(len(shifts), -1)
    both = [way for each in references for way in (each, each.turned)]
    scores = tried @ np.stack([each.small.ravel() for each in both]).T
    shift, best = np.unravel_index(int(scores.argmax()), scores.shape)
    dy, dx = shifts[int(shift)]
    return _aligned(smooth, both[int(best)], (2.0 * dx, 2.0 * dy))


def _aligned(smooth: Floats, reference: Reference, start: tuple[float, float]) -> Likeness:
    """The likeness after optimal shift, rotation and stretch; the match is that without stretch."""
    rigid, pose = _climb(smooth, reference, np.array([*start, 0.0, 0.0], np.float32), stretch=False)
    better, stretched = _climb(smooth, reference, pose, stretch=True)
    return Likeness(rigid, float(stretched[3]), max(0.0, better - rigid) / (1 - rigid + _SLACK))


def _climb(smooth: Floats, reference: Reference, pose: Floats, *, stretch: bool) -> tuple[float, Floats]:
    """Maximise the correlation from an initial pose (right, down, turn, stretch): the best match and its pose."""
    best, kept = -1.0, pose
    for _ in range(_STEPS):
        moved = _moved(smooth, pose)
        face = _levelled(_face(moved), _grid(1).tilt)
        length = np.linalg.norm(face, axis=1, keepdims=True) + 1e-3
        match = float((reference.share * (face / length * reference.drawing).sum(1)).sum())
        if match > best:
            best, kept = match, pose
        pose = pose + _step(moved, face / length, length, reference, stretch=stretch)
    return best, kept


def _step(moved: Floats, face: Floats, length: Floats, reference: Reference, *, stretch: bool) -> Floats:
    grid = _grid(1)
    weight = np.sqrt(reference.share)[:, None]
    right = _face(cv2.Sobel(moved, cv2.CV_32F, 1, 0, scale=1 / 8)) / length * weight
    down = _face(cv2.Sobel(moved, cv2.CV_32F, 0, 1, scale=1 / 8)) / length * weight
    ways = [right, down, down * grid.x - right * grid.y]
    if stretch:
        ways.append(right * grid.x + down * grid.y)
    slopes = np.stack([_levelled(way, grid.tilt).ravel() for way in ways], 1)
    left = (reference.drawing - face * (face * reference.drawing).sum(1, keepdims=True)) * weight
    normal = slopes.T @ slopes
    normal[np.diag_indices_from(normal)] += 1e-6
    move = np.zeros(4, np.float32)
    move[: len(ways)] = np.linalg.solve(normal, slopes.T @ left.ravel())
    return np.clip(move, -_LONGEST_STEP, _LONGEST_STEP)


def _moved(smooth: Floats, pose: Floats) -> Floats:
    """The crop resampled with a shift, rotation and stretch about its centre."""
    right, down, turn, stretch = pose.tolist()
    along, across = (1 + stretch) * np.cos(turn), (1 + stretch) * np.sin(turn)
    x, y = (_WIDTH - 1) / 2, (_HEIGHT - 1) / 2
    matrix = np.array(
        [[along, -across, x + right - along * x + across * y], [across, along, y + down - across * x - along * y]]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpAffine(smooth, matrix, (_WIDTH, _HEIGHT), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class _Grid:
    """The compared part: places x and y (pixels,) from its middle, and tilts (pixels, 3) as an orthonormal basis."""

    x: Floats
    y: Floats
    tilt: Floats


@cache
def _grid(step: int) -> _Grid:
    rows = np.arange(_ROWS.start, _ROWS.stop, step, dtype=np.float32) - (_HEIGHT - 1) / 2
    columns = np.arange(_COLUMNS.start, _COLUMNS.stop, step, dtype=np.float32) - (_WIDTH - 1) / 2
    y, x = (each.ravel() for each in np.meshgrid(rows, columns, indexing="ij"))
    return _Grid(x, y, np.linalg.qr(np.stack([np.ones_like(x), x, y], 1))[0].astype(np.float32))


def _smooth(crop: NDArray[np.uint8]) -> Floats:
    """Green, and red less green, of a crop (96, 48, 3): (96, 48, 2) float32, smoothed."""
    soft = np.asarray(cv2.GaussianBlur(crop[..., 1:].astype(np.float32), (0, 0), _SMOOTH_PX), np.float32)
    soft[..., 1] -= soft[..., 0]
    return soft


def _face(crop: NDArray[np.float32] | cv2.typing.MatLike) -> Floats:
    """The compared part of planes (96, 48, 2), (2, pixels)."""
    return np.asarray(crop[_ROWS, _COLUMNS].transpose(2, 0, 1).reshape(2, -1), np.float32)


def _small(smooth: Floats, down: int, right: int) -> Floats:
    """The same at half resolution, shifted by ``down`` and ``right`` of its pixels."""
    part = smooth[
        _ROWS.start + 2 * down : _ROWS.stop + 2 * down : 2, _COLUMNS.start + 2 * right : _COLUMNS.stop + 2 * right : 2
    ]
    return np.ascontiguousarray(part.transpose(2, 0, 1)).reshape(2, -1)


def _levelled(values: Floats, tilt: Floats) -> Floats:
    """Values (..., pixels) without their mean and slope."""
    return np.asarray(values - (values @ tilt) @ tilt.T, np.float32)


def _unit(values: Floats) -> Floats:
    return np.asarray(values / (np.linalg.norm(values, axis=-1, keepdims=True) + 1e-3), np.float32)
