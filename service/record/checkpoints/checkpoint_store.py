"""The checkpoints that are kept: the newest, those that witnesses signed, and the mark file beside the folder.

The mark file is the only place where a machine keeps the newest checkpoint that it saw. It is still there if the
database or the whole folder was replaced or lost.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, insert, select

from service.record.checkpoints.epochs import epochs_of
from service.record.checkpoints.note import note_of, read_notes
from service.record.store import schema
from service.record.store.database import faults_as_unavailable, writing
from service.record.store.database_reader import key_of
from service.record.store.entries import BrokenEntryError
from service.record.store.faults import Fault
from service.record.store.files import write_durably
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from service.record.checkpoints.epochs import Epoch
    from service.record.checkpoints.note import Note
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.record.store.record_settings import RecordSettings


def note_at(reader: DatabaseReader, entry: Entry | None) -> Note | None:
    """The checkpoint made when an entry was the newest; None without one, or unsigned. RecordUnavailableError."""
    first = reader.entry(1)
    if entry is None or first is None:
        return None
    made = reader.checkpoint(str(first.data["record"]), entry)
    try:
        return None if made is None else note_of(made, key_of(reader, entry.seq))
    except (BrokenEntryError, ValueError):
        return None


def newest_note(reader: DatabaseReader) -> Note | None:
    return note_at(reader, reader.head())


_COLUMNS = schema.cosignatures.c


def keep_cosignature(reader: DatabaseReader, seq: int, witness: str, line: str) -> None:
    """Keep a signature of a witness; RecordUnavailableError."""
    same = (_COLUMNS.seq == seq, _COLUMNS.witness == witness)
    with faults_as_unavailable(), writing(reader.database) as connection:
        connection.execute(delete(schema.cosignatures).where(*same))
        connection.execute(insert(schema.cosignatures).values(seq=seq, witness=witness, line=line))


def newest_witnessed(reader: DatabaseReader) -> Note | None:
    """The newest checkpoint that a witness signed, with all signatures of witnesses; RecordUnavailableError."""
    with faults_as_unavailable(), reader.database.connect() as connection:
        seq = connection.execute(select(func.max(_COLUMNS.seq))).scalar()
        rows = connection.execute(
            select(schema.cosignatures).where(_COLUMNS.seq == seq).order_by(_COLUMNS.witness)
        ).all()
    note = None if seq is None else note_at(reader, reader.entry(int(seq)))
    return None if note is None else note.cosigned(*(row.line for row in rows))


def witnessed_notes(reader: DatabaseReader, since: int, through: int) -> Iterator[str]:
    """Every checkpoint beyond an entry that witnesses signed, with all their signatures; RecordUnavailableError."""
    for seq, kept in groupby(all_cosignatures(reader), key=lambda each: each[0]):
        if since < seq <= through and (note := note_at(reader, reader.entry(seq))) is not None:
            yield note.cosigned(*(line for _, _, line in kept)).text


def all_cosignatures(reader: DatabaseReader) -> Iterator[tuple[int, str, str]]:
    """Number of the entry, witness and signature line of each, in order. RecordUnavailableError."""
    with faults_as_unavailable(), reader.database.connect() as connection:
        rows = connection.execute(select(schema.cosignatures).order_by(_COLUMNS.seq, _COLUMNS.witness)).all()
    yield from ((row.seq, row.witness, row.line) for row in rows)


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


def is_explained(note: Note, epochs: Sequence[Epoch]) -> bool:
    """Whether an epoch explains the loss of a checkpoint's entry: it was signed before that epoch started."""
    checkpoint = note.checkpoint
    return any(each.since < checkpoint.seq and each.at > checkpoint.at for each in epochs[1:])


def mark_faults(reader: DatabaseReader, settings: RecordSettings, record: str) -> Iterator[Fault]:
    """How a record differs from the one that this machine saw last; RecordUnavailableError.

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
        elif not holds(_entry(reader, seen.seq), seen.hash) and not is_explained(note, epochs_of(reader)):
            yield head_gone(seen.seq, seen.hash)


def head_gone(seq: int, entry_hash: str) -> Fault:
    """The fault of an entry that was in the record and is missing now."""
    return Fault.of(0, RecordCode.END_MISSING, last=seq, found=entry_hash[:16])


def _entry(reader: DatabaseReader, seq: int) -> Entry | None:
    return next((entry for entry, _ in reader.raw_after(seq - 1, limit=1) if entry.seq == seq), None)
