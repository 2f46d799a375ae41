"""Live views of a camera during set-up: a preview before the source is saved, and views of the calibration board.

Guidance is drawn on the pictures; the page also describes it in words.
"""

from __future__ import annotations

import importlib.util
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import cv2
import numpy as np

from calibration.finding import NotSolved
from calibration.lens.board import BOARDS, BoardView
from calibration.lens.lens_fit import LensFit, solve_lens
from calibration.lens.view_coverage import GRID, coverage
from calibration.lens.view_taking import ViewTaking
from service.words.findings import words_of
from vision.capture import BadFrame, SourceError
from vision.health.plain_measures import Measures, measured

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibration.lens.view_coverage import ViewCoverage
    from calibration.lens.view_taking import Look
    from service.system.settings import Config
    from service.table.live_pictures import Snapshots
    from service.words.wording import Sayable
    from vision.capture import FrameSource
    from vision.capture.images import Image


_GREEN: Final = (80, 200, 80)
_AMBER: Final = (0, 170, 255)
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
        self._requested_s = 0.0
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

    def state(self) -> LensState:
        """Return the state; each call keeps the taking of views running."""
        with self._lock:
            self._requested_s = time.monotonic()
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
            while not self._stopped and time.monotonic() - self._requested_s < LENS_IDLE_S:
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


BY_ID: Final = Path("/dev/v4l/by-id")
"""Links to cameras by maker and serial number, which do not depend on the order of plugging in."""
_FIRST: Final = "-video-index0"
"""The picture device of a camera; its other devices, such as metadata, have higher numbers."""


@dataclass(frozen=True, slots=True)
class LocalCamera:
    """A camera of this machine.

    Attributes:
        kind: kind of source.
        device: value of ``device`` in the settings.
        name: maker and model, for people.
    """

    kind: Literal["camera", "picamera2"]
    device: str
    name: str


def local_cameras(by_id: Path = BY_ID) -> tuple[LocalCamera, ...]:
    """Return the connected cameras.

    Args:
        by_id: the folder of links to them.
    """
    found = [
        LocalCamera("camera", str(link), link.name.removesuffix(_FIRST).removeprefix("usb-").replace("_", " "))
        for link in sorted(by_id.glob(f"*{_FIRST}"))
    ]
    return (*found, *_pi_cameras())


def _pi_cameras() -> list[LocalCamera]:
    """Return the Raspberry Pi's own cameras; empty if picamera2 is not installed or finds none."""
    if importlib.util.find_spec("picamera2") is None:
        return []
    try:
        from picamera2 import Picamera2  # noqa: PLC0415  only a Raspberry Pi has it

        found = Picamera2.global_camera_info()
    except Exception:  # noqa: BLE001  drivers without a camera raise various errors
        return []
    return [LocalCamera("picamera2", str(number), str(one.get("Model", number))) for number, one in enumerate(found)]


IDLE_S: Final = 15.0
"""The source is closed after this time without a request for its state."""
_RATE_OF: Final = 20
"""Number of pictures that the rate is measured over."""
_PAUSE_S: Final = 0.05
_TRIES: Final = 5
"""Pictures that are tried for a thumbnail."""


@dataclass(frozen=True, eq=False, slots=True)
class PreviewState:
    """The state of a preview.

    Attributes:
        number: number of pictures so far.
        image: the newest picture; None before the first.
        measures: of that picture.
        fps: pictures a second; None before the second picture.
        sharpest: the highest sharpness so far.
        fault: the fault of the source, if any.
    """

    number: int = 0
    image: Image | None = None
    measures: Measures | None = None
    fps: float | None = None
    sharpest: float = 0.0
    fault: Sayable | None = None


class Preview:
    """Previews one source at a time, in a thread.

    Args:
        open_frames: opens the source of the settings.
    """

    def __init__(self, open_frames: Callable[[Config], FrameSource]) -> None:
        self._open = open_frames
        self._lock = threading.Lock()
        self._one_thumbnail = threading.Lock()
        self._stop: threading.Event | None = None
        self._source: FrameSource | None = None
        self._thread: threading.Thread | None = None
        self._requested_s = 0.0
        self._now = PreviewState()

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self, config: Config) -> None:
        """Open the source of these settings, and close the previous one."""
        self.end()
        with self._lock:
            self._now, self._requested_s, self._stop = PreviewState(), time.monotonic(), threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(config, self._stop), name="preview of a source", daemon=True
            )
            self._thread.start()

    def state(self) -> PreviewState:
        """Return the state; each call keeps the source open."""
        self._requested_s = time.monotonic()
        return self._now

    def thumbnail(self, config: Config) -> Image | None:
        """Return one picture of the source of these settings; None if it gives none, or is previewed."""
        with self._one_thumbnail:
            if self.running:
                return None
            try:
                source = self._open(config)
            except SourceError:
                return None
            try:
                return next((seen.image for seen in islice(source, _TRIES) if not isinstance(seen, BadFrame)), None)
            except SourceError:
                return None
            finally:
                source.close()

    def end(self) -> None:
        """Close the source, and return once it is free."""
        with self._lock:
            if self._stop is not None:
                self._stop.set()
            if self._source is not None:
                self._source.close()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(timeout=10)

    def _run(self, config: Config, stop: threading.Event) -> None:
        try:
            source = self._open(config)
        except SourceError as error:
            self._now = PreviewState(fault=words_of(error.finding))
            return
        self._source = source
        times: deque[float] = deque(maxlen=_RATE_OF)
        try:
            for seen in source:
                if stop.is_set() or time.monotonic() - self._requested_s > IDLE_S:
                    return
                was = self._now
                if isinstance(seen, BadFrame):
                    self._now = PreviewState(
                        was.number, was.image, was.measures, was.fps, was.sharpest, words_of(seen.finding)
                    )
                    continue
                times.append(time.monotonic())
                fps = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 and times[-1] > times[0] else None
                measures = measured(seen.image)
                sharpest = max(was.sharpest, measures.sharpness)
                self._now = PreviewState(was.number + 1, seen.image, measures, fps, sharpest)
                stop.wait(_PAUSE_S)
        except SourceError as error:
            self._now = PreviewState(fault=words_of(error.finding))
        finally:
            self._source = None
            source.close()
