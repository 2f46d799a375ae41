"""The hash chain of entries: each is hashed over its canonical JSON, which holds the hash of the one before it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from service.words.codes import RecordCode
from service.words.findings import FindingError

NO_HASH: Final = "0" * 64
"""The previous hash of the first entry."""
_AFTER_BODY: Final = ("kind", "monotonic_ns", "previous", "round", "seq", "subject", "supersedes", "table")
"""Fields that follow the body in the text that is hashed."""


class BrokenEntryError(FindingError, ValueError):
    """A stored entry is not what was appended."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the record.

    Attributes:
        seq: its number, from 1, without gaps.
        at: when it was appended, UTC, ``2026-01-31T23:59:59.123456Z``.
        monotonic_ns: the machine's monotonic clock at that moment; comparable until the machine restarts.
        kind: see :data:`service.record.store.entries.Kind`.
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
        body: dict[str, Any] = json.loads(self.body)
        return body

    def sealed(self) -> Entry:
        """The same entry with its hash."""
        return replace(self, hash=hash_of(self))

    def line(self) -> str:
        """The entry as one line of an export: its canonical JSON, in which the body stands as it was appended."""
        return _text_of(self, "hash")

    @staticmethod
    def of_line(line: str) -> Entry:
        """Read a line of an export; BrokenEntryError if it is no entry, or not written as an export writes it."""
        return read_line(line)[0]


def read_line(line: str) -> tuple[Entry, Any]:
    """An entry of an export with its body, read; raises as :meth:`Entry.of_line`."""
    try:
        fields = json.loads(line)
        data = fields["body"]
        entry = Entry(**{**fields, "body": canonical_json(data)})
        appended = entry.line()
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BrokenEntryError.of(RecordCode.NOT_AN_ENTRY) from None
    if appended != line:
        raise BrokenEntryError.of(RecordCode.ENTRY_NOT_AS_APPENDED)
    return entry, data


def canonical_json(value: object) -> str:
    r"""A value as the one JSON text that is hashed.

    >>> canonical_json({"b": [1, None], "a": "é"})
    '{"a":"\\u00e9","b":[1,null]}'

    Raises:
        ValueError: a number is not finite.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def timestamp(at: datetime | None = None) -> str:
    """Format a time in UTC as in entries, to the microsecond; the default is now."""
    return (at or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def hash_of(entry: Entry) -> str:
    """The hash that an entry should have; BrokenEntryError if its body is not canonical JSON."""
    try:
        hashed = _hashed(entry)
        same = canonical_json(hashed["body"]) == entry.body
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise BrokenEntryError.of(RecordCode.BODY_NOT_AS_APPENDED)
    return hashlib.sha256(canonical_json(hashed).encode()).hexdigest()


def is_as_hashed(entry: Entry) -> bool:
    """Whether an entry matches its hash; faster than :func:`hash_of`, because the body is not parsed.

    The body is hashed as text, so a body that is not canonical JSON cannot have the hash of one that is.
    """
    try:
        return hashlib.sha256(_text_of(entry).encode()).hexdigest() == entry.hash
    except (TypeError, ValueError):
        return False


def check_link(entry: Entry, seq: int, previous: str) -> None:
    """Hold an entry against number and hash of the one before it; BrokenEntryError if changed, or not its successor."""
    if entry.seq != seq + 1:
        raise BrokenEntryError.of(RecordCode.ENTRY_OUT_OF_PLACE, entry=seq + 1)
    if entry.previous != previous:
        raise BrokenEntryError.of(RecordCode.NOT_LINKED)
    if hash_of(entry) != entry.hash:
        raise BrokenEntryError.of(RecordCode.HASH_WRONG)


def _text_of(entry: Entry, *also: str) -> str:
    """An entry as canonical JSON, with more of its fields than are hashed; its body is not read."""
    rest = {name: getattr(entry, name) for name in (*_AFTER_BODY, *also)}
    return f'{{"at":{canonical_json(entry.at)},"body":{entry.body},{canonical_json(rest)[1:]}'


def _hashed(entry: Entry) -> dict[str, Any]:
    fields = asdict(entry)
    del fields["hash"]
    return {**fields, "body": json.loads(entry.body)}
