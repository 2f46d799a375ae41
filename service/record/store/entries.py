"""Entries of the record: their kinds, their hash chain, and the values that are appended with them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from service.words.codes import RecordCode
from service.words.findings import FindingError, words_of

if TYPE_CHECKING:
    from enum import StrEnum

    from vision.findings import Finding

NO_HASH: Final = "0" * 64
"""The previous hash of the first entry."""
MOST: Final = 2**53
"""The highest number of an entry."""
_Name: TypeAlias = Annotated[str, Field(max_length=200)]
_Hash: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
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
        supersedes: number of the entry that it replaces, if any.
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


class _Line(BaseModel):
    """The fields of a line of an export, which may come from another program."""

    model_config = ConfigDict(strict=True, extra="forbid")

    seq: int = Field(ge=1, le=MOST)
    at: str = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
    monotonic_ns: int = Field(ge=0, le=2**63 - 1)
    kind: _Name
    table: _Name
    round: _Name | None
    subject: _Name | None
    supersedes: int | None = Field(ge=1, le=MOST)
    body: dict[str, Any]
    previous: _Hash
    hash: _Hash


def read_line(line: str) -> tuple[Entry, Any]:
    """An entry of an export with its body, read; raises as :meth:`Entry.of_line`."""
    try:
        fields = _Line.model_validate(json.loads(line)).model_dump()
        data = fields["body"]
        datetime.fromisoformat(fields["at"])
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
        same = canonical_json(entry.data) == entry.body
    except (ValueError, RecursionError):
        same = False
    if not same:
        raise BrokenEntryError.of(RecordCode.BODY_NOT_AS_APPENDED)
    return hashlib.sha256(_text_of(entry).encode()).hexdigest()


def is_as_hashed(entry: Entry) -> bool:
    """Whether an entry matches its hash; faster than :func:`hash_of`, because the body is not parsed.

    The body is hashed as text, so a body that is not canonical JSON cannot have the hash of one that is.
    """
    try:
        return hashlib.sha256(_text_of(entry).encode()).hexdigest() == entry.hash
    except (TypeError, ValueError):
        return False


def check_link(entry: Entry, seq: int, previous: str) -> None:
    """Check an entry's hash and its link to the entry before; BrokenEntryError."""
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


Kind: TypeAlias = Literal[
    "record",  # the first entry: the record's id and its public key
    "start",  # the service was started: versions of everything that makes a result
    "round",  # what was learned about a round; supersedes the revision before it
    "review",  # a person confirmed or corrected a round; supersedes the revision before it
    "acknowledgement",  # a person saw an alarm: which one, who and when
    "settlement",  # wagers sent for a round, and how they were settled
    "dealer",  # who deals from now on, or that nobody is named, and who reported it
    "bank",  # what somebody reported about the bank of the open or next round
    "outage",  # from when to when nothing could be recorded, and why
    "export",  # everything up to an entry was exported
    "pictures_removed",  # exported pictures were removed to make room or because of their age
    "account",  # an account was added or changed: who did it, what and why
    "key",  # a key was added or revoked: who did it, what and why
    "config",  # the table's settings changed since the last start: the new settings, and who changed them
    "calibration",  # the camera's or the table's calibration was replaced: who did it, what and why
    "webhook",  # a stopped webhook was restarted: who did it, and why
    "models",  # another tile model was activated, or the previous one restored: who did it, and why
    "health",  # a precondition of verified results failed or recovered: self-test, clock, camera
    "alarm",  # checks of the table failed, or all recovered, as sent to subscribers
    "tiles",  # the set was checked at the display, enrolled or answered for, or other tiles were seen in play
    "dice",  # the house's dice were enrolled, or a confirmed throw was added to their enrolment
    "handover",  # a person handed a shift over, with a note, or took it over: which shift, who, and how it stood
    "letter",  # the letter of a gaming day was sent: of which day, to whom
    "integrity",  # a person took rows beside the chain into it, or answered for what a check found: who, what, why
    "audit",  # what is drawn to measure silent errors: the plan of a day before it, the draw and its seed after it
    "epoch",  # the record was restored or lost its end, and goes on from the last entry that is known to be common
    "signing_key",  # the key that signs all that follows; this entry itself is signed with the one before it
    "desk",  # of a hub: a person's decision that was sent to a table, and the table's answer
    "trust",  # of a hub: which record and key of a table it trusts from now on, who decided that, and why
]
RESULTS: Final[tuple[Kind, ...]] = ("round", "review")
"""Entries that carry a round as it now stands."""
CHANGES: Final[tuple[Kind, ...]] = (*("account", "key", "config", "calibration", "webhook", "models", "trust"),)
"""Changes to the service itself: who changed what, and why."""


class RecordUnavailableError(FindingError):
    """The record cannot be written or read just now."""

    @property
    def code(self) -> StrEnum:
        return self.finding.code


class RecordVersionError(RecordUnavailableError):
    """The tables of the database are not those of this version."""


@dataclass(frozen=True, slots=True)
class RecordState:
    """Whether the record can be written, or why not."""

    finding: Finding

    @property
    def ok(self) -> bool:
        """Whether what is appended is durable."""
        return self.finding.code is RecordCode.WELL

    @property
    def is_standby(self) -> bool:
        """Whether another service writes to the same record."""
        return self.finding.code in {RecordCode.LEASED, RecordCode.LEASE_LOST, RecordCode.OTHER_WRITER}

    @property
    def is_of_another_version(self) -> bool:
        """Whether the tables of the database are not those of this version."""
        return self.finding.code in {RecordCode.OTHER_VERSION, RecordCode.TABLES_MISSING}

    @property
    def message(self) -> str:
        """The same in English for a supervisor, with what to do if it is not well."""
        return str(words_of(self.finding))


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture to be kept as evidence under its SHA-256, hexadecimal."""

    data: bytes
    media_type: str = "image/jpeg"
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", hashlib.sha256(self.data).hexdigest())


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry before it is appended; fields are as in the entry.

    Pictures are named in ``body`` under ``evidence``, each with its ``sha256``, ``bytes`` and ``media_type``, and kept
    at least until every entry that names them has been exported.
    """

    kind: Kind
    body: dict[str, Any]
    table: str = ""
    round: str | None = None
    subject: str | None = None
    supersedes: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request that may be sent again under the same key.

    Attributes:
        scope: the kind of request, such as its path.
        request: SHA-256 of what was sent, hexadecimal.
    """

    scope: str
    key: str
    request: str
    answer: str


class KeyReusedError(ValueError):
    """An Idempotency-Key came again with another request."""


def digest(sent: object) -> str:
    """What tells one request from another."""
    return hashlib.sha256(canonical_json(sent).encode()).hexdigest()


def reply_to(scope: str, key: str | None, request: str, answer: str) -> Reply | None:
    """Return the reply to store with the entry; None without an Idempotency-Key."""
    return None if key is None else Reply(scope, key, request, answer)
