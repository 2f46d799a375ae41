"""The one writer of a floor's store: what all tables have to say, committed together as it comes (group commit).

It is a thread with a connection of its own. What cannot be written because the database is away waits, and is written
once it is back: nothing has to be asked for again. Whoever is told that something was taken can rely on it.
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
from typing import TYPE_CHECKING, Any, Final, Literal

from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError

from service.floor.store import schema
from service.floor.store.batch import Batch, MovedError, NotStoredError, enter_tables
from service.floor.store.claim import HeldElsewhereError, claimed
from service.floor.store.held import UNKNOWN, Known
from service.record.store.chain import timestamp
from service.record.store.database import open_database, upgrade
from service.record.store.storage_faults import FAULTS, sqlstate, unavailable
from service.table.change_notifier import ChangeNotifier
from service.words.findings import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection

    from service.floor.store.held import Extension, Refusal

_log = logging.getLogger(__name__)

MOST_TOGETHER: Final = 2_000
"""Entries in one transaction."""
_TOGETHER_S: Final = 0.02
"""So long is waited for what other tables have to say: one transaction costs about as much as the next."""
_PAUSES_S: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Between attempts to write again; the last one for ever."""
_STANDBY_S: Final = 1.0
_QUIET_S: Final = 2.0
"""With nothing to write for so long, the connection is looked after: with it goes the claim."""
_ENDING_S: Final = 10.0
_OF_DATA: Final = ("22", "23", "P0", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "SQLITE_TOOBIG")
"""Classes of SQLSTATE, and codes of SQLite, of what is wrong with what was written, and not with the database."""


class NotTheWriterError(Exception):
    """Another floor writes to the store now, or this one was ended."""


@dataclass(frozen=True, slots=True)
class WriterState:
    """How the writer is.

    Attributes:
        name: ``writing``; ``standby`` while another floor writes; ``unreachable`` while the database is not to be had;
            ``stopped``.
        why: who writes, or what the database says; empty while all is well.
        since: since when, UTC.
    """

    name: Literal["starting", "writing", "standby", "unreachable", "stopped"]
    why: str = ""
    since: str = field(default_factory=timestamp)


@dataclass(slots=True)
class _Work:
    """Something to be written, and who waits for it."""

    do: Callable[[Batch], None]
    entries: int
    done: Future[None] = field(default_factory=Future)


class FloorWriter:
    """Writes to a floor's store, as the only one.

    Args:
        url: of the database.
        tables: names of the floor's tables.

    Attributes:
        appended: notifies of entries that were taken.
        changed: notifies of a new state.
        begun: set once it is known whether it can write.
        committed: called in the writer's thread with the entries that a transaction took in, and its seconds.
        known: what is known of each table's record.
    """

    def __init__(self, url: str, tables: Sequence[str]) -> None:
        self._url = url
        self._tables = tuple(tables)
        self.appended = ChangeNotifier()
        self.changed = ChangeNotifier()
        self.begun = threading.Event()
        self.known: Mapping[str, Known] = dict.fromkeys(tables, UNKNOWN)
        self.state = WriterState("starting")
        self.committed: Callable[[int, float], object] = lambda _entries, _seconds: None
        self._ids: dict[str, int] = {}
        self._position = 0
        self._wrote = False
        self._works: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._pending: list[_Work] = []
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="floor writer", daemon=True)

    def start(self) -> None:
        """Begin: claim the store, or wait for whoever holds it."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, if the database takes it, and let go of the claim."""
        self._ending.set()
        self._works.put(None)
        self._thread.join(_ENDING_S)

    @property
    def position(self) -> int:
        """Of the newest entry that was taken."""
        return self._position

    async def ready(self) -> bool:
        """Wait until it writes; False once it does so no more."""
        while self.state.name not in {"writing", "stopped"}:
            count = self.changed.count
            if self.state.name != "writing":
                await self.changed.wait_beyond(count, _QUIET_S)
        return self.state.name == "writing"

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
        if self.state.name == "stopped":
            raise NotTheWriterError
        work = _Work(do, entries)
        self._works.put(work)
        await asyncio.wrap_future(work.done)

    def _run(self) -> None:
        try:
            self._keep_writing()
        finally:
            self._become(WriterState("stopped", self.state.why if self.state.name == "standby" else ""))
            self._give_up()

    def _keep_writing(self) -> None:
        failed = 0
        while not self._ending.is_set():
            pause = _STANDBY_S
            try:
                with claimed(self._url) as connection:
                    self._load(connection)
                    failed = 0
                    self._become(WriterState("writing"))
                    self._write_on(connection)
            except HeldElsewhereError as error:
                self._become(WriterState("standby", str(error)))
            except FAULTS as error:
                self._become(WriterState("unreachable", str(words_of(unavailable(error).finding))))
                pause = _PAUSES_S[min(failed, len(_PAUSES_S) - 1)]
                failed += 1
            if self._wrote and self.state.name == "standby":
                return  # another one writes since: what this program knows may be no longer so
            self._ending.wait(pause)

    def _become(self, state: WriterState) -> None:
        if (state.name, state.why) != (self.state.name, self.state.why):
            level = logging.INFO if state.name in {"writing", "stopped"} else logging.WARNING
            _log.log(level, "the floor's store: %s%s", state.name, f" ({state.why})" if state.why else "")
            self.state = state
            self.changed.notify()
        self.begun.set()

    def _load(self, connection: Connection) -> None:
        """Bring the store up to date, and read what is known of the tables' records."""
        other = open_database(self._url)
        try:
            upgrade(other, schema.SCHEMA)
        finally:
            other.dispose()
        with connection.begin():
            enter_tables(connection, self._tables)
            rows = [dict(row._mapping) for row in connection.execute(select(schema.tables))]  # noqa: SLF001
            newest = connection.execute(select(func.max(schema.entries.c.position))).scalar()
        self._ids = {row["name"]: row["id"] for row in rows}
        self.known = {row["name"]: Known.of_columns({name: row[name] for name in schema.KNOWN}) for row in rows}
        self._position = newest or 0

    def _write_on(self, connection: Connection) -> None:
        """Write what comes, until the end; what is not written when this raises is written with the next claim."""
        self._wrote = True
        while True:
            self._pending = [each for each in self._pending if not each.done.done()]
            if not self._pending:
                self._gather()
            if self._pending:
                self._write(connection, self._pending)
            elif self._ending.is_set():
                return
            else:
                with connection.begin():
                    connection.exec_driver_sql("SELECT 1")

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

    def _write(self, connection: Connection, works: Sequence[_Work]) -> None:
        try:
            self._commit(connection, works)
        except (DBAPIError, OverflowError) as error:
            if not _is_of_data(error):
                raise
            if len(works) > 1:  # one of them is to blame: the others are not to wait for it
                for each in works:
                    self._write(connection, (each,))
            else:
                why = error.orig if isinstance(error, DBAPIError) else error
                _log.error("the floor's store refuses what a table sent: %s", why)
                works[0].done.set_exception(NotStoredError(str(why)))

    def _commit(self, connection: Connection, works: Sequence[_Work]) -> None:
        refused: list[tuple[_Work, Exception]] = []
        begun = time.perf_counter()
        with connection.begin():
            batch = Batch(connection, self._ids, self.known, self._position)
            for each in works:
                try:
                    each.do(batch)
                except (MovedError, NotStoredError) as error:
                    refused.append((each, error))
            batch.flush()
        news = batch.position - self._position
        self.known = {**self.known, **batch.known}
        self._position = batch.position
        for each, why in refused:
            each.done.set_exception(why)
        for each in works:
            if not each.done.done():
                each.done.set_result(None)
        self.committed(news, time.perf_counter() - begun)
        if news:
            self.appended.notify()

    def _give_up(self) -> None:
        """Tell whoever waits that nothing will be written any more."""
        with suppress(queue.Empty):
            while True:
                work = self._works.get(block=False)
                if work is not None and work.done.set_running_or_notify_cancel():
                    self._pending.append(work)
        for each in self._pending:
            if not each.done.done():
                each.done.set_exception(NotTheWriterError())
        self._pending = []


def _is_of_data(error: Exception) -> bool:
    """Whether what was to be written is to blame for an error, and not the database."""
    if not isinstance(error, DBAPIError):
        return True  # the driver could not even hand it to the database
    code = str(getattr(error.orig, "sqlite_errorname", "")) or sqlstate(error.orig)
    return not error.connection_invalidated and code.startswith(_OF_DATA)
