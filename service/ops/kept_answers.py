"""Answers that take long to work out and never change: worked out once, in a process of their own, and kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from concurrent.futures import Future

    from service.ops.limited_process import LimitedProcess

Result = TypeVar("Result")

_KEPT: Final = 64


class KeptAnswers:
    """What functions answer that are called in a process of their own; asked from one event loop.

    Args:
        process: where they are called.
    """

    def __init__(self, process: LimitedProcess) -> None:
        self._process = process
        self._answers: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    def known(self, function: Callable[..., Result], *arguments: Hashable) -> Result | None:
        """What a function answers, if it is known; else it is called, and the answer comes later.

        Raises:
            ProcessBusyError: too much is asked at once.
        """
        asked = self._asked(function, arguments)
        if not asked.done():
            return None
        result: Result = asked.result()
        return result

    async def ask(self, function: Callable[..., Result], *arguments: Hashable) -> Result:
        """What a function answers: the answer of before, or that which somebody else waits for.

        Raises:
            ProcessBusyError: too much is asked at once.
            WorkStoppedError: it took too long.
        """
        asked = asyncio.wrap_future(self._asked(function, arguments))
        asked.add_done_callback(_heard)
        # Shielded: who goes away must not cancel what others wait for.
        result: Result = await asyncio.shield(asked)
        return result

    def _asked(self, function: Callable[..., Any], arguments: tuple[Hashable, ...]) -> Future[Any]:
        asked = (function, arguments)
        known = self._answers.get(asked)
        if known is None or (known.done() and known.exception() is not None):
            known = self._answers[asked] = self._process.submit(function, *arguments)
        self._answers.move_to_end(asked)
        while len(self._answers) > _KEPT:
            self._answers.popitem(last=False)
        return known

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _heard(asked: asyncio.Future[Any]) -> None:
    """Let what went wrong after everybody had gone away be no fault that nobody hears of."""
    if not asked.cancelled():
        asked.exception()
