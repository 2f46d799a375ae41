"""The running service checks its own record: critical parts often and at once, all of it slowly and repeatedly.

A fault stops verification, over a restart too, until a person accepts it (:mod:`service.record.integrity.accept`) or
restores the data.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import func, select

from service.record.health import Check
from service.record.integrity.accept import ACCEPTED
from service.record.integrity.verify import begin_walk
from service.record.integrity.walk import database_faults, rows_between
from service.record.store import schema
from service.record.store.database import faults_as_unavailable, reading
from service.record.store.entries import RecordUnavailableError, timestamp
from service.record.store.faults import Fault, Memory
from service.words.codes import RecordCode, ServiceCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from service.record.health import Watched
    from service.record.integrity.walk import JudgedRows, Walk
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record import Record

_SEQ = schema.OWN.entries.c.seq


def missing_entry(reader: DatabaseReader) -> int:
    """Return the number of the first missing entry, by binary search; 0 without a gap. RecordUnavailableError."""
    with faults_as_unavailable(), reading(reader.database) as connection:
        row = connection.execute(select(func.count(), func.max(_SEQ)).select_from(schema.OWN.entries)).one()
        low, high = 0, int(row[1] or 0)
        if int(row[0]) == high:
            return 0
        # Up to ``low`` there is no gap, up to ``high`` there is one.
        while high - low > 1:
            middle = (low + high) // 2
            up_to = select(func.count()).select_from(schema.OWN.entries).where(middle >= _SEQ)
            if int(connection.execute(up_to).scalar_one()) == middle:
                low = middle
            else:
                high = middle
        return high


_log = logging.getLogger(__name__)

Compares: TypeAlias = Callable[["Record", Callable[[], object]], "JudgedRows"]
"""Compares a table with the record, and calls its second argument after every few entries."""
NAME: Final = "integrity"
LOOK_EVERY_S: Final = 5.0
_COUNT_EVERY_S: Final = 30.0
_REMEMBER_EVERY_S: Final = 30.0
_ROUND_EVERY_S: Final = 5.0
"""Shortest pause between two complete checks of the record."""
_SLICE: Final = 20
"""Number of entries checked together."""
_REST: Final = 9.0
"""Rest after a slice, as a multiple of its duration: the check takes a tenth of one core."""
_LEAST_REST_S: Final = 0.02
_NAMED_FAULTS: Final = 5
"""Faults that the check names; all of them are in the log, and ``houseway record verify`` finds them again."""


@dataclass(slots=True)
class Guard:
    """Checks the record of a running service, in a thread of its own at the lowest priority.

    Attributes:
        more: comparisons of further tables with the record, made after all entries were checked.
    """

    record: Record
    reload_accounts: Callable[[], object]
    live: Watched
    more: Sequence[Compares] = ()
    _walk: Walk | None = None
    _checked_at: str = ""
    _resume_at: int = 0
    _next: dict[str, float] = field(default_factory=dict)
    _remembered: Memory | None = None
    _stopping: threading.Event = field(default_factory=threading.Event)
    _look_at: float = 0.0

    def __post_init__(self) -> None:
        """Continue from the position that the last run stored."""
        self._remembered = Memory.load(self.record.settings.folder)
        if self._remembered is not None and self._remembered.record == self.record.id:
            self._resume_at = self._remembered.checked_through
            self._checked_at = self._remembered.checked_at
        elif self._found_before():
            self.record.faults.add(Fault.of(0, RecordCode.FOUND_BEFORE))

    def check(self) -> Check:
        """Return the check of the record's integrity: nothing is verified while there are open faults."""
        if faults := self.record.faults.open:
            named = tuple(fault.about for fault in faults[:_NAMED_FAULTS])
            # Readers of a result must not see names of accounts and numbers of entries.
            return Check(NAME, ok=False, findings=named, reason=Finding(ServiceCode.NOT_AS_RECORDED))
        if self._checked_at:
            well = Finding.of(RecordCode.INTEGRITY_WELL_SINCE, at=self._checked_at[:16].replace("T", " "))
        else:
            reached = self._walk.seq if self._walk is not None else self._resume_at
            well = Finding.of(RecordCode.INTEGRITY_WELL, entry=reached // 1000 * 1000)
        return Check(NAME, ok=True, findings=(well,))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Check while the block runs, and store the state of the check at its end."""
        thread = threading.Thread(target=self._run, name="record guard", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stopping.set()
            await asyncio.to_thread(thread.join, 10)
            self._remember()

    def look(self) -> None:
        """Check what is quick to check: the file, its end, gaps, the folder of pictures, accounts."""
        record = self.record
        try:
            record.look()
            if record.state.ok:
                record.accept_answered()
                self.reload_accounts()
                if self._due("count", _COUNT_EVERY_S) and (missing := missing_entry(record)):
                    record.faults.add(Fault.of(missing, RecordCode.ENTRY_OUT_OF_PLACE, entry=missing))
        except RecordUnavailableError as error:
            record.met(error)
        faults = record.faults.open
        if self._due("remember", _REMEMBER_EVERY_S) or (self._remembered and self._remembered.faults != faults):
            self._remember()
        self.live.check(self.check())

    def step(self) -> float:
        """Check the next few entries and their rows; return the number of seconds to rest."""
        record = self.record
        if not record.state.ok or record.public_key is None:
            return LOOK_EVERY_S
        started = time.perf_counter()
        if self._walk is None:
            if not self._due("round", 0.0):
                return LOOK_EVERY_S
            folder, key = record.evidence.folder, record.public_key
            self._walk = begin_walk(record, folder, key=key, first=self._resume_at + 1)
        walk = self._walk
        entries = record.raw_after(walk.seq, _SLICE)
        rows = rows_between(record, entries[0][0].seq, entries[-1][0].seq) if entries else {}
        for entry, signature in entries:
            faults = walk.take(entry, signature, rows[entry.seq])
            known = record.known.says(entry.seq, entry.hash)
            if known is False:
                faults.append(Fault.of(entry.seq, RecordCode.ENTRY_REPLACED))
            elif known is None and not any(fault.breaks_chain for fault in faults):
                record.known.note(entry.seq, entry.hash)
            record.faults.add(*faults)
        if not entries:
            record.faults.add(*database_faults(record))
            for compare in self.more:
                record.faults.add(*compare(record, self._resting()).faults)
            self._walk, self._resume_at, self._checked_at = None, 0, timestamp()
            self._next["round"] = time.monotonic() + _ROUND_EVERY_S
            self._remember()
            self.live.check(self.check())
        return max(_LEAST_REST_S, _REST * (time.perf_counter() - started))

    def _resting(self) -> Callable[[], object]:
        """Return a function that rests in proportion to the time since its last call, and makes due quick checks."""
        started = time.perf_counter()

        def rest() -> None:
            nonlocal started
            self._stopping.wait(max(_LEAST_REST_S, _REST * (time.perf_counter() - started)))
            self._look_if_due()
            started = time.perf_counter()

        return rest

    def _look_if_due(self) -> None:
        if time.monotonic() >= self._look_at and not self._stopping.is_set():
            self._look_at = time.monotonic() + LOOK_EVERY_S
            self.look()

    def _run(self) -> None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        rest = 0.0
        while not self._stopping.wait(rest):
            try:
                self._look_if_due()
                rest = self.step()
            except RecordUnavailableError as error:
                self.record.met(error)
                _log.debug("the record cannot be checked now: %s", error)  # its own check reports it
                rest = LOOK_EVERY_S
            except Exception:  # noqa: BLE001  no fault may end the checks
                _log.exception("checking the record failed; trying again")
                rest = LOOK_EVERY_S
            rest = min(rest, max(0.0, self._look_at - time.monotonic()))

    def _due(self, what: str, every_s: float) -> bool:
        if time.monotonic() < self._next.get(what, 0.0):
            return False
        self._next[what] = time.monotonic() + every_s
        return True

    def _remember(self) -> None:
        record = self.record
        if not record.id:
            return
        through = self._walk.seq if self._walk is not None else self._resume_at
        now = Memory(record.id, through, self._checked_at, record.faults.open)
        if now != self._remembered:
            try:
                now.save(record.settings.folder)
            except OSError as error:
                _log.warning("the state of the record's check cannot be stored: %s", error.strerror or error)
                return
            self._remembered = now

    def _found_before(self) -> bool:
        """Return whether the record's last entry about this check is a fault that nobody accepted."""
        try:
            noted = self.record.last(("health",), count=200)
            last = next((entry for entry in noted if entry.subject == NAME), None)
            if last is None or last.data["ok"]:
                return False
            since = self.record.after(last.seq, kinds=("integrity",), limit=100)
            return not any(entry.data["act"] == ACCEPTED for entry in since)
        except RecordUnavailableError:
            return False
