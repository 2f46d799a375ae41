"""The record of one table as the floor has it, read like the record of a table's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from service.floor.store import schema
from service.record.store import record_tables
from service.record.store.database_reader import DatabaseReader

if TYPE_CHECKING:
    from sqlalchemy import Engine


def record_of_table(database: Engine, table_id: int) -> DatabaseReader:
    """Reads what a table's record has now, by the table's number in the store; requests' answers stay at the table."""
    columns = schema.entries.c
    its = (columns.table_id == table_id, columns.gone.is_(None))
    entries = select(*(columns[name] for name in schema.ENTRY)).where(*its).subquery("entries")
    signatures = select(columns.seq, columns.signature).where(*its).subquery("signatures")
    named = schema.pictures.c
    pictures = (
        select(columns.seq, named.sha256, named.bytes, named.media_type)
        .join_from(schema.pictures, schema.entries, columns.position == named.position)
        .where(*its)
        .subquery("pictures")
    )
    return DatabaseReader(database, record_tables.LogTables(entries, signatures, pictures))
