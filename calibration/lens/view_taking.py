"""Collecting views of the board: which pictures count, and instructions for the person who holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from calibration.lens.board import BoardView, find_board
from calibration.lens.view_coverage import coverage, is_new, is_still

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibration.finding import NotSolved
    from calibration.lens.board import Board
    from calibration.lens.view_coverage import ViewCoverage

MAX_VIEWS: Final = 60
"""More views do not improve a lens."""


@dataclass(frozen=True, eq=False, slots=True)
class Look:
    """Result of one picture of the board.

    Attributes:
        found: the detected board, or why it was not detected.
        taken: whether it became a view.
        still: whether the board is where it was in the previous picture.
    """

    found: BoardView | NotSolved
    taken: bool = False
    still: bool = False


@dataclass(slots=True)
class ViewTaking:
    """Collects views of a board from consecutive pictures.

    Attributes:
        views: the views taken so far.
    """

    board: Board
    views: list[BoardView] = field(default_factory=list)
    _before: BoardView | None = None

    @property
    def covered(self) -> ViewCoverage:
        return coverage(self.views)

    @property
    def done(self) -> bool:
        return self.covered.enough or len(self.views) >= MAX_VIEWS

    def see(self, image: NDArray[np.uint8], name: str, *, moving: bool) -> Look:
        """Process the next picture.

        Args:
            image: (height, width) or (height, width, 3) uint8.
            name: its name.
            moving: whether it is from a camera or a video, where a board counts only when held still at a new place.
        """
        found = find_board(image, self.board, name)
        if not isinstance(found, BoardView):
            self._before = None
            return Look(found)
        still = self._before is not None and is_still(found, self._before)
        self._before = found
        if moving and not (still and is_new(found, self.views)):
            return Look(found, still=still)
        self.views.append(found)
        return Look(found, taken=True, still=still)
