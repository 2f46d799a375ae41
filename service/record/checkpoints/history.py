"""Compares the record with what others remember of it, and starts a new epoch if the record lacks something.

A restored copy is a complete and valid record; only others know that it was once longer: the mark file outside its
folder, the file of checkpoints, the positions of subscribers, programs that show a checkpoint. This module also keeps
the newest checkpoint in the mark file and in a file on a share; a share that hangs blocks one thread, and neither the
service nor its shutdown.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from service.record.checkpoints.checkpoint_store import (
    holds,
    is_explained,
    keep_mark,
    mark_faults,
    newest_note,
    notes_in,
)
from service.record.checkpoints.epochs import START, EntryNamed, EpochStart, epochs_of, read_epoch
from service.record.health import Check
from service.record.outbox import rewind_subscribers
from service.record.store.entries import Draft, RecordUnavailableError
from service.record.store.faults import RESTORED
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from service.record.checkpoints.epochs import Epoch
    from service.record.checkpoints.note import Note
    from service.record.health import Watched
    from service.record.outbox import Outbox
    from service.record.store.covered_rows import Digests
    from service.record.store.faults import Fault
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

MARK: Final = "mark file"
"""Name of the mark file in an epoch's entry."""


@dataclass(frozen=True, slots=True)
class RememberedEntry:
    """An entry that a source outside the record remembers.

    Attributes:
        entry: its number and hash; None for an entry of a log that this service follows.
        at: a moment at which the record held it.
        source: a subscriber, a file or a program that remembers it.
        held: whether the store still holds it.
    """

    entry: EntryNamed | None
    at: str
    source: str
    held: bool


@dataclass(slots=True)
class RecordHistory:
    """What sources outside a record remember of it.

    Attributes:
        files: the mark file and other files of checkpoints, by name.
    """

    record: Record
    outbox: Outbox
    table: str
    files: dict[str, Path]
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _mark_checked: bool = field(default=False, init=False)

    def check(self, notes: Sequence[tuple[str, Note]] = ()) -> Epoch | None:
        """Start a new epoch if the record lacks a remembered entry; RecordUnavailableError.

        Args:
            notes: checkpoints signed by this record, each with its source.

        Returns:
            The current epoch of the record; None while there is no record.
        """
        with self._lock:
            if not self._mark_checked and self.record.id:
                # Is this the record of the last run, and complete? From then on the record checks this itself.
                self.record.faults.add(*mark_faults(self.record, self.record.settings, self.record.id))
                self._mark_checked = True
            known = tuple(self._remembered(notes))
            if lost := tuple(each for each in known if not each.held):
                self._start_epoch(known, lost, by="", reason="")
            return next(reversed(epochs_of(self.record)), None)

    def declare_restored(self, by: str, reason: str) -> tuple[Epoch, tuple[Fault, ...]]:
        """Start a new epoch because a person declares that the record was restored; RecordUnavailableError.

        The person thereby accepts the faults that a restore explains (lost entries, another database); they are
        returned.
        """
        with self._lock:
            known = tuple(self._remembered(()))
            self.record.faults.add(*mark_faults(self.record, self.record.settings, self.record.id))
            explained = tuple(fault for fault in self.record.faults.open if fault.finding.code in RESTORED)
            lost = tuple(each for each in known if not each.held)
            self._start_epoch(known, lost, by=by, reason=reason, accepted=tuple(fault.name for fault in explained))
            self.record.accept_answered()
            return epochs_of(self.record)[-1], explained

    def last_lost(self) -> tuple[int, str]:
        """Return the newest lost entry of the current epoch, and who remembered it; RecordUnavailableError."""
        for entry in self.record.last(("epoch",)):
            epoch = read_epoch(entry)
            return (epoch.common.seq + 1 if epoch.lost is None else epoch.lost.seq), ", ".join(epoch.known_from)
        return 0, ""

    def _remembered(self, notes: Sequence[tuple[str, Note]]) -> Iterator[RememberedEntry]:
        for each in self.outbox.positions():
            entry = None if each.own is None else EntryNamed(seq=each.own, hash=each.hash)
            yield RememberedEntry(entry, each.at, each.subscriber, each.held)
        epochs = epochs_of(self.record)
        of_files = [(name, newest_of(path, self.record.id)) for name, path in self.files.items()]
        for source, remembered in (*of_files, *((name, (note,)) for name, note in notes)):
            for note in remembered:
                checkpoint = note.checkpoint
                held = holds(self.record.entry(checkpoint.seq), checkpoint.hash)
                if held or not is_explained(note, epochs):
                    yield RememberedEntry(
                        EntryNamed(seq=checkpoint.seq, hash=checkpoint.hash), checkpoint.at, source, held
                    )

    def _start_epoch(
        self,
        known: Sequence[RememberedEntry],
        lost: Sequence[RememberedEntry],
        *,
        by: str,
        reason: str,
        accepted: tuple[str, ...] = (),
    ) -> None:
        common = min((self._common(each, known) for each in lost), key=lambda each: each.seq, default=self._entry(None))
        newest = max((each.entry for each in lost if each.entry is not None), key=lambda each: each.seq, default=None)
        sources = tuple(sorted({each.source for each in lost}))
        epoch = EpochStart(common=common, lost=newest, known_from=sources, by=by, reason=reason, accepted=accepted)

        def move(connection: Connection) -> Digests:
            rewind_subscribers(connection, common.seq)
            return {}

        self.record.append(Draft("epoch", epoch.model_dump(mode="json"), table=self.table), beside=move)
        if lost:
            numbers = ", ".join(sorted({"of a table" if each.entry is None else str(each.entry.seq) for each in lost}))
            _log.error("the record does not hold entry %s, known from %s", numbers, ", ".join(sources))

    def _common(self, lost: RememberedEntry, known: Sequence[RememberedEntry]) -> EntryNamed:
        """Return the last entry that the record certainly shares with the source of a lost entry."""
        # Entries appended after that moment were appended after the restore.
        before = self.record.first_at(datetime.fromisoformat(lost.at)) - 1
        if lost.entry is None or before < lost.entry.seq:
            return self._entry(before)
        # The record has other entries of that time: it was rewritten.
        held = (each.entry for each in known if each.held and each.entry and each.entry.seq < lost.entry.seq)
        return max(held, key=lambda each: each.seq, default=START)

    def _entry(self, seq: int | None) -> EntryNamed:
        entry = self.record.head() if seq is None else self.record.entry(seq)
        return START if entry is None else EntryNamed(seq=entry.seq, hash=entry.hash)


def newest_of(path: Path, record: str) -> tuple[Note, ...]:
    """Return the checkpoints of a record at the end of a file; empty if the file cannot be read."""
    return tuple(note for note in notes_in(path) if note.checkpoint.record == record)


_LOOK_EVERY_S: Final = 3.0
_HANGS_AFTER_S: Final = 20.0


@dataclass(slots=True)
class CheckpointFile:
    """A file that checkpoints are appended to.

    Attributes:
        path: of the file; its folder must exist, so that nothing is written where a share is not mounted.
        found: checkpoints that were in it before the first was added; None until it was read.
        fault: why the last checkpoint could not be added; empty if it was.
    """

    path: Path
    record: Record
    found: tuple[Note, ...] | None = None
    fault: str = ""
    _thread: threading.Thread | None = field(default=None, init=False)
    _started: float = field(default=0.0, init=False)

    def add(self, note: Note) -> bool:
        """Add a checkpoint in a thread of its own; return False while the previous one is still being written."""
        if self._thread is not None and self._thread.is_alive():
            if time.monotonic() - self._started > _HANGS_AFTER_S:
                self.fault = "it does not answer"
            return False
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._add, args=(note,), name="checkpoints", daemon=True)
        self._thread.start()
        return True

    def wait(self, timeout_s: float) -> None:
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _add(self, note: Note) -> None:
        try:
            if self.found is None:
                self.found = newest_of(self.path, self.record.id)
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            with os.fdopen(handle, "ab") as file:
                # Start on a new line: the end of the previous checkpoint may be missing.
                file.write(f"\n{note.text}".encode())
                file.flush()
                os.fsync(handle)
        except OSError as error:
            self.fault = error.strerror or str(error)
        else:
            self.fault = ""


@dataclass(slots=True)
class CheckpointKeeper:
    """Checks the record's history, and keeps its newest checkpoint outside the record.

    Attributes:
        every_s: shortest interval between two checkpoints in it.
    """

    history: RecordHistory
    live: Watched
    mark: Path
    file: CheckpointFile | None
    every_s: float
    _marked: tuple[int, str] = field(default=(0, ""), init=False)
    _added: tuple[int, str] = field(default=(0, ""), init=False)
    _next_at: float = field(default=0.0, init=False)
    _loss_reported: bool = field(default=False, init=False)

    async def start(self) -> None:
        """Take the first step; call this before any notice is sent."""
        await asyncio.to_thread(self._step)

    async def run(self) -> None:
        """Repeat the step until cancelled, or until the service stops."""
        while not self.live.recorded.closed:
            heard = self.live.recorded.count
            await asyncio.to_thread(self._step)
            await self.live.recorded.wait_beyond(heard, _LOOK_EVERY_S)
            await asyncio.sleep(0.2)  # a burst of entries is one checkpoint

    def end(self) -> None:
        self._next_at = 0.0
        self._step()
        if self.file is not None:
            self.file.wait(2.0)

    def _step(self) -> None:
        try:
            notes = () if self.file is None else tuple(("checkpoints file", note) for note in self.file.found or ())
            epoch = self.history.check(notes)
            if self.file is not None and self.file.found:
                self.file.found = ()
            self._show_epoch(known=epoch is None or bool(epoch.by) or epoch.first.seq == 1)
            note = newest_note(self.history.record)
        except RecordUnavailableError:
            return  # the record's own check reports it; the next step tries again
        if note is not None:
            self._write_mark(note)
            self._add_to_file(note)

    def _show_epoch(self, *, known: bool) -> None:
        if known and not self._loss_reported:
            return
        self._loss_reported = True
        if known:
            check = Check.of("history", ServiceCode.HISTORY_WELL, ok=True)
        else:
            entry, sources = self.history.last_lost()
            check = Check.of("history", ServiceCode.HISTORY_LOST, ok=False, entry=entry, source=sources)
        self.live.check(check)
        self.live.recorded.notify()

    def _write_mark(self, note: Note) -> None:
        now = (note.checkpoint.seq, note.checkpoint.hash)
        if now == self._marked:
            return
        try:
            keep_mark(self.mark, note)
        except OSError as error:
            why = error.strerror or str(error)
            self.live.check(Check.of("mark", ServiceCode.MARK_NOT_WRITTEN, ok=False, file=str(self.mark), why=why))
        else:
            self._marked = now

    def _add_to_file(self, note: Note) -> None:
        if self.file is None:
            return
        now = (note.checkpoint.seq, note.checkpoint.hash)
        if (now != self._added or self.file.fault) and time.monotonic() >= self._next_at and self.file.add(note):
            self._added, self._next_at = now, time.monotonic() + self.every_s
        path = str(self.file.path)
        if self.file.fault:
            code, why = ServiceCode.CHECKPOINTS_NOT_WRITTEN, {"why": self.file.fault}
        else:
            code, why = ServiceCode.CHECKPOINTS_WELL, {}
        self.live.check(Check.of("checkpoints", code, ok=not self.file.fault, file=path, **why))
