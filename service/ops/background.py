"""Work that goes on beside something else and ends with it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Coroutine

_Result = TypeVar("_Result")


async def to_the_end(work: Awaitable[_Result]) -> _Result:
    """Wait for work in a thread also where nobody waits for it any more: a connection is in use until it ends."""
    running = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        with suppress(Exception):  # nobody is there to be told
            await running
        raise


@asynccontextmanager
async def in_background(*work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Have coroutines run while the block does; at its end they are cancelled and waited for."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
