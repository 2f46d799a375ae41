"""Serve many playing tables on one port, cheaply, in a separate process, so that only the hub is measured.

The answers have the form of a real table's; a test checks them against a hub and the schema.
"""

import asyncio
import json
import multiprocessing
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

import uvloop

import service.api
from benchmarks.hub.session import session
from benchmarks.hub.tables import PlayedTable, play
from benchmarks.memory import Cost, spent_by
from service.record.checkpoints.note import read_note
from service.record.store.stored_logs import read_cursor

_HEAD: Final = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.1\r\n")
_KEY: Final = re.compile(rb"\r\nauthorization: bearer (\S+)\r\n", re.IGNORECASE)
_LENGTH: Final = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)
_HEALTHY: Final = {"status": {"level": "well", "code": "verifying", "message": "Verifying"}, "healthy": True}


def _table_out() -> dict[str, Any]:
    """Return a healthy table as in the examples of the API's reference."""
    examples = json.loads((Path(service.api.__file__).parent / "api_examples.json").read_text(encoding="utf-8"))
    (table,) = examples["GET /v1/tables"]["response"]["tables"]
    return {**table, "unanswered": {}, "local": {**table["local"], **_HEALTHY}}


_TABLE_OUT: Final = _table_out()


@dataclass(slots=True)
class Answering:
    """Tables by name, and the number of requests that they received."""

    tables: Mapping[str, PlayedTable]
    requests: int = 0

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection one after the other."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                asked, key, length = _HEAD.match(head), _KEY.search(head), _LENGTH.search(head)
                if asked is None:
                    return
                sent = b"" if length is None else await reader.readexactly(int(length[1]))
                method, target = asked[1].decode(), asked[2].decode()
                status, answer = await self._answer(method, target, "" if key is None else key[1].decode(), sent)
                now = format_datetime(datetime.now(UTC), usegmt=True)
                fields = f"date: {now}\r\ncontent-type: application/json\r\ncontent-length: {len(answer)}\r\n\r\n"
                writer.write(f"HTTP/1.1 {status} X\r\n{fields}".encode() + answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, method: str, target: str, key: str, body: bytes) -> tuple[int, bytes]:
        self.requests += 1
        parts = urlsplit(target)
        _, name, path = parts.path.split("/", 2)
        if (table := self.tables.get(name)) is None:
            return _problem(503, "not_ready")
        if key != f"key-of-{name}":
            return _problem(401, "not_signed_in")
        if path == "v1/record/entries":
            return await _entries(table, {name: values[0] for name, values in parse_qs(parts.query).items()})
        return _other(table, method, path, body)


def _other(table: PlayedTable, method: str, path: str, body: bytes) -> tuple[int, bytes]:
    match method, path:
        case "GET", "v1/tables":
            return _json({"tables": [{**_TABLE_OUT, "name": table.name}]})
        case "GET", "healthz":
            return _json({"status": "alive", "version": "1.0"})
        case "POST", "v1/record/seen":
            shown = read_note(json.loads(body)["checkpoint"]).checkpoint
            extended = shown.record == table.record and table.holds(shown.seq, shown.hash)
            return _json({"extended": True}) if extended else _problem(409, "foreign_checkpoint")
    return _problem(404, "not_found")


async def _entries(table: PlayedTable, asked: Mapping[str, str]) -> tuple[int, bytes]:
    seq, start = read_cursor(asked["since"]) if "since" in asked else (0, "")
    if not table.holds(seq, start):
        return _problem(409, "foreign_cursor")
    table.forget_before(seq)
    if len(table.entries) <= seq and (wait_s := float(asked["wait"])) > 0:
        await table.more(wait_s)
    return 200, table.page(seq, int(asked["limit"]))


def _json(value: object, status: int = 200) -> tuple[int, bytes]:
    return status, json.dumps(value).encode()


def _problem(status: int, code: str) -> tuple[int, bytes]:
    return _json({"code": code}, status)


class Recorded(NamedTuple):
    """An entry of a table; ``monotonic_s`` is when it was recorded, by this computer's monotonic clock."""

    table: str
    seq: int
    kind: str
    at: str
    monotonic_s: float


@dataclass(slots=True)
class ManyTables:
    """Playing tables in a separate process; the address of each is ``url`` and its name."""

    url: str
    process: int
    _pipe: Pipe

    def start(self, pace: float) -> None:
        """Start to play, ``pace`` times as fast as real tables."""
        self._ask("start", pace)

    def recorded(self, since_s: float, until_s: float) -> list[Recorded]:
        """Return the entries recorded between two moments of the monotonic clock."""
        found: list[Recorded] = self._ask("recorded", since_s, until_s)
        return found

    def requests(self) -> int:
        return int(self._ask("requests"))

    def cost(self) -> Cost:
        return spent_by([self.process])

    def _ask(self, what: str, *arguments: object) -> Any:  # noqa: ANN401  of the other process
        self._pipe.send((what, arguments))
        return self._pipe.recv()


@contextmanager
def many_tables(names: Sequence[str]) -> Iterator[ManyTables]:
    """Serve tables in a separate process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(tuple(names), theirs), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process is noticed
    try:
        yield ManyTables(ours.recv(), process.pid or 0, ours)
    finally:
        process.terminate()
        process.join(10)


def _serve(names: Sequence[str], pipe: Pipe) -> None:
    uvloop.run(_serve_until_ended([PlayedTable(name) for name in names], pipe))


async def _serve_until_ended(tables: Sequence[PlayedTable], pipe: Pipe) -> None:
    answering = Answering({table.name: table for table in tables})
    server = await asyncio.start_server(answering.connected, "127.0.0.1", 0, limit=2**20, backlog=1000)
    pipe.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    playing = set[asyncio.Task[None]]()

    def start(pace: float) -> None:
        playing.add(asyncio.create_task(play(tables, session(), pace, random.Random(1))))  # noqa: S311  no secret

    def recorded(since_s: float, until_s: float) -> list[Recorded]:
        return [
            Recorded(table.name, seq, entry.kind, entry.at, entry.monotonic_s)
            for table in tables
            for seq, entry in enumerate(table.entries, start=1)
            if since_s <= entry.monotonic_s < until_s
        ]

    acts: dict[str, Callable[..., object]] = {
        "start": start,
        "recorded": recorded,
        "requests": lambda: answering.requests,
    }
    while True:
        what, arguments = await asyncio.to_thread(pipe.recv)
        pipe.send(acts[what](*arguments))
