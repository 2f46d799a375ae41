"""A line that can be cut: what goes through it goes on to another port, until it is cut."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(slots=True)
class Line:
    """A line between a floor and its tables.

    Attributes:
        to: the port at its other end.
        url: its near end.
    """

    to: int
    url: str = ""
    _refuses: bool = False
    _carries: asyncio.Event = field(default_factory=asyncio.Event)
    _ending: asyncio.Event = field(default_factory=asyncio.Event)
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop = field(init=False)

    def cut(self, *, silently: bool) -> None:
        """Cut it: connections end and new ones are refused, or nothing is heard of them any more."""
        self._do(self._cut_silently if silently else self._cut_off)

    def mend(self) -> None:
        """Mend it."""
        self._do(self._mend)

    def end(self) -> None:
        """Be a line no more."""
        self._do(self._ending.set)

    def _do(self, what: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(what)

    def _cut_silently(self) -> None:
        self._carries.clear()

    def _cut_off(self) -> None:
        self._refuses = True
        for each in tuple(self._open):
            each.transport.abort()

    def _mend(self) -> None:
        self._refuses = False
        self._carries.set()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry to and fro."""
        await self._carries.wait()
        if self._refuses:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self.to)
        self._open |= {writer, back}
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer))
        self._open -= {writer, back}

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while piece := await reader.read(2**16):
                await self._carries.wait()  # what was sent arrives once the line is mended, as TCP has it
                writer.write(piece)
                await writer.drain()
            writer.close()

    def run(self, began: threading.Event) -> None:
        """Carry until the end."""

        async def carry() -> None:
            self._loop = asyncio.get_running_loop()
            server = await asyncio.start_server(self.connected, "127.0.0.1", 0, limit=2**16)
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            self._carries.set()
            began.set()
            await self._ending.wait()
            self._cut_off()

        asyncio.run(carry())


@contextmanager
def line(to: str) -> Iterator[Line]:
    """A line to an address."""
    made, began = Line(int(to.rpartition(":")[2])), threading.Event()
    thread = threading.Thread(target=made.run, args=(began,), daemon=True)
    thread.start()
    wait_until(began.is_set)
    try:
        yield made
    finally:
        made.end()
        thread.join(5)
