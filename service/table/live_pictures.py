"""Pictures of a running table: views with the reading drawn on them, and the camera's unmodified pictures.

Both are made on request only: a view is drawn at most once, in the thread that first requests it, and a camera picture
is kept only for a caller that waits for the next one.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from vision.capture.images import Image


_KEPT: Final = 8
"""Number of views kept: a page requests its picture a little later."""
_UNDRAWN: Final = 4
"""Number of views kept that were not requested; few, because each holds a full camera picture."""


class View:
    """A picture with its reading, as clients see it.

    Args:
        number: of the picture since the start.
        taken_at: when the picture was read, UTC.
        encode: makes the JPEG without drawings; called at most once, from any thread. The camera's picture, which it
            holds, is released then.
        draw: draws the reading on that JPEG; nothing is drawn without it.
    """

    def __init__(
        self, number: int, taken_at: datetime, encode: Callable[[], bytes], draw: Callable[[bytes], bytes] | None = None
    ) -> None:
        self.number = number
        self.taken_at = taken_at
        self._encode: Callable[[], bytes] | None = encode
        self._draw = draw
        self._plain = self._drawn = b""
        self._making = threading.RLock()

    @property
    def made(self) -> bool:
        """Whether it was requested."""
        return self._encode is None

    def plain(self) -> bytes:
        """Return the picture as the camera gave it, no wider than a page needs."""
        with self._making:
            if self._encode is not None:
                self._plain = self._encode()
                self._encode = None
            return self._plain

    def jpeg(self) -> bytes:
        """Return the picture with the reading drawn on it."""
        with self._making:
            if not self._drawn:
                plain = self.plain()
                self._drawn = plain if self._draw is None else self._draw(plain)
            return self._drawn


class Views:
    """The last displayed views."""

    def __init__(self) -> None:
        self._views: deque[View] = deque(maxlen=_KEPT)

    def keep(self, view: View) -> None:
        """Keep a view, and drop the oldest of those that were not requested."""
        self._views.append(view)
        undrawn = [each for each in self._views if not each.made]
        for each in undrawn[:-_UNDRAWN]:
            self._views.remove(each)

    def numbered(self, number: int) -> View | None:
        """Return the view of this number; None if it is not kept."""
        return next((view for view in self._views if view.number == number), None)


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """A camera picture, (h, w, 3) uint8 BGR, and when it was taken, UTC."""

    image: Image
    taken_at: datetime


class Snapshots:
    """Passes the next picture of the reading thread to waiting requests."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting = 0
        self._count = 0
        self._newest: Snapshot | None = None
        self._hurried_until_s = 0.0

    @property
    def hurried(self) -> bool:
        """Whether a client wants pictures faster than they can be read."""
        return time.monotonic() < self._hurried_until_s

    def hurry(self, for_s: float) -> None:
        """Request faster pictures for a while, unless they must be read."""
        self._hurried_until_s = time.monotonic() + for_s

    def offer(self, image: Image, taken_at: datetime) -> None:
        """Pass a picture to the waiting requests."""
        with self._changed:
            if self._waiting:
                self._newest = Snapshot(image, taken_at)
                self._count += 1
                self._changed.notify_all()

    def take(self, wait_s: float) -> Snapshot | None:
        """Wait for the next picture; None after a timeout."""
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
                    self._newest = None  # megabytes
