"""Tells the terminal, the log and systemd how the table is, in the words of the page, whenever that changes."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from service.ops.host import notify
from service.words.findings import words_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from service.monitor.table_status import TableStatus

_log = logging.getLogger(__name__)

_LOOK_EVERY_S: Final = 1.0


def status_text(status: TableStatus) -> str:
    """A status in one line of English."""
    more = f" (and {status.more} more)" if status.more else ""
    before = f"{status.source_words}. " if status.source_words else ""
    return f"{before}{words_of(status.finding)}{more}."


@asynccontextmanager
async def status_logged(status: Callable[[], TableStatus], every_s: float = _LOOK_EVERY_S) -> AsyncIterator[None]:
    """Log the status when it becomes another, while the block runs."""
    task = asyncio.create_task(_log_changes(status, every_s))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _log_changes(status: Callable[[], TableStatus], every_s: float) -> None:
    told = seen = None
    while True:
        now = status()
        # Seconds go on; what is told is another status, and one that two looks have seen.
        kind = (now.level, now.finding.code, now.more)
        if kind == seen != told:
            told = kind
            _log.log(logging.INFO if now.level == "well" else logging.WARNING, "%s", status_text(now))
            notify(f"STATUS={status_text(now)}")
        seen = kind
        await asyncio.sleep(every_s)
