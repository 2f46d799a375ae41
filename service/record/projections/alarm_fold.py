"""What each entry of a log does to its alarms: raises them, ends them, answers them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, false, insert, or_, select, update

from service.record.projections.causes import RECORD, cause_of_outage, causes_of_checks, causes_of_round
from service.record.results import report_of
from service.record.store import schema
from service.record.store.entries import RESULTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement, Connection, Row

    from service.record.projections.causes import Cause
    from service.record.store.chain import Entry
    from service.record.store.entries import Kind
    from service.rounds.reports import RoundReport

FOLDED: Final[tuple[Kind, ...]] = (*RESULTS, "alarm", "outage", "acknowledgement")
"""The entries that alarms are made of."""

OF_AN_ENTRY: Final = 1000
_ALARMS: Final = schema.alarms.c


def name_of(number: int, times: int) -> str:
    """Names an alarm as it was raised last; one that is raised again has another name.

    >>> name_of(17_001, 2)
    '17001.2'
    """
    return f"{number}.{times}"


def read_name(name: str) -> tuple[int, int] | None:
    """The number of an alarm, and how often it had been raised; None if this names none."""
    number, _, times = name.partition(".")
    if not (number.isdecimal() and times.isdecimal() and len(number) <= 18 and len(times) <= 9 and name.isascii()):
        return None
    return int(number), int(times)


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry with its place in the store.

    Attributes:
        log: number of its log.
        table: name that the table has in this service.
        position: its place among the entries of all logs.
    """

    log: int
    table: str
    position: int
    entry: Entry


def fold(connection: Connection, placed: Placed, played: RoundReport | None = None) -> bool:
    """Apply an entry to the alarms.

    Args:
        connection: to the database that has them.
        placed: the entry.
        played: the entry's round, if it has been read already.

    Returns:
        Whether any of them changed.

    Raises:
        KeyError, TypeError, ValueError: the entry cannot be read.
    """
    entry = placed.entry
    if entry.kind in RESULTS:
        played = played or report_of(entry)
        of_round = and_(_ALARMS.log == placed.log, _ALARMS.round == entry.round)
        changed = False
        if entry.kind == "review" and played.status != "needs_review":
            doubt = and_(of_round, _ALARMS.kind == "needs_review")
            changed = _answer(connection, doubt, entry, by=_decided_by(played), answer="decided")
        return _Standing(connection, placed, of_round).are(causes_of_round(played)) or changed
    of_check = and_(_ALARMS.log == placed.log, _ALARMS.table == placed.table, _ALARMS.kind == "health")
    if entry.kind == "alarm":
        return _Standing(connection, placed, of_check).are(causes_of_checks(entry))
    if entry.kind == "outage":
        body, outage = entry.data, and_(of_check, _ALARMS.line == RECORD)
        _Standing(connection, placed, outage, at=body["since"]).are((cause_of_outage(entry),))
        over = update(schema.alarms).where(outage, _ALARMS.over_at.is_(None)).values(over_at=body["until"])
        connection.execute(over)
        return True
    return _acknowledge(connection, placed)


@dataclass(slots=True)
class _Standing:
    """The alarms about one round or about the checks of a table, compared with the present causes."""

    connection: Connection
    placed: Placed
    about: ColumnElement[bool]
    at: str = ""

    def __post_init__(self) -> None:
        self.at = self.at or self.placed.entry.at

    def are(self, causes: Iterable[Cause]) -> bool:
        """Raise alarms for new causes and end those whose cause is gone; return whether anything changed."""
        # Ignore alarms that are over and answered: a fault that recurs is a new alarm.
        lasting = or_(_ALARMS.over_at.is_(None), _ALARMS.answered_at.is_(None))
        found = self.connection.execute(select(schema.alarms).where(self.about, lasting)).all()
        before = {(row.kind, row.line): row for row in found}
        changed = [
            self._is(cause, before.pop((cause.kind, cause.line), None), part)
            for part, cause in enumerate(causes, start=1)
        ]
        changed += [self._end(row) for row in before.values()]
        return any(changed)

    def _is(self, cause: Cause, row: Row[Any] | None, part: int) -> bool:
        if row is None:
            return self._raise(cause, part)
        if row.over_at is None and cause.parts <= set(json.loads(row.parts)):
            return self._change(row, details=cause.details.model_dump_json(), subject=cause.subject)
        if row.answered_at is None:
            return self._change(row, **_written(cause), times=row.times + 1, last_raised_at=self.at, over_at=None)
        self._end(row)
        return self._raise(cause, part)

    def _raise(self, cause: Cause, part: int) -> bool:
        placed = self.placed
        self.connection.execute(
            insert(schema.alarms).values(
                number=placed.position * OF_AN_ENTRY + part,
                log=placed.log,
                own_number=placed.entry.seq * OF_AN_ENTRY + part,
                table=placed.table,
                kind=cause.kind,
                round=placed.entry.round,
                line=cause.line,
                times=1,
                raised_at=self.at,
                last_raised_at=self.at,
                **_written(cause),
            )
        )
        return True

    def _end(self, row: Row[Any]) -> bool:
        if row.over_at is not None:
            return False
        if row.kind == "needs_review" and row.answered_at is None:
            # Later pictures were clear: there is nothing left for a person to decide.
            return self._change(row, over_at=self.at, answered_at=self.at, answered_by="", answer="cleared", reason="")
        return self._change(row, over_at=self.at)

    def _change(self, row: Row[Any], **values: object) -> bool:
        changes = any(getattr(row, name) != value for name, value in values.items())
        if changes:
            self.connection.execute(update(schema.alarms).where(_ALARMS.number == row.number).values(values))
        return changes


def _written(cause: Cause) -> dict[str, str]:
    return {
        "subject": cause.subject,
        "parts": json.dumps(sorted(cause.parts)),
        "details": cause.details.model_dump_json(),
    }


def _answer(
    connection: Connection, which: ColumnElement[bool], entry: Entry, *, by: str, answer: str, reason: str = ""
) -> bool:
    values = {"answered_at": entry.at, "answered_by": by, "answer": answer, "reason": reason}
    open_ones = (which, _ALARMS.answered_at.is_(None))
    return connection.execute(update(schema.alarms).where(*open_ones).values(values)).rowcount > 0


def _acknowledge(connection: Connection, placed: Placed) -> bool:
    body = placed.entry.data
    by, reason = str(body["by"]), str(body.get("reason", ""))
    names = [read for each in body["alarms"] if (read := read_name(each["id"])) is not None]
    # One that was raised again before this was recorded stays: that was not seen.
    each_seen = (and_(_ALARMS.own_number == number, _ALARMS.times == times) for number, times in names)
    seen = and_(_ALARMS.log == placed.log, or_(false(), *each_seen))
    return _answer(connection, seen, placed.entry, by=by, answer="acknowledged", reason=reason)


def _decided_by(played: RoundReport) -> str:
    reviews = [hand.review for hand in played.hands] + [gone.review for gone in played.absent] + [played.dice_review]
    return next((each.by for each in reviews if each is not None and each.at == played.changed_at), "")
