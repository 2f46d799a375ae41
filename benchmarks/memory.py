"""Memory and processor time of a process and its children, from Linux."""

import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_PROC: Final = Path("/proc")
_BLOCK: Final = 512
_SAMPLED_EVERY_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time in seconds and proportional memory (PSS) in megabytes."""

    processor_s: float
    memory_mb: float


def family(process: int) -> list[int]:
    found = [process]
    for parent in found:
        with suppress(OSError):
            for children in (_PROC / str(parent) / "task").glob("*/children"):
                with suppress(OSError):
                    found += map(int, children.read_text().split())
    return found


def spent_by(processes: Iterable[int], *, ended_children: bool = False) -> Cost:
    """Return the cost of processes, optionally with the processor time of ended children."""
    ticks = kilobytes = 0
    for process in processes:
        with suppress(OSError):
            fields = (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15] if ended_children else fields[11:13]))
            rollup = (_PROC / str(process) / "smaps_rollup").read_text()
            kilobytes += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return Cost(ticks / os.sysconf("SC_CLK_TCK"), 1024 * kilobytes / 1e6)


def cpu_s(pid: int) -> float:
    """Return the processor time of a process and its children, seconds."""
    return spent_by(family(pid), ended_children=True).processor_s


def held_mb(pid: int) -> float:
    """Return the memory of a process and its children, megabytes; 0 if there is no such process.

    Includes the shared memory files of a camera's pictures, which belong to no process.
    """
    processes, files = family(pid), {}
    for process in processes:
        with suppress(OSError):
            for handle in (_PROC / str(process) / "fd").iterdir():
                with suppress(OSError):
                    if str(handle.readlink()).startswith("/memfd:"):
                        about = handle.stat()
                        files[about.st_ino] = about.st_blocks * _BLOCK
    return spent_by(processes).memory_mb + sum(files.values()) / 1e6


class MostMemory:
    """Context manager that measures the peak memory of a process and its children."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.mb = self.before_mb = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self.mb = self.before_mb = held_mb(self._pid)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._ended.wait(_SAMPLED_EVERY_S):
            self.mb = max(self.mb, held_mb(self._pid))
