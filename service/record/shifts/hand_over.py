"""Handing a shift over: a note by the person who hands over, and the signature of the one who takes over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import StringConstraints

from service.record.store.entries import Draft
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.record.shifts.shift_figures import Shift
    from service.record.store.record import Record

LONGEST_NOTE: Final = 2000
Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NOTE)]
Act = Literal["handed_over", "taken_over"]


class HandOverError(WordedError):
    """A shift that cannot be handed over, or taken over, like this."""


@dataclass(frozen=True, slots=True)
class SignedScope:
    """Which tables a signature is for: one table, a pit, or all tables if both are None."""

    table: str | None = None
    pit: str | None = None


@dataclass(frozen=True, slots=True)
class Signature:
    """Who handed a shift over, or took it over.

    Attributes:
        text: what that person noted; empty if nothing.
    """

    seq: int
    hash: str
    act: Act
    by: str
    at: datetime
    text: str
    stood: dict[str, int]


def signatures(record: Record, scope: SignedScope, shift: Shift) -> tuple[Signature, ...]:
    """What was signed of a shift for exactly these tables, the oldest first.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    found: list[Signature] = []
    seq = record.first_at(shift.started) - 1
    while entries := record.after(seq, kinds=("handover",), table=scope.table or ""):
        for entry in entries:
            data = entry.data
            if entry.subject == _name(shift) and data["pit"] == scope.pit:
                body: dict[str, Any] = {name: data[name] for name in ("act", "by", "text", "stood")}
                found.append(Signature(entry.seq, entry.hash, at=datetime.fromisoformat(entry.at), **body))
        seq = entries[-1].seq
    return tuple(found)


def waits_for_taker(signed: Sequence[Signature]) -> Signature | None:
    """The signature of the person who handed over last, if nobody took over since."""
    last = signed[-1] if signed else None
    return last if last is not None and last.act == "handed_over" else None


def sign(
    record: Record, scope: SignedScope, shift: Shift, *, act: Act, by: str, text: str, stood: dict[str, int]
) -> None:
    """Record that somebody hands a shift over, or takes it over.

    Args:
        record: where it is kept.
        scope: the tables that are handed over.
        shift: the shift; it must have started.
        act: what is done.
        by: name of the person.
        text: that person's note.
        stood: status of the shift, from :meth:`AllHappened.standing`.

    Raises:
        HandOverError: the shift has not started, there is nothing to take over, or the same person handed it over.
        RecordUnavailableError: it could not be made durable.
    """
    if datetime.now(UTC) < shift.started:
        raise HandOverError(words("This shift has not started."))
    handed = waits_for_taker(signatures(record, scope, shift))
    if act == "taken_over":
        if handed is None:
            raise HandOverError(words("Nobody has handed this shift over, or it was taken over already; look again."))
        if handed.by == by:
            raise HandOverError(
                words("You handed this shift over yourself. The person who takes over signs in with their own account.")
            )
    body = {
        "act": act,
        "by": by,
        "text": text,
        "pit": scope.pit,
        "stood": stood,
        "shift": shift.name,
        "day": shift.day.isoformat(),
        "started": shift.started.isoformat(),
        "ended": shift.ended.isoformat(),
        "answers": None if act == "handed_over" or handed is None else handed.seq,
    }
    record.append(Draft("handover", body, table=scope.table or "", subject=_name(shift)))


def _name(shift: Shift) -> str:
    return f"{shift.day.isoformat()} {shift.starts:%H:%M}"
