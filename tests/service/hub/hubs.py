"""Hubs of tests: only the collector, the service in a thread, or the program; and what they have collected."""

import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI
from sqlalchemy import Connection, func, select

from service.access.roles import UserRole
from service.api.parts import Parts
from service.cli.run import service_app
from service.cli.serving import listen, server_of
from service.hub.checking import extend
from service.hub.collector import Collector
from service.hub.table_states import TableNow
from service.hub.writer import HubWriter
from service.record.store import schema
from service.record.store.all_logs import LogsReader
from service.record.store.database import sqlite_url
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, RecordSettings
from service.system.remote_settings import PitConfig
from service.system.settings import Config
from service.words.findings import words_of
from tests.conftest import ROOT
from tests.service.hub.feeds import RecordedFeed, check, play
from tests.service.hub.remote_tables import FeedServer, serving_feeds
from tests.service.stand_ins import key_for, new_folder, wait_until


def new_url() -> str:
    return sqlite_url(new_folder() / "hub" / DATABASE)


def hub_config(url: str, tables: Mapping[str, dict[str, Any]], folder: Path | None = None) -> Config:
    """Settings of a floor; a table is asked with the key that is its own if none is given."""
    each = [{"name": name, "key_file": str(_key_file(name)), **told} for name, told in tables.items()]
    return Config.model_validate(
        {
            "service": {"name": "main", "title": "Main floor"},
            "record": {**_record_of(url, folder), "min_free_mb": 0},
            "server": {"port": 0, "max_wait_s": 30},
            "limits": {"requests_per_minute": 0, "strangers_per_minute": 0, "sign_ins_per_minute": 0},
            "tables": each,
        }
    )


def unguard(connection: Connection, table: str) -> None:
    """Take away what keeps the rows of a table from being changed, as whoever owns the database can."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        return
    asked = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"
    for name in connection.exec_driver_sql(asked, (table,)).scalars().all():
        connection.exec_driver_sql(f"DROP TRIGGER {name}")


def _record_of(url: str, folder: Path | None) -> dict[str, Any]:
    """The section of settings that keeps the record in a database; a file of SQLite is in the record's folder."""
    if url.startswith("sqlite"):
        return {"folder": Path(url.partition(":///")[2]).parent}
    return {"folder": folder or new_folder() / "floor", "url": url}


def database_url_of(config: Config) -> str:
    return RecordSettings.of(config).database_url


def _key_file(name: str) -> Path:
    file = new_folder() / "key"
    file.write_text(f"key-of-{name}")
    return file


@dataclass(slots=True)
class CollectingHub:
    """What collects, and what it has collected."""

    writer: HubWriter
    reader: LogsReader
    record: Record
    collector: Collector

    def now(self, table: str) -> TableNow:
        return self.collector.states.tables[table]

    def why(self, table: str) -> str:
        found = self.now(table).why
        return "" if found is None else str(words_of(found))

    def held(self, table: str) -> list[str]:
        """The lines of the entries that a table's record has now."""
        return [each.entry.line() for each in self.reader.all_followed(table=table) if each.gone is None]

    def has(self, table: str, feed: RecordedFeed) -> bool:
        """Whether all of a record was collected."""
        known = self.writer.known[table]
        return (known.seq, known.hash) == (feed.head.seq, feed.head.hash)


_FOLDERS: defaultdict[str, Path] = defaultdict(new_folder)
"""Where the keys are of the records in databases."""


def record_in(url: str) -> Record:
    """The record of a service in a database, claimed to write."""
    if url.startswith("sqlite"):
        return Record(RecordSettings(Path(url.partition(":///")[2]).parent))
    return Record(RecordSettings(_FOLDERS[url], url))


def same_service(url: str, copy: str) -> None:
    """Let the record in a copy of a database be that of the same service."""
    _FOLDERS[copy] = _FOLDERS[url]


@contextmanager
def collecting(config: Config, *, pauses_s: tuple[float, float, float] = (0.05, 0.3, 0.3)) -> Iterator[CollectingHub]:
    """Collect while the block runs; what fails is tried again soon."""
    where = RecordSettings.of(config)
    record = Record(where)
    reader = LogsReader(record)
    writer = HubWriter(record, [table.name for table in config.remote])
    writer.start()
    wait_until(lambda: writer.writing)
    collector = Collector(config, writer, reader, record, pauses_s=pauses_s)
    loop, ending, started = asyncio.new_event_loop(), asyncio.Event(), threading.Event()

    async def collect() -> None:
        async with collector.running():
            started.set()
            await ending.wait()

    def run() -> None:
        try:
            loop.run_until_complete(collect())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        started.wait(30)
        yield CollectingHub(writer, reader, record, collector)
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join(30)
        writer.stop()
        record.close()


def check_held(reader: LogsReader, feeds: Mapping[str, RecordedFeed]) -> None:
    """Check that every entry of every table is stored exactly once, in order, and positions have no gap."""
    positions: list[int] = []
    counted: Counter[str] = Counter()
    held: dict[str, list[str]] = {name: [] for name in feeds}
    for each in reader.all_followed():
        positions.append(each.position)
        counted[each.table] += 1
        if each.gone is None:
            held[each.table].append(each.entry.line())
    assert positions == sorted(positions)
    places = select(func.count(), func.max(schema.entries.c.position))
    with reader.database.connect() as connection:
        count, last = connection.execute(places).one()
    assert count == last
    for name, feed in feeds.items():
        assert held[name] == [entry.line() for entry, _ in feed.entries], name


@contextmanager
def collected(url: str, feeds: Mapping[str, RecordedFeed]) -> Iterator[HubWriter]:
    record = record_in(url)
    writer = HubWriter(record, tuple(feeds))
    writer.start()
    try:
        wait_until(lambda: writer.writing)
        collect(writer, feeds)
        yield writer
    finally:
        writer.stop()
        record.close()


def collect(writer: HubWriter, feeds: Mapping[str, RecordedFeed]) -> None:
    async def all_of_them() -> None:
        for name, feed in feeds.items():
            known = writer.known[name]
            found = extend(known, feed.given(known.seq), feed.trusted)
            assert found.refusal is None
            if found.extension is not None:
                await writer.take(name, found.extension)

    asyncio.run(all_of_them())


@dataclass(slots=True)
class ServedHub:
    """A running floor."""

    app: FastAPI
    url: str

    @property
    def parts(self) -> Parts:
        found: Parts = self.app.state.parts
        return found

    def client(self, role: UserRole = UserRole.ADMIN) -> httpx2.Client:
        """A program with a key of the floor."""
        return httpx2.Client(base_url=self.url, headers=key_for(self.app, role), timeout=60)


@contextmanager
def serving_hub(settings: Config) -> Iterator[ServedHub]:
    with listen(settings) as listening:
        app = service_app(settings)
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: server.started and app.state.parts.hub.writer.writing)
            yield ServedHub(app, f"http://127.0.0.1:{listening.getsockname()[1]}")
        finally:
            app.state.parts.stop_waiting()
            server.should_exit = True
            thread.join(30)


def written(settings: Config, folder: Path) -> Path:
    path = folder / "hub.toml"
    url = database_url_of(settings)
    lines = [
        f'[service]\nname = "{settings.service.name}"\ntitle = "{settings.service.title}"',
        f'[record]\nfolder = "{settings.record.folder}"',
        "" if url.startswith("sqlite") else f'url = "{url}"',
        "[server]\nport = 0\nmax_wait_s = 30.0",
        "[limits]\nstrangers_per_minute = 0\nrequests_per_minute = 0",
        f'[evidence]\ncopy = "{settings.evidence.copied}"\nmin_free_mb = 0',
        f'folder = "{settings.evidence.folder}"' if settings.evidence.folder else "",
    ]
    tables = (
        f'[[tables]]\nname = "{table.name}"\nkey_file = "{table.key_file}"\nurl = "{table.address}"'
        for table in settings.remote
    )
    path.write_text("\n".join((*lines, *tables)) + "\n")
    return path


@dataclass(slots=True)
class HubProgram:
    """``houseway run`` of a floor as a program of its own."""

    process: subprocess.Popen[str]
    port: int
    said: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def health(self) -> dict[str, Any]:
        """What it says of itself without a key; nothing if it does not answer."""
        try:
            found: dict[str, Any] = httpx2.get(f"{self.url}/healthz", timeout=5).json()
        except httpx2.HTTPError:
            return {}
        return found

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait(30)

    def stop(self) -> int:
        """Ask it to end; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def hub_program(path: Path) -> Iterator[HubProgram]:
    """Run a floor in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "service", "run", "--config", str(path), "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    said: list[str] = []
    output = process.stdout
    reading = threading.Thread(target=lambda: said.extend(iter(output.readline, "")), daemon=True)
    reading.start()
    made = HubProgram(process, port, said)
    try:
        wait_until(lambda: bool(made.health()) or process.poll() is not None, 90)
        assert process.poll() is None, "".join(said)
        yield made
    finally:
        process.kill()
        process.wait(30)
        reading.join(10)
        output.close()


def link_in(said: list[str]) -> str:
    """The path of the link that signs in once, as the first start prints it."""
    found = re.search(r"http://[^/]+(/set-up\?code=\S+)", "".join(said))
    assert found is not None, said
    return found[1]


def results_of(client: httpx2.Client, since: str | None = None, **query: str | float) -> dict[str, Any]:
    """An answer of ``/v1/results``."""
    asked: Mapping[str, Any] = {**query, **({} if since is None else {"since": since})}
    answer = client.get("/v1/results", params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


PITS = {"main": "Main floor", "east": "East", "high": "High limit", "salon": "Salon"}


@dataclass(slots=True)
class ManyTables:
    """A floor that has collected many tables.

    Attributes:
        feeds: their feeds, which may go on.
        app: the floor.
        url: where it is.
    """

    feeds: FeedServer
    app: FastAPI
    url: str


@contextmanager
def many_tables(url: str, count: int) -> Iterator[ManyTables]:
    """A floor in which some tables have alarms, wait for a person, do not verify, or cannot be reached."""
    chance = random.Random(3)  # noqa: S311  no secret
    feeds = {f"pg{number:03}": _evening(f"own{number}", number, chance) for number in range(1, count + 1)}
    with serving_feeds(feeds) as server:
        for number, served in enumerate(server.tables.values()):
            if number % 47 == 5:
                served.told["status"] = {"level": "fault", "code": "camera"}
            if number % 61 == 7:
                served.status = 503
        pits_of = [list(PITS)[number * len(PITS) // count] for number in range(count)]
        tables = {
            name: {"title": f"PG {number}", "pit": pit, "url": f"{server.url}/{name}"}
            for number, (name, pit) in enumerate(zip(feeds, pits_of, strict=True), start=1)
        }
        pits = tuple(PitConfig(name=name, title=title) for name, title in PITS.items())
        config = hub_config(url, tables).model_copy(update={"pits": pits})
        with serving_hub(config) as hub:
            known = hub.parts.hub.writer
            there = {name: len(feed.entries) for name, feed in feeds.items() if server.tables[name].status is None}
            wait_until(lambda: all(known.known[name].seq == entries for name, entries in there.items()), 120)
            # From now on as real tables wait: what asks and is asked share a process, and only the floor is looked at.
            server.longest_wait_s, server.looks_every_s = 20.0, 0.1
            yield ManyTables(server, hub.app, hub.url)


def _evening(table: str, number: int, chance: random.Random) -> RecordedFeed:
    feed = RecordedFeed(table=table)
    for each in range(1, 4):
        play(feed, "right", f"r{each}", 1, minutes=4 * each)
        play(feed, "right", f"r{each}", 2, minutes=4 * each, state="closed")
    drawn = chance.random()
    if number == 1 or drawn < 0.08:
        play(feed, "wrong", "r4", 1, minutes=20)
    elif number == 2 or drawn < 0.2:
        play(feed, "doubt", "r4", 1, minutes=20)
    if chance.random() < 0.04:
        check(feed, "clock")
    return feed
