"""A table's side: its record published into the stream beside it, and its service asked over the same connection."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from service.nats.answering import Answering
from service.nats.line import NatsLine
from service.nats.names import Names
from service.nats.publisher import Publisher
from service.ops.background import in_background
from service.record.store.keys import has_signed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import ASGIApp

    from service.config.nats_settings import TableNatsConfig
    from service.record.checkpoints.note import Note
    from service.record.feed import Feed
    from service.record.store.record import Record
    from service.table.live_state import LiveState

_MB: Final = 1_000_000


class PublishedTable:
    """Publishes a table's record for a floor, and lets the floor ask its service; ConfigError.

    Args:
        config: the server beside the service.
        table: the table's name, for settings that give it no other on the floor.
        app: answers what the floor asks.
        feed: gives the entries of the record.
        live: tells of new ones, and shows how it stands.
        record: the table's own.
        look: called, in a thread, with who remembers it and a checkpoint that the record has signed.
    """

    def __init__(
        self,
        config: TableNatsConfig,
        table: str,
        app: ASGIApp,
        feed: Feed,
        live: LiveState,
        record: Record,
        look: Callable[[str, Note], object],
    ) -> None:
        names = Names(config.name or table)

        async def remembered(note: Note) -> None:
            if await asyncio.to_thread(has_signed, record, note.checkpoint):
                await asyncio.to_thread(look, f"the stream {names.leaf}", note)

        self._answering = Answering(app, names)
        self._line = NatsLine(config, names.leaf, self._answering.begin)
        self._publisher = Publisher(self._line, names, feed, live, remembered, config.max_mb * _MB)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do so while the block runs."""
        async with in_background(self._line.run()):
            try:
                async with in_background(self._publisher.run()):
                    yield
            finally:
                await self._answering.end()
