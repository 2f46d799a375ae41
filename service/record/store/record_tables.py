"""The tables of the record, for queries; :mod:`service.record.store.migrations` says what their columns are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import column, table

from service.record.store.chain import Entry
from service.record.store.entries import Reply

if TYPE_CHECKING:
    from sqlalchemy import FromClause

entries = table("record_entries", *map(column, Entry.__slots__))
checkpoints = table("record_checkpoints", *map(column, ("seq", "signature")))
pictures = table("record_pictures", *map(column, ("seq", "sha256", "bytes", "media_type")))
replies = table("record_replies", *map(column, ("seq", *Reply.__slots__)))


@dataclass(frozen=True, slots=True)
class RecordTables:
    """Where a record lies in a database: tables, or queries that give the same columns, as for a table at the floor."""

    entries: FromClause
    checkpoints: FromClause
    pictures: FromClause
    replies: FromClause


OWN: Final = RecordTables(entries, checkpoints, pictures, replies)
"""A database that is one record's own."""
