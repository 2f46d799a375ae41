"""Time until a result is durable: `python -m benchmarks.record [--folder F] [--url URL] [--count N]`.

The same run measures a plain sync of 4 kB on the same disk, as the lower bound.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.measure import by_turns, parser_of, report, summary
from service.record.store.entries import Draft, Picture
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings

BUDGET_MS = 20.0
"""Budget for the median."""
BODY = {"hands": [{"place": "house", "low": ["6-3", "5-3"], "high": ["6-6", "6-1"]}] * 8, "versions": {"a": "b" * 64}}


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("--folder", type=Path, help="folder on the disk to measure; default: a temporary one")
    options.add_argument("--url", help="a PostgreSQL database instead of SQLite")
    options.add_argument("--count", type=int, default=500)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        record = Record(RecordSettings(Path(folder) / "state", asked.url))
        if not record.state.ok:
            raise SystemExit(record.state.message)

        def entry(number: int) -> None:
            record.append(Draft("round", {**BODY, "number": number}, table="b", round=f"r{number}"))

        few = max(asked.count // 5, 20)
        seen = [[Picture(os.urandom(size)) for size in (900_000, 300_000)] for _ in range(few)]

        def with_pictures(number: int) -> None:
            pictures = seen[number]
            named = [{"sha256": p.sha256, "bytes": len(p.data), "media_type": p.media_type} for p in pictures]
            draft = Draft("round", {**BODY, "number": number, "evidence": named}, table="b", round=f"p{number}")
            record.append(draft, pictures=pictures)

        with (Path(folder) / "plain").open("wb") as plain:

            def sync(_: int) -> None:
                plain.write(bytes(4096))
                plain.flush()
                os.fsync(plain.fileno())

            times = by_turns({"the disk alone: 4 kB written and synced": sync}, asked.count)
        times |= by_turns({"an entry, signed and durable": entry}, asked.count)
        times |= by_turns({"an entry with two pictures, 1.2 MB": with_pictures}, few)
        result = {name: summary(each) for name, each in times.items()}
        kept = result["an entry, signed and durable"]["median_ms"] <= BUDGET_MS
        report({**result, "budget_ms": BUDGET_MS, "kept": kept}, as_json=asked.as_json)
        record.close()


if __name__ == "__main__":
    main()
