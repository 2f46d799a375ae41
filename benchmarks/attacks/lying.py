"""A table that lies to its hub, in each way for some time, beside twenty honest ones.

The liar passes on the answers of an honest table, or lies instead. Reported for each lie: how long the results of the
honest tables took until the hub served them, the processor time and peak memory of the hub compared with the time
before, when the liar was honest, and what the hub says about the liar.
"""

import asyncio
import gzip
import http.client
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import numpy as np

from benchmarks.attacks.common import Figures
from benchmarks.hub.serving import ManyTables, many_tables
from benchmarks.hub.watching import Seen, watching
from benchmarks.hub_load import running_hub
from benchmarks.memory import MostMemory, cpu_s
from service.record.store.entries import RESULTS
from tests.service.databases import cluster, new_database
from tests.service.stand_ins import wait_until

LIAR: Final = "liar"
HONEST: Final = tuple(f"pg{number:02}" for number in range(1, 21))
PACE: Final = 10.0
LIE_S: Final = 20.0
LONGEST_S: Final = 100.0
"""A page of entries may take 80 seconds, with the time that a table waits for new ones."""
SETTLING_S: Final = 10.0
_ARRIVING_S: Final = 2.0
_HEAD: Final = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_MORE: Final = re.compile(rb'"more":\s*(?:true|false)')


def _gzipped_gigabytes() -> bytes:
    """Return five gigabytes of zeros in five megabytes."""
    return gzip.compress(bytes(1_000_000), 9) * 5_000


def _whole(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@dataclass(frozen=True, slots=True)
class _Told:
    """How an answer starts, and what then follows for ever, with pauses."""

    start: bytes
    piece: bytes = b""
    pause_s: float = 0.0


_TOLD: Final = {
    "a byte a second": _Told(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" ", 1.0),
    "headers without end": _Told(b"HTTP/1.1 200 OK\r\n", b"X: x\r\n"),
    "a body without end": _Told(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + bytes(0x10000) + b"\r\n"
    ),
    "other types": _Told(_whole(b'{"record":[],"entries":{"line":7},"next":null,"tables":"x"}')),
    "deep JSON": _Told(_whole(b"[" * 1_000_000)),
    "redirects": _Told(b"HTTP/1.1 307 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"),
}
LIES: Final = (*_TOLD, "five gigabytes of gzip", "a number that none holds", "another table's record")


@dataclass(slots=True)
class Liar:
    """Passes on the answers of the table ``LIAR`` of many tables, or tells a lie.

    Attributes:
        lie: what to tell now.
        behind: port of the many tables.
        followed: how many redirects were followed.
    """

    behind: int
    loop: asyncio.AbstractEventLoop
    lie: str = "honest"
    followed: int = 0
    port: int = 0
    requests: int = 0
    _bomb: bytes = field(default_factory=_gzipped_gigabytes)
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    def tell(self, lie: str) -> None:
        """Tell something else from now on, also on connections that are open."""
        self.lie, self.requests = lie, 0
        for writer in tuple(self._open):
            self.loop.call_soon_threadsafe(writer.transport.abort)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection one after the other."""
        self._open.add(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = _HEAD.search(head)
                body = b"" if length is None else await reader.readexactly(int(length[1]))
                self.requests += 1
                async for piece in self._answer(head, body):
                    writer.write(piece)
                    await writer.drain()
        except (OSError, EOFError, asyncio.LimitOverrunError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _answer(self, head: bytes, body: bytes) -> AsyncIterator[bytes]:
        if b"/elsewhere" in head.partition(b"\r\n")[0]:
            self.followed += 1
        if self.lie in _TOLD:
            told = _TOLD[self.lie]
            yield told.start
            while told.piece:
                yield told.piece
                await asyncio.sleep(told.pause_s)
        elif self.lie == "five gigabytes of gzip":
            yield b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(self._bomb)
            yield self._bomb
        elif self.lie == "a number that none holds":
            yield _whole(_MORE.sub(b'"more":1e999', (await self._asked(head, body)).partition(b"\r\n\r\n")[2]))
        elif self.lie == "another table's record":
            yield await self._asked(head.replace(LIAR.encode(), HONEST[0].encode()), body)
        else:
            yield await self._asked(head, body)

    async def _asked(self, head: bytes, body: bytes) -> bytes:
        """Return the answer of the table behind."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.behind, limit=2**22)
        try:
            writer.write(head + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = _HEAD.search(answer)
            told = await reader.readexactly(0 if length is None else int(length[1]))
        finally:
            writer.close()
        return _whole(told) if answer.startswith(b"HTTP/1.1 200") else answer + told


@contextmanager
def lying(behind: int) -> Iterator[Liar]:
    """Serve a liar in a thread."""
    loop, ready = asyncio.new_event_loop(), threading.Event()
    liar = Liar(behind, loop)
    ending = asyncio.Event()

    async def serve() -> None:
        server = await asyncio.start_server(liar.connected, "127.0.0.1", 0, limit=2**20)
        liar.port = server.sockets[0].getsockname()[1]
        ready.set()
        async with server:
            await ending.wait()
            liar.tell("honest")

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield liar
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join(10)


@dataclass(slots=True)
class _Measured:
    """The hub under one lie."""

    delays_s: list[float]
    never: int
    cores: float
    most_mb: float
    said: str
    said_after_s: float


def _measured(tables: ManyTables, seen: Seen, pid: int, said: Callable[[], str], *, lied: bool) -> _Measured:
    """Measure until the hub says something about the liar, or for the longest time that it may need to."""
    started, spent = time.monotonic(), cpu_s(pid)
    told, told_s = "", 0.0
    with MostMemory(pid) as memory:
        while (past_s := time.monotonic() - started) < LIE_S or (told == "well" and lied and past_s < LONGEST_S):
            time.sleep(1.0)
            now = said()
            if now != told:
                told, told_s = now, time.monotonic() - started
    ended, spent = time.monotonic(), cpu_s(pid) - spent
    time.sleep(_ARRIVING_S)
    due = [each for each in tables.recorded(started, ended) if each.kind in RESULTS and each.table != LIAR]
    came = [seen.served.get((each.table, each.seq)) for each in due]
    delays = [at - each.monotonic_s for at, each in zip(came, due, strict=True) if at is not None]
    return _Measured(delays, len(due) - len(delays), spent / (ended - started), memory.mb, told, told_s)


def _said_of_liar(url: str, key: str) -> str:
    """Return what the hub says about the liar."""
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(url).port or 80, timeout=20)
    connection.request("GET", "/v1/tables", headers={"Authorization": f"Bearer {key}"})
    tables = json.loads(connection.getresponse().read())["tables"]
    (liar,) = (each for each in tables if each["name"] == LIAR)
    return " ".join((liar["state"], liar["remote"]["message"])).strip()


def _ms(delays_s: list[float], share: float) -> float:
    return round(1e3 * float(np.quantile(delays_s, share)), 1)


def run() -> Figures:
    """Measure the hub before each lie, while the table is honest, and under it."""
    found: Figures = {}
    with cluster() as server, many_tables((*HONEST, LIAR)) as tables:
        behind = urlsplit(tables.url).port or 80
        with (
            lying(behind) as liar,
            running_hub(
                new_database(server.url),
                (*HONEST, LIAR),
                tables.url,
                elsewhere={LIAR: f"http://127.0.0.1:{liar.port}/{LIAR}"},
            ) as (hub, key),
            watching(hub.url, key) as seen,
        ):
            said = partial(_said_of_liar, hub.url, key)
            tables.start(PACE)
            time.sleep(SETTLING_S)
            for lie in LIES:
                liar.tell("honest")
                wait_until(lambda: said() == "well", LONGEST_S)
                without, liar.requests = _measured(tables, seen, hub.process.pid, said, lied=False), 0
                liar.tell(lie)
                told = _measured(tables, seen, hub.process.pid, said, lied=True)
                found |= {
                    f"{lie}: results without": len(without.delays_s),
                    f"{lie}: results": len(told.delays_s),
                    f"{lie}: never served": without.never + told.never,
                    f"{lie}: median_ms without": _ms(without.delays_s, 0.5),
                    f"{lie}: median_ms": _ms(told.delays_s, 0.5),
                    f"{lie}: p99_ms without": _ms(without.delays_s, 0.99),
                    f"{lie}: p99_ms": _ms(told.delays_s, 0.99),
                    f"{lie}: more_cores": round(told.cores - without.cores, 3),
                    f"{lie}: more_mb": round(told.most_mb - without.most_mb, 1),
                    f"{lie}: requests": liar.requests,
                    f"{lie}: said": told.said,
                    f"{lie}: said_after_s": round(told.said_after_s, 1),
                }
            found["redirects followed"] = liar.followed
    return found
