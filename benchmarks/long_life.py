"""A store of many entries: `python -m benchmarks.long_life [--entries 10000 100000] [--folder F]`.

Rounds of a session (`benchmarks.hub.session`) are written into a table's record, with its own key and chain, many to a
transaction. Then the service is started on it, and everything that reads it is timed. With several sizes, what grows
with the size is seen.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx2
from sqlalchemy import insert

from benchmarks.hub.session import ROUNDS_AN_HOUR, session
from benchmarks.hub.tables import Round
from benchmarks.measure import ROOT, parser_of, report
from benchmarks.memory import MostMemory
from service.access.accounts import Accounts
from service.access.roles import UserRole
from service.record.changes import Attribution
from service.record.store import schema
from service.record.store.entries import RESULTS, Entry, canonical_json, timestamp
from service.record.store.record import Record, next_position
from service.record.store.record_settings import RecordSettings
from service.record.store.stored_logs import cursor_of

BATCH: Final = 2_000
"""Entries in a transaction."""
A_DAY: Final = 24 * ROUNDS_AN_HOUR
_ASKED: Final = 5
_PATIENCE_S: Final = 600.0


@dataclass(slots=True)
class _Count(Sized):
    """Stands for the entries of a record, of which only the number is asked."""

    number: int = 0

    def __len__(self) -> int:
        return self.number


@dataclass(slots=True)
class Filled:
    """A record that is filled in bulk.

    Attributes:
        at: when the next entry is recorded.
    """

    record: Record
    name: str
    at: datetime
    entries: _Count = field(default_factory=_Count)
    _previous: str = ""
    _rows: list[dict[str, Any]] = field(default_factory=list)

    def append(
        self,
        kind: str,
        body: str,
        *,
        table: str,
        round_id: str | None = None,
        subject: str | None = None,
        supersedes: int | None = None,
    ) -> None:
        """Append an entry; it is written with the others of its batch."""
        if kind in RESULTS:
            body = canonical_json({**json.loads(body), "evidence": []})  # there are no pictures
        seq = self.entries.number + 1
        entry = Entry(
            seq=seq,
            at=timestamp(self.at),
            monotonic_ns=seq,
            kind=kind,
            table=table,
            round=round_id,
            subject=subject,
            supersedes=supersedes,
            body=body,
            previous=self._previous,
        ).sealed()
        signer = self.record._signer  # noqa: SLF001  the record's own
        if signer is None:
            raise RuntimeError("the record is not open")
        signature = signer.sign(self.record.id, seq, entry.hash, entry.at).signature
        self._rows.append({"log": schema.OWN_LOG, "signature": signature, **asdict(entry)})
        self.entries.number, self._previous = seq, entry.hash
        if len(self._rows) >= BATCH:
            self.write()

    def write(self) -> None:
        """Write the batch, if there is any."""
        if not self._rows:
            return
        with self.record._writing() as connection:  # noqa: SLF001  the record's own
            first = next_position(connection)
            rows = [{"position": first + number, **row} for number, row in enumerate(self._rows)]
            connection.execute(insert(schema.entries), rows)
        self._rows = []

    def begin(self) -> None:
        """Go on behind what the record holds."""
        head = self.record.head()
        if head is None:
            raise RuntimeError(self.record.state.message)
        self.entries.number, self._previous = head.seq, head.hash


def fill(folder: Path, count: int) -> int:
    """Fill a record with entries, the last now; returns the number of rounds."""
    made, chance = session(), random.Random(1)  # noqa: S311  no secret
    rounds = round(count / made.entries_a_round)
    apart = timedelta(hours=1) / ROUNDS_AN_HOUR
    with Record(RecordSettings(folder)) as record:
        filled = Filled(record, "long", datetime.now(UTC) - rounds * apart)
        filled.begin()
        for number in range(rounds):
            played = made.rounds[number % len(made.rounds)]
            one = Round(filled, played, filled.at, 1.0, f"{chance.getrandbits(128):032x}", number + 1)
            for step in played.steps:
                one.append(step)
            filled.at += apart
        filled.write()
    return rounds


@contextmanager
def served(settings: Path) -> Iterator[tuple[str, int, float]]:
    """Run the service; yields address, process, and the seconds until it answered."""
    started = time.monotonic()
    command = [sys.executable, "-m", "service", "run", "--config", str(settings), "--port", "8417"]
    running = subprocess.Popen(  # noqa: S603  ours
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
    )
    url = "http://127.0.0.1:8417"
    try:
        while True:
            try:
                httpx2.get(f"{url}/healthz", timeout=5)
                break
            except httpx2.TransportError:
                if running.poll() is not None or time.monotonic() - started > _PATIENCE_S:
                    raise
                time.sleep(0.05)
        yield url, running.pid, time.monotonic() - started
    finally:
        running.terminate()
        running.wait(60)


def timed_s(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def command_s(*arguments: str) -> float:
    """Return how long a command takes."""
    command = [sys.executable, "-m", "service", *arguments]
    run = lambda: subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, timeout=_PATIENCE_S)  # noqa: E731, S603
    return timed_s(run)


def measured(top: Path, count: int) -> dict[str, float]:
    """Fill a record, and time what reads it, seconds."""
    folder, settings = top / "state", top / "settings.toml"
    found: dict[str, float] = {"entries": count}
    filled_s = timed_s(lambda: found.update(rounds=fill(folder, count)))
    settings.write_text(
        f'[record]\nfolder = "{folder}"\n[limits]\nrequests_per_minute = 0\n'
        '[[tables]]\nname = "long"\n[tables.source]\nkind = "simulator"\n'
    )
    with Record(RecordSettings(folder), claim=False) as record:
        head = record.entry(count // 2)
        key = Accounts(record).add_key("long", UserRole.ADMIN, 1, Attribution("benchmark", "to ask"))[1]
        last = record.head()
    if head is None or last is None:
        raise RuntimeError("the record is not filled")
    found |= {"filled_s": filled_s, "megabytes": sum(each.stat().st_size for each in folder.glob("record.db*")) / 1e6}
    for again in ("first", "second"):
        with served(settings) as (url, process, started_s), MostMemory(process) as memory:
            client = httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=_PATIENCE_S)
            found[f"{again} start_s"] = started_s
            began = time.monotonic()
            while time.monotonic() - began < _PATIENCE_S:
                # Until all entries are followed the answer may be that rounds are still being read.
                if len(client.get("/v1/rounds", params={"limit": 50}).json().get("rounds", ())) == 50:
                    break
                time.sleep(0.5)
            found[f"{again} start: rounds listed after_s"] = time.monotonic() - began
            if again == "second":
                for name, path in _asked(cursor_of(head.seq, head.hash)).items():
                    client.get(path).raise_for_status()
                    found[f"{name}_s"] = min(timed_s(partial(client.get, path)) for _ in range(_ASKED))
        found[f"{again} start: peak_mb"] = memory.mb
    since = str(max(0, last.seq - round(A_DAY * session().entries_a_round)))
    found["verify_s"] = command_s("record", "verify", "--record", str(folder))
    found["export of a day_s"] = command_s(
        "record", "export", "--record", str(folder), "--since", since, "--out", str(top / "export")
    )
    return found


def _asked(middle: str) -> dict[str, str]:
    day = (datetime.now(UTC) - timedelta(hours=12)).strftime("%Y-%m-%d")
    return {
        "first page of rounds": "/v1/rounds?limit=50",
        "search: doubtful rounds": "/v1/rounds?limit=50&status=needs_review",
        "search: since yesterday": f"/v1/rounds?limit=50&since={day}",
        "alarms": "/v1/alarms?limit=50",
        "feed from the start": "/v1/results?limit=200",
        "entries from the middle": f"/v1/record/entries?limit=200&since={middle}",
        "tables": "/v1/tables",
        "page of rounds": "/rounds",
        "page of alarms": "/alarms",
        "page of shifts": "/shifts",
    }


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("--entries", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--folder", type=Path, help="folder on the disk to use; default: a temporary one")
    asked = options.parse_args()
    for count in asked.entries:
        with tempfile.TemporaryDirectory(dir=asked.folder) as top:
            one = measured(Path(top), count)
        report({f"{count:,} entries: {name}": value for name, value in one.items()}, as_json=asked.as_json)


if __name__ == "__main__":
    main()
