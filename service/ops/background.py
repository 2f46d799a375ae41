"""Work that goes on beside something else and ends with it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine


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
