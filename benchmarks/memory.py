"""What a process and those below it take: memory, in which what they share counts once, and processor time."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

_BLOCK: Final = 512
_TICKS: Final = (11, 12, 13, 14)
"""Fields after the name: time of its own and of children that have ended, in the program and in the kernel."""
_SAMPLED_EVERY_S: Final = 0.25


def held_mb(pid: int) -> float:
    """What a process and its children hold now, megabytes; 0 if there is no such process.

    Of a page that n processes share each has an nth (the kernel's PSS). Files in memory, in which a camera's pictures
    are handed over, belong to no process; they are counted beside.
    """
    whole, files = 0.0, {}
    for folder in _with_children(pid):
        with suppress(OSError):  # it has ended meanwhile
            for line in (folder / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    whole += int(line.split()[1]) * 1024
            for handle in (folder / "fd").iterdir():
                with suppress(OSError):
                    if str(handle.readlink()).startswith("/memfd:"):
                        about = handle.stat()
                        files[about.st_ino] = about.st_blocks * _BLOCK
    return (whole + sum(files.values())) / 1e6


def cpu_s(pid: int) -> float:
    """Processor time of a process and its children so far, seconds."""
    ticks = 0
    for folder in _with_children(pid):
        with suppress(OSError):
            told = (folder / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(int(told[which]) for which in _TICKS)
    return ticks / os.sysconf("SC_CLK_TCK")


def _with_children(pid: int) -> list[Path]:
    """The folders of a process and all below it."""
    folders = [Path("/proc") / str(pid)]
    for folder in folders:
        with suppress(OSError):
            for task in (folder / "task").iterdir():
                folders += [folder.parent / child for child in (task / "children").read_text().split()]
    return folders


class MostMemory:
    """The most that a process and its children hold while this is entered.

    Args:
        pid: of the process.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.mb = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._ended.set()
        self._thread.join()

    def _sample(self) -> None:
        self.mb = held_mb(self._pid)
        while not self._ended.wait(_SAMPLED_EVERY_S):
            self.mb = max(self.mb, held_mb(self._pid))


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time so far, seconds, and memory now, megabytes; what is shared counts as a share."""

    processor_s: float
    memory_mb: float


def spent_by(processes: Iterable[int], *, ended_children: bool = False) -> Cost:
    """What some processes spent, and their children that have ended."""
    ticks = kilobytes = 0
    for process in processes:
        with suppress(OSError):
            fields = (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15] if ended_children else fields[11:13]))
            rollup = (Path("/proc") / str(process) / "smaps_rollup").read_text()
            kilobytes += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return Cost(ticks / os.sysconf("SC_CLK_TCK"), kilobytes / 1000)


def family(process: int) -> list[int]:
    """A process and all that come from it."""
    found = [process]
    for parent in found:
        for children in (Path("/proc") / str(parent) / "task").glob("*/children"):
            with suppress(OSError):
                found += map(int, children.read_text().split())
    return found
