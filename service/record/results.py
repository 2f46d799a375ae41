"""Recorded rounds: the results that are served, and how many of the newest hands were verified."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from pydantic import ValidationError

from service.record.store.covered_rows import BESIDE
from service.record.store.entries import RecordUnavailableError
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.reports import FrozenModel, RoundReport
from service.rounds.served import RoundOut, RoundSummaryOut

if TYPE_CHECKING:
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.record.store.stored_logs import HeldEntry
    from service.rounds.judge.rules_in_force import RulesOf
    from service.rounds.reports import HandReport


class ResultOut(FrozenModel):
    """One revision of a round, as its table's record has it.

    Attributes:
        cursor: behind this result in the feed of results.
        table: name of the table in this service.
        seq: its number in the table's record; numbers of other entries lie between.
        at: when it was recorded.
        kind: ``round`` was read, ``review`` was decided by a person.
        hash: of the entry, by which it is found in an export.
        supersedes: number of the revision that this one takes the place of.
        gone: the epoch in which the record of a table that is collected no longer has it; null if it has, and in
            events, which never change.
        round: the round as this revision has it; in short with ``view=summary``.
    """

    cursor: str
    table: str
    seq: int
    at: datetime
    kind: Literal["round", "review"]
    hash: str
    supersedes: int | None
    gone: str | None
    round: RoundOut | RoundSummaryOut


def report_of(entry: Entry) -> RoundReport:
    if BESIDE not in entry.body:
        return RoundReport.model_validate_json(entry.body)
    body = entry.data
    body.pop(BESIDE, None)
    return RoundReport.model_validate_json(json.dumps(body))


def result_of(held: HeldEntry, rules: RulesOf = rules_of) -> ResultOut:
    """An entry as events have it, with English sentences; ``rules`` finds the rules by which its round was judged."""
    fields = {name: getattr(held.entry, name) for name in ("seq", "kind", "hash", "supersedes")}
    fields["at"] = datetime.fromisoformat(held.entry.at)
    played = report_of(held.entry)
    of_it = RoundOut.from_report(played, rules(played))
    return ResultOut.model_construct(cursor=held.cursor, table=held.table, **fields, gone=None, round=of_it)


def result_json(held: HeldEntry, rules: RulesOf = rules_of, *, short: bool = False) -> str:
    """A result as JSON, whole or in short; a round that another version recorded is served as it was recorded."""
    entry = held.entry
    known = {name: getattr(entry, name) for name in ("seq", "at", "kind", "hash", "supersedes")}
    about = json.dumps({"cursor": held.cursor, "table": held.table, **known, "gone": held.gone})
    try:
        played = report_of(entry)
        out = RoundSummaryOut.from_report(played) if short else RoundOut.from_report(played, rules(played))
        body = out.model_dump_json()
    except ValidationError:
        body = entry.body
    return f'{about[:-1]},"round":{body}}}'


_HANDS: Final = 400
_PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class HandsRead:
    """Hands of closed rounds.

    Attributes:
        verified: those that were verified as read, whatever a person said later.
    """

    verified: int
    of: int


class NewestHands:
    """Counts the newest hands, some four hundred, of a table.

    Args:
        record: the table's.
        table: its name.
    """

    def __init__(self, record: DatabaseReader, table: str) -> None:
        self._record, self._table = record, table
        self._lock = threading.Lock()
        self._known: tuple[int, HandsRead] | None = None

    def now(self, recorded: int) -> HandsRead | None:
        """The count; None if the record cannot be read.

        Args:
            recorded: how many rounds were recorded since the start; a change makes it count again.
        """
        with self._lock:
            if self._known is None or self._known[0] != recorded:
                try:
                    self._known = recorded, self._count()
                except RecordUnavailableError:
                    return None
            return self._known[1]

    def _count(self) -> HandsRead:
        seen: set[str] = set()
        before, verified, count = None, 0, 0
        while count < _HANDS and (
            entries := self._record.last(("round",), table=self._table, before=before, count=_PAGE)
        ):
            for entry in entries:
                if entry.round is None or entry.round in seen or count >= _HANDS:
                    continue
                seen.add(entry.round)
                played = report_of(entry)
                if played.state == "closed":
                    count += len(played.hands)
                    verified += sum(_status_as_read(hand) == "verified" for hand in played.hands)
            before = entries[-1].seq
        return HandsRead(verified, count)


def _status_as_read(hand: HandReport) -> str:
    return hand.status if hand.review is None or hand.review.read is None else hand.review.read.status
