"""The tables of the store, for queries; :mod:`service.record.store.migrations` says what their columns are.

One store holds the entries of several logs: this service's own, and those of the services that it follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import column, select, table

from service.record.store.chain import Entry
from service.record.store.entries import Reply

if TYPE_CHECKING:
    from sqlalchemy import FromClause

OWN_LOG: Final = 1
"""Number of this service's own log."""
TIMED: Final = ("review", "alarm", "outage")
"""Kinds of entries that are also found by their time."""

logs = table(
    "logs",
    *map(column, ("id", "name", "record", "key", "seq", "hash", "epoch", "due", "state", "since", "told", "copied")),
)
entries_of_all = table(
    "record_entries", *map(column, ("position", "log", *Entry.__slots__, "signature", "received_at", "gone"))
)
pictures_of_all = table("record_pictures", *map(column, ("position", "sha256", "bytes", "media_type")))
replies = table("record_replies", *map(column, ("seq", *Reply.__slots__)))
"""Answers to requests that were sent to this service."""


@dataclass(frozen=True, slots=True)
class LogTables:
    """The entries that a log has now, with the columns of an entry and by the numbers of that log.

    Attributes:
        entries: columns of an entry.
        signatures: ``seq`` and ``signature``.
        pictures: ``seq``, ``sha256``, ``bytes`` and ``media_type``.
    """

    entries: FromClause
    signatures: FromClause
    pictures: FromClause


def tables_of(log: int) -> LogTables:
    """The tables of one log."""
    columns, named = entries_of_all.c, pictures_of_all.c
    of_log = (columns.log == log, columns.gone.is_(None))
    pictures = (
        select(columns.seq, named.sha256, named.bytes, named.media_type)
        .join_from(pictures_of_all, entries_of_all, named.position == columns.position)
        .where(*of_log)
    )
    return LogTables(
        select(*(columns[name] for name in Entry.__slots__)).where(*of_log).subquery("entries"),
        select(columns.seq, columns.signature).where(*of_log).subquery("signatures"),
        pictures.subquery("pictures"),
    )


OWN: Final = tables_of(OWN_LOG)
entries, signatures, pictures = OWN.entries, OWN.signatures, OWN.pictures
