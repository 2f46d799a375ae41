"""Work that many ask for in the same moment, done once in a thread for all of them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from starlette.concurrency import run_in_threadpool

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Answer = TypeVar("Answer")

_HELD: Final = 64


class Shared(Generic[Answer]):
    """The last answers by what was asked.

    Args:
        lasts: whether an answer is good for those who ask later too; one that is not is only for who waits for it now.
    """

    def __init__(self, lasts: Callable[[Answer], bool]) -> None:
        self._lasts = lasts
        self._tasks: OrderedDict[Hashable, asyncio.Task[Answer]] = OrderedDict()

    async def answer(self, asked: Hashable, work: Callable[[], Answer]) -> Answer:
        """The answer to a question, worked out unless somebody has it or waits for it; raises what ``work`` raises."""
        task = self._tasks.get(asked)
        if task is None or self._is_spent(task):
            task = self._tasks[asked] = asyncio.create_task(run_in_threadpool(work))
            while len(self._tasks) > _HELD:
                self._tasks.popitem(last=False)
        # One who goes away does not take the answer from the others.
        return await asyncio.shield(task)

    def _is_spent(self, task: asyncio.Task[Answer]) -> bool:
        return task.done() and (task.cancelled() or task.exception() is not None or not self._lasts(task.result()))
