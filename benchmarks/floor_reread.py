"""Reading recorded rounds again: `python -m benchmarks.floor_reread [--rounds N] [--depth pictures]`; needs PostgreSQL.

Rounds with House hands dealt by chance are in a floor's store, really signed. The same run is worked on by one, two and
four processes of `houseway floor reread work`, one of which is killed at a random moment where there are several. Each
round must come out exactly once. With `--depth pictures` each round names one picture of the bundled sample, which the
networks read again.
"""

from __future__ import annotations

import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import parser_of, report
from service.floor.reread.results import all_of
from service.floor.reread.runs import Scope, begin, run_of
from service.floor.reread.told import Chosen, here
from service.record.round_evidence import Evidence, named
from service.record.store.entries import Picture
from service.record.store.evidence import EvidenceStore
from tests.sample import FILE, HOUSE_WRONG
from tests.service.databases import cluster, new_database
from tests.service.floor.feeds import RecordedFeed
from tests.service.floor.rereading import WHY, dealt, floor_with, record, worker_program
from vision.networks.model_card import sha256_of

if TYPE_CHECKING:
    from service.floor.reread.told import Depth
    from service.floor.store.reader import FloorReader

_TABLES = 10
_PATIENCE_S = {"rules": 1.0, "pictures": 10.0}


def recorded(rounds: int, depth: Depth) -> dict[str, RecordedFeed]:
    """Tables with so many rounds together."""
    chance, picture = random.Random(3), Picture(HOUSE_WRONG.read_bytes())  # noqa: S311  no secret
    shown: dict[str, Any] = {}
    if depth == "pictures":
        shown["versions"] = {"calibration": f"sha256:{sha256_of(FILE)}"}
    feeds = {f"t{number}": RecordedFeed() for number in range(_TABLES)}
    for number in range(rounds):
        played = dealt(chance)
        if depth == "pictures":
            shown["evidence"] = named(played, [Evidence("house", "frame", picture)], lambda _: True)
        record(feeds[f"t{number % _TABLES}"], played, number + 1, **shown)
    return feeds


def worked(url: str, reader: FloorReader, workers: int, depth: Depth, options: list[str]) -> dict[str, Any]:
    """One run by so many processes; one of several is killed at a random moment."""
    chosen = Chosen.of(None, None, "nz-1998")
    run = begin(reader.database, here(depth, chosen, None), Scope(), WHY, patience_s=_PATIENCE_S[depth])
    chance = random.Random(workers)  # noqa: S311  a moment, no secret
    processes = [worker_program(url, str(run.id), *options) for _ in range(workers)]
    first_s, killed_after = 0.0, run.rounds * chance.uniform(0.1, 0.6) if workers > 1 else run.rounds
    killed = None
    while (now := run_of(reader.database, run.id)) is not None and now.left:
        done = now.states.get("done", 0)
        if not first_s and "taken" in now.states:
            first_s = time.perf_counter()
        if killed is None and workers > 1 and done >= killed_after:
            processes[0].send_signal(signal.SIGKILL)
            killed = done
        time.sleep(0.01 if depth == "rules" else 0.1)
    spent_s = time.perf_counter() - first_s
    said = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes[killed is not None :]):
        raise SystemExit("".join(said))
    found = Counter((each.table, each.round) for each in all_of(reader.database, run.id))
    by = Counter(each.worker for each in all_of(reader.database, run.id))
    again = sum(bool(each.failures) for each in all_of(reader.database, run.id))
    return {
        "rounds": run.rounds,
        "once": sum(times == 1 for times in found.values()),
        "missing": run.rounds - len(found),
        "twice": sum(times > 1 for times in found.values()),
        "killed_after": killed,
        "taken_again": again,
        "workers_that_finished_some": len(by),
        "seconds": round(spent_s, 2),
        "rounds_a_second": round(run.rounds / spent_s, 1),
    }


def main() -> None:
    """Read again by one, two and four processes."""
    parser = parser_of(__doc__)
    parser.add_argument("--rounds", type=int, default=1_000)
    parser.add_argument("--depth", choices=("rules", "pictures"), default="rules")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, cluster() as postgresql:
        options = []
        if asked.depth == "pictures":
            store = EvidenceStore(Path(folder), max_bytes=10**9, min_free_bytes=0)
            store.open()
            picture = Picture(HOUSE_WRONG.read_bytes())
            store.put({picture.sha256: picture.data})
            options = ["--evidence", folder, "--set-ups", str(FILE.parent)]
        url = new_database(postgresql.url)
        with floor_with(url, recorded(asked.rounds, asked.depth)) as reader:
            result = {f"{number}_workers": worked(url, reader, number, asked.depth, options) for number in (1, 2, 4)}
    report(result, as_json=asked.as_json)
    sys.exit(any(each["once"] != each["rounds"] for each in result.values()))


if __name__ == "__main__":
    main()
