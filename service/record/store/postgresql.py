"""A connection to PostgreSQL that closes its socket whenever it ends, also where the server has gone or is silent.

pg8000 leaves it to the garbage collector when the server goes away in the first messages or in the last.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any

from pg8000.dbapi import Connection, InterfaceError


class PostgresConnection(Connection):  # type: ignore[misc]  # the library has no types
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
        """Say good-bye if that is possible, and close."""
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
