"""Coverage of the board views taken so far, and the next step for the person who holds the board."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from calibration.codes import CalibrationCode
from calibration.finding import Finding
from calibration.lens.board import BoardView

GRID: Final = (4, 3)
"""Columns and rows of the picture regions that must each be covered."""
MIN_CORNERS_A_PART: Final = 4
MIN_VIEWS: Final = 10
MIN_LEANING: Final = 2
"""Views tilted each way (sideways, forward or back) needed to separate focal length and height."""
_LEAN: Final = 0.94
"""Apparent width ratio from which a board counts as tilted: the cosine of 20 degrees."""
_SAME_VIEW: Final = 0.04
"""Two views are the same if no corner moved by more than this share of the picture's width."""
_STILL_PX: Final = 1.0
"""Corner movement between two pictures up to which the board is still: a moving one is blurred."""

_COLUMNS: Final = ("left", "middle left", "middle right", "right")
_ROWS: Final = ("upper", "central", "lower")


@dataclass(frozen=True, slots=True)
class ViewCoverage:
    """Coverage of a picture by a set of views.

    Attributes:
        seen: by row and column, whether that region has enough corners.
        sideways: views tilted to the left or right.
        forward: views tilted forward or back.
    """

    views: int
    seen: tuple[tuple[bool, ...], ...]
    sideways: int
    forward: int

    @property
    def missing(self) -> tuple[str, ...]:
        """The picture regions still without a view, as text."""
        return tuple(
            f"{_ROWS[row]} {_COLUMNS[column]}"
            for row, parts in enumerate(self.seen)
            for column, there in enumerate(parts)
            if not there
        )

    @property
    def enough(self) -> bool:
        """Whether a lens may be solved from the views."""
        leaning = min(self.sideways, self.forward) >= MIN_LEANING
        return self.views >= MIN_VIEWS and leaning and not self.missing

    @property
    def advice(self) -> Finding:
        if self.missing:
            return Finding.of(CalibrationCode.HOLD_BOARD_IN, part=self.missing[0])
        if self.sideways < MIN_LEANING:
            return Finding(CalibrationCode.TIP_SIDEWAYS)
        if self.forward < MIN_LEANING:
            return Finding(CalibrationCode.TIP_FORWARD)
        if self.views < MIN_VIEWS:
            return Finding.of(CalibrationCode.TAKE_MORE_VIEWS, more=MIN_VIEWS - self.views)
        return Finding(CalibrationCode.VIEWS_ENOUGH)


def coverage(views: Sequence[BoardView]) -> ViewCoverage:
    """Coverage of the picture by views of one camera at one size."""
    columns, rows = GRID
    counts = np.zeros((rows, columns), np.intp)
    leans = {"sideways": 0, "forward": 0}
    for view in views:
        part = np.floor(view.points_px / np.asarray(view.size) * GRID).astype(np.intp)
        column, row = np.clip(part, 0, (columns - 1, rows - 1)).T
        np.add.at(counts, (row, column), 1)
        lean = _lean(view)
        if lean is not None:
            leans[lean] += 1
    seen = tuple(tuple(bool(count >= MIN_CORNERS_A_PART) for count in row) for row in counts)
    return ViewCoverage(len(views), seen, leans["sideways"], leans["forward"])


def is_new(view: BoardView, taken: Sequence[BoardView]) -> bool:
    """Whether a view differs from all those taken, so that a board held still is not counted repeatedly."""
    return all(_moved(view, other) > _SAME_VIEW * view.size[0] for other in taken)


def is_still(view: BoardView, before: BoardView) -> bool:
    """Whether the board did not move between two pictures."""
    return _moved(view, before) <= _STILL_PX


def _moved(view: BoardView, other: BoardView) -> float:
    """The largest corner movement between two views, pixels; infinite if they have none in common."""
    places = {tuple(point): index for index, point in enumerate(other.points_mm.tolist())}
    pairs = [(i, places[tuple(p)]) for i, p in enumerate(view.points_mm.tolist()) if tuple(p) in places]
    if not pairs:
        return float("inf")
    mine, theirs = np.array(pairs).T
    return float(np.linalg.norm(view.points_px[mine] - other.points_px[theirs], axis=1).max())


def _lean(view: BoardView) -> str | None:
    """Direction in which the board is tilted, from its foreshortening."""
    middle = view.points_mm.mean(axis=0)
    to_picture, _ = cv2.findHomography(view.points_mm - middle, view.points_px)
    if to_picture is None:
        return None
    h = np.asarray(to_picture, np.float64) / to_picture[2, 2]
    # The image motion of a small step on the board, at its centre.
    stretch = h[:2, :2] - np.outer(h[:2, 2], h[2, :2])
    directions, sizes, _ = np.linalg.svd(stretch)
    if sizes[1] > _LEAN * sizes[0]:
        return None
    across, down = np.abs(directions[:, 1])
    return "sideways" if across > down else "forward"
