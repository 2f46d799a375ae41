"""Spots of the printed layout that are found again in later pictures, for tables without markers.

Each is a small piece of the picture of the empty table with a corner in it. What is laid on it hides it, which makes it
not found, not moved.
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
"""A piece is 31 pixels wide."""
_REACH: Final = 24
"""How far a piece is looked for, pixels."""
_ALIKE: Final = 0.8
"""Correlation from which a piece counts as found."""
_MIN_CONTRAST: Final = 4.0
"""Standard deviation of the grey levels of a piece, below which there is only noise to find."""
_SMOOTH: Final = 1.0


@dataclass(frozen=True, eq=False, slots=True)
class Landmarks:
    """Pieces of a picture.

    Attributes:
        points_px: (n, 2) float64, their middles, whole pixels.
        pieces: (n, 31, 31) float32 grey levels.
    """

    points_px: NDArray[np.float64]
    pieces: NDArray[np.float32]


def landmarks(image: NDArray[np.uint8], surface: NDArray[np.bool_] | None = None) -> Landmarks:
    """The best corners of a picture, spread over it.

    Args:
        image: (height, width) or (height, width, 3) uint8, the empty table.
        surface: (height, width) bool, where the table is; everywhere if left out.
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
    """Where the landmarks are now.

    Args:
        marks: of the reference picture.
        image: uint8, of the same size.

    Returns:
        (n, 2) float64, pixels; not a number where one is hidden, changed or further away than is looked.
    """
    grey = np.pad(_smooth(image), _HALF + _REACH, mode="edge")
    found = np.full((len(marks.points_px), 2), np.nan)
    side = 2 * (_HALF + _REACH) + 1
    for index, ((x, y), piece) in enumerate(zip(marks.points_px.astype(int).tolist(), marks.pieces, strict=True)):
        # The padding moved everything by half the window: the window's corner is the landmark's own pixel.
        window = grey[y : y + side, x : x + side]
        if window.std() < _MIN_CONTRAST:
            continue
        alike = np.asarray(cv2.matchTemplate(window, piece, cv2.TM_CCOEFF_NORMED), np.float64)
        row, column = (int(each) for each in np.unravel_index(int(alike.argmax()), alike.shape))
        if alike[row, column] < _ALIKE or not (0 < row < 2 * _REACH and 0 < column < 2 * _REACH):
            continue
        dx = _peak(*alike[row, column - 1 : column + 2].tolist())
        dy = _peak(*alike[row - 1 : row + 2, column].tolist())
        found[index] = x + column - _REACH + dx, y + row - _REACH + dy
    return found


def _smooth(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.GaussianBlur(np.asarray(grey, np.float32), (0, 0), _SMOOTH), np.float32)


def _peak(before: float, at: float, after: float) -> float:
    """Where between two samples a parabola through three has its top."""
    bend = before - 2 * at + after
    return 0.0 if bend >= 0 else 0.5 * (before - after) / bend
