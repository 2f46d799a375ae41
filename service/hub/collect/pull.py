"""One table: pages of its entries, each checked and taken before the next is asked for."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from service.hub.collect.checking import due_of, extend, first_contact, parting
from service.hub.collect.client import WAIT_S, Gone, TableAwayError
from service.hub.collect.trust import contradicted, disputed, trust, trusted_of
from service.hub.store.batch import MovedError, NotStoredError
from service.hub.store.writer import NotTheWriterError
from service.record.changes import Attribution
from service.record.checkpoints.note import note_of
from service.record.store.entries import RecordUnavailableError, timestamp
from service.record.store.faults import Fault
from service.record.store.signing import Checkpoint, PublicKey
from service.record.store.stored_logs import START, UNKNOWN, CursorError, Refusal, cursor_of, read_cursor
from service.words.codes import FloorCode, RecordCode

if TYPE_CHECKING:
    from service.hub.collect.client import Page, TableClient
    from service.hub.collect.states import TableNow
    from service.hub.collect.trust import Trusted
    from service.hub.store.writer import FloorWriter
    from service.record.store.all_logs import LogsReader
    from service.record.store.record import Record
    from service.record.store.stored_logs import Extension, Known
    from service.system.remote_settings import RemoteTableConfig

_log = logging.getLogger(__name__)

TELL_S: Final = 30.0
"""How often a table is asked how it is; at once where what it recorded says that its checks changed."""
APART_S: Final = 0.25
"""A table in the middle of a round is not asked more often than this: entries that follow each other come together."""
PAUSES_S: Final = (0.5, 10.0, 30.0)
"""After the first failure in a row, the longest one, and while something is refused."""
_OF_CHECKS: Final = frozenset({"alarm", "health", "start"})
_FEW: Final = 4
"""So few entries are checked at once; more in a thread, for that takes hundredths of a second."""


class _NotTakenError(Exception):
    """Something is not taken, and nothing beyond it until that is right or a person decides."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.fault.finding.code)
        self.refusal = refusal


def _not_taken(fault: Fault, line: str = "") -> _NotTakenError:
    return _NotTakenError(Refusal(fault, line.encode(errors="replace")))


@dataclass(slots=True)
class TablePull:
    """Collects one table.

    Attributes:
        table: its settings.
        client: asks it.
        now: how it is.
        writer: takes its entries.
        reader: reads what was taken.
        record: the floor's own, in which is said what is trusted.
        pauses_s: see :data:`PAUSES_S`.
    """

    table: RemoteTableConfig
    client: TableClient
    now: TableNow
    writer: FloorWriter
    reader: LogsReader
    record: Record
    pauses_s: tuple[float, float, float] = PAUSES_S
    _trusted: Trusted | None = None
    _promised: Checkpoint | None = None
    _failed: int = 0
    _asked_at: float = float("-inf")
    _status_due_at: float = float("-inf")
    _more: bool = False

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.name

    async def run(self) -> None:
        """Collect for ever; ends when another floor writes."""
        await self._reload_trust()
        while await self.writer.ready():  # nothing is asked for that could not be taken
            try:
                pause_s = await self._attempt()
            except NotTheWriterError:
                return
            await self._tell()
            if pause_s:
                await self._pause(pause_s)
            elif not self._more:
                await asyncio.sleep(self._asked_at + APART_S - time.monotonic())
            if self.now.refused is not None:
                await self._reload_trust()

    async def _attempt(self) -> float:
        """Ask once, and take what comes; returns how long to wait before the next time, seconds."""
        if self.now.disputed is not None:
            self.now.refused = self.now.disputed
            return self.pauses_s[2]
        try:
            await self._once()
        except TableAwayError as error:
            if self.writer.writing:  # else its answer may have waited for the database
                self._note_away(error)
        except RecordUnavailableError as error:
            if not self._failed:
                _log.warning("%s: waits for the floor's database: %s", self.name, error)
        except MovedError:
            pass  # another attempt begins with what is held now
        except _NotTakenError as error:
            await self._refuse(error.refusal)
            return self.pauses_s[2]
        else:
            self._failed = 0
            return 0.0
        first, longest, _ = self.pauses_s
        self._failed += 1
        return min(longest, first * 2.0 ** min(self._failed - 1, 16))

    async def _once(self) -> None:
        """Ask once, and take what comes."""
        self._asked_at = time.monotonic()
        known = self.writer.known[self.name]
        since = cursor_of(*known.cursor) if known.seq else None
        # While something is known to be wrong, or not yet known to be right, nothing is waited for.
        wait_s = WAIT_S if self.now.collected_at and self.now.refused is None and self.now.away is None else 0.0
        gone: Gone | None = None
        async with self.client.entries(since, wait_s=wait_s) as found:
            if isinstance(found, Gone):
                gone = found
            elif known.seq and found.record != known.record:
                gone = Gone(restored=False)
            else:
                await self._take(known, found)
                await self._hold_against(found.shown)
        if gone is not None:
            await self._take_parted(known, gone)
        self.now.refused = None
        self._note_contact()
        await self._ask_how_it_is()

    async def _take(self, known: Known, page: Page, *, lost: bool = False) -> None:
        """Take what a page adds to what is known; _NotTakenError."""
        trusted = await self._trusted_in(known, page)
        if trusted is not None and page.given:
            few = len(page.given) <= _FEW
            checked = (
                extend(known, page.given, trusted, lost=lost)
                if few
                else await asyncio.to_thread(extend, known, page.given, trusted, lost=lost)
            )
            if checked.extension is not None:
                try:
                    await self.writer.take(self.name, checked.extension)
                except NotStoredError as error:
                    raise _not_taken(Fault.of(known.seq + 1, FloorCode.NOT_STORED, why=str(error))) from None
                self._note_taken(checked.extension, page)
            if checked.refusal is not None:
                raise _NotTakenError(checked.refusal)
        self._more = page.more
        if not page.more:
            self.now.behind_s = 0.0
            if (due := self.writer.known[self.name].due) is not None:  # it was announced, and there is no more
                raise _not_taken(Fault.of(due.seq, FloorCode.NOT_RESTORED))

    async def _hold_against(self, shown: Checkpoint | None) -> None:
        """Hold a checkpoint that the table shows against its entries, once they reach it; _NotTakenError."""
        known = self.writer.known[self.name]
        promised = self._promised if self._promised is not None and self._promised.seq <= known.seq else None
        for each in (promised, shown):
            if each is not None and each.record == known.record and each.seq <= known.seq:
                await self._check_shown(known, each)
        if promised is not None:
            self._promised = None
        if shown is not None and shown.seq > known.seq and self._promised is None:
            self._promised = shown

    async def _check_shown(self, known: Known, shown: Checkpoint) -> None:
        if (shown.seq, shown.hash) == (known.seq, known.hash):
            return
        note = note_of(shown, PublicKey.of_hex(known.key))
        if not await asyncio.to_thread(contradicted, self.reader, self.name, note):
            return
        self._promised = None
        keys = {known.key, *(() if self._trusted is None else (self._trusted.key, *self._trusted.accepted.values()))}
        if not any(PublicKey.of_hex(key).holds(shown) for key in keys):  # anybody on the line may have put it there
            raise TableAwayError.of(FloorCode.NOT_ANSWERED, why="a checkpoint that the table did not sign")
        self.now.disputed = Fault.of(shown.seq, FloorCode.CHECKPOINT_NOT_HELD, last=shown.seq, found=shown.hash[:16])
        raise _not_taken(self.now.disputed, note.text)

    async def _trusted_in(self, known: Known, page: Page) -> Trusted | None:
        """What is trusted of the record that a page is of; None if that is not begun. _NotTakenError if it is another.

        At the first contact the record is taken as it is, unless the settings name it; that is recorded first.
        """
        if self._trusted is None and page.given:
            await self._begin_to_trust(page)
        if self._trusted is not None and page.record != (known.record or self._trusted.record):
            raise self._other_record(page)
        return self._trusted

    async def _begin_to_trust(self, page: Page) -> None:
        found = first_contact(page.given[0])
        if found is None:
            raise _not_taken(Fault.of(1, RecordCode.FIRST_ENTRY_MISSING), page.given[0].line)
        of, key = found
        if self.table.record not in {None, of}:
            raise self._other_record(page)
        why = Attribution("the floor", "first contact" if self.table.record is None else "named in the settings")
        await asyncio.to_thread(trust, self.record, self.name, of, key, why)
        await self._reload_trust()
        _log.info("%s: its record %s is trusted from now on (%s)", self.name, of, why.reason)

    def _other_record(self, page: Page) -> _NotTakenError:
        known = self._trusted.record if self._trusted is not None else self.table.record
        line = page.given[0].line if page.given else ""
        return _not_taken(Fault.of(0, FloorCode.OTHER_RECORD, record=page.record, known=known or ""), line)

    async def _take_parted(self, known: Known, gone: Gone) -> None:
        """Go on where the table's record parts from what is held: restored, or another one that a person accepted."""
        self._promised = None
        async with self.client.entries(None, limit=1) as first:
            if isinstance(first, Gone):
                raise TableAwayError.of(FloorCode.NOT_ANSWERED, why="409")
            if first.record != known.record:
                await self._reload_trust()
                if self._trusted is None or self._trusted.record != first.record:
                    raise self._other_record(first)
                _log.warning("%s: its record is %s from now on, as was accepted", self.name, first.record)
                await self._take(UNKNOWN, first, lost=True)
                return
        if not gone.restored:
            shown = await self.client.show(await asyncio.to_thread(self._checkpoint, known))
            if shown is None:
                return  # it has the entry after all
            if not shown.restored:
                raise _not_taken(Fault.of(known.seq, FloorCode.ENTRY_REPLACED))
            gone = shown
        await self._follow(known, str(gone.go_on))

    async def _follow(self, known: Known, go_on: str) -> None:
        """Follow a restored record from the last entry that is surely common to where it parts from what is held."""
        try:
            seq, start = read_cursor(go_on)
        except CursorError as error:
            raise TableAwayError.of(FloorCode.NOT_ANSWERED, why=str(error)) from None
        held = await asyncio.to_thread(self.reader.hashes, self.name, seq, seq)
        if seq > known.seq or ((seq, start) != START and not held.get(seq, "").startswith(start)):
            raise _not_taken(Fault.of(seq, FloorCode.COMMON_NOT_HELD))
        since = go_on
        while True:
            async with self.client.entries(None if seq == 0 else since, wait_s=WAIT_S) as page:
                if isinstance(page, Gone):
                    raise TableAwayError.of(FloorCode.NOT_ANSWERED, why="409")
                held = await asyncio.to_thread(self.reader.hashes, self.name, seq, seq + len(page.given))
                at = parting(page.given, held)
                if at is not None and at < known.seq:
                    await self._take_from(at, page)
                if at is not None or not page.given:
                    return  # with nothing new yet, what is held is more than the table has
                since, seq = page.next, seq + len(page.given)

    async def _take_from(self, at: int, page: Page) -> None:
        """Take entries of a restored record that follow an entry that is held."""
        accepted = {} if self._trusted is None else self._trusted.accepted
        base = await asyncio.to_thread(self.reader.known_at, self.name, at, accepted) if at else UNKNOWN
        due = due_of(page.announced, at)
        if base is None or due is None:
            line = next((each.line for each in page.given if f'"seq":{at + 1},' in each.line), "")
            raise _not_taken(Fault.of(at + 1, FloorCode.ENTRY_REPLACED), line)
        _log.warning("%s: its record was restored; it goes on from entry %s in epoch %s", self.name, at, due.epoch)
        await self._take(replace(base, due=due, epoch=due.epoch), page, lost=True)

    def _checkpoint(self, known: Known) -> str:
        """The table's own checkpoint of the newest entry that is held."""
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

    async def _refuse(self, refusal: Refusal) -> None:
        """Keep what is not taken aside, and say so."""
        if self.now.refused != refusal.fault:
            _log.error("%s: what it sent is not taken: %s", self.name, refusal.fault.words)
        self.now.refused, self.now.away = refusal.fault, None
        self.now.collected_at = timestamp()
        try:
            await self.writer.refuse(self.name, refusal)
        except (NotStoredError, NotTheWriterError) as error:
            _log.warning("%s: what is not taken cannot be kept aside: %s", self.name, error)

    def _note_away(self, error: TableAwayError) -> None:
        if self.now.away is None:
            _log.warning("%s: %s", self.name, error)
        self.now.away = error.finding

    def _note_taken(self, taken: Extension, page: Page) -> None:
        if not _OF_CHECKS.isdisjoint(each.entry.kind for each in taken.entries):
            self._status_due_at = float("-inf")
        at = taken.entries[-1].entry.at
        if page.newest_at is not None:
            self.now.behind_s = max(0.0, (page.newest_at - datetime.fromisoformat(at)).total_seconds())

    def _note_contact(self) -> None:
        self.now.away = None
        self.now.collected_at = timestamp()

    async def _ask_how_it_is(self) -> None:
        """Ask the table how it is, now and then; TableAwayError."""
        unknown = self.now.told is None or self._failed > 0
        if time.monotonic() < self._status_due_at and not unknown:
            return
        self._status_due_at = time.monotonic() + TELL_S
        if not self.now.version or self._failed or self.now.away is not None:
            self.now.version = await self.client.version()
        self.now.told = await self.client.told()
        self._note_contact()

    async def _tell(self) -> None:
        """Have the store know how the table is, if that is news."""
        if self.writer.writing and (news := self.now.news()) is not None:
            try:
                await self.writer.tell(self.name, *news)
            except (NotStoredError, NotTheWriterError) as error:
                _log.warning("%s: how it is cannot be kept: %s", self.name, error)

    async def _pause(self, longest_s: float) -> None:
        """Wait, half of it by chance: tables that were away together are not asked together."""
        await asyncio.sleep(longest_s * random.uniform(0.5, 1.0))  # noqa: S311  no secret
