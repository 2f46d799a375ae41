"""The tables of followed logs, for queries; :mod:`service.record.store.migrations` makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import column, table

from service.record.store.chain import Entry
from service.record.store.record_tables import entries_of_all, logs, pictures_of_all

if TYPE_CHECKING:
    from collections.abc import Sequence

KNOWN: Final[Sequence[str]] = ("record", "key", "seq", "hash", "epoch", "due")
"""Columns with the head of a table's record."""
ENTRY: Final[Sequence[str]] = Entry.__slots__
"""Columns of an entry as its table has it."""

tables = logs
entries, pictures = entries_of_all, pictures_of_all
refused = table(
    "refused_entries",
    *map(column, ("id", "log", "sha256", "line", "code", "told", "first_at", "last_at", "times")),
)
cosignatures = table("log_cosignatures", *map(column, ("id", "log", "record", "seq", "hash", "key", "line")))
