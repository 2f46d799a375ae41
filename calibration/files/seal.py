"""Files that say when they were written and whether they were changed since; what they replace is kept.

A seal is the SHA-256 of the file's content in canonical form (keys sorted, no blanks), the hash itself left out. It is
no protection against somebody who wants to deceive, who could write a new one; it shows a slip of an editor, a damaged
disk, and which calibration a result was made with.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from calibration.files.fields import Fields

HISTORY: Final = "history"
"""The folder beside a file in which its former versions are kept."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Of what time and content a file is.

    Attributes:
        made_at: when it was written, UTC.
        sha256: hash of its content.
    """

    made_at: datetime
    sha256: str


def content_hash(data: Mapping[str, object]) -> str:
    """The hash of an object's content, as 64 hexadecimal digits.

    >>> content_hash({"b": 1, "a": 2}) == content_hash({"a": 2, "b": 1, "sha256": "of another time"})
    True
    """
    content = {key: value for key, value in data.items() if key != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write_sealed(path: Path, data: Mapping[str, object], made_at: datetime | None = None) -> Seal:
    """Writes an object with its date and hash; a file that was there is kept in ``history``.

    The new file takes the place of the old one in one step: a reader finds one or the other, never a half.

    Args:
        path: where to; folders are made.
        data: what the file says.
        made_at: when it was made; now if left out.

    Raises:
        OSError: if it cannot be written; the old file is then untouched.
    """
    made_at = made_at or datetime.now(UTC)
    # Through the text and back, so that what is hashed is what a reader will find.
    content: dict[str, object] = json.loads(json.dumps({**data, "made_at": made_at.isoformat()}, allow_nan=False))
    seal = Seal(made_at, content_hash(content))
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(json.dumps({**content, "sha256": seal.sha256}, indent=1) + "\n", encoding="utf-8")
    _keep(path)
    fresh.replace(path)
    return seal


def read_seal(fields: Fields) -> Seal:
    """The seal of a file, checked against its content.

    Args:
        fields: the whole object.

    Raises:
        Exception: the fields' own, if there is no seal or the content is not what was sealed.
    """
    sha256 = fields.text("sha256")
    if content_hash(fields.all()) != sha256:
        raise fields.fail("sha256", "the file was changed by hand; restore it from history or redo it")
    text = fields.text("made_at")
    try:
        made_at = datetime.fromisoformat(text)
    except ValueError as fault:
        raise fields.fail("made_at", f"expected a date and time, got {text!r}") from fault
    if made_at.tzinfo is None:
        raise fields.fail("made_at", f"expected a time with its zone, got {text!r}")
    return Seal(made_at.astimezone(UTC), sha256)


def _keep(path: Path) -> None:
    """Copies what a file says now into ``history``, named by time and content."""
    try:
        old = path.read_bytes()
    except FileNotFoundError:
        return
    folder = path.parent / HISTORY
    folder.mkdir(exist_ok=True)
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    kept = folder / f"{path.stem}-{written:%Y%m%dT%H%M%SZ}-{hashlib.sha256(old).hexdigest()[:12]}{path.suffix}"
    fresh = kept.with_name(f".{kept.name}.new")
    fresh.write_bytes(old)
    fresh.replace(kept)
