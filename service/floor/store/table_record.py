"""The record of one table as the floor has it, read like the record of a table's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import BigInteger, Text, cast, column, func, select, true
from sqlalchemy.dialects.postgresql import JSONB

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
    named = func.jsonb_array_elements(cast(columns.body, JSONB)["evidence"]).table_valued(column("value", JSONB))
    named = named.render_derived("named")  # none where an entry names no pictures
    pictures = (
        select(
            columns.seq,
            named.c.value["sha256"].astext.label("sha256"),
            cast(named.c.value["bytes"].astext, BigInteger).label("bytes"),
            cast(named.c.value["media_type"].astext, Text).label("media_type"),
        )
        .select_from(schema.entries)
        .join(named, true())
        .where(*its)
        .subquery("pictures")
    )
    return DatabaseReader(database, record_tables.LogTables(entries, signatures, pictures))
