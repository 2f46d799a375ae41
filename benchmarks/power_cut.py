"""Cut the power at random moments, over and over: `python -m benchmarks.power_cut [--times 1000]`; needs strace.

A process appends entries with pictures to a record, from its very beginning on, and all that it asks of the disk is
traced. Power cuts are then made up between any two of these calls: what was synced before is on the disk; of what was
written since, each sector may be there, missing or torn, and names given or taken in a folder since that was synced may
not be, the latest first. From every such disk the record must open, hold every entry that had been served by then with
its pictures, prove its chain, and take the next entry.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from argparse import SUPPRESS
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from benchmarks.measure import parser_of, report
from service.record.store.entries import Draft, Picture
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.record.verify import verify_database

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.record.store.chain import Entry

SECTOR: Final = 512
ENTRIES: Final = 12
_CALLS: Final = "openat,close,write,pwrite64,ftruncate,fsync,fdatasync,rename,mkdir,unlink,link"
_LINE: Final = re.compile(r"(\d+) +(?:(\w+)\((.*)|<\.\.\. (\w+) resumed>(.*))")
_NUMBER: Final = re.compile(r"\d+")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(slots=True)
class File:
    """A file: what is on the disk for sure, and what was written since."""

    synced: bytes = b""
    since: list[tuple[int, bytes | None]] = field(default_factory=list)

    def sync(self) -> None:
        """All of it is on the disk."""
        held = bytearray(self.synced)
        for at, data in self.since:
            _put(held, at, data)
        self.synced = bytes(held)
        self.since = []

    def cut(self, chance: random.Random) -> bytes:
        """What a power cut may leave of it."""
        held = bytearray(self.synced)
        for at, data in self.since:
            if data is None:
                if chance.random() < 0.5:
                    _put(held, at, None)
                continue
            place = at
            while place < at + len(data):
                end = min((place // SECTOR + 1) * SECTOR, at + len(data))
                how = chance.random()
                torn = chance.randint(place, end) if how >= 0.9 else end
                if how >= 0.45:
                    _put(held, place, data[place - at : torn - at])
                place = end
        return bytes(held)


_GONE: Final = File()
"""Stands for a name that is taken."""
Names: TypeAlias = dict[str, File | None]
"""Files by path; folders are None."""


def _put(held: bytearray, at: int, data: bytes | None) -> None:
    """Write at a place; None cuts the file off there, or makes it that long."""
    if data is None:
        held[at:] = bytes(max(0, at - len(held)))
        return
    held.extend(bytes(max(0, at - len(held))))
    held[at : at + len(data)] = data


@dataclass(slots=True)
class Disk:
    """A disk under a folder, as a program's calls change it.

    Attributes:
        top: the folder.
        names: what the program sees: files by path, folders as None.
        synced: the names that are there for sure.
        since: names given and taken in a folder since that was synced, step by step.
        opened: path and place by number of an open file.
    """

    top: str
    names: dict[str, File | None]
    synced: dict[str, File | None]
    since: dict[str, list[Names]] = field(default_factory=lambda: defaultdict(list))
    opened: dict[int, tuple[str, File | None, int]] = field(default_factory=dict)

    def name(self, names: Names) -> None:
        """Names are given and taken in one step."""
        _give(self.names, [names])
        self.since[str(Path(next(iter(names))).parent)].append(names)

    def sync_folder(self, folder: str) -> None:
        """The names in a folder are on the disk."""
        _give(self.synced, self.since.pop(folder, []))

    def cut(self, to: Path, chance: random.Random) -> None:
        """Make a folder of what a power cut may leave."""
        left = dict(self.synced)
        for happened in self.since.values():
            _give(left, happened[: chance.randint(0, len(happened))])
        for path in sorted(left):
            place = to / Path(path).relative_to(self.top)
            file = left[path]
            if not place.parent.is_dir():
                continue  # the folder above is gone, and this with it
            if file is None:
                place.mkdir(mode=0o700, exist_ok=True)
            else:
                place.write_bytes(file.cut(chance))
                place.chmod(0o600)


def _give(held: dict[str, File | None], happened: list[Names]) -> None:
    for names in happened:
        for path, file in names.items():
            if file is _GONE:
                held.pop(path, None)
            else:
                held[path] = file


def calls(trace: Path) -> Iterator[tuple[str, list[str], str, int]]:
    """Each call as it returned: its name, its texts, all its arguments, and what it returned; from strace's output."""
    begun: dict[str, str] = {}
    for line in trace.read_text().splitlines():
        if (found := _LINE.fullmatch(line)) is None:
            continue
        thread, name, rest, resumed, end = found.groups()
        if resumed:
            name, rest = resumed, begun.pop(thread, "") + end
        elif rest.endswith("<unfinished ...>"):
            begun[thread] = rest.removesuffix("<unfinished ...>")
            continue
        arguments, _, returned = rest.rpartition(" = ")
        arguments = arguments.rstrip().removesuffix(")")
        number = int(returned.split()[0], 0) if returned[:1] in "-0123456789" else -1
        texts = [bytes.fromhex(text.replace("\\x", "")).decode("latin-1") for text in _TEXT.findall(arguments)]
        yield name, texts, arguments, number


def replay(trace: Path, top: Path) -> Iterator[tuple[Disk, dict[int, str]]]:
    """The disk and what was served, after each call that changed one of them."""
    disk = Disk(str(top), {}, {})
    served: dict[int, str] = {}
    for name, texts, arguments, returned in calls(trace):
        if returned < 0:
            continue
        found = _NUMBER.match(arguments)
        handle = -1 if found is None else int(found[0])
        if name == "write" and handle == 1:
            seq, entry_hash = texts[0].split()
            served[int(seq)] = entry_hash
        elif handle in disk.opened:
            _on_file(disk, handle, name, texts, arguments)
        elif texts and (texts[0] == str(top) or texts[0].startswith(f"{top}/")):
            _on_name(disk, name, texts, arguments, returned)
        else:
            continue
        yield disk, served


def _on_name(disk: Disk, name: str, texts: list[str], arguments: str, returned: int) -> None:
    if name == "openat":
        _open(disk, texts[0], arguments, returned)
    elif name == "mkdir":
        disk.name({texts[0]: None})
    elif name == "unlink":
        disk.name({texts[0]: _GONE})
    elif name == "link":
        disk.name({texts[1]: disk.names[texts[0]]})
    elif name == "rename":
        disk.name({texts[1]: disk.names[texts[0]], texts[0]: _GONE})


def _open(disk: Disk, path: str, arguments: str, returned: int) -> None:
    if path.endswith("-shm"):
        return  # SQLite's shared memory, made anew by whoever opens the database first
    if path not in disk.names and "O_CREAT" in arguments:
        disk.name({path: File()})
    file = disk.names.get(path)
    if file is not None and "O_TRUNC" in arguments:
        file.since.append((0, None))
    disk.opened[returned] = (path, file, 0)


def _on_file(disk: Disk, handle: int, name: str, texts: list[str], arguments: str) -> None:
    path, file, place = disk.opened[handle]
    if name == "close":
        del disk.opened[handle]
    elif name in {"fsync", "fdatasync"}:
        if file is None:
            disk.sync_folder(path)
        else:
            file.sync()
    elif file is not None:
        last = int(arguments.rpartition(",")[2]) if name != "write" else place
        if name == "ftruncate":
            file.since.append((last, None))
            return
        data = texts[0].encode("latin-1")
        file.since.append((last, data))
        if name == "write":
            disk.opened[handle] = (path, file, place + len(data))


def append(record: Record, number: int) -> Entry:
    """An entry with two pictures."""
    seen = [Picture(f"{number} {which} {os.getpid()}".encode() * 150) for which in ("frame", "annotated")]
    named = [{"sha256": one.sha256, "bytes": len(one.data), "media_type": one.media_type} for one in seen]
    return record.append(Draft("round", {"evidence": named}, table="cut", round=f"r{number}"), pictures=seen)


def write(folder: Path) -> None:
    """What is traced: a record from its beginning; at times SQLite takes its log home, as it does every 1000 pages."""
    record = Record(RecordSettings(folder))
    if not record.state.ok:
        raise SystemExit(record.state.message)
    for number in range(ENTRIES):
        entry = append(record, number)
        os.write(1, f"{entry.seq} {entry.hash}\n".encode())
        if number % 5 == 4:
            with record.database.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")
    record.close()


def fault_of(folder: Path, served: dict[int, str], number: int) -> str | None:
    """What is wrong with a record after a power cut; None if nothing is."""
    record = Record(RecordSettings(folder))
    try:
        if not record.state.ok:
            return record.state.message
        kept = {entry.seq: entry.hash for entry in record.all_entries()}
        if lost := [seq for seq, entry_hash in served.items() if kept.get(seq) != entry_hash]:
            return f"entries {lost} were served and are lost"
        if append(record, 1000 + number).seq != max(kept) + 1:
            return "the next entry is not the next"
        proof = verify_database(record, record.evidence.folder)
        return None if proof.holds else f"entry {proof.broken}: {proof.why}"
    finally:
        record.close()


def main() -> None:
    """Trace a writer and cut its power so often."""
    options = parser_of(__doc__)
    options.add_argument("--times", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--write", type=Path, help=SUPPRESS)
    asked = options.parse_args()
    if asked.write is not None:
        write(asked.write)
        return
    strace = shutil.which("strace")
    if strace is None:
        raise SystemExit("strace is not installed")
    chance = random.Random(asked.seed)  # noqa: S311  moments, not secrets
    with tempfile.TemporaryDirectory() as temporary:
        top, trace = Path(temporary) / "disk", Path(temporary) / "trace"
        command = [strace, "-f", "-xx", "-s", "1000000", "-e", f"trace={_CALLS}", "-o", str(trace)]
        command += [sys.executable, "-m", "benchmarks.power_cut", "--write", str(top)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  ours
        steps = sum(1 for _ in replay(trace, top))
        due = sorted(chance.randrange(steps) for _ in range(asked.times))
        made = checked = 0
        faults: list[str] = []
        most = 0
        for step, (disk, served) in enumerate(replay(trace, top)):
            while made < len(due) and due[made] == step:
                folder = Path(temporary) / f"cut{made}"
                folder.mkdir(mode=0o700)
                disk.cut(folder, chance)
                fault = fault_of(folder, served, made)
                if fault is not None:
                    faults.append(f"after call {step} of {steps}: {fault}")
                checked += len(served)
                most = max(most, len(served))
                shutil.rmtree(folder)
                made += 1
    result = {"cuts": made, "calls": steps, "entries looked for": checked, "at the end": most, "faults": faults[:20]}
    report(result, as_json=asked.as_json)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
