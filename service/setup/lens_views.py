"""Views of the board taken from the table's pictures while somebody holds it, and the lens that they give."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from calibration.lens.board import BOARDS, BoardView
from calibration.lens.lens_fit import LensFit, solve_lens
from calibration.lens.view_coverage import coverage
from calibration.lens.view_taking import ViewTaking
from calibration.solved import NotSolved
from service.setup.drawing import draw_board

if TYPE_CHECKING:
    from calibration.lens.view_coverage import ViewCoverage
    from calibration.lens.view_taking import Look
    from service.table.snapshots import Snapshots
    from vision.capture.images import Image

Phase: TypeAlias = Literal["waiting", "unseen", "moving", "still", "taken", "solving", "solved", "refused"]
"""No picture yet; the board is not seen, moves, is held still, or was just taken; then what became of the views."""

IDLE_S: Final = 20.0
"""Views are taken only while somebody looks."""
_WAIT_S: Final = 5.0
_HURRY_S: Final = 2.0
_TAKEN_SHOWN_S: Final = 1.5
"""For so long somebody is told that a view was taken."""


@dataclass(frozen=True, eq=False, slots=True)
class LensState:
    """How far the taking of views is.

    Attributes:
        phase: what happens now.
        covered: what the views taken so far have and lack.
        number: counts the pictures looked at.
        picture: the last of them, with guidance drawn on it; None before the first.
        look: what it showed.
        fit: the lens, once there is one; or why there is none.
    """

    phase: Phase
    covered: ViewCoverage
    number: int = 0
    picture: Image | None = None
    look: Look | None = None
    fit: LensFit | NotSolved | None = None


class LensViews:
    """Takes views of the board, in a thread of its own, for as long as somebody looks.

    Args:
        pictures: where the camera's pictures are had.
    """

    def __init__(self, pictures: Snapshots) -> None:
        self._pictures = pictures
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._asked_s = 0.0
        self._stopped = False
        self.begin("a3")

    def begin(self, board: str) -> None:
        """Begin anew, with a board of ``BOARDS``; KeyError if there is none of this name."""
        taking = ViewTaking(BOARDS[board])
        with self._lock:
            self.board = board
            self._taking = taking
            self._taken_s = float("-inf")
            self._state = LensState("waiting", coverage([]))

    def look(self) -> LensState:
        """How far it is; asking keeps it going."""
        with self._lock:
            self._asked_s = time.monotonic()
            if self._thread is None and self._state.fit is None and not self._stopped:
                self._thread = threading.Thread(target=self._run, name="views of the lens", daemon=True)
                self._thread.start()
            return self._state

    def stop(self) -> None:
        """End the taking; the service stops."""
        self._stopped = True
        if (thread := self._thread) is not None:
            thread.join(timeout=_WAIT_S + 1)

    def _run(self) -> None:
        try:
            while not self._stopped and time.monotonic() - self._asked_s < IDLE_S:
                self._pictures.hurry(_HURRY_S)
                taken = self._pictures.take(_WAIT_S)
                if taken is None:
                    continue
                taking = self._taking
                look = taking.see(taken.image, f"view {len(taking.views) + 1}", moving=True)
                if not self._publish(taking, look, taken.image):
                    continue
                if taking.done:
                    self._solve(taking)
                    return
        finally:
            with self._lock:
                self._thread = None

    def _publish(self, taking: ViewTaking, look: Look, image: Image) -> bool:
        """Show what a picture was like; False if the views were begun anew meanwhile."""
        covered, now_s = taking.covered, time.monotonic()
        drawn = draw_board(image, look, covered)
        with self._lock:
            if taking is not self._taking:
                return False
            if look.taken:
                self._taken_s = now_s
            phase: Phase = "unseen"
            if now_s - self._taken_s < _TAKEN_SHOWN_S:
                phase = "taken"
            elif isinstance(look.found, BoardView):
                phase = "still" if look.still else "moving"
            self._state = LensState(phase, covered, self._state.number + 1, drawn, look)
            return True

    def _solve(self, taking: ViewTaking) -> None:
        with self._lock:
            self._state = replace(self._state, phase="solving")
        fit = solve_lens(taking.views)
        phase: Phase = "refused" if isinstance(fit, NotSolved) else "solved"
        with self._lock:
            if taking is self._taking:
                self._state = replace(self._state, phase=phase, fit=fit)
