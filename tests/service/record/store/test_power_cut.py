"""Power that goes at any moment: no entry that was served is lost, and the chain is proven.

A process killed leaves the files as it wrote them. A power cut leaves what was synced, and of what was written since
any part, in any order, some of it torn: such disks are made here from the files as they stood before and after a step.
"""

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.record.integrity.verify import verify_database
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, RecordSettings
from tests.conftest import ROOT
from tests.service.record.store.test_storage_faults import append

SECTOR = 512
HEADER = 32
FILES = (DATABASE, f"{DATABASE}-wal")


@pytest.mark.slow
def test_killed_at_random_moments() -> None:
    script = [sys.executable, "-m", "benchmarks.kill_record", "--times", "30", "--json"]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["lost"] == 0


@pytest.mark.slow
def test_an_action_interrupted_between_any_two_calls() -> None:
    if shutil.which("strace") is None:
        pytest.skip("no strace on this machine; install Debian's package strace")
    script = [sys.executable, "-m", "benchmarks.power_cut", "--times", "6", "--json"]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found.keys() >= {"append", "rotate", "export", "retain", "restore", "replace", "enrol"}
    assert {each["times"] for each in found.values()} == {6}


def _files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() if (folder / name).exists() else b"" for name in FILES}


def _torn(old: bytes, new: bytes, chance: random.Random) -> bytes:
    """A sector half-written: noise only behind the first new byte, as SQLite expects of disks."""
    first = next((at for at, byte in enumerate(old) if byte != new[at]), min(len(old), len(new)))
    torn = chance.randint(first, len(new))
    return new[:torn] + chance.randbytes(len(new) - torn)


def _cut(before: bytes, after: bytes, chance: random.Random) -> bytes:
    """The file as a power cut might leave it while ``before`` was becoming ``after``."""
    size = chance.choice([len(before), len(after), chance.randint(min(len(before), len(after)), len(after))])
    sectors = []
    for at in range(0, size, SECTOR):
        old, new = before[at : at + SECTOR], after[at : at + SECTOR]
        if old == new:
            sectors.append(new)
            continue
        how = chance.random()
        if how < 0.45:
            sectors.append(new)
        elif how < 0.9:
            sectors.append(old.ljust(len(new), b"\0"))  # grown, but never written
        else:
            sectors.append(_torn(old, new, chance))
    return b"".join(sectors)[:size]


def _cut_log(before: bytes, after: bytes, chance: random.Random) -> bytes:
    """The write-ahead log, whose header SQLite syncs before it writes anything behind a new one."""
    if before and before[:HEADER] != after[:HEADER]:
        started = after[:HEADER] + before[HEADER:]
        before, after = (before, started) if chance.random() < 0.5 else (started, after)
    return _cut(before, after, chance)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.slow
def test_power_cut_between_any_two_syncs(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  moments, not secrets
    state = tmp_path / "state"
    record = Record(RecordSettings(state))
    served: dict[int, str] = {}
    cuts = 0
    for step in range(10):
        before, known = _files(state), dict(served)
        if step % 4 == 3:
            # Pages go home into the database, as SQLite does by itself every thousand; the log is synced before.
            with record.database.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")
        else:
            seq = append(record, 1000 * seed + step, 4000)
            entry = record.entry(seq)
            assert entry is not None
            served[seq] = entry.hash
        after = _files(state)
        for _ in range(2):
            disk = tmp_path / f"cut{cuts}"
            cuts += 1
            shutil.copytree(state, disk, ignore=shutil.ignore_patterns(f"{DATABASE}*"))
            for name, cut in zip(FILES, (_cut, _cut_log), strict=True):
                (disk / name).write_bytes(cut(before[name], after[name], chance))
            again = Record(RecordSettings(disk))
            assert again.state.ok, (step, again.state.message)
            kept = {entry.seq: entry.hash for entry in again.all_entries()}
            assert known.items() <= kept.items()
            new = append(again, 77, 4000)
            assert new == max(kept) + 1
            proof = verify_database(again, again.evidence.folder)
            assert proof.holds, proof.why
            again.close()
            shutil.rmtree(disk)
    record.close()
