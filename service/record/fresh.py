"""An empty database as this version makes it, of this process alone: to hold a record's own tables against."""

from __future__ import annotations

import sqlite3
from functools import cache

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import StaticPool

from service.record.store.database import upgrade


def fresh_database() -> Engine:
    """A database of its own with all tables and nothing in them; the caller disposes of it.

    It lies in memory, and beyond a few megabytes in a file without a name.
    """
    raw, image = (sqlite3.connect(name, check_same_thread=False) for name in ("", ":memory:"))
    image.deserialize(_image())
    image.backup(raw)
    image.close()
    return _engine(raw)


@cache
def _image() -> bytes:
    raw = sqlite3.connect(":memory:", check_same_thread=False)
    made = _engine(raw)
    try:
        upgrade(made)
        return raw.serialize()
    finally:
        made.dispose()


def _engine(raw: sqlite3.Connection) -> Engine:
    return create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
