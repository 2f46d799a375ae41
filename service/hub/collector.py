"""Collect the entries of all remote tables, one task each: every page is checked and stored before the next request."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from service.hub.checking import (
    contradicted,
    disputed,
    due_of,
    extend,
    first_contact,
    last_common,
    trust,
    trusted_of,
)
from service.hub.table_client import WAIT_S, Diverged, TableAwayError, TableClient
from service.hub.table_states import TableStates
from service.hub.writer import MovedError, NotStoredError, NotTheWriterError
from service.record.changes import FIRST_CONTACT, NAMED_IN_SETTINGS
from service.record.checkpoints.note import note_of
from service.record.store.entries import RecordUnavailableError, timestamp
from service.record.store.faults import Fault
from service.record.store.signing import Checkpoint, PublicKey
from service.record.store.stored_logs import START, UNKNOWN, CursorError, Refusal, cursor_of, read_cursor
from service.system.background import in_background
from service.words.codes import HubCode, RecordCode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.hub.checking import Trusted
    from service.hub.table_client import EntryPage
    from service.hub.table_states import TableNow
    from service.hub.writer import HubWriter
    from service.record.store.all_logs import LogsReader
    from service.record.store.record import Record
    from service.record.store.stored_logs import Extension, Known
    from service.system.remote_settings import RemoteTableConfig
    from service.system.settings import Config

_log = logging.getLogger(__name__)

_ROOM: Final = 24
"""Large answers with entries in memory at once; further ones wait to be read."""
_STARTS_A_SECOND: Final = 200.0
_POLL_S: Final = 1.0
_REPORT_S: Final = 30.0
"""Interval of a table's reports on itself; the next one is due at once when its checks have changed."""
_APART_S: Final = 0.25
"""Shortest interval of requests to a table, so that entries that follow each other come together."""
PAUSES_S: Final = (0.5, 10.0, 30.0)
"""After the first failure in a row; the longest one; and while entries are refused."""
_OF_CHECKS: Final = frozenset({"alarm", "health", "start"})
_FEW: Final = 4
"""Entries checked at once; more are checked in a thread, since that takes hundredths of a second."""


class Collector:
    """Collects all remote tables; the failure of one affects no other.

    Attributes:
        states: states of the tables.
        clients: clients of the tables, by name.
    """

    def __init__(
        self,
        config: Config,
        writer: HubWriter,
        reader: LogsReader,
        record: Record,
        *,
        pauses_s: tuple[float, float, float] = PAUSES_S,
    ) -> None:
        self.states = TableStates(table.name for table in config.remote)
        self.clients: dict[str, TableClient] = {}
        self._config, self._pauses_s = config, pauses_s
        self._writer, self._reader, self._record = writer, reader, record

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Collect while the block runs; ConfigError if a key cannot be read."""
        room = asyncio.Semaphore(_ROOM)
        pulls = [self._pull(table, room) for table in self._config.remote]
        try:
            async with in_background(self._follow_record(), *(self._run(each) for each in pulls)):
                yield
        finally:
            await asyncio.gather(*(client.close() for client in self.clients.values()))

    def _pull(self, table: RemoteTableConfig, room: asyncio.Semaphore) -> TablePull:
        client = TableClient(table.address, table.key(), table.ca_file, room)
        self.clients[table.name] = client
        now = self.states.tables[table.name]
        return TablePull(table, client, now, self._writer, self._reader, self._record, self._pauses_s)

    async def _follow_record(self) -> None:
        """Recover this service's own record after a failure of the database, and note whether it is on standby."""
        while True:
            if not self._record.state.ok:
                await asyncio.to_thread(self._record.recover)
            self.states.set_standby(standby=self._record.state.is_standby)
            await asyncio.sleep(_POLL_S)

    async def _run(self, pull: TablePull) -> None:
        # All at once would be as many connections at once.
        await asyncio.sleep(random.uniform(0.0, len(self._config.remote) / _STARTS_A_SECOND))  # noqa: S311  no secret
        while True:
            try:
                await pull.run()
            except Exception:  # noqa: BLE001  it is logged, and must not end the collection of the table for good
                _log.exception("collecting the table %s failed; it is started again", pull.name)
                await asyncio.sleep(1.0)
            else:
                return


class _RefusedError(Exception):
    """Entries are refused, and all further ones until that is corrected or a person decides."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.fault.finding.code)
        self.refusal = refusal


def _refused(fault: Fault, line: str = "") -> _RefusedError:
    return _RefusedError(Refusal(fault, line.encode(errors="replace")))


@dataclass(slots=True)
class TablePull:
    """Collects one table.

    Attributes:
        table: its settings.
        client: its client.
        now: its state.
        writer: stores its entries.
        reader: reads stored entries.
        record: this service's own, which contains the decisions on trust.
        pauses_s: see :data:`PAUSES_S`.
    """

    table: RemoteTableConfig
    client: TableClient
    now: TableNow
    writer: HubWriter
    reader: LogsReader
    record: Record
    pauses_s: tuple[float, float, float] = PAUSES_S
    _trusted: Trusted | None = None
    _ahead: Checkpoint | None = None  # a checkpoint to compare with its entry once that is collected
    _failed: int = 0
    _asked_at: float = float("-inf")
    _report_due_at: float = float("-inf")
    _more: bool = False

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.name

    async def run(self) -> None:
        """Collect until the writer is stopped."""
        await self._reload_trust()
        while await self.writer.ready():  # nothing is requested that could not be stored
            try:
                pause_s = await self._attempt()
            except NotTheWriterError:
                return
            self.now.update()
            if pause_s:
                await self._pause(pause_s)
            elif not self._more:
                await asyncio.sleep(self._asked_at + _APART_S - time.monotonic())
            if self.now.refused is not None:
                await self._reload_trust()

    async def _attempt(self) -> float:
        """Request and store entries once; return the pause before the next request, seconds."""
        if self.now.disputed is not None:
            self.now.refused = self.now.disputed
            return self.pauses_s[2]
        try:
            await self._once()
        except TableAwayError as error:
            if self.writer.writing:  # otherwise its answer may have waited for the database
                if self.now.away is None:
                    _log.warning("%s: %s", self.name, error)
                self.now.away = error.finding
        except RecordUnavailableError as error:
            if not self._failed:
                _log.warning("%s: waits for the database: %s", self.name, error)
        except MovedError:
            pass  # the next attempt starts from what is stored now
        except _RefusedError as error:
            await self._store_refusal(error.refusal)
            return self.pauses_s[2]
        else:
            self._failed = 0
            return 0.0
        first, longest, _ = self.pauses_s
        self._failed += 1
        return min(longest, first * 2.0 ** min(self._failed - 1, 16))

    async def _once(self) -> None:
        self._asked_at = time.monotonic()
        known = self.writer.known[self.name]
        since = cursor_of(*known.cursor) if known.seq else None
        # No long polling while something is wrong, or not yet known to be right.
        wait_s = WAIT_S if self.now.collected_at and self.now.refused is None and self.now.away is None else 0.0
        diverged: Diverged | None = None
        async with self.client.entries(since, wait_s=wait_s) as found:
            if isinstance(found, Diverged):
                diverged = found
            elif known.seq and found.record != known.record:
                diverged = Diverged(restored=False)
            else:
                await self._take(known, found)
                await self._compare(found.checkpoint)
        if diverged is not None:
            await self._take_diverged(known, diverged)
        self.now.refused = None
        self._note_contact()
        await self._request_report()

    async def _take(self, known: Known, page: EntryPage, *, lost: bool = False) -> None:
        """Store the new entries of a page; _RefusedError."""
        trusted = await self._trusted_in(known, page)
        if trusted is not None and page.entries:
            few = len(page.entries) <= _FEW
            checked = (
                extend(known, page.entries, trusted, lost=lost)
                if few
                else await asyncio.to_thread(extend, known, page.entries, trusted, lost=lost)
            )
            if checked.extension is not None:
                try:
                    await self.writer.take(self.name, checked.extension)
                except NotStoredError as error:
                    raise _refused(Fault.of(known.seq + 1, HubCode.NOT_STORED, why=str(error))) from None
                self._note_taken(checked.extension, page)
            if checked.refusal is not None:
                raise _RefusedError(checked.refusal)
        self._more = page.more
        if not page.more:
            self.now.behind_s = 0.0
            if (due := self.writer.known[self.name].due) is not None:  # announced, but the feed has ended
                raise _refused(Fault.of(due.seq, HubCode.NOT_RESTORED))

    async def _compare(self, newest: Checkpoint | None) -> None:
        """Compare a checkpoint of the table with its entry as soon as that is collected; _RefusedError."""
        known = self.writer.known[self.name]
        ahead = self._ahead if self._ahead is not None and self._ahead.seq <= known.seq else None
        for each in (ahead, newest):
            if each is not None and each.record == known.record and each.seq <= known.seq:
                await self._check(known, each)
        if ahead is not None:
            self._ahead = None
        if newest is not None and newest.seq > known.seq and self._ahead is None:
            self._ahead = newest

    async def _check(self, known: Known, checkpoint: Checkpoint) -> None:
        if (checkpoint.seq, checkpoint.hash) == (known.seq, known.hash):
            return
        note = note_of(checkpoint, PublicKey.of_hex(known.key))
        if not await asyncio.to_thread(contradicted, self.reader, self.name, note):
            return
        self._ahead = None
        keys = {known.key, *(() if self._trusted is None else (self._trusted.key, *self._trusted.accepted.values()))}
        if not any(PublicKey.of_hex(key).holds(checkpoint) for key in keys):  # anyone on the network may have sent it
            raise TableAwayError.of(HubCode.NOT_ANSWERED, why="a checkpoint that the table did not sign")
        seq, start = checkpoint.seq, checkpoint.hash[:16]
        self.now.disputed = Fault.of(seq, HubCode.CHECKPOINT_CONTRADICTED, last=seq, found=start)
        raise _refused(self.now.disputed, note.text)

    async def _trusted_in(self, known: Known, page: EntryPage) -> Trusted | None:
        """The trusted record, which must be the page's: otherwise _RefusedError. None if it has no entry yet.

        At the first contact the record is accepted, unless the settings name another; that is recorded first.
        """
        if self._trusted is None and page.entries:
            await self._accept_first(page)
        if self._trusted is not None and page.record != (known.record or self._trusted.record):
            raise self._other_record(page)
        return self._trusted

    async def _accept_first(self, page: EntryPage) -> None:
        found = first_contact(page.entries[0])
        if found is None:
            raise _refused(Fault.of(1, RecordCode.FIRST_ENTRY_MISSING), page.entries[0].line)
        of, key = found
        if self.table.record not in {None, of}:
            raise self._other_record(page)
        why = FIRST_CONTACT if self.table.record is None else NAMED_IN_SETTINGS
        await asyncio.to_thread(trust, self.record, self.name, of, key, why)
        await self._reload_trust()
        _log.info("%s: its record %s is trusted from now on (%s)", self.name, of, why.reason)

    def _other_record(self, page: EntryPage) -> _RefusedError:
        known = self._trusted.record if self._trusted is not None else self.table.record
        line = page.entries[0].line if page.entries else ""
        return _refused(Fault.of(0, HubCode.OTHER_RECORD, record=page.record, known=known or ""), line)

    async def _take_diverged(self, known: Known, diverged: Diverged) -> None:
        """Continue where the table's record diverges: it was restored, or is another one that a person accepted."""
        self._ahead = None
        async with self.client.entries(None, limit=1) as first:
            if isinstance(first, Diverged):
                raise TableAwayError.of(HubCode.NOT_ANSWERED, why="409")
            if first.record != known.record:
                await self._reload_trust()
                if self._trusted is None or self._trusted.record != first.record:
                    raise self._other_record(first)
                _log.warning("%s: its record is %s from now on, as was accepted", self.name, first.record)
                await self._take(UNKNOWN, first, lost=True)
                return
        if not diverged.restored:
            compared = await self.client.compare(await asyncio.to_thread(self._checkpoint, known))
            if compared is None:
                return  # it has the entry after all
            if not compared.restored:
                raise _refused(Fault.of(known.seq, HubCode.ENTRY_REPLACED))
            diverged = compared
        await self._follow(known, str(diverged.go_on))

    async def _follow(self, known: Known, go_on: str) -> None:
        """Follow a restored record from the last entry that is surely common to the point of divergence."""
        try:
            seq, start = read_cursor(go_on)
        except CursorError as error:
            raise TableAwayError.of(HubCode.NOT_ANSWERED, why=str(error)) from None
        hashes = await asyncio.to_thread(self.reader.hashes, self.name, seq, seq)
        if seq > known.seq or ((seq, start) != START and not hashes.get(seq, "").startswith(start)):
            raise _refused(Fault.of(seq, HubCode.COMMON_ENTRY_MISSING))
        since = go_on
        while True:
            async with self.client.entries(None if seq == 0 else since, wait_s=WAIT_S) as page:
                if isinstance(page, Diverged):
                    raise TableAwayError.of(HubCode.NOT_ANSWERED, why="409")
                hashes = await asyncio.to_thread(self.reader.hashes, self.name, seq, seq + len(page.entries))
                at = last_common(page.entries, hashes)
                if at is not None and at < known.seq:
                    await self._take_from(at, page)
                if at is not None or not page.entries:
                    return  # without new entries, more is stored than the table has
                since, seq = page.next, seq + len(page.entries)

    async def _take_from(self, at: int, page: EntryPage) -> None:
        """Store the entries of a restored record after the common entry ``at``."""
        accepted = {} if self._trusted is None else self._trusted.accepted
        base = await asyncio.to_thread(self.reader.known_at, self.name, at, accepted) if at else UNKNOWN
        due = due_of(page.epochs, at)
        if base is None or due is None:
            line = next((each.line for each in page.entries if f'"seq":{at + 1},' in each.line), "")
            raise _refused(Fault.of(at + 1, HubCode.ENTRY_REPLACED), line)
        _log.warning("%s: its record was restored; it continues after entry %s in epoch %s", self.name, at, due.epoch)
        await self._take(replace(base, due=due, epoch=due.epoch), page, lost=True)

    def _checkpoint(self, known: Known) -> str:
        """The table's own checkpoint of the newest stored entry."""
        held = self.reader.entry(self.name, known.seq)
        before = self.reader.known_at(self.name, known.seq - 1) or known
        if held is None:
            raise MovedError(self.name)
        entry = held.entry
        made = Checkpoint(known.record, entry.seq, entry.hash, entry.at, held.signature)
        return note_of(made, PublicKey.of_hex(before.key)).compact

    async def _reload_trust(self) -> None:
        while True:
            try:
                self._trusted = await asyncio.to_thread(trusted_of, self.record, self.name)
                self.now.disputed = await asyncio.to_thread(disputed, self.record, self.reader, self.name)
            except RecordUnavailableError:
                await self._pause(self.pauses_s[1])
            else:
                return

    async def _store_refusal(self, refusal: Refusal) -> None:
        if self.now.refused != refusal.fault:
            _log.error("%s: what it sent is refused: %s", self.name, refusal.fault.words)
        self.now.refused = refusal.fault
        self._note_contact()
        try:
            await self.writer.refuse(self.name, refusal)
        except (NotStoredError, NotTheWriterError) as error:
            _log.warning("%s: the refused line cannot be stored: %s", self.name, error)

    def _note_taken(self, taken: Extension, page: EntryPage) -> None:
        if not _OF_CHECKS.isdisjoint(each.entry.kind for each in taken.entries):
            self._report_due_at = float("-inf")
        if page.checkpoint is not None:
            newest, collected = page.checkpoint.at, taken.entries[-1].entry.at
            lag = datetime.fromisoformat(newest) - datetime.fromisoformat(collected)
            self.now.behind_s = max(0.0, lag.total_seconds())

    def _note_contact(self) -> None:
        self.now.away = None
        self.now.collected_at = timestamp()

    async def _request_report(self) -> None:
        """Request the table's report on itself if it is due; TableAwayError."""
        if time.monotonic() < self._report_due_at and self.now.report is not None and not self._failed:
            return
        self._report_due_at = time.monotonic() + _REPORT_S
        if not self.now.version or self._failed:
            self.now.version = await self.client.version()
        self.now.report = await self.client.report()
        self._note_contact()

    async def _pause(self, longest_s: float) -> None:
        """Wait, half of it at random, so that tables that failed together are not asked together."""
        await asyncio.sleep(longest_s * random.uniform(0.5, 1.0))  # noqa: S311  no secret
