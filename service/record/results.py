"""Results: the revisions of rounds as the record holds them, and cursors into them.

A cursor is an entry's number and the beginning of its hash; one of another record, or of one whose end was cut off, is
refused and never silently read on from.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from service.record.store.beside import BESIDE
from service.record.store.chain import NO_HASH
from service.rounds.reports import FrozenModel, RoundReport
from service.words.served import RoundOut

if TYPE_CHECKING:
    from engine.house_way import HouseWay
    from service.record.store.chain import Entry

Cursor: TypeAlias = tuple[int, str]
"""The number of an entry, and the first 16 digits of its hash."""

START: Final[Cursor] = (0, NO_HASH[:16])
_CURSOR: Final = re.compile(r"1\.([0-9]{1,18})\.([0-9a-f]{16})")


class CursorError(ValueError):
    """This is no cursor."""


class ForeignCursorError(CursorError):
    """This cursor is of another record, or of entries that are no longer there."""


class RestoredError(ForeignCursorError):
    """The record was restored from a copy, or lost its end, and no longer holds the cursor's entry.

    Attributes:
        epoch: in which it goes on.
        go_on: the cursor to go on from; what came before it is surely common.
    """

    def __init__(self, message: str, epoch: str, go_on: str) -> None:
        super().__init__(message)
        self.epoch = epoch
        self.go_on = go_on


class ResultOut(FrozenModel):
    """One revision of a round, as the record holds it.

    Attributes:
        cursor: behind this result.
        seq: its number in the record; numbers of other entries lie between.
        at: when it was recorded.
        monotonic_ns: the table's monotonic clock at that moment.
        kind: ``round`` was read, ``review`` was decided by a person.
        hash: of the entry, by which it is found in an export.
        supersedes: number of the revision that this one takes the place of.
        round: the round as this revision has it.
    """

    cursor: str
    seq: int
    at: datetime
    monotonic_ns: int
    kind: Literal["round", "review"]
    hash: str
    supersedes: int | None
    round: RoundOut


def report_of(entry: Entry) -> RoundReport:
    """The round that an entry tells of."""
    if BESIDE not in entry.body:
        return RoundReport.model_validate_json(entry.body)
    body = entry.data
    body.pop(BESIDE, None)
    return RoundReport.model_validate_json(json.dumps(body))


def result_of(entry: Entry, configured: HouseWay | None = None) -> ResultOut:
    """An entry as it is served, in English as well; ``configured``: the table's House Way, where that is a file."""
    fields = {name: getattr(entry, name) for name in ("seq", "monotonic_ns", "kind", "hash", "supersedes")}
    fields["at"] = datetime.fromisoformat(entry.at)
    played = RoundOut.from_report(report_of(entry), configured)
    return ResultOut.model_construct(cursor=cursor_of(entry.seq, entry.hash), **fields, round=played)


def cursor_of(seq: int, entry_hash: str) -> str:
    """The cursor behind an entry.

    >>> read_cursor(cursor_of(7, "ab" * 32))
    (7, 'abababababababab')
    """
    return base64.urlsafe_b64encode(f"1.{seq}.{entry_hash[:16]}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Cursor:
    """The number and the hash in a cursor; CursorError if it is none."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeError, ValueError):
        text = ""
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise CursorError("This is not a cursor: send 'next' of an earlier answer, or no cursor to begin at the start.")
    return int(found[1]), found[2]
