"""One table service at a time: a lock on a file of the record's folder, which goes with the process that holds it."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(slots=True)
class WriterLock:
    """The lock of one service."""

    path: Path
    _handle: int | None = field(default=None, init=False)

    def acquire(self) -> None:
        """Take it, unless it is held already; BlockingIOError if another process holds it, OSError if it cannot be."""
        if self._handle is not None:
            return
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        self._handle = handle

    def release(self) -> None:
        """Let go of it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
