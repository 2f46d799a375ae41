"""What processes spend: processor time and memory, as Linux counts them."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")


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
    return Cost(ticks * _TICK_S, kilobytes / 1000)


def family(process: int) -> list[int]:
    """A process and all that come from it."""
    found = [process]
    for parent in found:
        for children in (Path("/proc") / str(parent) / "task").glob("*/children"):
            with suppress(OSError):
                found += map(int, children.read_text().split())
    return found
