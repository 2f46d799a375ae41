"""A floor that collects, in a thread of a test's own."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from service.hub.collect.collector import Collector
from service.hub.store.writer import FloorWriter
from service.record.store import schema
from service.record.store.all_logs import LogsReader
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.settings import Config
from tests.service.stand_ins import new_folder, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Connection

    from service.hub.collect.states import TableNow
    from tests.service.hub.feeds import RecordedFeed


def floor_config(url: str, tables: Mapping[str, dict[str, Any]], folder: Path | None = None) -> Config:
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
    """URL of the database that a floor collects into."""
    return RecordSettings.of(config).database_url


def _key_file(name: str) -> Path:
    file = new_folder() / "key"
    file.write_text(f"key-of-{name}")
    return file


@dataclass(slots=True)
class RunningFloor:
    """What collects, and what it has collected."""

    writer: FloorWriter
    reader: LogsReader
    record: Record
    collector: Collector

    def now(self, table: str) -> TableNow:
        """How a table is."""
        return self.collector.states.tables[table]

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
def collecting(config: Config, *, pauses_s: tuple[float, float, float] = (0.05, 0.3, 0.3)) -> Iterator[RunningFloor]:
    """Collect while the block runs; what fails is tried again soon."""
    where = RecordSettings.of(config)
    record, reader = Record(where), LogsReader(where.database_url)
    writer = FloorWriter(record, [table.name for table in config.remote])
    writer.start()
    wait_until(lambda: writer.writing)
    collector = Collector(config, writer, reader, record, pauses_s=pauses_s)
    loop, ending, begun = asyncio.new_event_loop(), asyncio.Event(), threading.Event()

    async def collect() -> None:
        async with collector.running():
            begun.set()
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
        begun.wait(30)
        yield RunningFloor(writer, reader, record, collector)
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join(30)
        writer.stop()
        record.close()
        reader.close()


def check_whole(floor: RunningFloor, feeds: Mapping[str, RecordedFeed]) -> None:
    """Every entry of every table is held exactly once, in its order, and positions have no gap."""
    check_all_held(floor.reader, feeds)


def check_all_held(reader: LogsReader, feeds: Mapping[str, RecordedFeed]) -> None:
    """The same of a store."""
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
