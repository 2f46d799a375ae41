"""How every process that we start begins: it ends with the one that started it, and leaves Ctrl-C to that one."""

import ctypes
import faulthandler
import os
import signal
from multiprocessing import parent_process
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def begin_child() -> None:
    """Have the kernel end this process with its parent, whatever it hangs in, and leave Ctrl-C to the parent."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    parent = parent_process()
    if parent is not None and os.getppid() != parent.pid:
        os._exit(1)  # it was gone before that was asked for
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent ends its children itself
    faulthandler.enable()
