"""The lens calibration board: a chessboard with markers, detectable even if only partly visible.

Its markers are from another dictionary than those fixed to a table (``calibration.table.markers``). The actual size of
the printed squares is irrelevant for a lens, if they are square and flat.
"""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FlatMm, PointsPx
from calibration.codes import CalibrationCode
from calibration.finding import NotSolved

if TYPE_CHECKING:
    from calibration.finding import Param

_UNITS: Final = 20
"""Units per square; a marker has 14: seven modules (five plus the border) of two units."""
_MARKER_UNITS: Final = 14
MIN_CORNERS: Final = 8
"""Minimum corners of a view; fewer determine a lens too poorly."""


@dataclass(frozen=True, slots=True)
class Board:
    """A chessboard for a sheet of paper, with markers in its white squares (ChArUco, DICT_5X5_100)."""

    columns: int
    rows: int
    square_mm: float
    paper_mm: tuple[float, float]

    @property
    def size_mm(self) -> tuple[float, float]:
        return self.columns * self.square_mm, self.rows * self.square_mm


BOARDS: Final = {"a4": Board(9, 6, 30.0, (297.0, 210.0)), "a3": Board(9, 6, 44.0, (420.0, 297.0))}


@dataclass(frozen=True, eq=False, slots=True)
class BoardView:
    """The corners of the board, in the picture and in its own plane, found in a picture with this name and size."""

    name: str
    size: tuple[int, int]
    points_px: PointsPx
    points_mm: FlatMm


def board_pattern(board: Board) -> NDArray[np.bool_]:
    """Mask of the board's black parts: (20 * rows, 20 * columns), one value per twentieth of a square."""
    size = (board.columns * _UNITS, board.rows * _UNITS)
    drawn = np.asarray(_charuco(board.columns, board.rows).generateImage(size, marginSize=0), np.uint8)
    black: NDArray[np.bool_] = drawn < 128
    return black


def find_board(image: NDArray[np.uint8], board: Board, name: str = "the picture") -> BoardView | NotSolved:
    """Detect the board in a picture, (height, width) or (height, width, 3) uint8, with a name for messages."""
    detector = cv2.aruco.CharucoDetector(_charuco(board.columns, board.rows))
    corners, numbers, _, _ = detector.detectBoard(image)
    count = 0 if numbers is None else len(numbers)
    if count < MIN_CORNERS:
        corners_seen: dict[str, Param] = {"corners": count} if count else {}
        return NotSolved.of(CalibrationCode.BOARD_NOT_SEEN, CalibrationCode.HOLD_BOARD_WELL, name=name, **corners_seen)
    points_px = np.asarray(corners, np.float64).reshape(-1, 2)
    column, row = np.divmod(np.asarray(numbers, np.intp).reshape(-1), board.columns - 1)[::-1]
    points_mm = np.column_stack([column + 1, row + 1]) * board.square_mm
    if np.linalg.matrix_rank(points_mm - points_mm.mean(axis=0)) < 2:
        return NotSolved.of(CalibrationCode.BOARD_IN_LINE, CalibrationCode.HOLD_BOARD_WHOLE, name=name)
    height, width = image.shape[:2]
    return BoardView(name, (width, height), points_px, points_mm)


@cache
def _charuco(columns: int, rows: int) -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    return cv2.aruco.CharucoBoard((columns, rows), float(_UNITS), float(_MARKER_UNITS), dictionary)
