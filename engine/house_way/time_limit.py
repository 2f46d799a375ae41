"""A limit to how long a casino's own Python code may take, so that a rule that never ends is stopped and named."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class TookTooLongError(BaseException):
    """Code that was stopped; no `Exception`, so that the code itself does not catch it by the way."""


class TimeLimit:
    """Stops one call that takes longer than a time, while other code is left alone.

    It works by an alarm signal, hence in the main thread of a Unix system; elsewhere nothing is stopped. Python is
    stopped between two of its own steps, not within one call of a library in C.

    Attributes:
        running: whether such a call is running now; whoever called sets it to false behind it.
    """

    def __init__(self, seconds: float) -> None:
        """Allow a call at least so many seconds, at most twice as many."""
        self.running = False
        self._calls = 0
        self._seconds = seconds
        self._at_last_tick = -1
        self._before: Any = None
        self._works = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Self:
        """Begin to watch."""
        if self._works:
            self._before = signal.signal(signal.SIGALRM, self._tick)
            signal.setitimer(signal.ITIMER_REAL, self._seconds, self._seconds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Watch no longer."""
        if self._works:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def begin(self) -> None:
        """A call begins."""
        self._calls += 1
        self.running = True

    def _tick(self, _number: int, _frame: FrameType | None) -> None:
        if self.running and self._calls == self._at_last_tick:
            self.running = False
            raise TookTooLongError
        self._at_last_tick = self._calls if self.running else -1
