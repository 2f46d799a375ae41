"""PostgreSQL: connections that close their sockets, and the lease of the one service that writes.

pg8000 leaves a socket to the garbage collector when the server goes away in the first messages or in the last.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pg8000.dbapi import Connection as Pg8000Connection
from pg8000.dbapi import InterfaceError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from service.record.store.entries import RecordUnavailableError, timestamp
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection, Engine


class PostgresConnection(Pg8000Connection):  # type: ignore[misc]  # the library has no types
    """Connects as ``pg8000.connect`` does; arguments are its own."""

    def __init__(self, user: str, *, unix_sock: str | None = None, **options: Any) -> None:  # noqa: ANN401  as the library has them
        host, port, timeout = options.get("host", "localhost"), options.get("port", 5432), options.get("timeout")
        if unix_sock is not None:
            options = {"ssl_context": False, **options}  # PostgreSQL has no TLS there
        connected = _connected(unix_sock, (host, port), timeout)
        try:
            if options.get("tcp_keepalive", True):
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            super().__init__(user, sock=connected, **options)
        except BaseException:
            _close(getattr(self, "_sock", None), getattr(self, "_usock", None), connected)
            raise

    def close(self) -> None:
        file = self._sock
        try:
            super().close()
        finally:
            _close(file)


def _connected(unix_sock: str | None, address: tuple[str, int], timeout: float | None) -> socket.socket:
    try:
        if unix_sock is None:
            return socket.create_connection(address, timeout)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            made.settimeout(timeout)
            made.connect(unix_sock)
        except BaseException:
            made.close()
            raise
    except OSError as error:
        raise InterfaceError("no connection") from error
    return made


def _close(*parts: Any) -> None:  # noqa: ANN401  sockets, and files of sockets
    for part in parts:
        if part is not None:
            with suppress(OSError):
                part.close()


_LOCK: Final = 0x486F75736557617A
"""The lock's number; any will do, but that of :mod:`service.record.store.record`."""
_TAKE: Final = text("SELECT pg_try_advisory_lock(:lock), pg_backend_pid()")
_SESSION: Final = (
    # A server that hears nothing more of this machine releases the lock within half a minute.
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
    "SET tcp_user_timeout = 20000",
)
_TRIED: Final = 4
_GIVE: Final = text("SELECT pg_advisory_unlock(:lock)")
_COUNT: Final = text(
    "INSERT INTO record_lease (id, number, holder, since) VALUES (1, 1, :holder, :since) "
    "ON CONFLICT (id) DO UPDATE SET number = record_lease.number + 1, holder = :holder, since = :since "
    "RETURNING number"
)
_HELD: Final = text(
    "SELECT l.number = :number AND EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted "
    "AND pid = :pid AND classid = :high AND objid = :low AND objsubid = 1 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) "
    "FROM record_lease AS l WHERE l.id = 1"
)


@dataclass(slots=True)
class Lease:
    """The right to write to a record in PostgreSQL.

    Attributes:
        folder: of the service, to tell others who holds it.
    """

    database: Engine
    folder: Path
    _held_by: Connection | None = field(default=None, init=False)
    _pid: int = field(default=0, init=False)
    _number: int = field(default=0, init=False)

    def acquire(self) -> None:
        """Take it again.

        Raises:
            RecordUnavailableError: another holds it, or connections have no session of their own.
            SQLAlchemyError: the database fails.
        """
        self.release()
        connection = self.database.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            _check_session(self.database, connection)
            for each in _SESSION:
                connection.exec_driver_sql(each)
            taken, self._pid = connection.execute(_TAKE, {"lock": _LOCK}).one()
            _check_taken(connection, taken=taken)
            name = f"{socket.gethostname()}, process {os.getpid()}, {self.folder}"[:300]
            self._number = connection.execute(_COUNT, {"holder": name, "since": timestamp()}).scalar_one()
        except BaseException:
            connection.invalidate()
            connection.close()
            raise
        self._held_by = connection

    def check(self, connection: Connection) -> None:
        """Look in an append's own transaction whether it is still ours; RecordUnavailableError if not."""
        ours = {"number": self._number, "pid": self._pid, "high": _LOCK >> 32, "low": _LOCK & 0xFFFFFFFF}
        if self._held_by is None or not connection.execute(_HELD, ours).scalar():
            holder, since = _holder(connection)
            raise RecordUnavailableError.of(RecordCode.LEASE_LOST, holder=holder, since=since)

    def release(self) -> None:
        """Let go of it, at once if the server answers; the connection is ended, and with it the lock in any case."""
        if self._held_by is not None:
            connection, self._held_by = self._held_by, None
            with suppress(SQLAlchemyError, OSError):
                connection.execute(_GIVE, {"lock": _LOCK})
            with suppress(SQLAlchemyError, OSError):
                connection.invalidate()
                connection.close()


def _check_session(database: Engine, first: Connection) -> None:
    """RecordUnavailableError if connections share one session of the server, so that the lock would bind nobody.

    That is how PgBouncer works that lends a session for a transaction or a statement only: the next connection gets the
    session that was used last.
    """
    with database.connect().execution_options(isolation_level="AUTOCOMMIT") as second:
        for _ in range(_TRIED):
            used = {each.exec_driver_sql("SELECT pg_backend_pid()").scalar_one() for each in (first, second)}
            if len(used) == 1:
                raise RecordUnavailableError.of(RecordCode.SESSION_SHARED)


def _check_taken(connection: Connection, *, taken: bool) -> None:
    if not taken:
        holder, since = _holder(connection)
        raise RecordUnavailableError.of(RecordCode.LEASED, holder=holder, since=since)


def _holder(connection: Connection) -> tuple[str, str]:
    row = connection.execute(text("SELECT holder, since FROM record_lease WHERE id = 1")).first()
    return ("another service", "") if row is None else (row.holder, row.since)
