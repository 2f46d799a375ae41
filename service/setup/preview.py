"""A source looked at before it is saved: opened in a thread while somebody looks, and let go soon after."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.words.findings import words_of
from vision.capture import BadFrame, SourceError
from vision.health.plain_measures import Measures, measured

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config.settings import Config
    from service.words.wording import Sayable
    from vision.capture import FrameSource
    from vision.capture.images import Image

IDLE_S: Final = 15.0
"""A source that nobody has looked at for so long is let go."""
_RATE_OF: Final = 20
"""Pictures that the rate is measured by."""
_PAUSE_S: Final = 0.05


@dataclass(frozen=True, eq=False, slots=True)
class Previewed:
    """What a source gives now.

    Attributes:
        number: counts the pictures.
        image: the newest picture; None before the first.
        measures: of it.
        fps: pictures a second; None before the second.
        sharpest: the highest sharpness so far.
        fault: what is wrong with the source; None if nothing is.
    """

    number: int = 0
    image: Image | None = None
    measures: Measures | None = None
    fps: float | None = None
    sharpest: float = 0.0
    fault: Sayable | None = None


class Preview:
    """Shows one source at a time.

    Args:
        open_frames: opens the source of some settings.
    """

    def __init__(self, open_frames: Callable[[Config], FrameSource]) -> None:
        self._open = open_frames
        self._lock = threading.Lock()
        self._stop: threading.Event | None = None
        self._source: FrameSource | None = None
        self._thread: threading.Thread | None = None
        self._asked_s = 0.0
        self._now = Previewed()

    @property
    def running(self) -> bool:
        """Whether a source is open."""
        return self._thread is not None and self._thread.is_alive()

    def begin(self, config: Config) -> None:
        """Open the source of these settings, in place of the one before."""
        self.end()
        with self._lock:
            self._now, self._asked_s, self._stop = Previewed(), time.monotonic(), threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(config, self._stop), name="preview of a source", daemon=True
            )
            self._thread.start()

    def look(self) -> Previewed:
        """What it gives now; asking keeps it open."""
        self._asked_s = time.monotonic()
        return self._now

    def end(self) -> None:
        """Let the source go; returns once it is free."""
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
            self._now = Previewed(fault=words_of(error.finding))
            return
        self._source = source
        times: deque[float] = deque(maxlen=_RATE_OF)
        try:
            for seen in source:
                if stop.is_set() or time.monotonic() - self._asked_s > IDLE_S:
                    return
                was = self._now
                if isinstance(seen, BadFrame):
                    self._now = Previewed(
                        was.number, was.image, was.measures, was.fps, was.sharpest, words_of(seen.finding)
                    )
                    continue
                times.append(time.monotonic())
                fps = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 and times[-1] > times[0] else None
                measures = measured(seen.image)
                sharpest = max(was.sharpest, measures.sharpness)
                self._now = Previewed(was.number + 1, seen.image, measures, fps, sharpest)
                stop.wait(_PAUSE_S)
        except SourceError as error:
            self._now = Previewed(fault=words_of(error.finding))
        finally:
            self._source = None
            source.close()
