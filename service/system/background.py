"""Background tasks of the event loop."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Coroutine

_Result = TypeVar("_Result")
_CANCELLED_AGAIN_S: Final = 10.0


async def shielded(work: Awaitable[_Result]) -> _Result:
    """Wait for work in a thread to finish even if the caller is cancelled: it uses a connection until it ends."""
    running = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        with suppress(Exception):  # nobody waits for the result any more
            await running
        raise


@asynccontextmanager
async def in_background(*work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run coroutines while the block runs; at its end cancel them and wait for them."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        left = set(tasks)
        while left:
            # Once more, if a task lost the cancellation: nobody may wait for it for ever.
            for task in left:
                task.cancel()
            _, left = await asyncio.wait(left, timeout=_CANCELLED_AGAIN_S)
        await asyncio.gather(*tasks, return_exceptions=True)
