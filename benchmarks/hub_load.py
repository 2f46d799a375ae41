"""A hub under load: `python -m benchmarks.hub_load [--tables 500 ...] [--pace 1 10] [--minutes 1]`.

Simulated tables (`benchmarks/hub`) with real chains and keys play in one process; the hub follows them with long polls,
as `houseway run` does, on a separate PostgreSQL server with the settings of Debian's package, which syncs to the disk.
A program polls `/v1/results`, and a page is open. Reported are the delays from the recording of an entry at its table
until PostgreSQL has committed it, until `/v1/results` returns it, and until an event announces it to the page; the
processor time and memory of each process; and the disk space that a day of this load would fill.
"""

import bisect
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy import text

from benchmarks.hub.serving import Recorded, many_tables
from benchmarks.hub.session import ROUNDS_AN_HOUR, session
from benchmarks.hub.watching import Seen, watching
from benchmarks.measure import ROOT, parser_of, report
from benchmarks.memory import Cost, family, spent_by
from service.record.store.all_logs import LogsReader
from service.record.store.database import open_database
from service.record.store.entries import RESULTS, timestamp
from tests.service.databases import Cluster, cluster, new_database
from tests.service.hub.hubs import HubProgram, hub_config, hub_program, written
from tests.service.stand_ins import new_folder, wait_until

SETTLING_S: Final = 10.0
"""Time of play before the measurement."""
AFTERWARDS_S: Final = 3.0
"""Time for the last entries to arrive."""
_DAY_S: Final = timedelta(days=1).total_seconds()
_POSTGRESQL: Final = ("fsync=on", "synchronous_commit=on", "max_connections=100", "track_commit_timestamp=on")
"""Debian's defaults, and timestamps of the commits."""
_COMMITTED: Final = text(
    "SELECT t.name, e.seq, extract(epoch FROM pg_xact_commit_timestamp(e.xmin)) "
    "FROM record_entries e JOIN logs t ON t.id = e.log WHERE e.received_at >= :since"
)
_ON_DISK: Final = text(
    "SELECT pg_database_size(current_database()) AS database, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal"
)


@contextmanager
def running_hub(
    database: str, names: Sequence[str], tables_url: str, elsewhere: Mapping[str, str] | None = None
) -> Iterator[tuple[HubProgram, str]]:
    """Run a hub, and return it with a key as soon as it follows all tables; some may be ``elsewhere``."""
    folder = new_folder()
    config = hub_config(
        database, {name: {"url": (elsewhere or {}).get(name, f"{tables_url}/{name}")} for name in names}, folder / "own"
    )
    settings = written(config, folder)
    command = [sys.executable, "-m", "service", "key", "add", "benchmark", "--role", "admin", "--reason", "benchmark"]
    made = subprocess.run(  # noqa: S603  ours
        [*command, "--config", str(settings)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    with hub_program(settings) as hub, LogsReader(database) as reader:
        wait_until(lambda: sum(table.known.seq > 0 for table in reader.tables()) == len(names), 180)
        yield hub, made.stdout.split()[-1]


def committed(url: str, since: datetime) -> dict[tuple[str, int], float]:
    """Return when entries were committed, in seconds of the monotonic clock, by table and number."""
    database = open_database(url)
    ahead_s = time.time() - time.monotonic()
    with database.connect() as connection:
        rows = connection.execute(_COMMITTED, {"since": timestamp(since)}).all()
    database.dispose()
    return {(table, seq): float(at) - ahead_s for table, seq, at in rows}


def on_disk(url: str) -> dict[str, float]:
    """Return the bytes of the database, and those written to the WAL so far."""
    database = open_database(url)
    with database.connect() as connection:
        row = connection.execute(_ON_DISK).one()
    database.dispose()
    return {"database": float(row.database), "wal": float(row.wal)}


def server_cost(server: Cluster) -> Cost:
    """Return the cost of all processes of a PostgreSQL server."""
    postmaster = int((Path(server.data) / "postmaster.pid").read_text().split()[0])
    return spent_by(family(postmaster), ended_children=True)


def measured(server: Cluster, count: int, pace: float, minutes: float) -> dict[str, Any]:
    """Measure a hub with ``count`` tables that play ``pace`` times as fast as real ones."""
    database = new_database(server.url)
    names = [f"pg{number:03}" for number in range(1, count + 1)]
    with (
        many_tables(names) as tables,
        running_hub(database, names, tables.url) as (hub, key),
        watching(hub.url, key) as seen,
    ):
        tables.start(pace)
        time.sleep(SETTLING_S)

        def costs() -> dict[str, Cost]:
            return {"hub": spent_by([hub.process.pid]), "postgresql": server_cost(server), "tables": tables.cost()}

        start, disk, requests, fetched = datetime.now(UTC), on_disk(database), tables.requests(), len(seen.fetched_ms)
        started, before = time.monotonic(), costs()
        time.sleep(60 * minutes)
        ended, after = time.monotonic(), costs()
        spent_s = ended - started
        filled = {name: size - disk[name] for name, size in on_disk(database).items()}
        requests = tables.requests() - requests
        time.sleep(AFTERWARDS_S)
        recorded = tables.recorded(started, ended)
        durable = committed(database, start)
        fetched_ms = seen.fetched_ms[fetched:]
    results = [each for each in recorded if each.kind in RESULTS]
    return {
        "load": {"tables": count, "pace": pace, "seconds": spent_s, "machine_load": os.getloadavg()[0]},
        "entries": {"a_second": len(recorded) / spent_s, "requests_a_second": requests / spent_s},
        "durable_s": _spread(_delays(recorded, durable)),
        "served_s": _spread(_delays(results, seen.served)),
        "announced_s": _spread(_announced(recorded, seen)),
        "page_fetches_ms": _spread(fetched_ms),
        **{
            f"{name}_cost": {
                "cores": (after[name].processor_s - before[name].processor_s) / spent_s,
                "memory_mb": after[name].memory_mb,
            }
            for name in before
        },
        "gigabytes_a_day": {name: size * _DAY_S / spent_s / 1e9 for name, size in filled.items()},
    }


def _delays(recorded: Iterable[Recorded], came: Mapping[tuple[str, int], float]) -> Iterator[float | None]:
    """Yield the seconds until each entry came; None if it never did."""
    for each in recorded:
        at = came.get((each.table, each.seq))
        yield None if at is None else at - each.monotonic_s


def _announced(recorded: Sequence[Recorded], seen: Seen) -> Iterator[float]:
    """Yield the seconds until an entry was announced, for those of which the event is known."""
    for each in recorded:
        spans = seen.shown.get(each.table, [])
        place = bisect.bisect_left(spans, each.at, key=lambda span: span[1])
        if place < len(spans) and spans[place][0] < each.at:
            yield spans[place][2] - each.monotonic_s


def _spread(found: Iterable[float | None]) -> dict[str, float]:
    """Return the median, 99th percentile and maximum, and how many came and never came."""
    delays = list(found)
    came = [each for each in delays if each is not None]
    if not came:
        return {"count": 0, "never": len(delays)}
    return {
        "median": float(np.median(came)),
        "p99": float(np.quantile(came, 0.99)),
        "longest": max(came),
        "count": len(came),
        "never": len(delays) - len(came),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[500], help="numbers of tables")
    parser.add_argument("--pace", type=float, nargs="+", default=[1.0, 10.0], help="speeds; 1 is that of a real table")
    parser.add_argument("--minutes", type=float, default=1.0, help="duration of each measurement")
    asked = parser.parse_args()
    made = session()
    found: dict[str, Any] = {
        "a_table": {
            "rounds_an_hour": ROUNDS_AN_HOUR,
            "entries_a_round": made.entries_a_round,
            "bytes_an_entry": made.bytes_an_entry,
        }
    }
    with cluster(_POSTGRESQL) as server:
        for pace in asked.pace:
            for count in asked.tables:
                one = measured(server, count, pace, asked.minutes)
                if not asked.as_json:
                    report(one, as_json=False)
                found[f"{count} tables x {pace:g}"] = one
    report(found if asked.as_json else {"a_table": found["a_table"]}, as_json=asked.as_json)


if __name__ == "__main__":
    main()
