"""Results: the revisions of rounds as the record holds them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from service.record.store.beside import BESIDE
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.reports import FrozenModel, RoundReport
from service.rounds.served import RoundOut

if TYPE_CHECKING:
    from service.record.store.chain import Entry
    from service.record.store.held import HeldEntry
    from service.rounds.judge.rules_in_force import RulesOf


class ResultOut(FrozenModel):
    """One revision of a round, as its table's record has it.

    Attributes:
        cursor: behind this result in the feed of results.
        table: name of the table in this service.
        seq: its number in the table's record; numbers of other entries lie between.
        at: when it was recorded.
        monotonic_ns: the table's monotonic clock at that moment.
        kind: ``round`` was read, ``review`` was decided by a person.
        hash: of the entry, by which it is found in an export.
        supersedes: number of the revision that this one takes the place of.
        gone: the epoch in which the record of a table that is collected no longer has it; null if it has, and in
            events, which never change.
        round: the round as this revision has it.
    """

    cursor: str
    table: str
    seq: int
    at: datetime
    monotonic_ns: int
    kind: Literal["round", "review"]
    hash: str
    supersedes: int | None
    gone: str | None
    round: RoundOut


def report_of(entry: Entry) -> RoundReport:
    """Return the round in an entry."""
    if BESIDE not in entry.body:
        return RoundReport.model_validate_json(entry.body)
    body = entry.data
    body.pop(BESIDE, None)
    return RoundReport.model_validate_json(json.dumps(body))


def result_of(held: HeldEntry, rules: RulesOf = rules_of) -> ResultOut:
    """An entry as events have it, with English sentences; ``rules`` finds the rules by which its round was judged."""
    fields = {name: getattr(held.entry, name) for name in ("seq", "monotonic_ns", "kind", "hash", "supersedes")}
    fields["at"] = datetime.fromisoformat(held.entry.at)
    played = report_of(held.entry)
    of_it = RoundOut.from_report(played, rules(played))
    return ResultOut.model_construct(cursor=held.cursor, table=held.table, **fields, gone=None, round=of_it)


def result_json(held: HeldEntry, rules: RulesOf = rules_of) -> str:
    """A result as JSON; a round that another version recorded is served as it was recorded."""
    entry = held.entry
    known = {name: getattr(entry, name) for name in ("seq", "at", "monotonic_ns", "kind", "hash", "supersedes")}
    about = json.dumps({"cursor": held.cursor, "table": held.table, **known, "gone": held.gone})
    try:
        played = report_of(entry)
        body = RoundOut.from_report(played, rules(played)).model_dump_json()
    except ValidationError:
        body = entry.body
    return f'{about[:-1]},"round":{body}}}'
