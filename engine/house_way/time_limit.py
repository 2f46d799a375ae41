"""Time limit for a casino's own Python code: a rule that never returns is stopped and reported."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class TookTooLongError(BaseException):
    """Code that was stopped; not an `Exception`, so that the code does not catch it by accident."""


class TimeLimit:
    """Stops a call that exceeds the time limit.

    It uses an alarm signal, hence works only in the main thread of a Unix system; elsewhere nothing is stopped. Python
    interrupted between bytecodes, not within a call to a C library.

    Attributes:
        running: whether such a call is running now; the caller resets it afterwards.
    """

    def __init__(self, seconds: float) -> None:
        """Allow a call at least ``seconds``, at most twice as long."""
        self.running = False
        self._calls = 0
        self._seconds = seconds
        self._at_last_tick = -1
        self._before: Any = None
        self._works = hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Self:
        if self._works:
            self._before = signal.signal(signal.SIGALRM, self._tick)
            signal.setitimer(signal.ITIMER_REAL, self._seconds, self._seconds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._works:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)

    def start(self) -> None:
        """A call starts."""
        self._calls += 1
        self.running = True

    def _tick(self, _number: int, _frame: FrameType | None) -> None:
        if self.running and self._calls == self._at_last_tick:
            self.running = False
            raise TookTooLongError
        self._at_last_tick = self._calls if self.running else -1
