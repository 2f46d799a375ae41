"""What the rest of the service asks of the record, and the values that pass between them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from service.record.store.chain import Entry

Kind: TypeAlias = Literal[
    "record",
    "start",
    "round",
    "review",
    "acknowledgement",
    "settlement",
    "outage",
    "export",
    "pictures_removed",
    "account",
    "key",
    "config",
    "calibration",
    "health",
    "alarm",
    "tiles",
]
KINDS: Final[dict[Kind, str]] = {
    "record": "the first entry: the record's id and its public key",
    "start": "the service was started: versions of everything that makes a result",
    "round": "what was learned about a round; supersedes the revision before it",
    "review": "a person confirmed or corrected a round; supersedes the revision before it",
    "acknowledgement": "a person saw an alarm: which one, who and when",
    "settlement": "wagers sent for a round, and how they were settled",
    "outage": "from when to when nothing could be recorded, and why",
    "export": "everything up to an entry was exported",
    "pictures_removed": "exported pictures were removed to make room or because of their age",
    "account": "an account was added or changed: who did it, what and why",
    "key": "a key was added or revoked: who did it, what and why",
    "config": "the table's settings are not those of the last start: what they are now, and on whose word",
    "calibration": "the camera's place or the table's places were given anew: who did it, what and why",
    "health": "something that every verified result needs became well or unwell: the self-test, the clock, the camera",
    "alarm": "checks of the table turned bad, or all are well again, as others are told",
    "tiles": "the set was checked at the display, enrolled or answered for, or other tiles were seen in play",
}
RESULTS: Final[tuple[Kind, ...]] = ("round", "review")
"""Entries that carry a round as it now stands."""
CHANGES: Final[tuple[Kind, ...]] = ("account", "key", "config", "calibration")
"""Entries that tell who changed what about the service itself, and why."""


class RecordUnavailableError(Exception):
    """The record cannot be written or read just now; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class RecordState:
    """How the record is.

    Attributes:
        ok: whether what is appended is durable.
        message: the same in words for a supervisor, with what to do if it is not well.
    """

    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to be kept as evidence.

    Attributes:
        data: the encoded picture.
        media_type: what it is encoded as.
        sha256: names it, hexadecimal.
    """

    data: bytes
    media_type: str = "image/jpeg"
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        """Name it."""
        object.__setattr__(self, "sha256", hashlib.sha256(self.data).hexdigest())


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry before it is appended.

    Attributes:
        kind: what it tells.
        body: anything JSON can say; pictures are named in it under ``evidence``, each with its ``sha256``, ``bytes``
            and ``media_type``, and are kept at least as long as an entry that names them has not been exported.
        table: the table it is about; empty if about the record itself.
        round: id of the round it is about.
        subject: what else it is about.
        supersedes: number of the entry that it takes the place of.
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
        answer: what was answered, as JSON.
    """

    scope: str
    key: str
    request: str
    answer: str


class RecordReader(Protocol):
    """Reads what is durable; every method may raise :class:`RecordUnavailableError` and holds no lock."""

    def head(self) -> Entry | None:
        """The newest entry."""
        ...

    def entry(self, seq: int) -> Entry | None:
        """The entry of a number."""
        ...

    def after(
        self, seq: int, *, kinds: Sequence[Kind] = (), table: str | None = None, limit: int = 100
    ) -> tuple[Entry, ...]:
        """Entries beyond a number, oldest first; all kinds and tables if none is named."""
        ...

    def last(
        self, kinds: Sequence[Kind], *, table: str | None = None, round_id: str | None = None, count: int = 1
    ) -> tuple[Entry, ...]:
        """The newest entries of these kinds, newest first."""
        ...

    def of_round(self, round_id: str, kinds: Sequence[Kind] = RESULTS) -> tuple[Entry, ...]:
        """All that was recorded of a round, oldest first."""
        ...

    def reply(self, scope: str, key: str) -> Reply | None:
        """What was answered to this request before."""
        ...


class Recorder(RecordReader, Protocol):
    """Reads and appends."""

    @property
    def state(self) -> RecordState:
        """How the record is."""
        ...

    def append(
        self,
        draft: Draft,
        *,
        pictures: Sequence[Picture] = (),
        reply: Reply | None = None,
        beside: Callable[[Connection], None] | None = None,
    ) -> Entry:
        """Append an entry with its pictures; durable when this returns.

        Raises:
            RecordUnavailableError: it could not be made durable; nothing of it will be seen by a reader.
        """
        ...

    def picture(self, sha256: str) -> Picture | None:
        """A picture kept as evidence; None if there is none of the name, or none any more."""
        ...
