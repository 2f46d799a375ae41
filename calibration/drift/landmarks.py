"""Landmarks of the printed layout that can be found in later pictures, for tables without markers.

Each is a small patch with a corner from the picture of the empty table. An object on top hides it, so that it is not
found, rather than moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GRID: Final = (8, 6)
_A_CELL: Final = 2
_HALF: Final = 15
"""A patch is 31 pixels wide."""
_REACH: Final = 24
"""Search radius for a patch in pixels."""
_ALIKE: Final = 0.8
"""Minimum correlation of a match."""
_NEAR: Final = 6
_SURE: Final = 0.95
"""Radius searched first; a match this good ends the search: cameras rarely move."""
_MIN_CONTRAST: Final = 4.0
"""Minimum standard deviation of a patch's grey levels; below is only noise."""
_SMOOTH: Final = 1.0
_SMOOTHED: Final = 4
"""Radius of the smoothing in pixels."""


@dataclass(frozen=True, eq=False, slots=True)
class Landmarks:
    """Pieces of a picture.

    Attributes:
        points_px: (n, 2) float64, their centres, whole pixels.
        pieces: (n, 31, 31) float32 grey levels.
    """

    points_px: NDArray[np.float64]
    pieces: NDArray[np.float32]


def landmarks(image: NDArray[np.uint8], surface: NDArray[np.bool_] | None = None) -> Landmarks:
    """The best corners of a picture, spread over it.

    Args:
        image: (height, width) or (height, width, 3) uint8, the empty table.
        surface: (height, width) bool, where the table is; default everywhere.
    """
    grey = _smooth(image)
    height, width = grey.shape
    margin = _HALF + _REACH
    points: list[tuple[int, int]] = []
    pieces: list[NDArray[np.float32]] = []
    columns, rows = _GRID
    xs = np.linspace(margin, width - margin, columns + 1).astype(int).tolist()
    ys = np.linspace(margin, height - margin, rows + 1).astype(int).tolist()
    for top, bottom in pairwise(ys):
        for left, right in pairwise(xs):
            if right - left < 2 * _HALF or bottom - top < 2 * _HALF:
                continue
            cell = np.ascontiguousarray(grey[top:bottom, left:right])
            there = None if surface is None else surface[top:bottom, left:right].astype(np.uint8)
            corners = cv2.goodFeaturesToTrack(cell, _A_CELL, 0.1, 2.0 * _HALF, mask=there)
            for x, y in [] if corners is None else np.asarray(corners).reshape(-1, 2).round().astype(int).tolist():
                piece = grey[top + y - _HALF : top + y + _HALF + 1, left + x - _HALF : left + x + _HALF + 1]
                if piece.std() >= _MIN_CONTRAST:
                    points.append((left + x, top + y))
                    pieces.append(piece)
    side = 2 * _HALF + 1
    return Landmarks(np.array(points, np.float64).reshape(-1, 2), np.array(pieces, np.float32).reshape(-1, side, side))


def find_landmarks(marks: Landmarks, image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Find the landmarks in a picture.

    Args:
        marks: of the reference picture.
        image: uint8, of the same size.

    Returns:
        (n, 2) float64, pixels; nan if hidden, changed or outside the search radius.
    """
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    # Each window keeps the smoothing radius as a margin, so that the result equals smoothing the full picture.
    around = _HALF + _REACH + _SMOOTHED
    grey = np.asarray(cv2.copyMakeBorder(grey, around, around, around, around, cv2.BORDER_REFLECT_101), np.uint8)
    found = np.full((len(marks.points_px), 2), np.nan)
    for index, ((x, y), piece) in enumerate(zip(marks.points_px.astype(int).tolist(), marks.pieces, strict=True)):
        middle = (x + around, y + around)
        off = _look(grey, middle, piece, _NEAR, _SURE) or _look(grey, middle, piece, _REACH, _ALIKE)
        if off is not None:
            found[index] = x + off[0], y + off[1]
    return found


def _look(
    grey: NDArray[np.uint8], middle: tuple[int, int], piece: NDArray[np.float32], reach: int, alike: float
) -> tuple[float, float] | None:
    """Offset of a patch from its position, pixels; None if it is not found, or at the border of the search window."""
    x, y = middle
    half = _HALF + reach + _SMOOTHED
    around = _smooth(grey[y - half : y + half + 1, x - half : x + half + 1])
    window = around[_SMOOTHED:-_SMOOTHED, _SMOOTHED:-_SMOOTHED]
    if window.std() < _MIN_CONTRAST:
        return None
    scores = np.asarray(cv2.matchTemplate(window, piece, cv2.TM_CCOEFF_NORMED), np.float64)
    row, column = (int(each) for each in np.unravel_index(int(scores.argmax()), scores.shape))
    if scores[row, column] < alike or not (0 < row < 2 * reach and 0 < column < 2 * reach):
        return None
    dx = _peak(*scores[row, column - 1 : column + 2].tolist())
    dy = _peak(*scores[row - 1 : row + 2, column].tolist())
    return column - reach + dx, row - reach + dy


def _smooth(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.GaussianBlur(np.asarray(grey, np.float32), (0, 0), _SMOOTH), np.float32)


def _peak(before: float, at: float, after: float) -> float:
    """Sub-sample position of the maximum of a parabola through three samples."""
    bend = before - 2 * at + after
    return 0.0 if bend >= 0 else 0.5 * (before - after) / bend
