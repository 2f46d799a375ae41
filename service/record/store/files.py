"""Files that are wholly there or not at all, whenever the power goes; and the lock of the one who writes them."""

from __future__ import annotations

import fcntl
import os
import uuid
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final

from calibration.files.seal import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from concurrent.futures import Future
    from pathlib import Path

UNFINISHED: Final = ".unfinished-"
"""Prefix of files that are still being written; those left by a crash may be removed."""


def write_durably(path: Path, data: bytes, *, mode: int = 0o644, replace: bool = True) -> None:
    """Write a file: on disk under its name when this returns, and never half-written; OSError if it cannot be.

    FileExistsError if there is one and ``replace`` is false.
    """
    write_all_durably({path: data}, mode=mode, replace=replace)


def write_all_durably(files: Mapping[Path, bytes], *, mode: int = 0o644, replace: bool = True) -> None:
    """Write files, each as :func:`write_durably` does, waiting for the disk once; OSError leaves some written."""
    names = {path.with_name(f"{UNFINISHED}{uuid.uuid4().hex}"): path for path in files}
    with ThreadPoolExecutor(max(1, len(files)), "durable") as pool:
        try:
            _wait_for(pool.submit(_write, unfinished, files[path], mode) for unfinished, path in names.items())
            for unfinished, path in names.items():
                if replace:
                    unfinished.replace(path)
                else:
                    path.hardlink_to(unfinished)
                    unfinished.unlink()
        except BaseException:
            for unfinished in names:
                with suppress(OSError):
                    unfinished.unlink()
            raise
        _wait_for(pool.submit(sync_folder, folder) for folder in {path.parent for path in files})


def _wait_for(work: Iterable[Future[None]]) -> None:
    """Wait for all of it; raises what the first that failed raised."""
    for each in wait(list(work)).done:
        each.result()


def _write(path: Path, data: bytes, mode: int) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
        sync_file(file)


def sync_file(file: IO[Any]) -> None:
    """Have what was written to a file on disk; OSError if that fails."""
    file.flush()
    os.fsync(file.fileno())


def make_folder(folder: Path, mode: int = 0o755) -> None:
    """Make a folder and those above it, each on disk when this returns; OSError if that fails."""
    if folder.is_dir():
        return
    make_folder(folder.parent, mode)
    with suppress(FileExistsError):
        folder.mkdir(mode)
    sync_folder(folder.parent)


@dataclass(slots=True)
class WriterLock:
    """A lock on a file, which lets one service write at a time; it ends with its process."""

    path: Path
    _handle: int | None = field(default=None, init=False)

    def acquire(self) -> None:
        """Take the lock unless this process has it; BlockingIOError if another process has it, OSError."""
        if self._handle is not None:
            return
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        self._handle = handle
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())

    def holder(self) -> str:
        """Return the id of the process that last took the lock, or a question mark."""
        try:
            return self.path.read_text(encoding="ascii") or "?"
        except (OSError, UnicodeError):
            return "?"

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
