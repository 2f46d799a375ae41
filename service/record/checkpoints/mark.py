"""What this machine has seen of its record: the newest checkpoint, in the mark file beside the record's folder.

It is the only place where a machine keeps that. It lies outside the folder, so that it is still there where the
database was replaced in its folder, where the whole folder was put back as it once was, where another one lies in its
place, and where the folder is gone. For a record in PostgreSQL the same holds of the database.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from service.record.checkpoints.epochs import epochs_of
from service.record.checkpoints.note import read_notes
from service.record.store.faults import Fault
from service.record.store.files import write_durably
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from service.record.checkpoints.epochs import Epoch
    from service.record.checkpoints.note import Note
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import RecordSettings

_TAIL_BYTES: Final = 256 * 1024
"""How much of the end of a file of checkpoints is looked at."""


def keep_mark(mark: Path, note: Note) -> None:
    """Remember a checkpoint as the newest; OSError if it cannot be written."""
    write_durably(mark, note.text.encode(), mode=0o600)


def notes_in(path: Path) -> tuple[Note, ...]:
    """The checkpoints at the end of a file; none if it cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL_BYTES))
        return read_notes(file.read().decode(errors="replace"))
    return ()


def holds(entry: Entry | None, entry_hash: str) -> bool:
    """Whether an entry is there and has this hash."""
    return entry is not None and entry.hash == entry_hash


def is_told(note: Note, epochs: Sequence[Epoch]) -> bool:
    """Whether an epoch explains the loss of a checkpoint's entry: it was signed before that epoch started."""
    checkpoint = note.checkpoint
    return any(each.since < checkpoint.seq and each.at > checkpoint.at for each in epochs[1:])


def mark_faults(reader: DatabaseReader, settings: RecordSettings, record: str) -> Iterator[Fault]:
    """In what way a record is not the one that this machine has seen last; RecordUnavailableError.

    Args:
        reader: the database.
        settings: where the record lies, and with it the mark file.
        record: id of the record.
    """
    notes = notes_in(settings.mark_file)
    for note in notes:
        seen = note.checkpoint
        if seen.record != record:
            yield Fault.of(0, RecordCode.RECORD_EXCHANGED, file=str(settings.mark_file), known=seen.record)
        elif not holds(_entry(reader, seen.seq), seen.hash) and not is_told(note, epochs_of(reader)):
            yield head_gone(seen.seq, seen.hash)


def head_gone(seq: int, entry_hash: str) -> Fault:
    """That an entry was in the record and is there no more."""
    return Fault.of(0, RecordCode.HEAD_GONE, last=seq, found=entry_hash[:16])


def _entry(reader: DatabaseReader, seq: int) -> Entry | None:
    """Return an entry, unchecked."""
    return next((entry for entry, _ in reader.raw_after(seq - 1, limit=1) if entry.seq == seq), None)
