"""Co-signs each table's newest checkpoint now and then, and gives it back to the table at its next contact."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from service.hub.collect.client import TableAwayError
from service.hub.store.batch import NotStoredError
from service.hub.store.writer import NotTheWriterError
from service.hub.witness.cosigned import checkpoint_of, newest, not_extended
from service.record.checkpoints.note import note_of
from service.record.store.entries import RecordUnavailableError
from service.record.store.signing import PublicKey
from service.system.background import in_background, shielded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.hub.collect.collector import Collector
    from service.hub.store.writer import FloorWriter
    from service.hub.witness.cosigner import FloorSigner
    from service.record.checkpoints.note import Note
    from service.record.store.all_logs import LogsReader
    from service.record.store.stored_logs import Known

_log = logging.getLogger(__name__)

_LOOK_S: Final = 1.0
_AT_ONCE: Final = 8


class FloorWitness:
    """The witness of all tables.

    Attributes:
        signer: what it signs with.
    """

    def __init__(
        self, signer: FloorSigner, every_s: float, writer: FloorWriter, reader: LogsReader, collector: Collector
    ) -> None:
        self.signer = signer
        self._every_s, self._writer, self._reader, self._collector = every_s, writer, reader, collector
        self._signed: dict[str, str] = {}  # the hash that was signed last, by table
        self._due: dict[str, float] = {}
        self._to_give: dict[str, Note] = {}

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Sign and give back while the block runs."""
        async with in_background(self._run()):
            yield

    async def _run(self) -> None:
        room = asyncio.Semaphore(_AT_ONCE)
        now = asyncio.get_running_loop().time
        while await self._writer.ready():
            due = [
                (table, known)
                for table, known in self._writer.known.items()
                if known.seq and self._signed.get(table) != known.hash and self._due.get(table, 0.0) <= now()
            ]
            try:
                await asyncio.gather(*(self._look_after(table, known, room) for table, known in due))
                await asyncio.gather(*(self._give(table, room) for table in tuple(self._to_give)))
            except NotTheWriterError:
                return
            await asyncio.sleep(_LOOK_S)

    async def _look_after(self, table: str, known: Known, room: asyncio.Semaphore) -> None:
        async with room:
            try:
                note = await self._sign(table, known)
            except (RecordUnavailableError, NotStoredError) as error:
                _log.warning("%s: its checkpoint is co-signed later: %s", table, error)
                return
            if note is not None:
                self._to_give[table] = note
            self._due[table] = asyncio.get_running_loop().time() + self._every_s

    async def _sign(self, table: str, known: Known) -> Note | None:
        """Co-sign what is known of a table, if it extends what was co-signed; kept durably before anybody has it."""
        last = await shielded(asyncio.to_thread(newest, self._reader, table))
        if last is not None and last.hash == known.hash:
            self._signed[table] = known.hash
            return None
        if (fault := await shielded(asyncio.to_thread(not_extended, self._reader, table, last))) is not None:
            _log.error("%s: nothing is co-signed: %s", table, fault.words)
            return None
        held = await shielded(asyncio.to_thread(self._reader.hashed, table, known.hash))
        if held is None or held.entry.kind == "signing_key":  # another key signed that one: the next entry is signed
            return None
        checkpoint = checkpoint_of(held, known.record)
        line = self.signer.cosign(checkpoint)
        about = {"record": known.record, "seq": known.seq, "hash": known.hash, "key": known.key, "line": line}
        await self._writer.cosign(table, about)
        self._signed[table] = known.hash
        return note_of(checkpoint, PublicKey.of_hex(known.key)).cosigned(line)

    async def _give(self, table: str, room: asyncio.Semaphore) -> None:
        """Give a table what was co-signed of it; one that cannot be asked now gets it later."""
        now = self._collector.states.tables.get(table)
        client = self._collector.clients.get(table)
        if now is None or client is None or now.away is not None or not now.collected_at:
            return
        async with room:
            note = self._to_give[table]
            try:
                taken = await client.give(note.text)
            except TableAwayError as error:
                _log.debug("%s: it is given its co-signed checkpoint later: %s", table, error)
                self._due[table] = asyncio.get_running_loop().time() + self._every_s
                return
            if not taken:
                _log.info("%s does not take a co-signed checkpoint: its program is of an earlier version", table)
            self._to_give.pop(table, None)
