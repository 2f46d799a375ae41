"""Who looks at a floor while it is measured: a program that polls the feed, and an open page."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

import uvloop

from benchmarks.pollers import Connection

if TYPE_CHECKING:
    from collections.abc import Iterator

_RESULT: Final = re.compile(rb'\{"cursor": ?"[^"]+", ?"table": ?"([^"]+)", ?"seq": ?(\d+),')
_NEXT: Final = re.compile(rb'"next": ?"([^"]+)"')
_LOOKS_EVERY_S: Final = 4.0
"""The page is asked so often what it was told of, at two news that follow each other."""


@dataclass(slots=True)
class Seen:
    """What was seen; moments are of the computer's monotonic clock, seconds.

    Attributes:
        served: by table and number of an entry, when the feed gave it.
        told: by table, spans of what two news that follow each other told of: from the moment of the entry that was
            told of before to that of this one, and when it was told.
        answers: how many the feed gave.
        news: how many the page was told.
        fetched_ms: how long the page took to fetch what changed.
    """

    served: dict[tuple[str, int], float] = field(default_factory=dict)
    told: dict[str, list[tuple[str, str, float]]] = field(default_factory=dict)
    answers: int = 0
    news: int = 0
    fetched_ms: list[float] = field(default_factory=list)


@contextmanager
def watching(url: str, key: str) -> Iterator[Seen]:
    """Poll the feed and keep a page open while the block runs."""
    seen = Seen()
    loop = uvloop.new_event_loop()
    ending = asyncio.Event()

    async def watch() -> None:
        tasks = [asyncio.ensure_future(each) for each in (_poll(url, key, seen), _look(url, key, seen))]
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
    """A program that takes every result."""
    connection = Connection(url, key)
    since = ""
    while True:
        body = await connection.get(f"/v1/results?wait=20&limit=200{since}")
        now = time.monotonic()
        seen.answers += 1
        for table, seq in _RESULT.findall(body):
            seen.served[table.decode(), int(seq)] = now
        if found := _NEXT.search(body, max(0, len(body) - 2_000)):
            since = f"&since={found[1].decode()}"


async def _look(url: str, key: str, seen: Seen) -> None:
    """A page as its script keeps it: with each news what changed is fetched."""
    events, board = Connection(url, key), [Connection(url, key)]
    reader = await events.ask("/v1/events")
    before: dict[str, str] | None = None
    looks_at = 0.0
    while line := await reader.readline():
        if not line.startswith(b"event: change"):
            continue
        now = time.monotonic()
        seen.news += 1
        await _fetched(board, "/page/tables")
        seen.fetched_ms.append(1e3 * (time.monotonic() - now))
        if now < looks_at:
            continue
        recorded = _recorded(await _fetched(board, "/v1/tables"))
        if before is None:
            before = recorded
            continue
        for table, at in recorded.items():
            if table in before and before[table] != at:
                seen.told.setdefault(table, []).append((before[table], at, now))
        before, looks_at = None, now + _LOOKS_EVERY_S


async def _fetched(board: list[Connection], path: str) -> bytes:
    """An answer, on a new connection if the floor has closed the one that was not used for a while."""
    try:
        return await board[0].get(path)
    except (asyncio.IncompleteReadError, ConnectionError):
        board[0] = board[0].anew()
        return await board[0].get(path)


def _recorded(body: bytes) -> dict[str, str]:
    """By table, when the newest entry was recorded that the page knows of."""
    tables = json.loads(body)["tables"]
    return {
        each["name"]: datetime.fromisoformat(each["recorded_at"]).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        for each in tables
        if each["recorded_at"] is not None
    }
