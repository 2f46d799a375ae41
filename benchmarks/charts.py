"""How long the charts of a day of many rounds take: `python -m benchmarks.charts [--rounds 10000]`.

The rounds lie in a record as the service leaves them, three revisions each, spread over one gaming day. Beside the
charts, the first page of the history and a search that looks through as many rounds as one answer does.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from sqlalchemy import insert

from benchmarks.measure import parser_of, report, timed_ms
from calibration.table.places import BOX_PLACES, HOUSE
from engine.game.tiles import Tile
from service.judge.house_way_choice import house_way_of
from service.record.round_search import Wanted, find_rounds
from service.record.store import record_tables
from service.record.store.chain import NO_HASH, Entry, canonical_json, timestamp
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.round import Round
from service.rounds.written import report_round
from service.shifts.figures import count
from vision.reading import HandReading

if TYPE_CHECKING:
    from collections.abc import Iterator

BUDGET_MS = 1_000.0
"""Wanted of the charts."""
TABLE = "bench"
DAY = datetime(2026, 11, 25, tzinfo=UTC)
_NINE, _EIGHT, _TEEN, _SEVEN = map(Tile.parse, ("6-3", "5-3", "6-6", "6-1"))
_AT_ONCE = 3_000


def revisions(rounds: int) -> Iterator[dict[str, Any]]:
    """The bodies of all revisions: every tenth House hand lay wrong before it was set right."""
    way = house_way_of("crown-6.1")

    def body(*, wrong: bool) -> dict[str, Any]:
        low, high = (_SEVEN, _NINE) if wrong else (_NINE, _SEVEN)
        hands = [HandReading(place, (low, _EIGHT), (_TEEN, high), "verified") for place in (HOUSE, *BOX_PLACES)]
        played = Round("r", DAY, DAY, 3, hands=tuple(hands))
        return report_round(played, table=TABLE, house_way=way, versions={"a": "b" * 64}).model_dump(mode="json")

    as_laid = {wrong: body(wrong=wrong) for wrong in (False, True)}
    for number in range(rounds):
        opened = (DAY + timedelta(days=number / rounds)).isoformat()
        for revision in (1, 2, 3):
            known = {"id": f"r{number}", "number": number + 1, "revision": revision, "opened_at": opened}
            yield {**as_laid[number % 10 == 0 and revision < 3], **known, "changed_at": opened}


def fill(record: Record, rounds: int) -> None:
    """Put rounds into a record, in its chain, quicker than one by one and not signed."""
    head = record.head()
    seq, previous = (0, NO_HASH) if head is None else (head.seq, head.hash)
    rows: list[Entry] = []
    for body in revisions(rounds):
        seq += 1
        about = (TABLE, body["id"], str(body["revision"]), None)
        rows.append(Entry(seq, timestamp(DAY), 0, "round", *about, canonical_json(body), previous).sealed())
        previous = rows[-1].hash
    with record.database.begin() as connection:
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            named = [{name: getattr(row, name) for name in Entry.__slots__} for row in some]
            connection.execute(insert(record_tables.entries), named)


def main() -> None:
    """Measure."""
    options = parser_of(__doc__)
    options.add_argument("--rounds", type=int, default=10_000)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record = Record(RecordSettings(Path(folder)))
        fill(record, asked.rounds)
        zone = ZoneInfo("UTC")
        told = count(record, TABLE, DAY.date(), zone, ()).whole
        nowhere = Wanted(text="nowhere")
        times = {
            "charts of the day": min(timed_ms(lambda: count(record, TABLE, DAY.date(), zone, ())) for _ in range(3)),
            "first page of the history": timed_ms(lambda: find_rounds(record, TABLE, Wanted())),
            "a search that finds nothing": timed_ms(lambda: find_rounds(record, TABLE, nowhere)),
        }
        size = len(canonical_json(next(revisions(1))))
        record.close()
    kept = times["charts of the day"] <= BUDGET_MS
    report(
        {"rounds": told.rounds, "mistakes": told.mistakes, "bytes_a_revision": size}
        | {f"{name}, ms": value for name, value in times.items()}
        | {"budget_ms": BUDGET_MS, "kept": kept},
        as_json=asked.as_json,
    )


if __name__ == "__main__":
    main()
