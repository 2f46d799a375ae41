"""The chain of entries: how an entry is written as bytes, and how each vouches for the one before it.

An entry is hashed over its canonical JSON: keys sorted, no spaces, everything beyond ASCII escaped. Whoever changes,
removes or moves an entry changes a hash, and every later one with it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from datetime import datetime

NO_HASH: Final = "0" * 64
"""What stands for the hash before the first entry's."""


class BrokenEntryError(ValueError):
    """A stored entry is not what was appended; the message says in what way."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it stands in the record.

    Attributes:
        seq: its number, from 1, without gaps.
        at: when it was appended, UTC, ``2026-01-31T23:59:59.123456Z``.
        monotonic_ns: the machine's monotonic clock at that moment; comparable until the machine is started anew.
        kind: what it tells, see :data:`service.record.store.protocols.KINDS`.
        table: the table it is about; empty if about the record itself.
        round: id of the round it is about, if any.
        subject: what else it is about, such as the id of a request.
        supersedes: number of the entry that it takes the place of, if any.
        body: the rest, as canonical JSON.
        previous: hash of the entry before it.
        hash: SHA-256 over all the above, hexadecimal.
    """

    seq: int
    at: str
    monotonic_ns: int
    kind: str
    table: str
    round: str | None
    subject: str | None
    supersedes: int | None
    body: str
    previous: str
    hash: str = ""

    @property
    def data(self) -> dict[str, Any]:
        """The body, read."""
        said: dict[str, Any] = json.loads(self.body)
        return said

    def sealed(self) -> Entry:
        """The same entry with its hash."""
        fields = {name: getattr(self, name) for name in Entry.__slots__ if name != "hash"}
        return Entry(**fields, hash=hash_of(self))

    def line(self) -> str:
        """The entry as one line of an export."""
        return canonical({**_hashed(self), "hash": self.hash})

    @staticmethod
    def of_line(line: str) -> Entry:
        """Read a line of an export.

        Raises:
            BrokenEntryError: the line is no entry, or not written as an export writes it.
        """
        try:
            told = json.loads(line)
            entry = Entry(**{**told, "body": canonical(told["body"])})
        except (ValueError, TypeError, KeyError, RecursionError):
            raise BrokenEntryError("this line is no entry") from None
        try:
            written = entry.line()
        except (ValueError, TypeError):
            raise BrokenEntryError("this line is no entry") from None
        if written != line:
            raise BrokenEntryError("it is not written as it was appended")
        return entry


def canonical(value: object) -> str:
    r"""A value as the one JSON text that is hashed.

    >>> canonical({"b": [1, None], "a": "é"})
    '{"a":"\\u00e9","b":[1,null]}'

    Raises:
        ValueError: a number is none, such as infinity.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def written(at: datetime) -> str:
    """A moment in UTC as entries have it, to the microsecond."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def hash_of(entry: Entry) -> str:
    """The hash that an entry should have.

    Raises:
        BrokenEntryError: its body is not canonical JSON.
    """
    try:
        hashed = _hashed(entry)
        same = canonical(hashed["body"]) == entry.body
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise BrokenEntryError("its body is not written as it was appended")
    return hashlib.sha256(canonical(hashed).encode()).hexdigest()


def check_link(entry: Entry, seq: int, previous: str) -> None:
    """Hold an entry against the one before it.

    Args:
        entry: what stands in the record.
        seq: number of the entry before it; 0 before the first.
        previous: that entry's hash; :data:`NO_HASH` before the first.

    Raises:
        BrokenEntryError: it was changed, or does not follow.
    """
    if entry.seq != seq + 1:
        raise BrokenEntryError(f"entry {seq + 1} should stand here; entries were removed, added or moved")
    if entry.previous != previous:
        raise BrokenEntryError("it does not carry the hash of the entry before it")
    if hash_of(entry) != entry.hash:
        raise BrokenEntryError("its contents do not have its hash")


def _hashed(entry: Entry) -> dict[str, Any]:
    fields = {name: getattr(entry, name) for name in Entry.__slots__ if name not in {"hash", "body"}}
    return {**fields, "body": json.loads(entry.body)}
