"""The camera's unmodified pictures on request: the next one is kept for a caller, none without a caller."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from vision.capture.images import Image


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """A picture as the camera gave it: (h, w, 3) uint8, blue-green-red; the moment is UTC."""

    image: Image
    taken_at: datetime


class Snapshots:
    """Hands the next picture of the reading thread to the requests that wait for one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting = 0
        self._count = 0
        self._newest: Snapshot | None = None
        self._hurried_until_s = 0.0

    @property
    def hurried(self) -> bool:
        """Whether somebody wants pictures faster than they can be read."""
        return time.monotonic() < self._hurried_until_s

    def hurry(self, for_s: float) -> None:
        """Have pictures come faster for a while, where nothing is lost by not reading them."""
        self._hurried_until_s = time.monotonic() + for_s

    def offer(self, image: Image, taken_at: datetime) -> None:
        """The reading thread has a picture."""
        with self._changed:
            if self._waiting:
                self._newest = Snapshot(image, taken_at)
                self._count += 1
                self._changed.notify_all()

    def take(self, wait_s: float) -> Snapshot | None:
        """Return the next picture; None after a timeout."""
        ends = time.monotonic() + wait_s
        with self._changed:
            before = self._count
            self._waiting += 1
            try:
                while self._count == before:
                    left = ends - time.monotonic()
                    if left <= 0 or not self._changed.wait(left):
                        return None
                return self._newest
            finally:
                self._waiting -= 1
                if not self._waiting:
                    self._newest = None  # megabytes that nobody needs any more
