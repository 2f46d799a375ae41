"""An attacker with the table's computer, but without the record's key, edits database and pictures at random.

`python -m benchmarks.attacks.tampering [--edits 1000] [--running 20] [--seed 1]`. Each edit is made to a copy of one
record, which is then verified like `houseway record verify`; some are made under a running service, which must notice
them. `benchmarks.attacks.rewriting` is the attack with the key.
"""

import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

from benchmarks.attacks.common import Figures
from benchmarks.attacks.edits import EDITS, Edit, Known, filled, stored
from benchmarks.measure import parser_of, report, summary
from service.access.accounts import Accounts
from service.record.integrity.guard import Guard
from service.record.integrity.verify import NotARecordError, examine_database
from service.record.projections.compare import compare_own
from service.record.store.database import open_database
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import Draft, RecordUnavailableError
from service.record.store.record import Record
from service.record.store.record_settings import EVIDENCE, RecordSettings
from service.table.live_state import LiveState

_PATIENCE_S: Final = 60.0
"""Time limit for a running service to notice."""


def found_by_verify(folder: Path) -> str | None:
    """Return the faults that `houseway record verify` reports, or None."""
    settings = RecordSettings(folder)
    database = open_database(settings.database_url)
    if not Path(database.url.database or "").is_file():
        return "no record here"
    try:
        with DatabaseReader(database) as reader:
            more = {"projections": compare_own}
            proof = examine_database(reader, folder / EVIDENCE, settings=settings, more=more)
    except (RecordUnavailableError, NotARecordError) as error:
        return str(error)
    return None if proof.holds else " ".join(str(fault.words) for fault in proof.faults)


def extends(folder: Path, known: Known) -> bool:
    """Return whether a record extends a witness's last checkpoint, by number and hash."""
    try:
        with DatabaseReader(open_database(RecordSettings(folder).database_url)) as reader:
            entry = reader.entry(known.seq)
            return entry is not None and entry.hash == known.hash
    except RecordUnavailableError:
        return False


def edits_proven(folder: Path, count: int, seed: int) -> Figures:
    """Make ``count`` edits, each to a copy of a record, and count those that verification finds."""
    master, older = folder / "master", folder / "older"
    known = filled(master, older)
    before = stored(master)
    found, missed = Counter[str](), defaultdict[str, list[int]](list)
    by_witness, without_effect, outside, about_somebody, named = 0, 0, 0, 0, 0
    for number in range(count):
        chance = random.Random(f"{seed}.{number}")  # noqa: S311  edits, not secrets
        name, edit = chance.choice(list(EDITS.items()))
        copy = Path(shutil.copytree(master, folder / "copy"))
        shutil.copy(RecordSettings(master).mark_file, RecordSettings(copy).mark_file)
        whose = edit.make(copy, older, chance)
        after = stored(copy)
        said = found_by_verify(copy)
        if after == before:
            without_effect += 1  # bytes of no table and no picture
        elif edit.outside:
            outside += 1
        elif said is not None:
            found[name] += 1
            about_somebody += bool(whose)
            named += any(name in said for name in whose or ())
        elif not extends(copy, known):
            by_witness += 1
        else:
            missed[name].append(number)
        shutil.rmtree(copy)
    numbers_of = {f"not found: {name}": f"edits {', '.join(map(str, numbers))}" for name, numbers in missed.items()}
    return {
        "edits": count,
        "without effect on any row or picture": without_effect,
        "of tables that the record does not cover": outside,
        "found by record verify": found.total(),
        "of these about an account or a key": about_somebody,
        "account or key named rightly": named,
        "found with the last checkpoint of a witness": by_witness,
        "not found": sum(map(len, missed.values())),
        **numbers_of,
    }


def edits_noticed(folder: Path, count: int, seed: int) -> Figures:
    """Make edits under a running service, and measure the seconds until it notices."""
    master, older = folder / "master", folder / "older"
    if not master.exists():
        filled(master, older)
    noticed: list[float] = []
    missed = Counter[str]()
    appends: list[float] = []
    wanted = [name for name, edit in EDITS.items() if not edit.outside and not edit.stopped]
    for number in range(count):
        chance = random.Random(f"{seed}.running.{number}")  # noqa: S311  edits, not secrets
        name = wanted[number % len(wanted)]
        copy = Path(shutil.copytree(master, folder / "copy"))
        shutil.copy(RecordSettings(master).mark_file, RecordSettings(copy).mark_file)
        seconds = asyncio.run(_noticed_after(copy, older, EDITS[name], chance, appends))
        if seconds is None:
            missed[name] += 1
        else:
            noticed.append(seconds)
        shutil.rmtree(copy)
    return {
        "edits under a running service": count,
        "noticed within a minute": len(noticed),
        "seconds until noticed, median": round(statistics.median(noticed), 1) if noticed else "none",
        "seconds until noticed, longest": round(max(noticed), 1) if noticed else "none",
        **{f"not noticed: {name}": times for name, times in missed.items()},
        **({f"append meanwhile, {name}": round(each, 2) for name, each in summary(appends).items()} if appends else {}),
    }


async def _noticed_after(
    folder: Path, older: Path, edit: Edit, chance: random.Random, appends: list[float]
) -> float | None:
    """Return the seconds until a running service reports the edit; None if it does not within a minute."""
    record = Record(RecordSettings(folder))
    guard = Guard(record, Accounts(record).reload, LiveState(5, stale_after_s=1e9), (compare_own,))
    try:
        async with guard.running():
            await asyncio.sleep(1.0)
            before = stored(folder)
            edit.make(folder, older, chance)
            if stored(folder) == before:
                return 0.0
            started = time.monotonic()
            while time.monotonic() - started < _PATIENCE_S:
                if not record.state.ok or not guard.check().ok:
                    return time.monotonic() - started
                await asyncio.to_thread(_append, record, appends)
                await asyncio.sleep(0.25)
    finally:
        record.close()
    return None


def _append(record: Record, appends: list[float]) -> None:
    """Append as the table does during the attack."""
    started = time.perf_counter()
    try:
        record.append(Draft("health", {"ok": True}, table="test", subject="clock"))
    except RecordUnavailableError:
        return
    appends.append(1e3 * (time.perf_counter() - started))


def run(edits: int = 200, running: int = 8, seed: int = 1) -> Figures:
    """Make edits of each kind, on copies and under a running service."""
    with tempfile.TemporaryDirectory() as folder:
        return edits_proven(Path(folder), edits, seed) | edits_noticed(Path(folder), running, seed)


def main() -> None:
    """Make the edits; exit with status 1 if one was not found."""
    options = parser_of(__doc__)
    options.add_argument("--edits", type=int, default=1000)
    options.add_argument("--running", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    figures = run(asked.edits, asked.running, asked.seed)
    report(figures, as_json=asked.as_json)
    sys.exit(any(name.startswith("not ") and name != "not found" for name in figures))


if __name__ == "__main__":
    main()
