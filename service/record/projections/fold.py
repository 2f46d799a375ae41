"""How each entry of a log changes the rows of its rounds and alarms."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, delete, false, func, insert, or_, select, update

from calibration.table.places import Place
from service.record.projections.causes import RECORD, cause_of_outage, causes_of_checks, causes_of_round, line_of
from service.record.results import report_of
from service.record.store import schema
from service.record.store.database import insert_or_update, put_rows
from service.record.store.entries import RESULTS, is_as_hashed, timestamp
from service.record.store.schema import OWN_LOG
from service.rounds.outcomes import reported_in
from service.rounds.reports import verdict_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection, Row

    from service.record.projections.causes import Cause
    from service.record.store.entries import Entry, Kind
    from service.rounds.reports import OutcomeReport, RoundReport

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
        table: name that the table has in this service.
    """

    log: int
    table: str
    position: int
    entry: Entry


def apply_to_alarms(connection: Connection, placed: Placed, played: RoundReport | None = None) -> bool:
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
        # As pages and API say it of the hand; the entry is written a moment later, or minutes if it could not be.
        at, changed = timestamp(played.changed_at.astimezone(UTC)), False
        if entry.kind == "review" and played.status != "needs_review":
            doubt = and_(of_round, _ALARMS.kind == "needs_review")
            said = next(iter(reported_in(played)), None)
            by, answer = (_decided_by(played), "decided") if said is None else (said.by or "", "outcome")
            changed = _answer(connection, doubt, at, by=by, answer=answer, reason=said.reason if said else "")
        changed = _Standing(connection, placed, of_round, at).are(causes_of_round(played)) or changed
        return any(_conclude(connection, of_round, outcome) for outcome in reported_in(played)) or changed
    of_check = and_(_ALARMS.log == placed.log, _ALARMS.table == placed.table, _ALARMS.kind == "health")
    if entry.kind == "alarm":
        return _Standing(connection, placed, of_check, entry.at).are(causes_of_checks(entry))
    if entry.kind == "outage":
        body, outage = entry.data, and_(of_check, _ALARMS.line == RECORD)
        _Standing(connection, placed, outage, body["since"]).are((cause_of_outage(entry),))
        over = update(schema.alarms).where(outage, _ALARMS.over_at.is_(None)).values(over_at=body["until"])
        connection.execute(over)
        return True
    return _acknowledge(connection, placed)


@dataclass(slots=True)
class _Standing:
    """The alarms about one round or about the checks of a table, compared with the causes at a time, UTC."""

    connection: Connection
    placed: Placed
    about: ColumnElement[bool]
    at: str

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
    connection: Connection, which: ColumnElement[bool], at: str, *, by: str, answer: str, reason: str = ""
) -> bool:
    values = {"answered_at": at, "answered_by": by, "answer": answer, "reason": reason}
    open_ones = (which, _ALARMS.answered_at.is_(None))
    return connection.execute(update(schema.alarms).where(*open_ones).values(values)).rowcount > 0


def _conclude(connection: Connection, of_round: ColumnElement[bool], outcome: OutcomeReport) -> bool:
    """Answer the alarm of which a person says what was done."""
    if outcome.by is None:
        return False
    if outcome.finding is None:
        about = and_(of_round, _ALARMS.kind == "house_hand_wrong", _ALARMS.line == outcome.place)
    else:
        about = and_(of_round, _ALARMS.kind == "procedure", _ALARMS.line == line_of(outcome.finding))
    if outcome.seen_in + 1 < outcome.revision:  # one that was raised again since then was not seen
        about = and_(about, _ALARMS.times == 1)
    at = timestamp(outcome.at.astimezone(UTC))
    return _answer(connection, about, at, by=outcome.by, answer="outcome", reason=outcome.reason)


def _acknowledge(connection: Connection, placed: Placed) -> bool:
    body = placed.entry.data
    by, reason = str(body["by"]), str(body.get("reason", ""))
    names = [read for each in body["alarms"] if (read := read_name(each["id"])) is not None]
    # One that was raised again before this was recorded stays: that was not seen.
    each_seen = (and_(_ALARMS.own_number == number, _ALARMS.times == times) for number, times in names)
    seen = and_(_ALARMS.log == placed.log, or_(false(), *each_seen))
    return _answer(connection, seen, placed.entry.at, by=by, answer="acknowledged", reason=reason)


def _decided_by(played: RoundReport) -> str:
    reviews = [hand.review for hand in played.hands] + [gone.review for gone in played.absent] + [played.dice_review]
    return next((each.by for each in reviews if each is not None and each.at == played.changed_at), "")


_log = logging.getLogger(__name__)

_KEPT: Final = frozenset({"log", "round", "first", "ever_wrong"})
"""Columns of a round that a later revision does not replace."""


@dataclass(slots=True)
class Folding:
    """Entries of any logs, applied together in one transaction.

    Attributes:
        changed: numbers of the logs of which rounds or alarms changed.
    """

    connection: Connection
    changed: set[int] = field(default_factory=set)
    alarmed: bool = False
    _rounds: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    _followed: dict[int, dict[str, Any]] = field(default_factory=dict)
    _standing: set[tuple[int, str | None]] = field(default_factory=set)
    _verified: dict[tuple[int, str], tuple[str, str | None]] = field(default_factory=dict)
    _wrong_rules: dict[tuple[int, str], str] = field(default_factory=dict)

    def expect(self, entries: Sequence[Placed]) -> None:
        """Query once the state of these entries' rounds: alarms that may change, and verified hands, broken rules."""
        columns, results = schema.alarms.c, [each for each in entries if each.entry.kind in RESULTS]
        logs, names = {each.log for each in results}, {each.entry.round for each in results}
        stands = or_(columns.over_at.is_(None), columns.answered_at.is_(None))
        query = select(columns.log, columns.round).where(columns.log.in_(logs), columns.round.in_(names), stands)
        self._standing = {(row.log, row.round) for row in self.connection.execute(query)}
        known = schema.rounds.c
        of_rounds = select(known.log, known.round, known.verified, known.verified_hand_at, known.wrong_rules)
        found = self.connection.execute(of_rounds.where(known.log.in_(logs), known.round.in_(names))).all()
        self._verified = {(row.log, row.round): (row.verified, row.verified_hand_at) for row in found}
        self._wrong_rules = {(row.log, row.round): row.wrong_rules for row in found}

    def take(self, placed: Placed) -> None:
        """Apply one entry, the next of its log."""
        self._follow(placed)
        entry = placed.entry
        if entry.kind not in FOLDED or not placed.table:  # nobody can answer an alarm that belongs to no table
            return
        if not is_as_hashed(entry):
            _log.error("entry %s of log %s does not match its hash and is ignored", entry.seq, placed.log)
            return
        try:
            played = report_of(entry) if entry.kind in RESULTS else None
            if played is not None:
                self._note(placed, played)
            if self._may_alarm(placed, played) and apply_to_alarms(self.connection, placed, played):
                self.changed.add(placed.log)
                self.alarmed = True
        except (KeyError, TypeError, ValueError):
            _log.exception("entry %s of log %s cannot be read by this version", entry.seq, placed.log)

    def flush(self) -> None:
        """Put what was gathered into the database."""
        put = insert_or_update(self.connection, schema.rounds)
        changes: dict[str, object] = {name: put.excluded[name] for name in schema.ROUND if name not in _KEPT}
        changes["ever_wrong"] = or_(schema.rounds.c.ever_wrong, put.excluded.ever_wrong)
        of_round = put.on_conflict_do_update(index_elements=["log", "round"], set_=changes)
        put_rows(self.connection, of_round, list(self._rounds.values()))
        self._rounds.clear()
        put = insert_or_update(self.connection, schema.followed)
        changes = {name: put.excluded[name] for name in ("seq", "hash", "at")}
        changes["own_name"] = func.coalesce(func.nullif(put.excluded.own_name, ""), schema.followed.c.own_name)
        of_table = put.on_conflict_do_update(index_elements=["log"], set_=changes)
        put_rows(self.connection, of_table, list(self._followed.values()))
        self._followed.clear()

    def drop(self, log: int) -> None:
        """Delete the rows of a log; they are derived again from its first entry."""
        for each in (schema.alarms, schema.rounds, schema.followed):
            self.connection.execute(delete(each).where(each.c.log == log))
        self.changed.add(log)
        self.alarmed = True

    def _follow(self, placed: Placed) -> None:
        entry, before = placed.entry, self._followed.get(placed.log, {})
        self._followed[placed.log] = {
            "log": placed.log,
            "seq": entry.seq,
            "hash": entry.hash,
            "at": entry.at,
            "own_name": "" if placed.log == OWN_LOG else entry.table or before.get("own_name", ""),
        }

    def _note(self, placed: Placed, played: RoundReport) -> None:
        self.changed.add(placed.log)
        of_round = (placed.log, played.id)
        verified = self._verified[of_round] = _verified(played, *self._verified.get(of_round, ("", None)))
        rules = self._wrong_rules[of_round] = _wrong_rules(played, self._wrong_rules.get(of_round, ""))
        row = _row_of(placed, played, self._rounds.get(of_round)) | {"wrong_rules": rules}
        self._rounds[of_round] = row | dict(zip(("verified", "verified_hand_at"), verified, strict=True))

    def _may_alarm(self, placed: Placed, played: RoundReport | None) -> bool:
        of_round = (placed.log, placed.entry.round)
        if played is None or of_round in self._standing:
            return True
        if not causes_of_round(played):
            return False
        self._standing.add(of_round)
        return True


def _row_of(placed: Placed, played: RoundReport, before: dict[str, Any] | None) -> dict[str, Any]:
    """The row of a round after a revision; ``before``: its row from earlier in this transaction."""
    judged = [hand for hand in played.hands if hand.house_way is not None]
    wrong = any(hand.house_way is not None and hand.house_way.verdict == "wrong" for hand in judged)
    return {
        "log": placed.log,
        "round": played.id,
        "table": placed.table,
        "number": played.number,
        "first": placed.position if before is None else before["first"],
        "position": placed.position,
        "opened_at": timestamp(played.opened_at.astimezone(UTC)),
        "changed_at": timestamp(played.changed_at.astimezone(UTC)),
        "state": played.state,
        "status": played.status,
        "verdict": verdict_of(played),
        "doubts": " ".join(played.places_in_doubt) if played.status == "needs_review" else "",
        "ever_wrong": wrong or (before is not None and before["ever_wrong"]),
        "decided_wrong": wrong if any(hand.review is not None for hand in judged) else None,
        "dealer": played.dealer,
        "house_hand": _house_hand(played),
        "boxes": "".join(sorted(str(box) for hand in played.hands if (box := Place.parse(hand.place).box) is not None)),
        "lasted_s": None
        if played.closed_at is None or played.not_seen
        else (played.closed_at - played.opened_at).total_seconds(),
    }


def _wrong_rules(played: RoundReport, before: str) -> str:
    """The rules that hands were set against in any revision; where a person decided, in this one."""
    ways = [(hand.review, hand.house_way) for hand in played.hands if hand.house_way is not None]
    now = [way.rule for _, way in ways if way.verdict == "wrong" and way.rule is not None]
    decided = any(review is not None for review, _ in ways)
    return "\n".join(dict.fromkeys((*(() if decided else before.splitlines()), *now)))


def _house_hand(played: RoundReport) -> str:
    house = played.house
    if house is None or house.status == "uncertain":
        return ""
    return f"{' '.join(house.low)} / {' '.join(house.high)}"


def _verified(played: RoundReport, before: str, at: str | None) -> tuple[str, str | None]:
    """The places of verified hands after a revision, and when one of them was last newly verified.

    A revision that verifies no other hand, such as a person's decision, does not make this newer.
    """
    places = [hand.place for hand in played.hands if hand.status == "verified"]
    if set(places) - set(before.split()):
        at = timestamp(played.changed_at.astimezone(UTC))
    return " ".join(places), at if places else None
