"""An HTTP/1.1 client with little overhead: a full one would cost more than the service that is measured."""

from __future__ import annotations

import asyncio
import re

_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


class Connection:
    """A persistent connection with a key."""

    def __init__(self, url: str, key: str) -> None:
        self._asked_with = url, key
        self._host, _, port = url.removeprefix("http://").partition(":")
        self._port = int(port)
        self._head = f"Host: {self._host}\r\nAuthorization: Bearer {key}\r\n\r\n"

    def reopened(self) -> Connection:
        """Return a new connection to the same service."""
        return Connection(*self._asked_with)

    async def ask(self, path: str) -> asyncio.StreamReader:
        """Send a request, and return the reader of the response body."""
        if not hasattr(self, "_reader"):
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=2**22)
        self._writer.write(f"GET {path} HTTP/1.1\r\n{self._head}".encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(head.decode())
        self.length = int(found[1]) if (found := _LENGTH.search(head)) else 0
        return self._reader

    async def get(self, path: str) -> bytes:
        """Return the body of a response."""
        reader = await self.ask(path)
        return await reader.readexactly(self.length)
