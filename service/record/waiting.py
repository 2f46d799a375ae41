"""Serve many waiting requests: wake them on a change, and work an answer out once for all."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from starlette.concurrency import run_in_threadpool

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


class ChangeNotifier:
    """Counts changes; one notice from a thread wakes all coroutines that wait, without a thread for each."""

    def __init__(self) -> None:
        # Re-entrant: the handler of a stop signal closes it in whatever thread it interrupts.
        self._lock = threading.RLock()
        self.count = 0  # how many changes there were
        self.closed = False  # whether it has notified for the last time
        self._waiting: dict[asyncio.Future[None], asyncio.AbstractEventLoop] = {}

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def notify(self) -> None:
        """Count one change and wake all waiters; from any thread."""
        with self._lock:
            self.count += 1
            waiting, self._waiting = self._waiting, {}
        for loop in set(waiting.values()):
            # The loop may have closed between the wait and the notice; nobody is left to tell then.
            if not loop.is_closed():
                loop.call_soon_threadsafe(_wake, *(future for future, its in waiting.items() if its is loop))

    def close(self) -> None:
        """Let every wait, now and later, return at once: the service is stopping."""
        self.closed = True
        self.notify()

    async def wait_beyond(self, count: int, timeout_s: float) -> bool:
        """Wait until there were more than ``count`` changes; False if ``timeout_s`` passed or it was closed first."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        with self._lock:
            if self.closed or self.count > count:
                return self.count > count and not self.closed
            self._waiting[future] = loop
        # One timer each, and no task as asyncio's own time limits would have.
        ends = loop.call_later(timeout_s, _wake, future)
        try:
            await future
        finally:
            ends.cancel()
            with self._lock:
                self._waiting.pop(future, None)
        return self.count > count and not self.closed


class News:
    """What a service notifies of, for all of its tables together.

    Attributes:
        recorded: notifies when a round's revision was published, so that pictures do not wake clients that wait for
            results.
        appended: notifies of every entry that this service appends to the record.
    """

    def __init__(self) -> None:
        self.changes = ChangeNotifier()
        self.recorded = ChangeNotifier()
        self.appended = ChangeNotifier()

    def close(self) -> None:
        """Let every wait, now and later, return at once: the service is stopping."""
        for notifier in (self.changes, self.recorded, self.appended):
            notifier.close()


def _wake(*futures: asyncio.Future[None]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


Answer = TypeVar("Answer")

_MOST_ANSWERS: Final = 64
"""Answers kept; the oldest goes first."""


class SingleFlight(Generic[Answer]):
    """The last answers by their questions; one that does not last is only for those who wait for it now."""

    def __init__(self, lasts: Callable[[Answer], bool]) -> None:
        self._lasts = lasts
        self._tasks: OrderedDict[Hashable, asyncio.Task[Answer]] = OrderedDict()

    async def answer(self, question: Hashable, work: Callable[[], Answer]) -> Answer:
        """The answer, worked out unless somebody has it or waits for it; raises what ``work`` raises."""
        task = self._tasks.get(question)
        if task is None or self._is_spent(task):
            task = self._tasks[question] = asyncio.create_task(run_in_threadpool(work))
            while len(self._tasks) > _MOST_ANSWERS:
                self._tasks.popitem(last=False)
        # One who goes away does not take the answer from the others.
        return await asyncio.shield(task)

    async def settle(self) -> None:
        here = asyncio.get_running_loop()
        unfinished = (task for task in self._tasks.values() if task.get_loop() is here and not task.done())
        await asyncio.gather(*unfinished, return_exceptions=True)

    def _is_spent(self, task: asyncio.Task[Answer]) -> bool:
        if not task.done():
            return task.get_loop() is not asyncio.get_running_loop()  # nobody can wait for it here
        return task.cancelled() or task.exception() is not None or not self._lasts(task.result())
