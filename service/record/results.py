"""Results: the revisions of rounds as the record holds them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from service.record.store.beside import BESIDE
from service.record.store.cursors import cursor_of
from service.rounds.reports import FrozenModel, RoundReport
from service.words.served import RoundOut

if TYPE_CHECKING:
    from engine.house_way import HouseWay
    from service.record.store.chain import Entry


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
    played = RoundOut.said(report_of(entry), configured)
    return ResultOut.model_construct(cursor=cursor_of(entry.seq, entry.hash), **fields, round=played)
