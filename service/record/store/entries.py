"""The values that pass into the record and out of it, and what it may refuse with."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from service.words.codes import RecordCode
from service.words.findings import FindingError, words_of

if TYPE_CHECKING:
    from enum import StrEnum

    from vision.findings import Finding

Kind: TypeAlias = Literal[
    "record",  # the first entry: the record's id and its public key
    "start",  # the service was started: versions of everything that makes a result
    "round",  # what was learned about a round; supersedes the revision before it
    "review",  # a person confirmed or corrected a round; supersedes the revision before it
    "acknowledgement",  # a person saw an alarm: which one, who and when
    "settlement",  # wagers sent for a round, and how they were settled
    "dealer",  # somebody said who deals from now on, or that nobody is named: who said so
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
    "handover",  # a person handed a shift over, with a note, or took it over: which shift, who, and how it stood
    "integrity",  # a person took rows beside the chain into it, or answered for what a check found: who, what, why
    "audit",  # what is drawn to measure silent errors: the plan of a day before it, the draw and its seed after it
    "epoch",  # the record was restored or lost its end, and goes on from the last entry that is known to be common
    "signing_key",  # the key that signs all that follows; this entry itself is signed with the one before it
    "desk",  # of a hub: a person had a table record a decision or an answer: which, who, and what the table said
    "trust",  # of a hub: which record and key of a table it trusts from now on, who said so, and why
]
RESULTS: Final[tuple[Kind, ...]] = ("round", "review")
"""Entries that carry a round as it now stands."""
CHANGES: Final[tuple[Kind, ...]] = (*("account", "key", "config", "calibration", "webhook", "models", "trust"),)
"""Entries that tell who changed what about the service itself, and why."""


class RecordUnavailableError(FindingError):
    """The record cannot be written or read just now."""

    @property
    def code(self) -> StrEnum:
        """Why."""
        return self.finding.code


@dataclass(frozen=True, slots=True)
class RecordState:
    """How the record is.

    Attributes:
        finding: well, or why nothing can be recorded.
    """

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
        """Name it."""
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
        scope: what was asked of whom, such as the path of the request.
        key: the sender's Idempotency-Key.
        request: SHA-256 of what was sent, hexadecimal.
        answer: JSON.
    """

    scope: str
    key: str
    request: str
    answer: str
