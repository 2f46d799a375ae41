"""A floor under load: `python -m benchmarks.floor_load [--tables 500 ...] [--pace 1 10] [--minutes 1]`.

Tables play recorded readings (``benchmarks/floor/session.py``): each has a real chain and key and is asked as a real
one is, with long polls; no picture is read. They share a process, the floor is ``houseway run``, and PostgreSQL a
server of its own with the settings of Debian's package, which writes to the disk. A program polls the floor's feed, and
a page is open. Counted from the moment at which a table has recorded an entry: until PostgreSQL has committed it, until
``/v1/results`` gives it, until the page is told of it. Processor time and memory of each, and the disk that a day of it
would fill at this pace.
"""

from __future__ import annotations

import bisect
import os
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.floor.database import committed, database_server, server_cost, sizes
from benchmarks.floor.many import many_tables, names
from benchmarks.floor.running import key_of, running_floor, settings_file
from benchmarks.floor.session import ROUNDS_AN_HOUR, session
from benchmarks.floor.watching import watching
from benchmarks.measure import parser_of, report
from benchmarks.memory import Cost, spent_by
from service.record.store.entries import RESULTS
from tests.service.databases import new_database

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchmarks.floor.many import Told
    from benchmarks.floor.watching import Seen
    from tests.service.databases import Cluster

SETTLING_S: Final = 10.0
"""Played before anything is measured."""
AFTERWARDS_S: Final = 3.0
"""So long what was recorded last may still be on its way."""
_DAY_S: Final = timedelta(days=1).total_seconds()


def measured(server: Cluster, count: int, pace: float, minutes: float) -> dict[str, Any]:
    """So many tables, so many times as fast as real ones."""
    database = new_database(server.url)
    named = names(count)
    with many_tables(named) as tables:
        settings = settings_file(database, named, tables.url)
        key = key_of(settings)
        with running_floor(settings, database, count) as floor, watching(floor.url, key) as seen:
            tables.begin(pace)
            time.sleep(SETTLING_S)

            def costs() -> dict[str, Cost]:
                floor_cost = spent_by([floor.process.pid])
                return {"floor": floor_cost, "postgresql": server_cost(server), "tables": tables.cost()}

            began = datetime.now(UTC)
            begun, before, on_disk = time.monotonic(), costs(), sizes(database)
            asked, fetched = tables.counts()[1], len(seen.fetched_ms)
            time.sleep(60 * minutes)
            ended, after = time.monotonic(), costs()
            spent_s = ended - begun
            a_day = sizes(database).since(on_disk, _DAY_S / spent_s)
            asked = tables.counts()[1] - asked
            time.sleep(AFTERWARDS_S)
            told = tables.told(begun, ended)
            durable = committed(database, began)
            fetched_ms = seen.fetched_ms[fetched:]
    return {
        "load": {"tables": count, "pace": pace, "seconds": spent_s, "machine_load": os.getloadavg()[0]},
        "entries": {"a_second": len(told) / spent_s, "requests_a_second": asked / spent_s},
        "durable_s": _spread(_since_heard(told, durable)),
        "served_s": _spread(_since_heard((each for each in told if each.kind in RESULTS), seen.served)),
        "told_s": _spread(_until_told(told, seen)),
        "page_fetches_ms": _spread(fetched_ms),
        **{
            f"{name}_cost": {
                "cores": (after[name].processor_s - before[name].processor_s) / spent_s,
                "memory_mb": after[name].memory_mb,
            }
            for name in before
        },
        "gigabytes_a_day": {name: each / 1e9 for name, each in a_day.items()},
        "pictures_gigabytes_a_day": pictures_a_day(count, pace),
    }


def pictures_a_day(tables: int, pace: float) -> dict[str, float]:
    """What copies of pictures would fill, gigabytes, by what is copied."""
    rounds = tables * pace * ROUNDS_AN_HOUR * 24
    made = session()
    return {
        "all": rounds * made.pictures_a_round()[1] / 1e9,
        "alarms": rounds * made.pictures_of_alarms() / 1e9,
        "none": 0.0,
    }


def _since_heard(told: Iterable[Told], came: Mapping[tuple[str, int], float]) -> Iterator[float | None]:
    """From when its table had recorded each entry until it came; None if it never did."""
    for each in told:
        at = came.get((each.table, each.seq))
        yield None if at is None else at - each.heard_at


def _until_told(told: Sequence[Told], seen: Seen) -> Iterator[float]:
    """Of those entries of which it is known which news told of them."""
    spans: Mapping[str, Sequence[tuple[str, str, float]]] = seen.told
    for each in told:
        of_table = spans.get(each.table, ())
        place = bisect.bisect_left(of_table, each.at, key=lambda span: span[1])
        if place < len(of_table) and of_table[place][0] < each.at:
            yield of_table[place][2] - each.heard_at


def _spread(found: Sequence[float | None] | Iterator[float | None]) -> dict[str, float]:
    """Median, 99 % and the longest, and how many never came."""
    all_of_them = list(found)
    came = [each for each in all_of_them if each is not None]
    if not came:
        return {"count": 0, "never": len(all_of_them)}
    return {
        "median": float(np.median(came)),
        "p99": float(np.quantile(came, 0.99)),
        "longest": max(came),
        "count": len(came),
        "never": len(all_of_them) - len(came),
    }


def main() -> None:
    """Measure and report."""
    parser = parser_of(__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[500])
    parser.add_argument(
        "--pace", type=float, nargs="+", default=[1.0, 10.0], help="how many times as fast as real ones"
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    asked = parser.parse_args()
    made = session()
    pictures, picture_bytes = made.pictures_a_round()
    found: dict[str, Any] = {
        "a_table": {
            "rounds_an_hour": ROUNDS_AN_HOUR,
            "entries_a_round": made.entries_a_round,
            "bytes_an_entry": made.bytes_an_entry,
            "pictures_a_round": pictures,
            "picture_bytes_a_round": picture_bytes,
        }
    }
    with database_server() as server:
        for pace in asked.pace:
            for count in asked.tables:
                one = measured(server, count, pace, asked.minutes)
                if not asked.as_json:
                    report(one, as_json=False)
                found[f"{count} tables x {pace:g}"] = one
    if asked.as_json:
        report(found, as_json=True)
    else:
        report({"a_table": found["a_table"]}, as_json=False)


if __name__ == "__main__":
    main()
