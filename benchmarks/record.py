"""Time until a result is durable: `python -m benchmarks.record [--folder F] [--url URL] [--count N]`.

The same run measures a plain sync of 4 kB on the same disk, as the lower bound.
"""

import os
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import parser_of, report, summary, timed_ms
from service.record.store.entries import Draft, Picture
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings

BUDGET_MS = 20.0
"""Budget for the median."""
BODY = {"hands": [{"place": "house", "low": ["6-3", "5-3"], "high": ["6-6", "6-1"]}] * 8, "versions": {"a": "b" * 64}}


def sync(file: int) -> None:
    os.write(file, bytes(4096))
    os.fsync(file)


def append(record: Record, name: str, pictures: Sequence[Picture] = ()) -> None:
    named = [{"sha256": p.sha256, "bytes": len(p.data), "media_type": p.media_type} for p in pictures]
    record.append(Draft("round", {**BODY, "evidence": named}, table="b", round=name), pictures=pictures)


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("--folder", type=Path, help="folder on the disk to measure; default: a temporary one")
    options.add_argument("--url", help="a PostgreSQL database instead of SQLite")
    options.add_argument("--count", type=int, default=500)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder, (Path(folder) / "plain").open("wb") as plain:
        record = Record(RecordSettings(Path(folder) / "state", asked.url))
        if not record.state.ok:
            raise SystemExit(record.state.message)
        seen = [[Picture(os.urandom(size)) for size in (900_000, 300_000)] for _ in range(max(asked.count // 5, 20))]
        numbers = range(asked.count)
        times = {
            "the disk alone: 4 kB written and synced": [timed_ms(partial(sync, plain.fileno())) for _ in numbers],
            "an entry, signed and durable": [timed_ms(partial(append, record, f"r{number}")) for number in numbers],
            "an entry with two pictures, 1.2 MB": [
                timed_ms(partial(append, record, f"p{number}", pictures)) for number, pictures in enumerate(seen)
            ],
        }
        record.close()
    result = {name: summary(each) for name, each in times.items()}
    kept = result["an entry, signed and durable"]["median_ms"] <= BUDGET_MS
    report({**result, "budget_ms": BUDGET_MS, "kept": kept}, as_json=asked.as_json)


if __name__ == "__main__":
    main()
