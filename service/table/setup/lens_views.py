"""Views of the calibration board, taken from pictures while a person holds it; and guidance drawn on pictures.

The page also describes in words what is drawn.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import cv2
import numpy as np

from calibration.finding import NotSolved
from calibration.lens.board import BOARDS, BoardView
from calibration.lens.lens_fit import LensFit, solve_lens
from calibration.lens.view_coverage import GRID, coverage
from calibration.lens.view_taking import ViewTaking
from calibration.table.table_fit import ACCEPT_MM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from calibration.arrays import PointsPx
    from calibration.lens.view_coverage import ViewCoverage
    from calibration.lens.view_taking import Look
    from calibration.table.markers import MarkerSpot
    from calibration.table.table_fit import PoseFit
    from service.table.snapshots import Snapshots
    from vision.capture.images import Image
    from vision.reading import Polygon

_GREEN: Final = (80, 200, 80)
_AMBER: Final = (0, 170, 255)
_RED: Final = (60, 60, 235)
_WHITE: Final = (255, 255, 255)
_PAGE_PX: Final = 1280
"""Largest width of a picture on a page."""


def fit_to_page(image: Image) -> tuple[Image, float]:
    """Return a copy no wider than a page needs, and its scale."""
    width = image.shape[1]
    if width <= _PAGE_PX:
        return image.copy(), 1.0
    scale = _PAGE_PX / width
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8), scale


def draw_board(image: Image, look: Look, covered: ViewCoverage) -> Image:
    """Draw the parts of the picture with views in green, the next part in amber, and the board.

    Args:
        image: (height, width, 3) uint8 BGR.
        look: the board in the picture.
        covered: coverage of the views so far.

    Returns:
        (height, width, 3) uint8 BGR, no wider than a page needs.
    """
    drawn, scale = fit_to_page(image)
    height, width = drawn.shape[:2]
    columns, rows = GRID
    tint = drawn.copy()
    target = next(
        ((row, column) for row, parts in enumerate(covered.seen) for column, there in enumerate(parts) if not there),
        None,
    )
    for row, parts in enumerate(covered.seen):
        for column, there in enumerate(parts):
            box = _part(width, height, columns, rows, column, row)
            if there or (row, column) == target:
                cv2.rectangle(tint, *box, _GREEN if there else _AMBER, -1)
            cv2.rectangle(drawn, *box, _WHITE, 1)
    cv2.addWeighted(tint, 0.22, drawn, 0.78, 0, dst=drawn)
    if target is not None:
        row, column = target
        (left, top), (right, bottom) = _part(width, height, columns, rows, column, row)
        cv2.rectangle(drawn, (left + 4, top + 4), (right - 4, bottom - 4), _AMBER, 6)
    if isinstance(look.found, BoardView):
        colour = _GREEN if look.taken or look.still else _WHITE
        outline = cv2.convexHull((look.found.points_px * scale).astype(np.float32))
        rim = outline.astype(np.int32)
        cv2.polylines(drawn, [rim], isClosed=True, color=colour, thickness=5, lineType=cv2.LINE_AA)
        for x, y in look.found.points_px * scale:
            cv2.circle(drawn, (round(x), round(y)), 3, colour, -1, cv2.LINE_AA)
    return drawn


def draw_markers(
    image: Image, seen: Mapping[int, PointsPx], spots: Sequence[MarkerSpot], fit: PoseFit | None = None
) -> Image:
    """Draw the visible markers with their numbers, and the deviation of each from its given position.

    Args:
        image: (height, width, 3) uint8 BGR.
        seen: four corners by number, pixels.
        spots: the given positions.
        fit: the camera's pose; its residuals are in the order of the visible spots.

    Returns:
        (height, width, 3) uint8 BGR, no wider than a page needs.
    """
    drawn, scale = fit_to_page(image)
    named = [spot.number for spot in spots]
    there = [number for number in named if number in seen]
    off = {} if fit is None else dict(zip(there, fit.residual_mm.tolist(), strict=True))
    for number, corners in seen.items():
        colour = _GREEN if number in named and off.get(number, 0.0) <= ACCEPT_MM else _AMBER
        outline = np.round(corners * scale).astype(np.int32)
        cv2.polylines(drawn, [outline], isClosed=True, color=colour, thickness=4, lineType=cv2.LINE_AA)
        text = f"{number}: {off[number]:.1f} mm" if number in off else str(number)
        (wide, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.9, 2)
        left = int(outline[:, 0].max()) + 6
        if left + wide > drawn.shape[1]:
            left = int(outline[:, 0].min()) - 6 - wide
        for thickness, shade in ((7, (0, 0, 0)), (2, colour)):
            at = (left, int(outline[:, 1].mean()) + 8)
            cv2.putText(drawn, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.9, shade, thickness, cv2.LINE_AA)
    return drawn


def draw_found(image: Image, polygons: Iterable[Polygon]) -> Image:
    """Draw in red what lies on a table that should be empty."""
    drawn, scale = fit_to_page(image)
    for polygon in polygons:
        outline = np.round(np.asarray(polygon, np.float64) * scale).astype(np.int32)
        cv2.polylines(drawn, [outline], isClosed=True, color=_RED, thickness=4, lineType=cv2.LINE_AA)
    return drawn


def _part(
    width: int, height: int, columns: int, rows: int, column: int, row: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    across, down = width / columns, height / rows
    return (round(column * across), round(row * down)), (round((column + 1) * across), round((row + 1) * down))


Phase: TypeAlias = Literal["waiting", "unseen", "moving", "still", "taken", "solving", "solved", "refused"]
"""No picture yet; the board is not visible, moves, is still, or was just taken; then the result of the views."""

LENS_IDLE_S: Final = 20.0
"""The taking of views stops after this time without a request for its state."""
_WAIT_S: Final = 5.0
_HURRY_S: Final = 2.0
_TAKEN_SHOWN_S: Final = 1.5
"""How long the phase ``taken`` lasts."""


@dataclass(frozen=True, eq=False, slots=True)
class LensState:
    """The state of taking views.

    Attributes:
        phase: the current phase.
        covered: coverage of the views so far.
        number: number of pictures examined.
        picture: the last of them, with guidance drawn on it; None before the first.
        look: the board in that picture.
        fit: the lens once it is solved, or why it cannot be.
    """

    phase: Phase
    covered: ViewCoverage
    number: int = 0
    picture: Image | None = None
    look: Look | None = None
    fit: LensFit | NotSolved | None = None


class LensViews:
    """Takes views of the board in a thread of its own, while its state is requested.

    Args:
        pictures: source of the camera's pictures.
    """

    def __init__(self, pictures: Snapshots) -> None:
        self._pictures = pictures
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._asked_s = 0.0
        self._stopped = False
        self.restart("a3")

    def restart(self, board: str) -> None:
        """Discard all views and start again with a board of ``BOARDS``; KeyError if the name is unknown."""
        taking = ViewTaking(BOARDS[board])
        with self._lock:
            self.board = board
            self._taking = taking
            self._taken_s = float("-inf")
            self._state = LensState("waiting", coverage([]))

    def look(self) -> LensState:
        """Return the state; each call keeps the taking of views running."""
        with self._lock:
            self._asked_s = time.monotonic()
            if self._thread is None and self._state.fit is None and not self._stopped:
                self._thread = threading.Thread(target=self._run, name="views of the lens", daemon=True)
                self._thread.start()
            return self._state

    def stop(self) -> None:
        """Stop taking views for good."""
        self._stopped = True
        if (thread := self._thread) is not None:
            thread.join(timeout=_WAIT_S + 1)

    def _run(self) -> None:
        try:
            while not self._stopped and time.monotonic() - self._asked_s < LENS_IDLE_S:
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
        """Publish the state after a picture; return False if the views were restarted in the meantime."""
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
