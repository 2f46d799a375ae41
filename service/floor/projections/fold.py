"""What each entry of a table does to what pages and programs ask for: its rounds as they stand, and its alarms."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, func, or_, select

from service.alarms.alarm_tables import Shelf
from service.alarms.causes import causes_of_round
from service.alarms.fold import FOLDED, fold
from service.floor.projections import schema
from service.floor.store.many import insert_or_update, put_rows
from service.record.results import report_of
from service.record.round_search import verdict_of
from service.record.store.chain import timestamp
from service.record.store.entries import RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from service.record.store.chain import Entry
    from service.rounds.reports import RoundReport

_log = logging.getLogger(__name__)

_KEPT: Final = frozenset({"log", "round", "first", "ever_wrong"})
"""Columns of a round that a later revision does not replace."""


@dataclass(slots=True)
class Folding:
    """Entries of any tables taken in together, in one transaction.

    Attributes:
        connection: to the floor's database.
        changed: numbers of the tables of which rounds or alarms changed.
    """

    connection: Connection
    changed: set[int] = field(default_factory=set)
    alarmed: bool = False
    _rounds: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict)
    _followed: dict[int, dict[str, Any]] = field(default_factory=dict)
    _standing: set[tuple[int, str | None]] = field(default_factory=set)

    def expect(self, entries: Sequence[tuple[int, Entry]]) -> None:
        """Ask once which of these entries' rounds have alarms that may change: most have none."""
        columns = schema.alarms.c
        tables = {log for log, entry in entries if entry.kind in RESULTS}
        names = {entry.round for _, entry in entries if entry.kind in RESULTS}
        stands = or_(columns.over_at.is_(None), columns.answered_at.is_(None))
        asked = select(columns.log, columns.round).where(columns.log.in_(tables), columns.round.in_(names), stands)
        self._standing = {(row.log, row.round) for row in self.connection.execute(asked)}

    def take(self, log: int, position: int, entry: Entry) -> None:
        """Take in one entry, which follows the last one of its table."""
        self._follow(log, entry)
        if entry.kind not in FOLDED:
            return
        try:
            played = report_of(entry) if entry.kind in RESULTS else None
            if played is not None:
                self._note(log, position, played)
            if self._may_alarm(log, entry, played):
                shelf = Shelf(schema.alarms, {"log": log}, {"position": position})
                if fold(self.connection, entry, shelf, played):
                    self.changed.add(log)
                    self.alarmed = True
        except (KeyError, TypeError, ValueError):
            _log.exception("entry %s of table %s tells of nothing that this version can read", entry.seq, log)

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
        """Forget what was made of a table's entries: it is made anew from the first one on."""
        for each in (schema.alarms, schema.rounds, schema.followed):
            self.connection.execute(delete(each).where(each.c.log == log))
        self.changed.add(log)
        self.alarmed = True

    def _follow(self, log: int, entry: Entry) -> None:
        before = self._followed.get(log, {})
        self._followed[log] = {
            "log": log,
            "seq": entry.seq,
            "hash": entry.hash,
            "at": entry.at,
            "own_name": entry.table or before.get("own_name", ""),
        }

    def _note(self, log: int, position: int, played: RoundReport) -> None:
        self.changed.add(log)
        self._rounds[log, played.id] = row_of(log, position, played, self._rounds.get((log, played.id)))

    def _may_alarm(self, log: int, entry: Entry, played: RoundReport | None) -> bool:
        if played is None or (log, entry.round) in self._standing:
            return True
        if not causes_of_round(played):
            return False
        self._standing.add((log, entry.round))
        return True


def row_of(log: int, position: int, played: RoundReport, before: dict[str, Any] | None) -> dict[str, Any]:
    """A round as it stands after a revision; ``before``: as it stood before that, None if this is the first one."""
    judged = [hand for hand in played.hands if hand.house_way is not None]
    wrong = any(hand.house_way is not None and hand.house_way.verdict == "wrong" for hand in judged)
    return {
        "log": log,
        "round": played.id,
        "number": played.number,
        "first": position if before is None else before["first"],
        "position": position,
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
