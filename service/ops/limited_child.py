"""Work that anybody may ask for, in a process of its own with limits: the child's side."""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from vision.processes import set_up_child

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_REST: Final = 2.0
_MOST_REST_S: Final = 2.0
"""After each piece of work the process rests so many times as long as that took, and at most so long."""
_LOWEST_PRIORITY: Final = 19
_FIRST_TO_GO: Final = "1000"
"""Of all processes, the kernel ends this one first where memory is short."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a piece of work."""

    result: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """What a piece of work raised."""

    error: Exception


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """A piece of work took more memory than it may."""


Reply: TypeAlias = Done | Raised | OutOfMemory


def run_limited(pipe: Connection, memory_bytes: int) -> None:
    """Do what is sent through the pipe until it is closed: all that the child does."""
    set_up_child()
    _give_way()
    # Not the address space: libraries reserve many times what they use of it.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pipe.send(Done(None))
    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            return
        begun = time.monotonic()
        try:
            reply: Reply = Done(function(*arguments))
        except MemoryError:
            reply = OutOfMemory()
        except Exception as error:  # noqa: BLE001 - it is for whoever asked
            reply = Raised(error)
        pipe.send(reply)
        # Cores that nobody wants share caches and memory with those that read the table.
        time.sleep(min(_MOST_REST_S, _REST * (time.monotonic() - begun)))


def _give_way() -> None:
    """Compute only where nobody else wants to."""
    os.nice(_LOWEST_PRIORITY)
    with suppress(OSError):  # a container may refuse what a plain system does not
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO, encoding="ascii")
    # Before the libraries are loaded that read them.
    os.environ |= dict.fromkeys(_ONE_THREAD, "1")
