"""Statements that put many rows into a table at once, the same for SQLite and PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Insert, TableClause


def insert_or_update(connection: Connection, into: TableClause) -> postgresql.Insert | sqlite.Insert:
    """An insert that can say what happens ``on_conflict``, as the database of a connection takes it."""
    return postgresql.insert(into) if connection.dialect.name == "postgresql" else sqlite.insert(into)


def put_rows(connection: Connection, put: Insert, rows: Sequence[Mapping[str, Any]]) -> None:
    """Execute an insert for rows that all have the same columns, if there are any."""
    if rows:
        # With RETURNING, SQLAlchemy makes one statement of many rows; else PostgreSQL's driver asks for each of them.
        connection.execute(put.returning(next(iter(put.table.c))), rows)
