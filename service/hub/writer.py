"""Append entries of remote tables to the store, those of all tables in common transactions (group commit).

While the store cannot be written, work waits and is done afterwards, so that no table has to be asked again. Appended
entries are durable.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import queue
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import DBAPIError

from service.record.store import schema
from service.record.store.database import insert_or_update, is_of_data, put_rows
from service.record.store.entries import RecordUnavailableError, timestamp
from service.record.store.record import next_position
from service.record.store.stored_logs import UNKNOWN, Known
from service.record.waiting import ChangeNotifier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection

    from service.record.store.record import Record
    from service.record.store.stored_logs import Extension, Refusal

_log = logging.getLogger(__name__)

MOST_REFUSED: Final = 200
"""Distinct refusals stored for one table; further ones are only counted."""
_LONGEST_LINE: Final = 64_000
"""Bytes stored of a refused line."""
_MOST_TOGETHER: Final = 2_000
"""Entries in one transaction."""
_TOGETHER_S: Final = 0.02
"""Wait for entries of other tables: a transaction costs about the same for many as for one."""
_PAUSE_S: Final = 0.2
"""Between attempts to write again; the record makes fewer of them the longer it cannot be written."""
_QUIET_S: Final = 2.0
"""Without entries, the interval of attempts to write, which show whether that is possible."""
_ENDING_S: Final = 10.0


class NotTheWriterError(Exception):
    """The writer was stopped."""


class MovedError(Exception):
    """The table's record has changed since the entries were checked: check them again."""


class NotStoredError(Exception):
    """The database rejects this data."""


@dataclass(slots=True)
class Batch:
    """One transaction of the writer.

    Attributes:
        connection: of the transaction.
        ids: numbers of the tables, by name.
        before: heads of the tables' records before the transaction.
        position: position of the newest entry after it.
        known: changed heads.
        taken: number of new entries.
    """

    connection: Connection
    ids: Mapping[str, int]
    before: Mapping[str, Known]
    position: int
    known: dict[str, Known] = field(default_factory=dict)
    taken: int = 0
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _pictures: list[dict[str, Any]] = field(default_factory=list)
    _now: str = field(default_factory=timestamp)

    def take(self, table: str, extension: Extension) -> None:
        """Add the entries of a table, or none: MovedError if they do not follow the head, NotStoredError."""
        known = self.known.get(table) or self.before[table]
        if known == extension.after:
            return  # received again after a commit whose answer was lost
        _check_text(extension)
        if extension.lost:
            self._lose(table, known, extension)
        elif (known.seq, known.hash) != extension.follows:
            raise MovedError(table)
        for signed in extension.entries:
            self.position += 1
            self.taken += 1
            entry = {name: getattr(signed.entry, name) for name in schema.ENTRY}
            about = {"position": self.position, "log": self.ids[table], "signature": signed.signature}
            self._rows.append({**about, **entry, "received_at": self._now})
            self._pictures += (
                {"position": self.position, "sha256": name, "bytes": named.bytes, "media_type": named.media_type}
                for name, named in {each.sha256: each for each in signed.pictures}.items()
            )
        self.known[table] = extension.after

    def note_copied(self, table: str, position: int) -> None:
        """Note up to which position the pictures of a table's entries were copied."""
        of_it = schema.logs.c.name == table
        self.connection.execute(update(schema.logs).where(of_it).values(copied=position))

    def cosign(self, table: str, row: Mapping[str, Any]) -> None:
        """Store a co-signature with record, number, hash and key of the signed checkpoint."""
        self.connection.execute(insert(schema.log_cosignatures).values(log=self.ids[table], **row))

    def refuse(self, table: str, refusal: Refusal) -> None:
        """Store what is refused; repetitions are counted."""
        columns = schema.refused.c
        of_it = columns.log == self.ids[table]
        sha256, fault = hashlib.sha256(refusal.line).hexdigest(), refusal.fault.as_json()
        same = (of_it, columns.sha256 == sha256, columns.code == fault["code"])
        repeated = update(schema.refused).where(*same).values(times=columns.times + 1, last_at=self._now)
        if self.connection.execute(repeated).rowcount:
            return
        if int(self.connection.execute(select(func.count()).where(of_it)).scalar_one()) < MOST_REFUSED:
            values = {
                "log": self.ids[table],
                "sha256": sha256,
                "line": refusal.line[:_LONGEST_LINE],
                "code": fault["code"],
                "fault": json.dumps(fault),
                "first_at": self._now,
                "last_at": self._now,
            }
            self.connection.execute(insert(schema.refused).values(values))

    def flush(self) -> None:
        """Write the entries, and the heads after them."""
        self._insert()
        put = insert_or_update(self.connection, schema.logs)
        changes = put.on_conflict_do_update(
            index_elements=["id"], set_={name: put.excluded[name] for name in schema.KNOWN}
        )
        rows = [{"id": self.ids[table], "name": table} | known.columns() for table, known in self.known.items()]
        put_rows(self.connection, changes, rows)

    def _insert(self) -> None:
        put_rows(self.connection, insert(schema.entries), self._rows)
        self._rows.clear()
        put_rows(self.connection, insert(schema.pictures), self._pictures)
        self._pictures.clear()

    def _lose(self, table: str, known: Known, extension: Extension) -> None:
        """Mark the entries that a restored record no longer has; MovedError if the common entry is not stored."""
        self._insert()
        columns = schema.entries.c
        seq, entry_hash = extension.follows
        there = (columns.log == self.ids[table], columns.gone.is_(None))
        if seq:
            same = select(columns.position).where(*there, columns.seq == seq, columns.hash == entry_hash)
            if known.seq < seq or self.connection.execute(same).first() is None:
                raise MovedError(table)
        lost = update(schema.entries).where(*there, columns.seq > seq)
        self.connection.execute(lost.values(gone=extension.after.epoch))


@dataclass(slots=True)
class _Work:
    """Something to write, and the future of its caller."""

    do: Callable[[Batch], None]
    entries: int
    done: Future[None] = field(default_factory=Future)


class HubWriter:
    """Writes the entries of remote tables, in a thread.

    While the database is unavailable its methods wait. They raise NotStoredError if the database rejects the data, and
    NotTheWriterError.

    Args:
        record: the record of this service, which shares the store.
        tables: names of the remote tables.
        appended: notified of new entries.

    Attributes:
        appended: as above.
        changed: notified when writing becomes possible or impossible.
        writing: whether it can write.
        stopped: whether it was stopped.
        committed: called in the writer's thread with the number of new entries of a transaction, and its seconds.
        position: position of the newest entry of all logs that this service wrote.
        known: heads of the tables' records.
    """

    def __init__(self, record: Record, tables: Sequence[str], appended: ChangeNotifier | None = None) -> None:
        self._record = record
        self._tables = tuple(tables)
        self.appended = appended or ChangeNotifier()
        self.changed = ChangeNotifier()
        self.known: Mapping[str, Known] = dict.fromkeys(tables, UNKNOWN)
        self.writing = False
        self.stopped = False
        self.position = 0
        self.committed: Callable[[int, float], object] = lambda _entries, _seconds: None
        self._ids: dict[str, int] = {}
        self._loaded = 0
        self._works: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._pending: list[_Work] = []
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hub writer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, if the store takes it, and stop."""
        self._ending.set()
        self._works.put(None)
        self._thread.join(_ENDING_S)

    async def ready(self) -> bool:
        """Wait until it can write; False once it was stopped."""
        while not self.writing and not self.stopped:
            count = self.changed.count
            if not self.writing:
                await self.changed.wait_beyond(count, _QUIET_S)
        return not self.stopped

    async def take(self, table: str, extension: Extension) -> None:
        """Append checked entries, once however often they come; MovedError if they no longer follow the head."""
        await self._submit(lambda batch: batch.take(table, extension), len(extension.entries))

    async def note_copied(self, table: str, position: int) -> None:
        """Note up to which position the pictures of a table's entries were copied."""
        await self._submit(lambda batch: batch.note_copied(table, position))

    async def cosign(self, table: str, row: Mapping[str, Any]) -> None:
        """Store a co-signature of a table's checkpoint."""
        await self._submit(lambda batch: batch.cosign(table, row))

    async def refuse(self, table: str, refusal: Refusal) -> None:
        """Store what is refused."""
        await self._submit(lambda batch: batch.refuse(table, refusal))

    async def _submit(self, do: Callable[[Batch], None], entries: int = 0) -> None:
        if self.stopped:
            raise NotTheWriterError
        work = _Work(do, entries)
        self._works.put(work)
        await asyncio.wrap_future(work.done)

    def _run(self) -> None:
        try:
            while not (self._ending.is_set() and not self._pending and self._works.empty()):
                try:
                    self._write_next()
                except RecordUnavailableError as error:
                    self._become(writing=False, why=str(error))
                    if self._ending.wait(_PAUSE_S):
                        return
        finally:
            self.stopped = True
            self._become(writing=False)
            self._give_up()

    def _write_next(self) -> None:
        """Write what has come; after RecordUnavailableError it is written later."""
        self._pending = [each for each in self._pending if not each.done.done()]
        if not self._pending and self.writing:
            self._gather()
        if self._loaded != self._record.openings or not self._pending:
            # Another service may have written to the store, or this one could not.
            self._record.write(self._load)
        self._become(writing=True)
        if self._pending:
            self._write(self._pending)

    def _become(self, *, writing: bool, why: str = "") -> None:
        if writing is not self.writing or self.stopped:
            if why:
                _log.warning("entries of remote tables cannot be written: %s", why)
            self.writing = writing
            self.changed.notify()

    def _load(self, connection: Connection) -> None:
        """Read the heads of the tables' records, if another service may have changed them."""
        openings = self._record.openings
        if openings == self._loaded:
            return
        enter_tables(connection, self._tables)
        rows = [dict(row._mapping) for row in connection.execute(select(schema.logs))]  # noqa: SLF001
        self._ids = {row["name"]: row["id"] for row in rows}
        self.known = {row["name"]: Known.of_columns({name: row[name] for name in schema.KNOWN}) for row in rows}
        self._loaded = openings
        self.position = next_position(connection) - 1

    def _gather(self) -> None:
        """Wait for something to write, and collect what arrives shortly after it."""
        entries = 0
        with suppress(queue.Empty):
            work = self._works.get(not self._ending.is_set(), _QUIET_S)
            self._ending.wait(_TOGETHER_S)
            while True:
                if work is not None and work.done.set_running_or_notify_cancel():
                    self._pending.append(work)
                    entries += work.entries
                if entries >= _MOST_TOGETHER:
                    return
                work = self._works.get(block=False)

    def _write(self, works: Sequence[_Work]) -> None:
        try:
            self._commit(works)
        except (DBAPIError, OverflowError) as error:
            if not is_of_data(error):
                raise
            if len(works) > 1:  # only one of them is invalid: write each in a transaction of its own
                for each in works:
                    self._write((each,))
            else:
                why = error.orig if isinstance(error, DBAPIError) else error
                _log.error("the store rejects data of a table: %s", why)
                works[0].done.set_exception(NotStoredError(str(why)))

    def _commit(self, works: Sequence[_Work]) -> None:
        refused: list[tuple[_Work, Exception]] = []
        started = time.perf_counter()

        def together(connection: Connection) -> Batch:
            self._load(connection)
            refused.clear()
            batch = Batch(connection, self._ids, self.known, next_position(connection) - 1)
            for each in works:
                try:
                    each.do(batch)
                except (MovedError, NotStoredError) as error:
                    refused.append((each, error))
            batch.flush()
            return batch

        batch = self._record.write(together)
        self.known = {**self.known, **batch.known}
        self.position = batch.position
        for each, why in refused:
            each.done.set_exception(why)
        for each in works:
            if not each.done.done():
                each.done.set_result(None)
        self.committed(batch.taken, time.perf_counter() - started)
        if batch.taken:
            self.appended.notify()

    def _give_up(self) -> None:
        """Let every caller know that nothing more is written."""
        with suppress(queue.Empty):
            while True:
                work = self._works.get(block=False)
                if work is not None and work.done.set_running_or_notify_cancel():
                    self._pending.append(work)
        for each in self._pending:
            if not each.done.done():
                each.done.set_exception(NotTheWriterError())
        self._pending = []


def enter_tables(connection: Connection, names: tuple[str, ...]) -> None:
    """Give each new table a number."""
    there = {row.name: row.id for row in connection.execute(select(schema.logs.c.name, schema.logs.c.id))}
    new = [name for name in names if name not in there]
    first = max(there.values(), default=0) + 1
    rows = [{"id": number, "name": name} for number, name in enumerate(new, start=first)]
    put_rows(connection, insert(schema.logs), rows)


def _check_text(extension: Extension) -> None:
    """NotStoredError for an unpaired surrogate, which JSON can hold but no database."""
    for signed in extension.entries:
        entry = signed.entry
        try:
            f"{entry.kind}{entry.table}{entry.round}{entry.subject}".encode()
        except UnicodeEncodeError as error:
            raise NotStoredError(str(error)) from None
