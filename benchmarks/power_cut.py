"""Interrupt what writes, at any of its calls: `python -m benchmarks.power_cut [--times 300] [--action NAME ...]`.

Needs strace. A process does something of several steps (`benchmarks.multi_step`): it creates a record and appends
entries with pictures, changes the key, exports, removes exported pictures, declares a record restored or lost, enrols.
strace traces its file system calls. Kills and power cuts are then simulated between any two of these calls. After a
kill all is there that was written. After a power cut synced data is on the disk; each sector written since may be
there, missing or torn, and folder entries changed since the last sync of the folder may be missing, the latest first.
On every such disk the record must open, contain every entry served before with its pictures, have a valid chain, and
accept the next entry; and nothing may be half-made.
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
from benchmarks.multi_step import ACTIONS, fault_of

SECTOR: Final = 512
BEGIN: Final = "0 begin\n"
"""Said before an action: what was prepared is on the disk."""
_CALLS: Final = "openat,close,write,pwrite64,ftruncate,fsync,fdatasync,rename,mkdir,unlink,link"
_LINE: Final = re.compile(r"(\d+) +(?:(\w+)\((.*)|<\.\.\. (\w+) resumed>(.*))")
_SERVED: Final = re.compile(r"(\d+) (\S+)\n")
_NUMBER: Final = re.compile(r"\d+")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(slots=True)
class File:
    """A file: its synced content, and the writes since."""

    synced: bytes = b""
    since: list[tuple[int, bytes | None]] = field(default_factory=list)

    def sync(self) -> None:
        """Mark all of it as on the disk."""
        self.synced = self.whole()
        self.since = []

    def whole(self) -> bytes:
        """Return what the program sees."""
        held = bytearray(self.synced)
        for at, data in self.since:
            _put(held, at, data)
        return bytes(held)

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

    def settle(self) -> None:
        """Mark everything as on the disk."""
        for file in self.names.values():
            if file is not None:
                file.sync()
        self.synced = dict(self.names)
        self.since.clear()

    def sync_folder(self, folder: str) -> None:
        """Mark the names in a folder as on the disk."""
        _give(self.synced, self.since.pop(folder, []))

    def cut(self, to: Path, chance: random.Random, *, power: bool = True) -> None:
        """Write a possible state after a power cut to a folder; without ``power``, the one after a kill."""
        left = dict(self.synced if power else self.names)
        for happened in self.since.values() if power else ():
            _give(left, happened[: chance.randint(0, len(happened))])
        for path in sorted(left):
            place = to / Path(path).relative_to(self.top)
            file = left[path]
            if not place.parent.is_dir():
                continue  # its parent folder is gone
            if file is None:
                place.mkdir(mode=0o700, exist_ok=True)
            else:
                place.write_bytes(file.cut(chance) if power else file.whole())
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
            if (told := _SERVED.fullmatch(texts[0])) is None:
                continue
            served[int(told[1])] = told[2]
            if told[0] == BEGIN:
                disk.settle()
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


def write(top: Path, action: str) -> None:
    """The traced program: prepare, say so, and act."""
    top.mkdir(mode=0o700, parents=True)
    ACTIONS[action].prepare(top)
    os.write(1, BEGIN.encode())
    ACTIONS[action].act(top)


def traced(strace: str, action: str, top: Path, trace: Path) -> None:
    """Trace an action on a folder."""
    command = [strace, "-f", "-xx", "-s", "1000000", "-e", f"trace={_CALLS}", "-o", str(trace)]
    command += [sys.executable, "-m", "benchmarks.power_cut", "--write", str(top), "--action", action]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  ours


def interrupted(action: str, times: int, chance: random.Random, strace: str) -> dict[str, object]:
    """Interrupt an action, half of the times by a kill and half by a power cut; the times follow one another evenly."""
    faults: list[str] = []
    checked = 0
    with tempfile.TemporaryDirectory() as temporary:
        top, trace = Path(temporary) / "disk", Path(temporary) / "trace"
        traced(strace, action, top, trace)
        shutil.rmtree(top)
        started = next(step for step, (_, served) in enumerate(replay(trace, top)) if 0 in served)
        steps = sum(1 for _ in replay(trace, top))
        due = sorted(started + (steps - started) * number // times for number in range(times))
        made = 0
        for step, (disk, told) in enumerate(replay(trace, top)):
            while made < len(due) and due[made] == step:
                # Settings name the folder by its path, so that each state takes the place of the first.
                top.mkdir(mode=0o700)
                disk.cut(top, chance, power=made % 2 == 1)
                served = {seq: entry_hash for seq, entry_hash in told.items() if seq}
                fault = fault_of(top, action, served)
                if fault is not None:
                    how = "the power cut" if made % 2 else "the kill"
                    faults.append(f"{how} after call {step - started} of {steps - started}: {fault}")
                checked += len(served)
                shutil.rmtree(top)
                made += 1
    return {"times": made, "calls": steps - started, "entries looked for": checked, "faults": faults[:20]}


def main() -> None:
    """Trace each action, and interrupt it."""
    options = parser_of(__doc__)
    options.add_argument("--times", type=int, default=300, help="interruptions of each action")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--action", nargs="+", choices=list(ACTIONS), default=list(ACTIONS))
    options.add_argument("--write", type=Path, help=SUPPRESS)
    asked = options.parse_args()
    if asked.write is not None:
        write(asked.write, asked.action[0])
        return
    strace = shutil.which("strace")
    if strace is None:
        raise SystemExit("strace is not installed")
    chance = random.Random(asked.seed)  # noqa: S311  moments, not secrets
    found = {}
    for action in asked.action:
        found[action] = interrupted(action, asked.times, chance, strace)
        if not asked.as_json:
            report({action: found[action]}, as_json=False)
    if asked.as_json:
        report(found, as_json=True)
    sys.exit(any(each["faults"] for each in found.values()))


if __name__ == "__main__":
    main()
