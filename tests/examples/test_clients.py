"""The example clients against a real service, while either side is killed and restarted."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from examples.houseway_client import ForeignCursorError, Houseway, HousewayError, Journal
from service.record.store.stored_logs import cursor_of
from tests.conftest import ROOT
from tests.service.api.test_http import play
from tests.service.serving import serving
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, new_folder, wait_until

SERVICE = """
import sys, threading, time
from pathlib import Path
from service.system.service_settings import RecordConfig
from tests.service.serving import serving
from tests.service.stand_ins import config
from tests.service.api.test_http import play

settings = config(port=int(sys.argv[2]), max_wait_s=5)
settings = settings.model_copy(update={"record": RecordConfig(folder=Path(sys.argv[1]), min_free_mb=0)})
with serving(settings) as served:
    print(served.url, served.key, flush=True)
    for number in range(int(sys.argv[3])):
        play(served.app, round_id=f"r{time.monotonic_ns()}")
        time.sleep(0.01)
    time.sleep(60)
"""


@contextmanager
def program(*command: str, key: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """A program that is killed at the end, without warning."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOUSEWAY_KEY": key}
    running = subprocess.Popen(
        [sys.executable, *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield running
    finally:
        running.send_signal(signal.SIGKILL)
        running.communicate()


@contextmanager
def service(folder: Path, port: int, rounds: int) -> Iterator[tuple[str, str]]:
    """A service that records this many rounds: its address and a key."""
    with program("-c", SERVICE, str(folder), str(port), str(rounds)) as running:
        assert running.stdout is not None
        url, key = running.stdout.readline().decode().split()
        yield url, key


def kept_by_poller(path: Path) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(path)) as kept:
        try:
            rows = kept.execute("SELECT round FROM results ORDER BY rowid").fetchall()
        except sqlite3.OperationalError:
            return []  # it has not begun
    return [name(json.loads(row[0])) for row in rows]


def kept_by_client(path: Path) -> list[tuple[str, int]]:
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [name(json.loads(line)["round"]) for line in lines if line.endswith(b"\n")]


def name(played: dict[str, Any]) -> tuple[str, int]:
    return played["id"], played["revision"]


EXAMPLES: dict[str, Callable[[Path], list[tuple[str, int]]]] = {
    "poller.py": kept_by_poller,
    "houseway_client.py": kept_by_client,
}


@contextmanager
def examples(url: str, key: str, folder: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(program(str(ROOT / "examples" / example), url, str(folder / example), key=key))
            for example in EXAMPLES
        ]


def kept(folder: Path) -> list[list[tuple[str, int]]]:
    return [read(folder / example) for example, read in EXAMPLES.items()]


def fewest(folder: Path) -> int:
    return min(map(len, kept(folder)))


@pytest.mark.slow
def test_nothing_is_missed_or_repeated(tmp_path: Path) -> None:
    folder = new_folder()
    with service(folder, 0, 30) as (url, key):
        with examples(url, key, tmp_path):
            wait_until(lambda: fewest(tmp_path) > 5, 60)
        begun = max(map(len, kept(tmp_path)))
        with examples(url, key, tmp_path):
            wait_until(lambda: fewest(tmp_path) > begun, 60)
    port = int(url.rpartition(":")[2])
    with examples(url, key, tmp_path), service(folder, port, 10):
        due: list[tuple[str, int]] = []

        def all_there() -> bool:
            page = httpx2.get(
                f"{url}/v1/results", params={"limit": 200}, headers={"Authorization": f"Bearer {key}"}
            ).json()
            due[:] = [name(each["round"]) for each in page["results"]]
            return len(due) > begun + 10 and fewest(tmp_path) >= len(due)

        wait_until(all_there, 60)
    assert len(set(due)) == len(due)
    for results in kept(tmp_path):
        assert results[: len(due)] == due


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param((), "the following arguments are required: address", id="no-arguments"),
        pytest.param(("http://localhost:8000", "kept"), "set HOUSEWAY_KEY", id="no-key"),
    ],
)
def test_an_example_says_how_to_call_it(tmp_path: Path, example: str, arguments: tuple[str, ...], says: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOUSEWAY_KEY": ""}
    command = [sys.executable, str(ROOT / "examples" / example), *arguments]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.partition(":")[0]) == (2, "usage")
    assert says in done.stderr


def test_the_client_reads_results_and_raises_refusals() -> None:
    with serving() as served, Houseway(served.url, served.key) as houseway:
        play(served.app)
        wrong = play(served.app, HOUSE_WRONG)
        results = houseway.results()
        first, second = next(results), next(results)
        assert (first.round.revision, second.round.revision) == (1, 2)
        assert houseway.round("r1") == second.round
        assert [(hand.place, hand.low, hand.high) for hand in second.round.hands] == [
            (hand.place, hand.low, hand.high) for hand in wrong.hands
        ]
        judged = second.round.hands[0].house_way
        assert judged is not None
        assert (judged.verdict, judged.rule) == ("wrong", "crown-6.1 7.4.2")
        wagers = {"bank": {"method": "house"}, "wagers": [{"box": 2, "player": "Ann", "stake": 100}]}
        play(served.app, HOUSE_RIGHT)
        with pytest.raises(HousewayError, match="No round"):
            houseway.round("none")
        with pytest.raises(ForeignCursorError):
            next(houseway.results(cursor_of(1, "0" * 64)))
        play(served.app, round_id="r2")
        assert houseway.settle("r2", wagers, "k-1") == houseway.settle("r2", wagers, "k-1")


def test_an_incomplete_line_of_the_journal_is_fetched_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with serving() as served, Houseway(served.url, served.key) as houseway:
        play(served.app)
        play(served.app, HOUSE_WRONG)
        results = houseway.results()
        first, second = next(results), next(results)
        with Journal(path) as journal:
            journal.add(first)
            journal.add(second)
        whole = path.read_bytes()
        path.write_bytes(whole[:-20])
        with Journal(path) as again:
            assert again.cursor == first.cursor
            again.add(next(houseway.results(again.cursor)))
    assert path.read_bytes() == whole


@pytest.mark.slow
def test_a_record_that_was_restored_loses_nothing_silently(tmp_path: Path) -> None:
    """Both examples keep what is gone, take what is new under the same numbers, and say so."""
    folder, copy = new_folder(), tmp_path / "copy.db"
    with service(folder, 0, 6) as (url, key), examples(url, key, tmp_path):
        wait_until(lambda: fewest(tmp_path) >= 6, 60)
        with closing(sqlite3.connect(folder / "record.db")) as database:
            # As of the middle: what an older copy would be, in which the key is known already.
            database.execute("VACUUM INTO ?", (str(copy),))
    lost = kept(tmp_path)
    port = int(url.rpartition(":")[2])
    with closing(sqlite3.connect(copy, isolation_level=None)) as database:
        guards = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        middle = database.execute("SELECT seq FROM record_entries WHERE kind = 'round' ORDER BY seq LIMIT 1 OFFSET 3")
        (seq,) = middle.fetchone()
        for name_of, _ in guards:
            database.execute(f"DROP TRIGGER {name_of}")
        for table, column in (("record_pictures", "position"), ("record_replies", "seq"), ("record_entries", "seq")):
            database.execute(f"DELETE FROM {table} WHERE {column} > ?", (seq,))  # noqa: S608  names of this test
        for _, sql in guards:
            database.execute(sql)
    for name_of in ("record.db-wal", "record.db-shm"):
        (folder / name_of).unlink(missing_ok=True)
    shutil.copy(copy, folder / "record.db")
    with service(folder, port, 20) as (url, key), examples(url, key, tmp_path):
        due: list[tuple[str, int]] = []

        def all_there() -> bool:
            headers = {"Authorization": f"Bearer {key}"}
            page = httpx2.get(f"{url}/v1/results", params={"limit": 200}, headers=headers).json()
            due[:] = [name(each["round"]) for each in page["results"]]
            return len(due) > 15 and all(set(due) <= set(results) for results in kept(tmp_path))

        wait_until(all_there, 60)
    for before, after in zip(lost, kept(tmp_path), strict=True):
        assert set(before) <= set(after)
        assert len(set(after)) == len(after)
