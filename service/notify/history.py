"""Holds the record against what is remembered of it elsewhere, and begins a new epoch where it lacks something.

A copy that was restored is a whole and valid record; that it once was longer is known only by others: the mark file
outside its folder, the file of checkpoints, how far subscribers were told, programs that show a checkpoint.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from service.notify.notices import ALL_PARTS
from service.notify.outbox import stand_behind
from service.record.checkpoints.epochs import START, EntryNamed, EpochBegun, begun, body_of, epochs_of
from service.record.checkpoints.mark import holds, is_told, mark_faults, notes_in
from service.record.store.entries import Draft
from service.record.store.faults import RESTORED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sqlalchemy import Connection

    from service.notify.outbox import Outbox
    from service.record.checkpoints.epochs import Epoch
    from service.record.checkpoints.note import Note
    from service.record.store.beside import Digests
    from service.record.store.faults import Fault
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

MARK: Final = "mark file"
"""What the mark file is called in an epoch's entry."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """An entry that somebody remembers, a moment at which it was there, and who remembers it.

    Attributes:
        entry: number and hash; None for an entry of a log that this service follows.
        held: whether the store has it.
    """

    entry: EntryNamed | None
    at: str
    whence: str
    held: bool


@dataclass(slots=True)
class History:
    """What is remembered of a record outside its chain.

    Attributes:
        record: the record.
        outbox: how far subscribers were told.
        table: the table's name.
        files: the mark file and others that checkpoints are kept in, by what each is called.
    """

    record: Record
    outbox: Outbox
    table: str
    files: dict[str, Path]
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _looked: bool = field(default=False, init=False)

    def look(self, shown: Sequence[tuple[str, Note]] = ()) -> Epoch | None:
        """Begin a new epoch if the record lacks an entry that is remembered; RecordUnavailableError.

        Args:
            shown: checkpoints signed by this record, with who showed each.

        Returns:
            The epoch in which the record goes on; None while there is no record.
        """
        with self._lock:
            if not self._looked and self.record.id:
                # Whether this is the record that was here before, and whole; later the record's own checks see to it.
                self.record.faults.add(*mark_faults(self.record, self.record.settings, self.record.id))
                self._looked = True
            known = tuple(self._remembered(shown))
            if lost := tuple(each for each in known if not each.held):
                self._begin(known, lost, by="", reason="")
            return next(reversed(epochs_of(self.record)), None)

    def shown(self, whence: str, note: Note) -> None:
        """Take note of a checkpoint that somebody shows; RecordUnavailableError."""
        self.look(((whence, note),))

    def restored(self, by: str, reason: str) -> tuple[Epoch, tuple[Fault, ...]]:
        """Begin a new epoch on somebody's word: the record was restored; RecordUnavailableError.

        Whoever says so answers with it for what a restore explains, which is returned: that entries that were here are
        gone, and that the database is another.
        """
        with self._lock:
            known = tuple(self._remembered(()))
            self.record.faults.add(*mark_faults(self.record, self.record.settings, self.record.id))
            explained = tuple(fault for fault in self.record.faults.open if fault.finding.code in RESTORED)
            lost = tuple(each for each in known if not each.held)
            self._begin(known, lost, by=by, reason=reason, accepted=tuple(fault.name for fault in explained))
            self.record.accept_answered()
            return epochs_of(self.record)[-1], explained

    def last_lost(self) -> tuple[int, str]:
        """The newest entry that the present epoch says is lost, and who remembered it; RecordUnavailableError."""
        for entry in self.record.last(("epoch",)):
            said = begun(entry)
            return (said.common.seq + 1 if said.lost is None else said.lost.seq), ", ".join(said.known_from)
        return 0, ""

    def _remembered(self, shown: Sequence[tuple[str, Note]]) -> Iterator[Remembered]:
        for each in self.outbox.standing():
            entry = None if each.own is None else EntryNamed(seq=each.own, hash=each.hash)
            yield Remembered(entry, each.at, each.subscriber, each.held)
        epochs = epochs_of(self.record)
        of_files = [(name, newest_of(path, self.record.id)) for name, path in self.files.items()]
        for whence, notes in (*of_files, *((name, (note,)) for name, note in shown)):
            for note in notes:
                checkpoint = note.checkpoint
                held = holds(self.record.entry(checkpoint.seq), checkpoint.hash)
                if held or not is_told(note, epochs):
                    yield Remembered(EntryNamed(seq=checkpoint.seq, hash=checkpoint.hash), checkpoint.at, whence, held)

    def _begin(
        self,
        known: Sequence[Remembered],
        lost: Sequence[Remembered],
        *,
        by: str,
        reason: str,
        accepted: tuple[str, ...] = (),
    ) -> None:
        common = min((self._common(each, known) for each in lost), key=lambda each: each.seq, default=self._entry(None))
        newest = max((each.entry for each in lost if each.entry is not None), key=lambda each: each.seq, default=None)
        whence = tuple(sorted({each.whence for each in lost}))
        said = EpochBegun(common=common, lost=newest, known_from=whence, by=by, reason=reason, accepted=accepted)

        def move(connection: Connection) -> Digests:
            stand_behind(connection, common.seq, ALL_PARTS)
            return {}

        self.record.append(Draft("epoch", body_of(said), table=self.table), beside=move)
        if lost:
            numbers = ", ".join(sorted({"of a table" if each.entry is None else str(each.entry.seq) for each in lost}))
            _log.error("the record does not hold entry %s, known from %s", numbers, ", ".join(whence))

    def _common(self, lost: Remembered, known: Sequence[Remembered]) -> EntryNamed:
        """The last entry that is surely common to the record and to whoever remembers an entry that it lacks."""
        # What was appended after that entry was there came after the restoring.
        before = self.record.first_at(datetime.fromisoformat(lost.at)) - 1
        if lost.entry is None or before < lost.entry.seq:
            return self._entry(before)
        # Entries of that time are there, but others: somebody wrote the record anew.
        held = (each.entry for each in known if each.held and each.entry and each.entry.seq < lost.entry.seq)
        return max(held, key=lambda each: each.seq, default=START)

    def _entry(self, seq: int | None) -> EntryNamed:
        entry = self.record.head() if seq is None else self.record.entry(seq)
        return START if entry is None else EntryNamed(seq=entry.seq, hash=entry.hash)


def newest_of(path: Path, record: str) -> tuple[Note, ...]:
    """The checkpoints of a record at the end of a file; none if it cannot be read."""
    return tuple(note for note in notes_in(path) if note.checkpoint.record == record)
