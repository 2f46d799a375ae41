"""Start of our processes: little free memory is retained, and child processes end with their parents."""

import ctypes
import faulthandler
import os
import signal
from contextlib import suppress
from multiprocessing import parent_process
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8
_GIVEN_BACK_FROM: Final = 4 * 2**20
"""Blocks of this size are returned to the system when freed; glibc by default retains up to 32 MB."""
_POOLS: Final = 2
"""Number of malloc arenas; glibc by default makes eight per core, each retaining free memory."""


def set_up_child() -> None:
    """Make the kernel end this process with its parent, even if it hangs, and leave Ctrl-C to the parent."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    parent = parent_process()
    if parent is not None and os.getppid() != parent.pid:
        os._exit(1)  # the parent was gone before the request
    # Ctrl-C reaches the process group; the parent ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable()
    keep_little_memory()


def keep_little_memory() -> None:
    """Retain little free memory, if the C library supports it; call before starting threads."""
    with suppress(AttributeError):  # a C library other than glibc
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, _POOLS)
        library.mallopt(_M_MMAP_THRESHOLD, _GIVEN_BACK_FROM)
        library.mallopt(_M_TRIM_THRESHOLD, 4 * _GIVEN_BACK_FROM)
