"""Taking views of the board one after the other: which pictures count, and what to tell whoever holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from calibration.lens.board import BoardView, find_board
from calibration.lens.view_coverage import coverage, is_new, is_still

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibration.lens.board import Board
    from calibration.lens.view_coverage import ViewCoverage
    from calibration.solved import NotSolved

MAX_VIEWS: Final = 60
"""More views make no better lens."""


@dataclass(frozen=True, eq=False, slots=True)
class Look:
    """What one picture says of the board.

    Attributes:
        found: the board as the picture shows it, or why it does not.
        taken: whether it became a view.
        still: whether the board lies where the picture before showed it.
    """

    found: BoardView | NotSolved
    taken: bool = False
    still: bool = False


@dataclass(slots=True)
class ViewTaking:
    """Takes views of a board from pictures in their order.

    Attributes:
        board: which one is held.
        views: those taken so far.
    """

    board: Board
    views: list[BoardView] = field(default_factory=list)
    _before: BoardView | None = None

    @property
    def covered(self) -> ViewCoverage:
        """What the views have, what they lack, and what to do next."""
        return coverage(self.views)

    @property
    def done(self) -> bool:
        """Whether no further view is needed."""
        return self.covered.enough or len(self.views) >= MAX_VIEWS

    def see(self, image: NDArray[np.uint8], name: str, *, moving: bool) -> Look:
        """Look at the next picture.

        Args:
            image: (height, width) or (height, width, 3) uint8.
            name: what to call it.
            moving: whether it is of a camera or a video, of which only boards held still at a new place count.
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
