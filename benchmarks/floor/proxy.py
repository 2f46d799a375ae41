"""A line that can be cut: what goes through it goes on to another port, until it is cut."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class Line:
    """A line between a floor and its tables.

    Attributes:
        to: the port at its other end.
        url: its near end.
    """

    to: int
    url: str = ""
    _cut: bool = False
    _silent: bool = False
    _open: set[asyncio.StreamWriter] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def cut(self, *, silently: bool) -> None:
        """Cut it: connections end and new ones are refused, or nothing is heard of them any more."""
        self._loop.call_soon_threadsafe(self._set, True, silently)

    def mend(self) -> None:
        """Mend it."""
        self._loop.call_soon_threadsafe(self._set, False, False)

    def _set(self, cut: bool, silently: bool) -> None:
        self._cut, self._silent = cut, silently
        if not silently:
            for each in tuple(self._open):
                each.transport.abort()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry to and fro."""
        await self._be_whole()
        if self._cut:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self.to)
        self._open |= {writer, back}
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer))
        self._open -= {writer, back}

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while piece := await reader.read(2**16):
                await self._be_whole()
                writer.write(piece)
                await writer.drain()
            writer.close()

    async def _be_whole(self) -> None:
        """What is sent on a line that is cut silently arrives once it is mended, as TCP has it."""
        while self._cut and self._silent:
            await asyncio.sleep(0.05)

    def run(self, began: threading.Event, ending: asyncio.Event) -> None:
        """Carry until the end."""

        async def carry() -> None:
            server = await asyncio.start_server(self.connected, "127.0.0.1", 0, limit=2**16)
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            began.set()
            await ending.wait()
            self._set(True, False)

        self._loop.run_until_complete(carry())


@contextmanager
def line(to: str) -> Iterator[Line]:
    """A line to an address."""
    made = Line(int(to.rpartition(":")[2]))
    began, ending = threading.Event(), asyncio.Event()
    thread = threading.Thread(target=made.run, args=(began, ending), daemon=True)
    thread.start()
    wait_until(began.is_set)
    try:
        yield made
    finally:
        made._loop.call_soon_threadsafe(ending.set)
        thread.join(5)
