"""An empty database as this version makes it, in memory: to hold a record's own tables against."""

from __future__ import annotations

import sqlite3
from functools import cache

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import StaticPool

from service.record.store.database import upgrade


def fresh_database() -> Engine:
    """A database of its own with all tables and nothing in them; the caller disposes of it."""
    empty = _in_memory(sqlite3.connect(":memory:", check_same_thread=False))
    with empty.connect() as connection:
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)  # noqa: S101  it was made above
        raw.deserialize(_image())
    return empty


@cache
def _image() -> bytes:
    raw = sqlite3.connect(":memory:", check_same_thread=False)
    made = _in_memory(raw)
    try:
        upgrade(made)
        return raw.serialize()
    finally:
        made.dispose()


def _in_memory(raw: sqlite3.Connection) -> Engine:
    return create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
