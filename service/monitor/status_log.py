"""Tells the terminal, the log and systemd how the table is, in the words of the page, whenever that changes."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from service.ops.systemd import notify
from service.words.findings import words_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from service.monitor.table_status import TableStatus

_log = logging.getLogger(__name__)

_LOOK_EVERY_S: Final = 1.0


def status_text(status: TableStatus) -> str:
    """A status in one line of English."""
    more = f" (and {status.more} more)" if status.more else ""
    before = f"{status.source_words}. " if status.source_words else ""
    return f"{before}{words_of(status.finding)}{more}."


@asynccontextmanager
async def status_logged(
    statuses: Callable[[], Mapping[str, TableStatus]], every_s: float = _LOOK_EVERY_S
) -> AsyncIterator[None]:
    """Log the status of each table when it becomes another, while the block runs."""
    task = asyncio.create_task(_log_changes(statuses, every_s))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _log_changes(statuses: Callable[[], Mapping[str, TableStatus]], every_s: float) -> None:
    told: dict[str, object] = {}
    seen: dict[str, object] = {}
    while True:
        now = statuses()
        texts = {name: status_text(of) if len(now) == 1 else f"{name}: {status_text(of)}" for name, of in now.items()}
        # Seconds go on; what is told is another status, and one that two looks have seen.
        kinds = {name: (of.level, of.finding.code, of.more) for name, of in now.items()}
        new = [name for name, kind in kinds.items() if kind == seen.get(name) != told.get(name)]
        for name in new:
            told[name] = kinds[name]
            _log.log(logging.INFO if now[name].level == "well" else logging.WARNING, "%s", texts[name])
        if new:
            notify(f"STATUS={' '.join(texts.values())}")
        seen = {**kinds}
        await asyncio.sleep(every_s)
