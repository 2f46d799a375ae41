"""How long a result takes to be durable: `python benchmarks/record.py [--folder F] [--url URL] [--count N]`.

Beside it, on the same disk in the same run, what the disk itself takes to make 4 kB durable: nothing can be faster.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from service.store.protocols import Draft, Picture
from service.store.record import Record, RecordSettings

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET_MS = 20.0
BODY = {"hands": [{"place": "house", "low": ["6-3", "5-3"], "high": ["6-6", "6-1"]}] * 8, "versions": {"a": "b" * 64}}


def times_ms(work: Callable[[int], object], count: int) -> list[float]:
    """Milliseconds of each call, sorted."""
    spent = []
    for number in range(count):
        start = time.perf_counter()
        work(number)
        spent.append((time.perf_counter() - start) * 1e3)
    return sorted(spent)


def say(what: str, spent: list[float]) -> None:
    """Median and 99th percentile."""
    print(f"{what:52} median {statistics.median(spent):6.2f} ms, 99 % {spent[int(len(spent) * 0.99)]:6.2f} ms")


def main() -> None:
    """Measure appending with and without pictures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", type=Path, help="on the disk that matters; a temporary folder if left out")
    options.add_argument("--url", help="a PostgreSQL database in place of SQLite")
    options.add_argument("--count", type=int, default=500)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        record = Record(RecordSettings(Path(folder) / "state", asked.url))
        if not record.state.ok:
            raise SystemExit(record.state.message)

        def entry(number: int) -> None:
            record.append(Draft("round", {**BODY, "number": number}, table="b", round=f"r{number}"))

        def with_pictures(number: int) -> None:
            pictures = [Picture(os.urandom(size)) for size in (900_000, 300_000)]
            named = [{"sha256": p.sha256, "bytes": len(p.data), "media_type": p.media_type} for p in pictures]
            draft = Draft("round", {**BODY, "number": number, "evidence": named}, table="b", round=f"p{number}")
            record.append(draft, pictures=pictures)

        with (Path(folder) / "plain").open("wb") as plain:

            def sync(_: int) -> None:
                plain.write(bytes(4096))
                plain.flush()
                os.fsync(plain.fileno())

            say("the disk alone: 4 kB written and synced", times_ms(sync, asked.count))
        durable = times_ms(entry, asked.count)
        say("an entry, signed and durable", durable)
        say("an entry with two pictures, 1.2 MB", times_ms(with_pictures, max(asked.count // 5, 20)))
        print(f"budget {BUDGET_MS} ms for a result: {'kept' if statistics.median(durable) <= BUDGET_MS else 'MISSED'}")
        record.close()


if __name__ == "__main__":
    main()
