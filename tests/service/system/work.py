"""Work for a process of its own; nothing is imported here that is slow to load."""

import os
import time
from pathlib import Path


def take(memory_bytes: int) -> int:
    return len(bytearray(memory_bytes))


def refuse() -> None:
    raise ValueError("not this")


def told() -> tuple[int, int, int]:
    return os.getpid(), os.nice(0), int(Path("/proc/self/oom_score_adj").read_text())


def wait_for(file: str) -> int:
    while not Path(file).exists():
        time.sleep(0.01)
    return os.getpid()
