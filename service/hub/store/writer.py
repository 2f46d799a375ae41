"""Appends the entries of followed logs to the store, those of all tables together as they come (group commit).

While the store cannot be written, what is to be appended waits and is appended afterwards: nothing has to be asked for
again. What was appended is durable.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError

from service.hub.store.batch import Batch, MovedError, NotStoredError, enter_tables
from service.record.store import schema
from service.record.store.database import is_of_data
from service.record.store.entries import RecordUnavailableError
from service.record.store.record import next_position
from service.record.store.stored_logs import UNKNOWN, Known
from service.record.waiting import ChangeNotifier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection

    from service.record.store.record import Record
    from service.record.store.stored_logs import Extension, Refusal

_log = logging.getLogger(__name__)

MOST_TOGETHER: Final = 2_000
"""Entries in one transaction."""
_TOGETHER_S: Final = 0.02
"""How long to wait for what other tables have to say: one transaction costs about as much as the next."""
_PAUSE_S: Final = 0.2
"""Between attempts to write again; the record makes fewer of them the longer it cannot be written."""
_QUIET_S: Final = 2.0
"""How often the record is written to when there is nothing to write, to find out whether that is possible."""
_ENDING_S: Final = 10.0


class NotTheWriterError(Exception):
    """The writer was stopped."""


@dataclass(slots=True)
class _Work:
    """Something to be written, and who waits for it."""

    do: Callable[[Batch], None]
    entries: int
    done: Future[None] = field(default_factory=Future)


class FloorWriter:
    """Writes entries of followed logs.

    Args:
        record: the record of this service, in whose store they are.
        tables: names of the tables that are followed.
        appended: notifies of entries that were taken, and of others.

    Attributes:
        appended: as above.
        changed: notifies when it can write again, or no longer.
        writing: whether it can write.
        stopped: whether it was stopped.
        committed: called in the writer's thread with the entries that a transaction took in, and its seconds.
        position: of the newest entry of all logs, as far as this service wrote it.
        known: what is known of each table's log.
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
        self._thread = threading.Thread(target=self._run, name="writer of followed logs", daemon=True)

    def start(self) -> None:
        """Start to write."""
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
        """Take checked entries of a table; durable when this returns. Entries that are held already change nothing.

        While the database is away this waits. MovedError if they do not follow what is known of the table's record any
        more, NotStoredError if the database refuses them for what they are, NotTheWriterError.
        """
        await self._submit(lambda batch: batch.take(table, extension), len(extension.entries))

    async def tell(self, table: str, state: str, since: str, told: str) -> None:
        """Note how a table is, since when, and what it told of itself (JSON); raises as :meth:`take`."""
        await self._submit(lambda batch: batch.tell(table, state, since, told))

    async def note_copied(self, table: str, position: int) -> None:
        """Note up to which position the pictures of a table's entries were copied; raises as :meth:`take`."""
        await self._submit(lambda batch: batch.note_copied(table, position))

    async def cosign(self, table: str, row: Mapping[str, Any]) -> None:
        """Keep a co-signature of a table's checkpoint; raises as :meth:`take`."""
        await self._submit(lambda batch: batch.cosign(table, row))

    async def refuse(self, table: str, refusal: Refusal) -> None:
        """Keep something aside that is not taken; raises as :meth:`take`."""
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
        """Write what has come; RecordUnavailableError, and then it is written later."""
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
                _log.warning("entries of followed tables cannot be written: %s", why)
            self.writing = writing
            self.changed.notify()

    def _load(self, connection: Connection) -> None:
        """Read what is known of the tables' logs."""
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
        """Wait for something to write, and take what has come meanwhile."""
        entries = 0
        with suppress(queue.Empty):
            work = self._works.get(not self._ending.is_set(), _QUIET_S)
            self._ending.wait(_TOGETHER_S)
            while True:
                if work is not None and work.done.set_running_or_notify_cancel():
                    self._pending.append(work)
                    entries += work.entries
                if entries >= MOST_TOGETHER:
                    return
                work = self._works.get(block=False)

    def _write(self, works: Sequence[_Work]) -> None:
        try:
            self._commit(works)
        except (DBAPIError, OverflowError) as error:
            if not is_of_data(error):
                raise
            if len(works) > 1:  # one of them is to blame: the others are not to wait for it
                for each in works:
                    self._write((each,))
            else:
                why = error.orig if isinstance(error, DBAPIError) else error
                _log.error("the store refuses what a table sent: %s", why)
                works[0].done.set_exception(NotStoredError(str(why)))

    def _commit(self, works: Sequence[_Work]) -> None:
        refused: list[tuple[_Work, Exception]] = []
        began = time.perf_counter()

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
        self.committed(batch.taken, time.perf_counter() - began)
        if batch.taken:
            self.appended.notify()

    def _give_up(self) -> None:
        """Nothing will be written any more: let every caller know."""
        with suppress(queue.Empty):
            while True:
                work = self._works.get(block=False)
                if work is not None and work.done.set_running_or_notify_cancel():
                    self._pending.append(work)
        for each in self._pending:
            if not each.done.done():
                each.done.set_exception(NotTheWriterError())
        self._pending = []
