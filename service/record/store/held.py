"""What the store holds of all logs, as values."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from service.record.store.chain import NO_HASH
from service.record.store.cursors import START as BEGINNING
from service.record.store.cursors import cursor_of
from service.record.store.record_tables import OWN_LOG

if TYPE_CHECKING:
    from service.record.store.chain import Entry
    from service.record.store.cursors import Cursor
    from service.record.store.faults import Fault


@dataclass(frozen=True, slots=True)
class Due:
    """The entry by which a table's record must say that it was restored, as its feed announced.

    Attributes:
        seq: its number.
        start: the beginning of its hash.
        common: the last stored entry that the restored record has; it may name an earlier one.
    """

    seq: int
    start: str
    common: int

    @property
    def epoch(self) -> str:
        """The epoch that it starts."""
        return f"{self.seq}-{self.start}"


@dataclass(frozen=True, slots=True)
class Known:
    """The known head of a table's record, which the next entry must follow.

    Attributes:
        record: id of the record; empty before the first entry.
        key: the public key that signs the next entry, hexadecimal; empty before the first entry.
        seq: number of the newest entry; 0 before the first.
        hash: its hash.
        epoch: in which the record goes on.
        due: the entry that must say so, as long as it has not come.
    """

    record: str = ""
    key: str = ""
    seq: int = 0
    hash: str = NO_HASH
    epoch: str = ""
    due: Due | None = None

    @property
    def cursor(self) -> Cursor:
        """Where to go on in the table's feed."""
        return (self.seq, self.hash[:16]) if self.seq else BEGINNING

    def columns(self) -> dict[str, Any]:
        """As the database has it."""
        return {**asdict(self), "due": None if self.due is None else json.dumps(asdict(self.due))}

    @classmethod
    def of_columns(cls, told: dict[str, Any]) -> Self:
        """Read it back."""
        due = told["due"]
        return cls(**{**told, "due": None if due is None else Due(**json.loads(due))})


UNKNOWN: Final = Known()
"""A table before the first contact."""


@dataclass(frozen=True, slots=True)
class NamedPicture:
    """A picture or clip that an entry names as evidence.

    Attributes:
        sha256: of its bytes, hexadecimal.
        bytes: its size.
    """

    sha256: str
    bytes: int
    media_type: str


@dataclass(frozen=True, slots=True)
class SignedEntry:
    """An entry with its signature, hexadecimal, and the pictures that it names."""

    entry: Entry
    signature: str
    pictures: tuple[NamedPicture, ...] = ()


@dataclass(frozen=True, slots=True)
class Extension:
    """Checked entries that extend a table's record.

    Attributes:
        follows: number and hash of the entry that the first one follows.
        after: the head after these entries.
        entries: oldest first.
        lost: stored entries after ``follows`` are no longer in the table's record.
    """

    follows: tuple[int, str]
    after: Known
    entries: tuple[SignedEntry, ...]
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something from a table that is not taken.

    Attributes:
        fault: why, and the number of the entry that it should have been; 0 if it is about none.
        line: the refused line, unchanged.
    """

    fault: Fault
    line: bytes = b""


@dataclass(frozen=True, slots=True)
class HeldEntry:
    """An entry of a log, as the store has it.

    Attributes:
        position: its place among the entries of all logs, from 1, without gaps.
        log: number of its log.
        table: name of its table here; empty if it is about none.
        signature: hexadecimal; empty if it is not signed.
        received_at: when it was taken from the service that is followed, UTC; None in this service's own log.
        gone: the epoch in which the followed log no longer has it; None if it has.
    """

    position: int
    log: int
    table: str
    entry: Entry
    signature: str
    received_at: str | None
    gone: str | None

    @property
    def own(self) -> bool:
        """Whether this service recorded it itself."""
        return self.log == OWN_LOG

    @property
    def cursor(self) -> str:
        """Behind this entry in the feed of all logs."""
        return cursor_of(self.position, self.entry.hash)


@dataclass(frozen=True, slots=True)
class HeldTable:
    """A remote table, as the store has it.

    Attributes:
        id: its number in the store.
        known: the head of its record.
        copied: up to which position the pictures of its entries were copied.
    """

    id: int
    name: str
    known: Known
    copied: int


@dataclass(frozen=True, slots=True)
class HeldRefusal:
    """Something that was not taken.

    Attributes:
        fault: why, and the number of the entry that it should have been.
        times: how often it arrived.
        line: the refused line, truncated.
    """

    table: str
    fault: Fault
    first_at: str
    last_at: str
    times: int
    line: bytes
