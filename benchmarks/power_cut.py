"""Cut the power at random moments, over and over: `python -m benchmarks.power_cut [--times 1000]`; needs strace.

A process creates a record and appends entries with pictures; strace traces its file system calls. Power cuts are then
simulated between any two of these calls: synced data is on the disk; each sector written since may be there, missing or
torn, and folder entries changed since the last sync of the folder may be missing, the latest first. On every such disk
the record must open, contain every entry served before the cut with its pictures, have a valid chain, and accept the
next entry.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from argparse import SUPPRESS
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks.measure import parser_of, report
from service.record.integrity.verify import verify_database
from service.record.store.entries import Draft, Entry, Picture
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings

SECTOR: Final = 512
ENTRIES: Final = 12
_CALLS: Final = "openat,close,write,pwrite64,ftruncate,fsync,fdatasync,rename,mkdir,unlink,link"
_LINE: Final = re.compile(r"(\d+) +(?:(\w+)\((.*)|<\.\.\. (\w+) resumed>(.*))")
_NUMBER: Final = re.compile(r"\d+")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(slots=True)
class File:
    """A file: its synced content, and the writes since."""

    synced: bytes = b""
    since: list[tuple[int, bytes | None]] = field(default_factory=list)

    def sync(self) -> None:
        """Mark all of it as on the disk."""
        held = bytearray(self.synced)
        for at, data in self.since:
            _put(held, at, data)
        self.synced = bytes(held)
        self.since = []

    def cut(self, chance: random.Random) -> bytes:
        """Return a possible content after a power cut."""
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
"""Marks a removed name."""
Names: TypeAlias = dict[str, File | None]
"""Files by path; folders are None."""


def _put(held: bytearray, at: int, data: bytes | None) -> None:
    """Write at an offset; None truncates or extends the file to it."""
    if data is None:
        held[at:] = bytes(max(0, at - len(held)))
        return
    held.extend(bytes(max(0, at - len(held))))
    held[at : at + len(data)] = data


@dataclass(slots=True)
class Disk:
    """The state of a folder on the disk, changed by a program's calls.

    Attributes:
        top: the folder.
        names: what the program sees: files by path, folders as None.
        synced: the names on the disk.
        since: changes of names in each folder since its last sync, in order.
        opened: path and offset by file descriptor.
    """

    top: str
    names: dict[str, File | None]
    synced: dict[str, File | None]
    since: dict[str, list[Names]] = field(default_factory=lambda: defaultdict(list))
    opened: dict[int, tuple[str, File | None, int]] = field(default_factory=dict)

    def name(self, names: Names) -> None:
        """Record a change of names as one step."""
        _give(self.names, [names])
        self.since[str(Path(next(iter(names))).parent)].append(names)

    def sync_folder(self, folder: str) -> None:
        """Mark the names in a folder as on the disk."""
        _give(self.synced, self.since.pop(folder, []))

    def cut(self, to: Path, chance: random.Random) -> None:
        """Write a possible state after a power cut to a folder."""
        left = dict(self.synced)
        for happened in self.since.values():
            _give(left, happened[: chance.randint(0, len(happened))])
        for path in sorted(left):
            place = to / Path(path).relative_to(self.top)
            file = left[path]
            if not place.parent.is_dir():
                continue  # its parent folder is gone
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
    """Parse strace's output: name, strings, all arguments and return value of each call."""
    started: dict[str, str] = {}
    for line in trace.read_text().splitlines():
        if (found := _LINE.fullmatch(line)) is None:
            continue
        thread, name, rest, resumed, end = found.groups()
        if resumed:
            name, rest = resumed, started.pop(thread, "") + end
        elif rest.endswith("<unfinished ...>"):
            started[thread] = rest.removesuffix("<unfinished ...>")
            continue
        arguments, _, returned = rest.rpartition(" = ")
        arguments = arguments.rstrip().removesuffix(")")
        number = int(returned.split()[0], 0) if returned[:1] in "-0123456789" else -1
        texts = [bytes.fromhex(text.replace("\\x", "")).decode("latin-1") for text in _TEXT.findall(arguments)]
        yield name, texts, arguments, number


def replay(trace: Path, top: Path) -> Iterator[tuple[Disk, dict[int, str]]]:
    """Yield the disk and the served entries after each call that changed one of them."""
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
        return  # SQLite's shared memory, created again when the database is opened
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
    """Append an entry with two pictures."""
    seen = [Picture(f"{number} {which} {os.getpid()}".encode() * 150) for which in ("frame", "annotated")]
    named = [{"sha256": one.sha256, "bytes": len(one.data), "media_type": one.media_type} for one in seen]
    return record.append(Draft("round", {"evidence": named}, table="cut", round=f"r{number}"), pictures=seen)


def write(folder: Path) -> None:
    """The traced program: create a record and append; sometimes checkpoint the WAL, as SQLite does every 1000 pages."""
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
    """Return the fault of a record after a power cut, or None."""
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
    """Trace a writer, and simulate power cuts."""
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
