"""The record of one table as the floor has it, read like the record of a table's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.record.store.database_reader import DatabaseReader
from service.record.store.record_tables import tables_of

if TYPE_CHECKING:
    from sqlalchemy import Engine


def record_of_table(database: Engine, log: int) -> DatabaseReader:
    """Reads what a table's record has now, by the number of its log in the store."""
    return DatabaseReader(database, tables_of(log))
