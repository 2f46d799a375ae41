"""Sealed files, with date and hash; replaced versions are kept.

A seal is the SHA-256 of the content in canonical form (keys sorted, no whitespace), without the seal itself. It is not
a signature: it reveals accidental edits and disk errors, and identifies the calibration used for a result.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import AwareDatetime, Field

from calibration.files.json_file import FileModel, parse

HISTORY: Final = "history"
"""The folder beside a file that keeps its former versions."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of sealed files.

    Attributes:
        name: the ``format`` stated in each file.
        version: the version that is written.
        also_read: earlier versions that can be read.
    """

    name: str
    version: int
    also_read: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Seal:
    """Date of a file, UTC, and the hash of its content."""

    made_at: datetime
    sha256: str


class _Header(FileModel, extra="ignore"):
    name: str = Field(alias="format")
    version: int


class _Sealed(FileModel, extra="ignore"):
    sha256: str
    made_at: AwareDatetime


def content_hash(data: Mapping[str, object]) -> str:
    """Hash of an object's content, as 64 hexadecimal digits.

    >>> content_hash({"b": 1, "a": 2}) == content_hash({"a": 2, "b": 1, "sha256": "of another time"})
    True
    """
    content = {key: value for key, value in data.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def write_sealed(path: Path, kind: FileFormat, content: Mapping[str, object]) -> Seal:
    """Write a file with its format, date and hash; the previous file is kept in ``history``.

    OSError if it cannot be written; the old file is then unchanged.
    """
    made_at = datetime.now(UTC)
    data = {"format": kind.name, "version": kind.version, **content, "made_at": made_at.isoformat()}
    # Serialise and parse, so that the hash matches what a reader will parse.
    sealed: dict[str, object] = json.loads(json.dumps(data, allow_nan=False))
    seal = Seal(made_at, content_hash(sealed))
    path.parent.mkdir(parents=True, exist_ok=True)
    _keep(path)
    replace_file(path, (json.dumps({**sealed, "sha256": seal.sha256}, indent=1) + "\n").encode())
    return seal


def unseal(
    data: Mapping[str, object], kind: FileFormat, where: str, error: type[Exception]
) -> tuple[dict[str, object], Seal]:
    """Return the content given to ``write_sealed`` and the seal; both are verified.

    Args:
        data: the object in the file.
        kind: the expected format.
        where: name of the file, for messages.
        error: the exception to raise for another format or a modified file.
    """
    header = parse(_Header, data, where, error)
    if header.name != kind.name:
        raise error(f"{where}, format: expected {kind.name!r}, got {header.name!r}")
    if header.version not in (kind.version, *kind.also_read):
        read = " or ".join(str(version) for version in (*kind.also_read, kind.version))
        raise error(f"{where}, version: this program reads version {read}, the file is version {header.version}")
    sealed = parse(_Sealed, data, where, error)
    if content_hash(data) != sealed.sha256:
        raise error(f"{where}, sha256: the file was changed by hand; restore it from history or redo it")
    content = {key: value for key, value in data.items() if key not in ("format", "version", "sha256", "made_at")}
    return content, Seal(sealed.made_at.astimezone(UTC), sealed.sha256)


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically, also if the power fails; OSError leaves the old content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two programs may write it at once.
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        with fresh.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk; OSError if that fails."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _keep(path: Path) -> None:
    """Copy a file into ``history``, named by time and content."""
    try:
        old = path.read_bytes()
    except FileNotFoundError:
        return
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    name = f"{path.stem}-{written:%Y%m%dT%H%M%SZ}-{hashlib.sha256(old).hexdigest()[:12]}{path.suffix}"
    replace_file(path.parent / HISTORY / name, old)
