"""The live view: a picture of the table with what was read drawn on it, drawn once somebody asks for it.

While nobody looks, nothing is drawn. A view is drawn in the thread that asks first; whoever else asks for it meanwhile
waits for the same drawing.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

_KEPT: Final = 8
"""Views kept: a page asks for the picture of its own moment a little later."""
_UNDRAWN: Final = 4
"""Views kept that are not drawn yet; few, because each holds a full camera picture."""


class View:
    """One moment of the table, as shown to clients.

    Args:
        number: counts pictures since the service was started.
        taken_at: when the picture was read, UTC.
        draw: makes the JPEG; called once at most, from any thread.
    """

    def __init__(self, number: int, taken_at: datetime, draw: Callable[[], bytes]) -> None:
        self.number = number
        self.taken_at = taken_at
        self._draw: Callable[[], bytes] | None = draw
        self._jpeg = b""
        self._drawing = threading.Lock()

    @property
    def drawn(self) -> bool:
        """Whether somebody has asked for it."""
        return self._draw is None

    def jpeg(self) -> bytes:
        """The picture; drawn now if nobody has asked before."""
        with self._drawing:
            if self._draw is not None:
                self._jpeg = self._draw()
                self._draw = None  # lets go of the camera's picture
            return self._jpeg


class Views:
    """The last views that were shown to somebody."""

    def __init__(self) -> None:
        self._views: deque[View] = deque(maxlen=_KEPT)

    def keep(self, view: View) -> None:
        """Keep a view; of those that nobody has asked for, the oldest goes."""
        self._views.append(view)
        undrawn = [each for each in self._views if not each.drawn]
        for each in undrawn[:-_UNDRAWN]:
            self._views.remove(each)

    def numbered(self, number: int) -> View | None:
        """The view of this number; None if it is not kept."""
        return next((view for view in self._views if view.number == number), None)
