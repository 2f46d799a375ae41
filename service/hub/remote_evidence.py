"""Evidence of remote tables: pictures are fetched from their table on request, and copied in the background."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from service.hub.checking import named_pictures
from service.hub.table_client import TableAwayError
from service.hub.table_states import State
from service.hub.writer import NotTheWriterError
from service.record.projections.causes import causes_of_round
from service.record.results import report_of
from service.record.store.entries import RESULTS, Picture, RecordUnavailableError
from service.system.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from service.hub.collector import Collector
    from service.hub.copies import Copies
    from service.hub.writer import HubWriter
    from service.record.store.all_logs import LogsReader
    from service.record.store.stored_logs import HeldEntry, NamedPicture
    from service.system.remote_settings import EvidenceConfig

_log = logging.getLogger(__name__)

_SERVED: Final = frozenset({"image/jpeg", "application/zip"})
_OPAQUE: Final = "application/octet-stream"
"""Media type of everything else, whatever a table calls it."""
_AT_ONCE: Final = 8
"""Tables whose pictures are copied at the same time."""
_POLL_S: Final = 1.0
_PAUSE_S: Final = 30.0
"""After a table did not answer, or the disk was full."""
_BATCH: Final = 50


class RemoteEvidence:
    """The evidence of all tables.

    Attributes:
        store: where it is copied to; None without copies.
        full: whether copying has stopped because the folder is full.
        failing: why nothing can be copied now; empty if it can.
    """

    def __init__(
        self,
        settings: EvidenceConfig,
        store: Copies | None,
        reader: LogsReader,
        writer: HubWriter,
        collector: Collector,
    ) -> None:
        self._settings, self._reader, self._writer, self._collector = settings, reader, writer, collector
        self.store = store
        self.full = False
        self.failing = ""
        self._not_before: dict[str, float] = {}
        self._through: dict[str, int] = {}  # by table, the number of the last processed entry

    async def find(self, sha256: str, tables: Collection[str] | None = None) -> Picture | None:
        """A picture, from its copy or from a table; None if no entry of ``tables`` (default: all) names it.

        None also if it was removed there. TableAwayError if only unreachable tables have it, RecordUnavailableError.
        """
        named = await asyncio.to_thread(self._reader.pictures, sha256, tables)
        if not named:
            return None
        media_type = next((each.media_type for each in named.values() if each.media_type in _SERVED), _OPAQUE)
        if (kept := await self._copied(sha256)) is not None:
            return Picture(kept, media_type)
        away: TableAwayError | None = None
        for table in sorted(named, key=self._is_away):
            if (client := self._collector.clients.get(table)) is not None:
                try:
                    data = await client.picture(sha256)
                except TableAwayError as error:
                    away = error
                else:
                    if data is not None:
                        return Picture(data, media_type)
        if away is not None:
            raise away
        return None

    async def _copied(self, sha256: str) -> bytes | None:
        """The copy of a picture; None without one, or if the copies cannot be read."""
        if self.store is None:
            return None
        try:
            return await self.store.get(sha256)
        except OSError as error:
            _log.warning("a copy cannot be read: %s", error)
            return None

    def _is_away(self, table: str) -> bool:
        now = self._collector.states.tables.get(table)
        return now is None or now.now is State.UNREACHABLE

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Copy in the background while the block runs, if the settings say so."""
        if self.store is None or self._settings.copied == "none":
            yield
            return
        async with in_background(self._copy_all(self.store)):
            yield

    async def _copy_all(self, store: Copies) -> None:
        await self._open(store)
        room, busy = asyncio.Semaphore(_AT_ONCE), dict[str, asyncio.Task[None]]()
        now = asyncio.get_running_loop().time
        try:
            while await self._writer.ready():
                for table, known in self._writer.known.items():
                    due = known.seq != self._through.get(table) and now() >= self._not_before.get(table, 0.0)
                    if due and (table not in busy or busy[table].done()) and table in self._collector.clients:
                        busy[table] = asyncio.create_task(self._copy(table, known.seq, room, store))
                await asyncio.sleep(_POLL_S)
        finally:
            for task in busy.values():
                task.cancel()
            await asyncio.gather(*busy.values(), return_exceptions=True)

    async def _open(self, store: Copies) -> None:
        while True:
            try:
                await store.open()
            except OSError as error:
                self._note(store, str(error))
                await asyncio.sleep(_PAUSE_S)
            else:
                self._note(store, "")
                return

    def _note(self, store: Copies, why: str) -> None:
        """Note why nothing can be copied, or that it can."""
        if why and not self.failing:
            _log.error("pictures of tables cannot be copied into %s: %s", store.name, why)
        elif self.failing and not why:
            _log.warning("pictures of tables are copied into %s again", store.name)
        self.failing = why

    async def _copy(self, table: str, seq: int, room: asyncio.Semaphore, store: Copies) -> None:
        """Copy the further pictures of a table; after a failure they are copied later."""
        try:
            async with room:
                await self._copy_from(table, store)
        except NotTheWriterError:
            return
        except (TableAwayError, RecordUnavailableError, OSError) as error:
            if isinstance(error, OSError) and not self.full:
                self._note(store, str(error))
            _log.debug("%s: its pictures are copied later: %s", table, error)
            self._not_before[table] = asyncio.get_running_loop().time() + _PAUSE_S
        else:
            self._through[table] = seq

    async def _copy_from(self, table: str, store: Copies) -> None:
        held = await asyncio.to_thread(self._reader.table, table)
        position = 0 if held is None else held.copied
        following = partial(self._reader.after, tables=(table,), kinds=RESULTS, limit=_BATCH)
        while found := await asyncio.to_thread(following, position):
            wanted = {each.sha256: each for entry in found for each in self._wanted(entry)}
            for each in wanted.values():
                await self._copy_one(table, each, store)
            position = found[-1].position
            await self._writer.note_copied(table, position)

    def _wanted(self, held: HeldEntry) -> tuple[NamedPicture, ...]:
        named = named_pictures(held.entry.data)
        return named if not named or self._settings.copied == "all" or _raises_alarm(held) else ()

    async def _copy_one(self, table: str, named: NamedPicture, store: Copies) -> None:
        if await store.holds(named.sha256, named.bytes):
            return
        full = bool(await store.lacking(named.bytes))
        if full and not self.full:
            _log.error("%s is full: pictures are no longer copied", store.name)
        self.full = full
        if full:
            raise OSError("there is no room for more pictures")
        data = await self._collector.clients[table].picture(named.sha256)
        if data is not None:  # else it was removed there, after it was exported
            await store.put(named.sha256, data, named.media_type if named.media_type in _SERVED else _OPAQUE)
            self._note(store, "")


def _raises_alarm(held: HeldEntry) -> bool:
    """Return whether the round raises an alarm; a round that this version cannot read counts as one."""
    try:
        return bool(causes_of_round(report_of(held.entry)))
    except ValidationError:
        return True
