"""Statements that put many rows into a table at once, the same for SQLite and PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Insert, insert
from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, TableClause


def insert_or_update(connection: Connection, into: TableClause) -> postgresql.Insert | sqlite.Insert:
    """An insert that can say what happens ``on_conflict``, as the database of a connection takes it."""
    return postgresql.insert(into) if connection.dialect.name == "postgresql" else sqlite.insert(into)


def put_rows(connection: Connection, put: TableClause | Insert, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put rows into a table, or execute an insert for each of them.

    Args:
        connection: to the database.
        put: the table, or an insert into it.
        rows: each with the same columns.
    """
    if rows:
        statement = insert(put) if not isinstance(put, Insert) else put
        # With RETURNING, SQLAlchemy makes one statement of many rows; else PostgreSQL's driver asks for each of them.
        connection.execute(statement.returning(next(iter(statement.table.c))), rows)
