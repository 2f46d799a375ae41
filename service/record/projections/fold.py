"""How each entry of a log changes the rows of its round and alarms."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, func, or_, select

from service.record.projections.alarm_fold import FOLDED, fold
from service.record.projections.causes import causes_of_round
from service.record.results import report_of
from service.record.store import schema
from service.record.store.chain import is_as_hashed, timestamp
from service.record.store.entries import RESULTS
from service.record.store.many import insert_or_update, put_rows
from service.record.store.schema import OWN_LOG
from service.rounds.reports import verdict_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from service.record.projections.alarm_fold import Placed
    from service.rounds.reports import RoundReport

_log = logging.getLogger(__name__)

_KEPT: Final = frozenset({"log", "round", "first", "ever_wrong"})
"""Columns of a round that a later revision does not replace."""


@dataclass(slots=True)
class Folding:
    """Entries of any logs, applied together in one transaction.

    Attributes:
        connection: to the database with the rows.
        changed: numbers of the logs of which rounds or alarms changed.
        alarmed: an alarm changed.
    """

    connection: Connection
    changed: set[int] = field(default_factory=set)
    alarmed: bool = False
    _rounds: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    _followed: dict[int, dict[str, Any]] = field(default_factory=dict)
    _standing: set[tuple[int, str | None]] = field(default_factory=set)
    _verified: dict[tuple[int, str], tuple[str, str | None]] = field(default_factory=dict)

    def expect(self, entries: Sequence[Placed]) -> None:
        """Query once the state of these entries' rounds: alarms that may change, and verified hands."""
        columns, results = schema.alarms.c, [each for each in entries if each.entry.kind in RESULTS]
        logs, names = {each.log for each in results}, {each.entry.round for each in results}
        stands = or_(columns.over_at.is_(None), columns.answered_at.is_(None))
        asked = select(columns.log, columns.round).where(columns.log.in_(logs), columns.round.in_(names), stands)
        self._standing = {(row.log, row.round) for row in self.connection.execute(asked)}
        known = schema.rounds.c
        of_rounds = select(known.log, known.round, known.verified, known.verified_hand_at)
        found = self.connection.execute(of_rounds.where(known.log.in_(logs), known.round.in_(names)))
        self._verified = {(row.log, row.round): (row.verified, row.verified_hand_at) for row in found}

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
            if self._may_alarm(placed, played) and fold(self.connection, placed, played):
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
        row = _row_of(placed, played, self._rounds.get(of_round))
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
    }


def _verified(played: RoundReport, before: str, at: str | None) -> tuple[str, str | None]:
    """The places of verified hands after a revision, and when one of them was last newly verified.

    A revision that verifies no other hand, such as a person's decision, does not make this newer.
    """
    places = [hand.place for hand in played.hands if hand.status == "verified"]
    if set(places) - set(before.split()):
        at = timestamp(played.changed_at.astimezone(UTC))
    return " ".join(places), at if places else None
