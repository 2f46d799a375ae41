"""Choosing a source: the cameras of this machine, and a preview of a source before it is saved."""

from __future__ import annotations

import importlib.util
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from service.words.findings import words_of
from vision.capture import BadFrame, SourceError
from vision.health.plain_measures import Measures, measured

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.system.settings import Config
    from service.words.wording import Sayable
    from vision.capture import FrameSource
    from vision.capture.images import Image

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
        self._stop: threading.Event | None = None
        self._source: FrameSource | None = None
        self._thread: threading.Thread | None = None
        self._asked_s = 0.0
        self._now = PreviewState()

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self, config: Config) -> None:
        """Open the source of these settings, and close the previous one."""
        self.end()
        with self._lock:
            self._now, self._asked_s, self._stop = PreviewState(), time.monotonic(), threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(config, self._stop), name="preview of a source", daemon=True
            )
            self._thread.start()

    def look(self) -> PreviewState:
        """Return the state; each call keeps the source open."""
        self._asked_s = time.monotonic()
        return self._now

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
                if stop.is_set() or time.monotonic() - self._asked_s > IDLE_S:
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
