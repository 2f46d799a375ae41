"""The checkpoint of an entry, as the record holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.record.checkpoints.note import note_of
from service.record.store.chain import BrokenEntryError
from service.record.store.keys import key_of

if TYPE_CHECKING:
    from service.record.checkpoints.note import Note
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader


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
    """The checkpoint of the newest entry."""
    return note_at(reader, reader.head())
