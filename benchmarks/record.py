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

from service.record.store.entries import Draft, Picture
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings

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


def in_turn(one: Callable[[int], object], other: Callable[[int], object], count: int) -> list[list[float]]:
    """The same for two kinds of work, by turns, so that what else the disk does meets both."""
    spent: list[list[float]] = [[], []]
    for number in range(count):
        for work, so_far in zip((one, other), spent, strict=True):
            begun = time.perf_counter()
            work(number)
            so_far.append((time.perf_counter() - begun) * 1e3)
    return [sorted(each) for each in spent]


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

        few = max(asked.count // 5, 20)
        seen = [[Picture(os.urandom(size)) for size in (900_000, 300_000)] for _ in range(2 * few)]

        def with_pictures(number: int) -> None:
            pictures = seen[number]
            named = [{"sha256": p.sha256, "bytes": len(p.data), "media_type": p.media_type} for p in pictures]
            draft = Draft("round", {**BODY, "number": number, "evidence": named}, table="b", round=f"p{number}")
            record.append(draft, pictures=pictures)

        def one_after_the_other(number: int) -> None:
            for one in seen[few + number]:
                record.evidence.put({one.sha256: one.data})
            with_pictures(few + number)

        with (Path(folder) / "plain").open("wb") as plain:

            def sync(_: int) -> None:
                plain.write(bytes(4096))
                plain.flush()
                os.fsync(plain.fileno())

            say("the disk alone: 4 kB written and synced", times_ms(sync, asked.count))
        durable = times_ms(entry, asked.count)
        say("an entry, signed and durable", durable)
        together, apart = in_turn(with_pictures, one_after_the_other, few)
        say("an entry with two pictures, 1.2 MB", together)
        say("the same, each picture synced before the next", apart)
        print(f"budget {BUDGET_MS} ms for a result: {'kept' if statistics.median(durable) <= BUDGET_MS else 'MISSED'}")
        record.close()


if __name__ == "__main__":
    main()
