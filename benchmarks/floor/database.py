"""PostgreSQL as a floor has it, with what it costs: a server of its own, as Debian's package sets it up, that writes to
the disk before it says so.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import text

from benchmarks.memory import Cost, family, spent_by
from service.record.store.database import open_database
from service.record.store.entries import timestamp
from tests.service.databases import cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from tests.service.databases import Cluster

SETTINGS: Final = ("fsync=on", "synchronous_commit=on", "max_connections=100", "track_commit_timestamp=on")
"""Those that Debian's package begins with; beside them it notes when each transaction was committed."""
_COMMITTED: Final = text(
    "SELECT t.name, e.seq, extract(epoch FROM pg_xact_commit_timestamp(e.xmin)) "
    "FROM record_entries e JOIN logs t ON t.id = e.log WHERE e.received_at >= :since"
)
_SIZES: Final = text(
    "SELECT c.relname, pg_relation_size(c.oid), pg_indexes_size(c.oid), "
    "pg_total_relation_size(c.oid) - pg_relation_size(c.oid) - pg_indexes_size(c.oid) "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind = 'r' AND n.nspname = 'public'"
)
_ENTRIES: Final = "record_entries"
_RAISED: Final = ("rounds", "alarms", "followed", "projections")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes on the disk.

    Attributes:
        entries: of the entries themselves, with their long texts.
        indexes: of the entries' indexes.
        made: of what pages and programs are shown, which is made of the entries.
        other: of the rest.
        log: written to PostgreSQL's log so far.
    """

    entries: float
    indexes: float
    made: float
    other: float
    log: float

    def since(self, before: Sizes, times: float = 1.0) -> dict[str, float]:
        """What was added, so many times."""
        return {name: times * (getattr(self, name) - getattr(before, name)) for name in self.__slots__}


def sizes(url: str) -> Sizes:
    """How large a floor's database is."""
    database = open_database(url)
    with database.connect() as connection:
        rows = {row[0]: row[1:] for row in connection.execute(_SIZES)}
        log = connection.execute(text("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")).scalar()
    database.dispose()
    heap, indexes, long_texts = rows.pop(_ENTRIES)
    made = sum(sum(rows.pop(name)) for name in _RAISED)
    return Sizes(heap + long_texts, indexes, made, sum(map(sum, rows.values())), float(log or 0))


def committed(url: str, since: datetime) -> dict[tuple[str, int], float]:
    """When the floor's entries were committed, by table and number; of this computer's monotonic clock, seconds."""
    database = open_database(url)
    ahead_s = time.time() - time.monotonic()
    with database.connect() as connection:
        rows = connection.execute(_COMMITTED, {"since": timestamp(since)}).all()
    database.dispose()
    return {(table, seq): float(at) - ahead_s for table, seq, at in rows}


def server_cost(server: Cluster) -> Cost:
    """What the server spent up to now, all its processes together."""
    return spent_by(family(postmaster(server)), ended_children=True)


def postmaster(server: Cluster) -> int:
    """The process that all others of the server come from."""
    return int((Path(server.data) / "postmaster.pid").read_text().split()[0])


@contextmanager
def database_server() -> Iterator[Cluster]:
    """A server of its own."""
    with cluster(SETTINGS) as made:
        yield made
