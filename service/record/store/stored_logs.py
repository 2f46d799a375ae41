"""Stored logs: cursors, entries, and the known heads of followed logs."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from service.record.store.entries import NO_HASH
from service.record.store.schema import OWN_LOG

if TYPE_CHECKING:
    from service.record.store.entries import Entry
    from service.record.store.faults import Fault

Cursor: TypeAlias = tuple[int, str]
"""The number of an entry, and the first 16 digits of its hash."""

START: Final[Cursor] = (0, NO_HASH[:16])
_CURSOR: Final = re.compile(r"1\.([0-9]{1,18})\.([0-9a-f]{16})")


class CursorError(ValueError):
    """The text is not a cursor."""


class ForeignCursorError(CursorError):
    """This cursor is of another record, or of entries that are no longer there."""


class RestoredError(ForeignCursorError):
    """The record was restored from a copy, or lost its end, and no longer holds the cursor's entry.

    Attributes:
        epoch: in which it goes on.
        go_on: the cursor to continue from; entries up to it are in both records.
    """

    def __init__(self, message: str, epoch: str, go_on: str) -> None:
        super().__init__(message)
        self.epoch = epoch
        self.go_on = go_on


def cursor_of(seq: int, entry_hash: str) -> str:
    """The cursor behind an entry.

    >>> read_cursor(cursor_of(7, "ab" * 32))
    (7, 'abababababababab')
    """
    return base64.urlsafe_b64encode(f"1.{seq}.{entry_hash[:16]}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Cursor:
    """The number and the hash in a cursor; CursorError if the text is not a cursor."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeError, ValueError):
        text = ""
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise CursorError(
            "This is not a cursor: send 'next' of an earlier answer, or no cursor to start at the beginning."
        )
    return int(found[1]), found[2]


@dataclass(frozen=True, slots=True)
class Due:
    """The announced entry by which a table's record must say that it was restored.

    Attributes:
        common: the last entry that this service shares with the restored record; it may name an earlier one.
    """

    seq: int
    start: str
    common: int

    @property
    def epoch(self) -> str:
        return f"{self.seq}-{self.start}"


@dataclass(frozen=True, slots=True)
class Known:
    """The known head of a table's record, which the next entry must follow.

    Attributes:
        record: id of the record; empty before the first entry.
        key: the public key that signs the next entry, hexadecimal; empty before the first entry.
        seq: number of the newest entry; 0 before the first.
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
        """The cursor to continue from in the table's feed."""
        return (self.seq, self.hash[:16]) if self.seq else START

    def columns(self) -> dict[str, Any]:
        return {**asdict(self), "due": None if self.due is None else json.dumps(asdict(self.due))}

    @classmethod
    def of_columns(cls, row: dict[str, Any]) -> Self:
        due = row["due"]
        return cls(**{**row, "due": None if due is None else Due(**json.loads(due))})


UNKNOWN: Final = Known()
"""A table before the first contact."""


@dataclass(frozen=True, slots=True)
class NamedPicture:
    """A picture or clip that an entry names as evidence."""

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
        lost: entries after ``follows`` that this service has are no longer in the table's record.
    """

    follows: tuple[int, str]
    after: Known
    entries: tuple[SignedEntry, ...]
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something from a table that is not accepted.

    Attributes:
        fault: why, and the number of the entry that it should have been; 0 if it is about none.
        line: the refused line, unchanged.
    """

    fault: Fault
    line: bytes = b""


@dataclass(frozen=True, slots=True)
class HeldEntry:
    """A stored entry of a log.

    Attributes:
        position: its place among the entries of all logs, from 1, without gaps.
        log: number of its log.
        table: name of its table here; empty if it is about none.
        signature: hexadecimal; empty if it is not signed.
        received_at: when it was received from the followed service, UTC; None in this service's own log.
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
        return self.log == OWN_LOG

    @property
    def cursor(self) -> str:
        """The cursor after this entry in the feed of all logs."""
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
    """A stored refusal.

    Attributes:
        fault: why, and the number of the entry that it should have been.
        line: the refused line, truncated.
    """

    table: str
    fault: Fault
    first_at: str
    last_at: str
    times: int
    line: bytes
