"""Co-sign checkpoints of the remote tables' records, as a witness of all of them.

The signatures follow C2SP ``tlog-cosignature``, like those of any witness (``service.record.witness``), with a separate
key in the folder of this service's record.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import select

from service.hub.table_client import TableAwayError
from service.hub.writer import NotStoredError, NotTheWriterError
from service.record.checkpoints.note import WitnessKey, cosign, note_of
from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.entries import RecordUnavailableError
from service.record.store.faults import Fault
from service.record.store.files import make_folder
from service.record.store.signing import Checkpoint, PublicKey, Signer
from service.system.background import in_background, shielded
from service.words.codes import HubCode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from sqlalchemy import Select

    from service.hub.collector import Collector
    from service.hub.writer import HubWriter
    from service.record.checkpoints.note import Note
    from service.record.store.all_logs import LogsReader
    from service.record.store.stored_logs import HeldEntry, Known

_log = logging.getLogger(__name__)

_KEY: Final = "witness.key"
_COLUMNS = schema.log_cosignatures.c
_BATCH: Final = 500
_POLL_S: Final = 1.0
_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class HubSigner:
    """Co-signs with a key of its own, so that no signature is mistaken for one of this service's record.

    Attributes:
        name: name of the witness.
    """

    name: str
    _signer: Signer

    @classmethod
    def open(cls, folder: Path, service: str) -> Self:
        """Load the key, or make one; KeyFileError, OSError.

        Args:
            folder: of this service's record.
            service: name of this service.
        """
        path = folder / _KEY
        if path.exists():
            return cls(_name_of(service), Signer.load(path))
        make_folder(folder, 0o700)
        return cls(_name_of(service), Signer.make(path))

    @property
    def key(self) -> WitnessKey:
        """The public key, with which anyone can verify."""
        return WitnessKey(self.name, self._signer.public)

    def cosign(self, checkpoint: Checkpoint) -> str:
        """The line that attests the checkpoint, now."""
        return cosign(checkpoint, self.name, self._signer.raw, int(time.time()))


def key_in(folder: Path, service: str) -> WitnessKey | None:
    """The public key of a service's witness; None if it has none yet. KeyFileError."""
    path = folder / _KEY
    return WitnessKey(_name_of(service), Signer.load(path).public) if path.exists() else None


def _name_of(service: str) -> str:
    return f"houseway-floor/{service}"


@dataclass(frozen=True, slots=True)
class Cosigned:
    """A co-signed checkpoint.

    Attributes:
        id: increases with each signature.
        record: id of the record.
        seq: number of the entry.
        hash: its hash.
        key: the public key that signed it, hexadecimal.
        line: the co-signature, as a line of a note.
    """

    id: int
    record: str
    seq: int
    hash: str
    key: str
    line: str


def newest(reader: LogsReader, table: str) -> Cosigned | None:
    """The newest co-signed checkpoint of a table; RecordUnavailableError."""
    with faults_as_unavailable(), reader.database.connect() as connection:
        row = connection.execute(_of(table).order_by(_COLUMNS.id.desc()).limit(1)).first()
    return None if row is None else Cosigned(*row)


def all_of(reader: LogsReader, table: str) -> Iterator[Cosigned]:
    """All co-signed checkpoints of a table, oldest first; RecordUnavailableError."""
    last = 0
    while True:
        with faults_as_unavailable(), reader.database.connect() as connection:
            rows = connection.execute(_of(table).where(_COLUMNS.id > last).order_by(_COLUMNS.id).limit(_BATCH)).all()
        yield from (Cosigned(*row) for row in rows)
        if len(rows) < _BATCH:
            return
        last = rows[-1].id


def _of(table: str) -> Select[Any]:
    columns = (_COLUMNS.id, _COLUMNS.record, _COLUMNS.seq, _COLUMNS.hash, _COLUMNS.key, _COLUMNS.line)
    joined = select(*columns).join_from(schema.log_cosignatures, schema.logs, schema.logs.c.id == _COLUMNS.log)
    return joined.where(schema.logs.c.name == table)


def note_at(reader: LogsReader, table: str, cosigned: Cosigned) -> Note | None:
    """A co-signed checkpoint as a note; None if its entry is missing. RecordUnavailableError."""
    held = reader.hashed(table, cosigned.hash)
    if held is None:
        return None
    return note_of(_checkpoint(held, cosigned.record), PublicKey.of_hex(cosigned.key)).cosigned(cosigned.line)


def _checkpoint(held: HeldEntry, record: str) -> Checkpoint:
    """The checkpoint that an entry was when it was the newest."""
    entry = held.entry
    return Checkpoint(record, entry.seq, entry.hash, entry.at, held.signature)


def not_extended(reader: LogsReader, table: str, cosigned: Cosigned | None) -> Fault | None:
    """The fault if the stored entries of a table do not extend its co-signed checkpoint; None if they do.

    An entry that the table lost in a declared restore is still stored, marked as gone: that is no fault.
    """
    held = None if cosigned is None else reader.hashed(table, cosigned.hash)
    if cosigned is None or (held is not None and held.entry.seq == cosigned.seq):
        return None
    return Fault.of(cosigned.seq, HubCode.COSIGNED_ENTRY_MISSING)


def faults_of(reader: LogsReader, table: str, key: WitnessKey | None) -> tuple[int, tuple[Fault, ...]]:
    """Return the number of valid co-signed checkpoints of a table, and the faults; RecordUnavailableError.

    Args:
        reader: of the hub's store.
        table: name of the table.
        key: of the witness; None to skip the check of signatures.
    """
    good, faults = 0, list[Fault]()
    for each in all_of(reader, table):
        note = note_at(reader, table, each)
        if note is None or (note.checkpoint.seq, note.checkpoint.hash) != (each.seq, each.hash):
            faults.append(Fault.of(each.seq, HubCode.COSIGNED_ENTRY_MISSING))
        elif key is not None and not any(key.holds(note, one) for one in note.cosignatures):
            faults.append(Fault.of(each.seq, HubCode.COSIGNATURE_INVALID))
        else:
            good += 1
    return good, tuple(faults)


class HubWitness:
    """Co-signs the newest checkpoint of each table at intervals, and sends it to the table.

    Attributes:
        signer: its key.
    """

    def __init__(
        self, signer: HubSigner, every_s: float, writer: HubWriter, reader: LogsReader, collector: Collector
    ) -> None:
        self.signer = signer
        self._every_s, self._writer, self._reader, self._collector = every_s, writer, reader, collector
        self._signed: dict[str, str] = {}  # by table, the hash signed last
        self._due: dict[str, float] = {}
        self._to_send: dict[str, Note] = {}
        self._busy: set[str] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Sign and send while the block runs."""
        async with in_background(self._run()):
            yield

    async def _run(self) -> None:
        room = asyncio.Semaphore(_AT_ONCE)
        now = asyncio.get_running_loop().time
        try:
            async with asyncio.TaskGroup() as tables:
                while await self._writer.ready():
                    for table, known in self._writer.known.items():
                        new = known.seq and self._signed.get(table) != known.hash
                        due = new and self._due.get(table, 0.0) <= now()
                        if (due or table in self._to_send) and table not in self._busy:
                            self._busy.add(table)
                            tables.create_task(self._attend(room, table, known if due else None))
                    await asyncio.sleep(_POLL_S)
        except* NotTheWriterError:
            pass  # it was stopped

    async def _attend(self, room: asyncio.Semaphore, table: str, due: Known | None) -> None:
        """Sign for one table and send it what it has not got; the others do not wait for its answer."""
        try:
            if due is not None:
                await self._sign_in(room, table, due)
            if table in self._to_send:
                await self._send_to(table)
        finally:
            self._busy.discard(table)

    async def _sign_in(self, room: asyncio.Semaphore, table: str, known: Known) -> None:
        async with room:
            try:
                note = await self._sign(table, known)
            except (RecordUnavailableError, NotStoredError) as error:
                _log.warning("%s: its checkpoint is co-signed later: %s", table, error)
                return
            if note is not None:
                self._to_send[table] = note
            self._due[table] = asyncio.get_running_loop().time() + self._every_s

    async def _sign(self, table: str, known: Known) -> Note | None:
        """Co-sign the head of a table's record if it extends the last co-signed one; durable before it is sent."""
        last = await shielded(asyncio.to_thread(newest, self._reader, table))
        if last is not None and last.hash == known.hash:
            self._signed[table] = known.hash
            return None
        if (fault := await shielded(asyncio.to_thread(not_extended, self._reader, table, last))) is not None:
            _log.error("%s: nothing is co-signed: %s", table, fault.words)
            return None
        held = await shielded(asyncio.to_thread(self._reader.hashed, table, known.hash))
        if held is None or held.entry.kind == "signing_key":  # signed with the previous key: wait for the next entry
            return None
        checkpoint = _checkpoint(held, known.record)
        line = self.signer.cosign(checkpoint)
        about = {"record": known.record, "seq": known.seq, "hash": known.hash, "key": known.key, "line": line}
        await self._writer.cosign(table, about)
        self._signed[table] = known.hash
        return note_of(checkpoint, PublicKey.of_hex(known.key)).cosigned(line)

    async def _send_to(self, table: str) -> None:
        """Send a table its co-signed checkpoint; an unreachable one gets it later."""
        now = self._collector.states.tables.get(table)
        client = self._collector.clients.get(table)
        if now is None or client is None or now.away is not None or not now.collected_at:
            return
        try:
            taken = await client.send_cosigned(self._to_send[table].text)
        except TableAwayError as error:
            _log.debug("%s: its co-signed checkpoint is sent later: %s", table, error)
            self._due[table] = asyncio.get_running_loop().time() + self._every_s
            return
        if not taken:
            _log.info("%s does not accept a co-signed checkpoint", table)
        self._to_send.pop(table, None)
