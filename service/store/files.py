"""Files that are wholly there or not at all, whenever the power goes."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

UNFINISHED: Final = ".unfinished-"
"""How the name of a file begins that is still being written; what is left of one after a crash may be removed."""


def write_durably(path: Path, data: bytes, *, mode: int = 0o644, replace: bool = True) -> None:
    """Write a file: on disk under its name when this returns, and never half-written.

    Args:
        path: the file; its folder exists.
        data: what it holds.
        mode: its permissions.
        replace: whether a file of the name may be replaced.

    Raises:
        OSError: it cannot be written; FileExistsError if there is one and ``replace`` is false.
    """
    unfinished = path.with_name(f"{UNFINISHED}{uuid.uuid4().hex}")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            unfinished.replace(path)
        else:
            path.hardlink_to(unfinished)
            unfinished.unlink()
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk; OSError if that fails."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path, mode: int = 0o755) -> None:
    """Make a folder and those above it, each on disk when this returns; OSError if that fails."""
    if folder.is_dir():
        return
    make_folder(folder.parent, mode)
    with suppress(FileExistsError):
        folder.mkdir(mode)
    sync_folder(folder.parent)
