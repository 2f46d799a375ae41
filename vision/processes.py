"""How our processes begin: each keeps little free memory, and one started by another ends with it."""

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
"""So many bytes are given back to the system as soon as they are free; glibc alone would keep up to 32 MB of them."""
_POOLS: Final = 2
"""Pools that threads take small memory from; glibc alone makes eight for each core, and each keeps free memory."""


def begin_child() -> None:
    """Have the kernel end this process with its parent, whatever it hangs in, and leave Ctrl-C to the parent."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    parent = parent_process()
    if parent is not None and os.getppid() != parent.pid:
        os._exit(1)  # it was gone before that was asked for
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent ends its children itself
    faulthandler.enable()
    keep_little_memory()


def keep_little_memory() -> None:
    """Keep little memory that is free, where the C library can be told so; to be called before there are threads."""
    with suppress(AttributeError):  # another C library than glibc
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, _POOLS)
        library.mallopt(_M_MMAP_THRESHOLD, _GIVEN_BACK_FROM)
        library.mallopt(_M_TRIM_THRESHOLD, 4 * _GIVEN_BACK_FROM)
