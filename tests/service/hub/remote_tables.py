"""Remote tables: recorded feeds behind one HTTP server, real table services, and one in a process of its own.

``python -m tests.service.hub.remote_tables FOLDER PORT NAME`` serves a table that plays until killed, with its
record in the folder. It prints its address and a key for a hub, and then a dot for each pair of rounds.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from service.access.roles import UserRole
from service.cli.serving import listen
from service.record.checkpoints.note import read_note
from service.record.store.entries import NO_HASH, RecordUnavailableError
from service.record.store.stored_logs import cursor_of, read_cursor
from service.system.settings import Config
from tests.conftest import ROOT
from tests.service.api.test_http import play
from tests.service.hub.feeds import RecordedFeed
from tests.service.serving import Served, serving
from tests.service.stand_ins import HOUSE_WRONG, config, key_for, new_folder, wait_until, with_table

WELL: dict[str, Any] = {"status": {"level": "well", "code": "verifying"}, "checks": [], "rulebook": "crown-6.1"}


@dataclass(slots=True)
class ServedFeed:
    """A table's feed, and how it is to answer.

    Attributes:
        feed: its record now.
        status: an HTTP status to answer everything with instead.
        told: its report on itself.
        unanswered: its alarms.
        bend: changes a page before it is sent.
        asked: how many pages it was asked for.
        given: co-signed checkpoints that it was given back.
        restored_at: what it takes for the last common entry, whatever its record says.
        drips: whether it takes co-signed checkpoints with an answer of which a byte comes now and then, for ever.
    """

    feed: RecordedFeed
    status: int | None = None
    told: dict[str, Any] = field(default_factory=lambda: dict(WELL))
    unanswered: dict[str, int] = field(default_factory=dict)
    bend: Callable[[dict[str, Any]], dict[str, Any]] = lambda page: page
    asked: int = 0
    given: list[str] = field(default_factory=list)
    restored_at: int | None = None
    drips: bool = False

    def common_with(self, seq: int) -> int | None:
        """The last common entry by the record's epochs, for a hub with entries up to a number."""
        return min((since for _, since in self.feed.epochs[1:] if since < seq), default=self.restored_at)

    def cursor_at(self, seq: int) -> str:
        return cursor_of(seq, self.feed.entries[seq - 1][0].hash if seq else NO_HASH)

    def holds(self, seq: int, start: str) -> bool:
        """Whether the record has an entry."""
        return seq == 0 or (seq <= len(self.feed.entries) and self.feed.entries[seq - 1][0].hash.startswith(start))


async def _drops() -> AsyncIterator[bytes]:
    while True:
        yield b" "
        await asyncio.sleep(0.1)


@dataclass(slots=True)
class FeedServer:
    """Serves feeds, each below the name of its table.

    Attributes:
        tables: by name.
        longest_wait_s: how long a request is held at the most.
        looks_every_s: how often it is looked whether there is something new meanwhile.
    """

    tables: dict[str, ServedFeed] = field(default_factory=dict)
    url: str = ""
    longest_wait_s: float = 0.5
    looks_every_s: float = 0.02

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/{table}/v1/record/entries", self._entries),
                Route("/{table}/v1/record/seen", self._seen, methods=["POST"]),
                Route("/{table}/v1/record/cosignature", self._cosigned, methods=["POST"]),
                Route("/{table}/v1/tables", self._told),
                Route("/{table}/healthz", self._health),
            ]
        )

    def _of(self, request: Request) -> ServedFeed | Response:
        found = self.tables[request.path_params["table"]]
        if found.status is not None:
            return JSONResponse({"code": "not_ready"}, found.status)
        if request.headers.get("authorization") != f"Bearer key-of-{request.path_params['table']}":
            return JSONResponse({"code": "not_signed_in"}, 401)
        return found

    async def _entries(self, request: Request) -> Response:
        served = self._of(request)
        if isinstance(served, Response):
            return served
        served.asked += 1
        query = request.query_params
        seq, start = read_cursor(query["since"]) if "since" in query else (0, "")
        if not served.holds(seq, start):
            common = served.common_with(seq)
            if common is None:
                return JSONResponse({"code": "foreign_cursor"}, 409)
            return JSONResponse({"code": "record_restored", "go_on": served.cursor_at(common)}, 409)
        limit, left = int(query["limit"]), min(float(query["wait"]), self.longest_wait_s)
        while left > 0 and served.status is None and len(served.feed.entries) <= seq:
            await asyncio.sleep(self.looks_every_s)
            left -= self.looks_every_s
        return JSONResponse(served.bend(served.feed.page(seq, limit)))

    async def _seen(self, request: Request) -> Response:
        served = self._of(request)
        if isinstance(served, Response):
            return served
        shown = read_note(json.loads(await request.body())["checkpoint"]).checkpoint
        if shown.record != served.feed.record:
            return JSONResponse({"code": "foreign_checkpoint"}, 409)
        if served.holds(shown.seq, shown.hash):
            return JSONResponse({"extended": True})
        if served.common_with(shown.seq) is None:
            served.feed.say_restored(self.common)
        return JSONResponse({"extended": False, "entries_go_on": served.cursor_at(served.common_with(shown.seq) or 0)})

    async def _cosigned(self, request: Request) -> Response:
        served = self._of(request)
        if isinstance(served, Response):
            return served
        served.given.append(json.loads(await request.body())["checkpoint"])
        if served.drips:
            return StreamingResponse(_drops())
        return JSONResponse({"entry": 0, "witnesses": []})

    common: int = 0
    """What a table that is shown a checkpoint of entries that it lacks takes for surely common."""

    async def _told(self, request: Request) -> Response:
        served = self._of(request)
        return (
            served
            if isinstance(served, Response)
            else JSONResponse({"tables": [{"unanswered": served.unanswered, "local": served.told}]})
        )

    async def _health(self, request: Request) -> Response:
        served = self._of(request)
        return served if isinstance(served, Response) else JSONResponse({"status": "alive", "version": "9.9"})


@contextmanager
def serving_feeds(feeds: dict[str, RecordedFeed], port: int = 0) -> Iterator[FeedServer]:
    """Serve feeds on a port of this machine, any free one if none is named."""
    made = FeedServer({name: ServedFeed(feed) for name, feed in feeds.items()})
    with listen(config(port=port)) as listening:
        server = uvicorn.Server(uvicorn.Config(made.app(), log_level="critical", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: server.started)
            made.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            yield made
        finally:
            server.should_exit = True
            server.force_exit = True
            thread.join(10)


def table_config(name: str, folder: Path | None = None, port: int = 0) -> Config:
    """Settings of a table that reads no pictures."""
    made = config(port=port, max_wait_s=30.0)
    record = made.record if folder is None else made.record.model_copy(update={"folder": folder})
    return with_table(made, name=name, title=f"Table {name}").model_copy(update={"record": record})


@contextmanager
def serving_table(settings: Config) -> Iterator[tuple[Served, dict[str, Any]]]:
    """Serve a real table, and what a floor's settings say of it."""
    with serving(settings) as served:
        key = new_folder() / "key"
        key.write_text(key_for(served.app, UserRole.FLOOR)["Authorization"].removeprefix("Bearer "))
        yield served, {"url": served.url, "key_file": str(key)}


@dataclass(slots=True)
class PlayingTable:
    """A table in a process of its own.

    Attributes:
        url: where it is.
        key: what a floor asks it with.
    """

    process: subprocess.Popen[str]
    url: str
    key: str

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)


@contextmanager
def playing_table(folder: Path, port: int, name: str = "test") -> Iterator[PlayingTable]:
    command = [sys.executable, "-m", "tests.service.hub.remote_tables", str(folder), str(port), name]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url, key = process.stdout.readline().split()
        drained = threading.Thread(target=process.stdout.read, daemon=True)
        drained.start()
        yield PlayingTable(process, url, key)
    finally:
        process.kill()
        process.wait(30)
        drained.join(10)
        process.stdout.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        found: int = taken.getsockname()[1]
    return found


def main(folder: str, port: str, name: str) -> None:
    """Play until killed."""
    settings = table_config(name, Path(folder), int(port))
    with serving_table(settings) as (served, _):
        text = key_for(served.app, UserRole.FLOOR)["Authorization"].removeprefix("Bearer ")
        print(served.url, text, flush=True)  # noqa: T201  for who started it
        while True:
            with suppress(RecordUnavailableError):  # on a busy disk; the service has the record written again
                play(served.app, round_id=f"r{time.time_ns()}")
                play(served.app, HOUSE_WRONG, round_id=f"r{time.time_ns()}")
                print(".", end="", flush=True)  # noqa: T201
            time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])
