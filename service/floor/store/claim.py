"""Who writes to a floor's store: whoever holds the lock of its database; a second floor waits for it.

In PostgreSQL it is a lock on the very connection that writes: if the connection is lost, so is the lock, and nothing
can be written with it any more. For SQLite it is a lock on a file beside the database, which goes with the process.
"""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from service.record.store.database import open_database
from service.record.store.files import WriterLock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

PATIENCE_S: Final = 30.0
"""The longest that a statement of the writer may take: a batch on a slow disk."""
_LOCK: Final = 0x486F757365466C72
"""The lock's number; any will do, but those of :mod:`service.record.store`."""
_TAKE: Final = text("SELECT pg_try_advisory_lock(:lock)")
_HOLDER: Final = text(
    "SELECT activity.application_name, activity.backend_start FROM pg_locks AS locks "
    "JOIN pg_stat_activity AS activity ON activity.pid = locks.pid "
    "WHERE locks.locktype = 'advisory' AND locks.granted AND locks.objsubid = 1 "
    "AND locks.classid = :high AND locks.objid = :low "
    "AND locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_SESSION: Final = (
    # A server that hears nothing more of this computer is to let go of the lock within half a minute.
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
    "SET tcp_user_timeout = 20000",
    "SET synchronous_commit TO on",
    # Packs long texts quicker than PostgreSQL's own way, which stays where the server is not built with it.
    (
        "SELECT set_config(name, 'lz4', false) FROM pg_settings "
        "WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)"
    ),
)


class HeldElsewhereError(Exception):
    """Another floor writes to this database.

    Attributes:
        holder: which, by its computer and process.
        since: since when, UTC.
    """

    def __init__(self, holder: str, since: str) -> None:
        super().__init__(f"{holder}, since {since}" if since else holder)
        self.holder = holder
        self.since = since


@contextmanager
def claimed(url: str) -> Iterator[Connection]:
    """The one connection that may write to a store; HeldElsewhereError, SQLAlchemyError, OSError.

    Args:
        url: of the database.
    """
    database = open_database(url, deadline_s=PATIENCE_S)
    try:
        with (
            _claim_of_file(database) if database.dialect.name == "sqlite" else _claim_of_server(database) as connection
        ):
            yield connection
    finally:
        database.dispose()


@contextmanager
def _claim_of_file(database: Engine) -> Iterator[Connection]:
    lock = WriterLock(Path(f"{database.url.database}.lock"))
    try:
        lock.acquire()
    except BlockingIOError:
        raise HeldElsewhereError(lock.path.read_text() or "another process", "") from None
    try:
        lock.path.write_text(_own_name())
        with database.connect().execution_options(writes=True) as connection:
            yield connection
    finally:
        lock.release()


@contextmanager
def _claim_of_server(database: Engine) -> Iterator[Connection]:
    connection = database.connect()
    try:
        _take(connection)
        yield connection
    finally:
        with suppress(SQLAlchemyError, OSError):
            connection.invalidate()
            connection.close()


def _own_name() -> str:
    return f"houseway floor at {socket.gethostname()}, process {os.getpid()}"


def _take(connection: Connection) -> None:
    name = _own_name()[:63]  # as much as PostgreSQL takes
    with connection.begin():
        for each in _SESSION:
            connection.exec_driver_sql(each)
        connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": name})
        if not connection.execute(_TAKE, {"lock": _LOCK}).scalar():
            found = connection.execute(_HOLDER, {"high": _LOCK >> 32, "low": _LOCK & 0xFFFFFFFF}).first()
            holder, since = ("another floor", "") if found is None else (found[0], f"{found[1]:%Y-%m-%d %H:%M:%S}")
            raise HeldElsewhereError(holder, since)
