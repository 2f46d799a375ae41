"""The store's tables, for queries; its migrations (``versions``) make them, beside those of the floor's own record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import column, table

from service.record.store.chain import Entry
from service.record.store.database import Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA: Final = Schema(Path(__file__).parent / "versions", "floor1", "floor_version")
KNOWN: Final[Sequence[str]] = ("record", "key", "seq", "hash", "epoch", "due")
"""Columns of what is known of a table's record."""
ENTRY: Final[Sequence[str]] = Entry.__slots__
"""Columns of an entry as its table has it."""

tables = table("floor_tables", *map(column, ("id", "name", *KNOWN, "state", "since", "told", "copied")))
entries = table("floor_entries", *map(column, ("position", "table_id", *ENTRY, "signature", "received_at", "gone")))
pictures = table("floor_pictures", *map(column, ("position", "sha256", "bytes", "media_type")))
refused = table(
    "floor_refused",
    *map(column, ("id", "table_id", "sha256", "line", "code", "told", "first_at", "last_at", "times")),
)
cosignatures = table("floor_cosignatures", *map(column, ("id", "table_id", "record", "seq", "hash", "key", "line")))
