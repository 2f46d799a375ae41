"""Pictures kept as evidence: fetched from their table when asked for, and copied by policy in the background."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from service.alarms.causes import causes_of_round
from service.floor.collect.checking import named_pictures
from service.floor.collect.client import TableAwayError
from service.floor.collect.states import State
from service.floor.store.writer import NotTheWriterError
from service.ops.background import in_background
from service.record.results import report_of
from service.record.store.entries import RESULTS, Picture, RecordUnavailableError
from service.record.store.evidence import EvidenceStore
from service.record.store.files import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from service.floor.collect.collector import Collector
    from service.floor.settings import FloorEvidenceConfig
    from service.floor.store.held import HeldEntry, NamedPicture
    from service.floor.store.reader import FloorReader
    from service.floor.store.writer import FloorWriter

_log = logging.getLogger(__name__)

_SHOWN: Final = frozenset({"image/jpeg", "application/zip"})
"""What evidence is; a table that names anything else cannot have it shown as what it says."""
_AT_ONCE: Final = 8
"""Tables whose pictures are copied at the same time."""
_LOOK_S: Final = 1.0
_PAUSE_S: Final = 30.0
"""After a table did not answer, or the disk was full."""
_BATCH: Final = 50


class FloorEvidence:
    """The evidence of all tables.

    Attributes:
        store: the folder that it is copied into; None if there is none.
        full: whether nothing more is copied, because the folder has all that it may have.
    """

    def __init__(
        self, settings: FloorEvidenceConfig, reader: FloorReader, writer: FloorWriter, collector: Collector
    ) -> None:
        self._settings, self._reader, self._writer, self._collector = settings, reader, writer, collector
        folder = settings.folder
        limits = {"max_bytes": settings.max_mb * 1_000_000, "min_free_bytes": settings.min_free_mb * 1_000_000}
        self.store = None if folder is None else EvidenceStore(folder, **limits)
        self.full = False
        self._not_before: dict[str, float] = {}
        self._through: dict[str, int] = {}  # up to which number a table's entries were looked through

    async def find(self, sha256: str) -> Picture | None:
        """A picture, from the folder or from the table that has it; None if no entry names it, or it was removed there.

        TableAwayError if only tables that cannot be asked have it, RecordUnavailableError.
        """
        named = await asyncio.to_thread(self._reader.pictures, sha256)
        if not named:
            return None
        media_type = next((each.media_type for each in named.values() if each.media_type in _SHOWN), "")
        media_type = media_type or "application/octet-stream"
        if self.store is not None and (kept := await asyncio.to_thread(self.store.get, sha256)) is not None:
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

    def _is_away(self, table: str) -> bool:
        now = self._collector.states.tables.get(table)
        return now is None or now.now is State.UNREACHABLE

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Copy in the background while the block runs, if the settings want that."""
        if self.store is None or self._settings.copied == "none":
            yield
            return
        async with in_background(self._copy_all(self.store)):
            yield

    async def _copy_all(self, store: EvidenceStore) -> None:
        await self._open(store)
        room, busy = asyncio.Semaphore(_AT_ONCE), dict[str, asyncio.Task[None]]()
        now = asyncio.get_running_loop().time
        try:
            while await self._writer.ready():
                for table, known in self._writer.known.items():
                    due = known.seq != self._through.get(table) and now() >= self._not_before.get(table, 0.0)
                    if due and (table not in busy or busy[table].done()) and table in self._collector.clients:
                        busy[table] = asyncio.create_task(self._copy(table, known.seq, room, store))
                await asyncio.sleep(_LOOK_S)
        finally:
            for task in busy.values():
                task.cancel()
            await asyncio.gather(*busy.values(), return_exceptions=True)

    async def _open(self, store: EvidenceStore) -> None:
        """Open the folder and count what it has, which takes a while where there is much."""
        while True:
            try:
                await asyncio.to_thread(store.open)
            except OSError as error:
                _log.error("pictures of tables cannot be copied into %s: %s", store.folder, error)
                await asyncio.sleep(_PAUSE_S)
            else:
                return

    async def _copy(self, table: str, seq: int, room: asyncio.Semaphore, store: EvidenceStore) -> None:
        """Copy the pictures of a table, from where it was stopped on; what fails is tried again later."""
        try:
            async with room:
                await self._copy_from(table, store)
        except NotTheWriterError:
            return
        except (TableAwayError, RecordUnavailableError, OSError) as error:
            _log.debug("%s: its pictures are copied later: %s", table, error)
            self._not_before[table] = asyncio.get_running_loop().time() + _PAUSE_S
        else:
            self._through[table] = seq

    async def _copy_from(self, table: str, store: EvidenceStore) -> None:
        held = await asyncio.to_thread(self._reader.table, table)
        position = 0 if held is None else held.copied
        following = partial(self._reader.after, table=table, kinds=RESULTS, limit=_BATCH)
        while found := await asyncio.to_thread(following, position):
            wanted = {each.sha256: each for entry in found for each in self._wanted(entry)}
            for each in wanted.values():
                await self._copy_one(table, each, store)
            position = found[-1].position
            await self._writer.note_copied(table, position)

    def _wanted(self, held: HeldEntry) -> tuple[NamedPicture, ...]:
        """The pictures of an entry that are to be copied."""
        named = named_pictures(held.entry.data)
        return named if not named or self._settings.copied == "all" or _raises_alarm(held) else ()

    async def _copy_one(self, table: str, named: NamedPicture, store: EvidenceStore) -> None:
        if await asyncio.to_thread(store.get, named.sha256) is not None:
            return
        full = bool(await asyncio.to_thread(store.lacking, named.bytes))
        if full and not self.full:
            _log.error("%s has all that it may have: pictures are copied no more", store.folder)
        self.full = full
        if full:
            raise OSError("there is no room for more pictures")
        data = await self._collector.clients[table].picture(named.sha256)
        if data is not None:  # else it was removed there, after it was exported
            await asyncio.to_thread(store.put, {named.sha256: data})


def _raises_alarm(held: HeldEntry) -> bool:
    """Whether a round, as this entry has it, gives alarm; one that this version cannot read is taken for such a one."""
    try:
        return bool(causes_of_round(report_of(held.entry)))
    except ValidationError:
        return True


def prove_pictures(folder: Path) -> tuple[int, tuple[str, ...]]:
    """How many pictures of a folder are what their names say, and the names of those that are not; OSError."""
    good, spoilt = 0, list[str]()
    for path in sorted(folder.glob("[0-9a-f][0-9a-f]/*")):
        if path.name.startswith(UNFINISHED):
            continue
        with path.open("rb") as file:
            fine = hashlib.file_digest(file, "sha256").hexdigest() == path.name
        good += fine
        spoilt += [] if fine else [path.name]
    return good, tuple(spoilt)
