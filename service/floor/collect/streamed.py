"""One table's entries from the stream that it publishes; what the stream lacks is asked of the table itself.

The stream says nothing that is not checked like an answer of the table. So all of it may fail, be emptied or be forged:
then the table is asked, over the same line, and what is known of it there counts.
"""

from __future__ import annotations

import logging
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.floor.collect.client import LIMIT, Gone, TableAwayError
from service.nats.line import FAULTS, LineCutError
from service.record.results import START, read_cursor

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator

    from service.floor.collect.client import Page, TableClient
    from service.floor.collect.stream_copy import StreamCopy
    from service.floor.collect.stream_reader import StreamReader
    from service.record.results import Cursor

_log = logging.getLogger(__name__)

QUIET_S: Final = 10.0
"""After so long without a message the table itself is asked; no more often, whether the stream is a copy of its own."""


@dataclass(slots=True)
class Streamed:
    """Where the entries of one table come from.

    Attributes:
        reader: of the copy in the middle.
        copy: looks after that.
        client: asks the table.
        room: how many answers with entries there may be in memory, of all tables.
    """

    reader: StreamReader
    copy: StreamCopy
    client: TableClient
    room: asyncio.Semaphore
    quiet_s: float = QUIET_S
    _given: Cursor | None = None
    _lacks: bool = False
    _tended_at: float = float("-inf")

    @asynccontextmanager
    async def entries(
        self, since: str | None, *, limit: int = LIMIT, wait_s: float = 0.0
    ) -> AsyncIterator[Page | Gone]:
        """What there is behind a cursor; TableAwayError. It counts as being in memory until the block ends."""
        cursor = START if since is None else read_cursor(since)
        # What was given and is asked for again was not taken: then what the table says itself is asked for.
        page = None if cursor == self._given else await self._of_stream(cursor, min(wait_s, self.quiet_s))
        self._given = None if page is None else cursor
        if page is not None:
            self._lacks = False
            async with self.room:
                yield page
            return
        waited = self.reader.placed  # for as long already
        try:
            async with self.client.entries(since, limit=limit, wait_s=0.0 if waited else wait_s) as found:
                self._lacks = self._lacks or not waited or isinstance(found, Gone) or bool(found.given)
                yield found
        except TableAwayError:
            await self._tend()  # its server may be there all the same
            raise
        if self._lacks:
            await self._tend()

    async def _of_stream(self, cursor: Cursor, wait_s: float) -> Page | None:
        try:
            return await self.reader.page(cursor, wait_s)
        except (LineCutError, *FAULTS) as error:
            _log.info("%s: its stream cannot be read now: %s", self.reader.names.table, error)
            await self._lose()
        return None

    async def _lose(self) -> None:
        try:
            await self.reader.lose()
        except (LineCutError, *FAULTS) as error:
            _log.debug("%s: %s", self.reader.names.table, error)

    async def _tend(self) -> None:
        if time.monotonic() - self._tended_at < self.quiet_s:
            return
        self._tended_at = time.monotonic()
        try:
            if await self.copy.tend():
                await self.reader.lose()
        except (LineCutError, *FAULTS) as error:
            _log.info("%s: the copy of its stream cannot be looked after now: %s", self.copy.names.table, error)
