"""Single-flight: work that many ask for in the same moment is done once, in a thread, for all of them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from starlette.concurrency import run_in_threadpool

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

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
        """Wait until nothing is worked out any more."""
        here = asyncio.get_running_loop()
        unfinished = (task for task in self._tasks.values() if task.get_loop() is here and not task.done())
        await asyncio.gather(*unfinished, return_exceptions=True)

    def _is_spent(self, task: asyncio.Task[Answer]) -> bool:
        if not task.done():
            return task.get_loop() is not asyncio.get_running_loop()  # nobody can wait for it here
        return task.cancelled() or task.exception() is not None or not self._lasts(task.result())
