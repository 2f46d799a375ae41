"""The clients of a hub while it is measured: a program that polls the results, and an open page of all tables."""

import asyncio
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import uvloop

from benchmarks.connection import Connection

_RESULT: Final = re.compile(rb'\{"cursor": ?"[^"]+", ?"table": ?"([^"]+)", ?"seq": ?(\d+),')
_NEXT: Final = re.compile(rb'"next": ?"([^"]+)"')
_COMPARED_EVERY_S: Final = 4.0
"""Time between two comparisons of the page's tables."""


@dataclass(slots=True)
class Seen:
    """What the clients saw; moments are seconds of the monotonic clock.

    Attributes:
        served: when `/v1/results` returned an entry, by table and number.
        shown: by table, the recording times of two entries, and when an event announced the later one to the page.
        fetched_ms: the time that the page needed to fetch the changes after each event.
    """

    served: dict[tuple[str, int], float] = field(default_factory=dict)
    shown: dict[str, list[tuple[str, str, float]]] = field(default_factory=dict)
    fetched_ms: list[float] = field(default_factory=list)


@contextmanager
def watching(url: str, key: str) -> Iterator[Seen]:
    """Poll the results and keep a page open."""
    seen = Seen()
    loop = uvloop.new_event_loop()
    ending = asyncio.Event()

    async def watch() -> None:
        tasks = [asyncio.ensure_future(each) for each in (_poll(url, key, seen), _page(url, key, seen))]
        ended = asyncio.ensure_future(ending.wait())
        await asyncio.wait([*tasks, ended], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    thread = threading.Thread(target=lambda: loop.run_until_complete(watch()), daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join(10)


async def _poll(url: str, key: str, seen: Seen) -> None:
    connection = Connection(url, key)
    since = ""
    while True:
        body = await connection.get(f"/v1/results?wait=20&limit=200{since}")
        now = time.monotonic()
        for table, seq in _RESULT.findall(body):
            seen.served[table.decode(), int(seq)] = now
        if found := _NEXT.search(body, max(0, len(body) - 2_000)):
            since = f"&since={found[1].decode()}"


async def _page(url: str, key: str, seen: Seen) -> None:
    """Do what tables.js does: fetch the tables after each event."""
    events, board = Connection(url, key), [Connection(url, key)]
    reader = await events.ask("/v1/events?recorded=false")
    before: dict[str, str] | None = None
    compare_at = 0.0
    while line := await reader.readline():
        if not line.startswith(b"event: tables"):
            continue
        now = time.monotonic()
        await _fetch(board, "/page/tables")
        seen.fetched_ms.append(1e3 * (time.monotonic() - now))
        if now < compare_at:
            continue
        recorded = _recorded_at(await _fetch(board, "/v1/tables"))
        if before is None:
            before = recorded
            continue
        for table, at in recorded.items():
            if table in before and before[table] != at:
                seen.shown.setdefault(table, []).append((before[table], at, now))
        before, compare_at = None, now + _COMPARED_EVERY_S


async def _fetch(board: list[Connection], path: str) -> bytes:
    """Return a body, over a new connection if the hub closed the idle one."""
    try:
        return await board[0].get(path)
    except (asyncio.IncompleteReadError, ConnectionError):
        board[0] = board[0].reopened()
        return await board[0].get(path)


def _recorded_at(body: bytes) -> dict[str, str]:
    """Return when the newest entry of each table was recorded."""
    tables = json.loads(body)["tables"]
    return {
        each["name"]: datetime.fromisoformat(each["recorded_at"]).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        for each in tables
        if each["recorded_at"] is not None
    }
