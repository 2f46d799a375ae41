"""What House hands that were set wrongly cost over some time, as far as the wagers recorded say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from service.api.routes.settlement import mistake_cost
from service.record.projections.round_search import settled_mistakes
from service.record.results import report_of
from service.rounds.judge.round_settlement import WagersIn

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from service.api.local_table import LocalTable
    from service.api.parts import Parts
    from service.api.routes.settlement import MistakeCost
    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import RoundReport

_LONGEST: Final = 1000
"""The newest settled rounds that are settled again, each in a few milliseconds: more than the mistakes of a year."""


@dataclass(frozen=True, slots=True)
class MistakeCosts:
    """What mistakes cost, in the smallest unit of money.

    Attributes:
        lost: what the House won less than with its hands set right; negative if it won more.
        known: in how many rounds this is known.
    """

    lost: int
    known: int


def cost_of_round(revisions: Sequence[RoundReport], record: DatabaseReader, table: LocalTable) -> MistakeCost | None:
    """What a wrong House hand cost by the wagers recorded last; None if it is not certain.

    Args:
        revisions: of the round, oldest first.
        record: that has its settlements.
        table: of the round.
    """
    newest = revisions[-1]
    settled = next(iter(record.last(("settlement",), round_id=newest.id)), None)
    if settled is None:
        return None
    found = next((each for each in revisions if each.revision == settled.data["revision"]), None)
    try:
        wagers = WagersIn.of_record(settled.data["sent"])
    except ValidationError:  # of another version
        return None
    return None if found is None else mistake_cost(newest, found, wagers, table)


def costs_of(parts: Parts, tables: Collection[str] | None, since: datetime, until: datetime) -> MistakeCosts | None:
    """Sum what the mistakes of rounds that started in some time cost; None if it is known of no round.

    It is known at local tables only: the wagers of a remote one are with its own service.

    Args:
        parts: of the service.
        tables: names of the tables; None for all.
        since: UTC.
        until: UTC (exclusive).

    Raises:
        RecordUnavailableError: the store cannot be read.
    """
    found = [
        cost
        for name, local in parts.tables.items()
        if tables is None or name in tables
        for one in settled_mistakes(parts.projector, name, (since, until), _LONGEST)
        if (cost := cost_of_round([report_of(each) for each in parts.record.of_rounds((one,))], parts.record, local))
    ]
    return MistakeCosts(sum(each.right - each.laid for each in found), len(found)) if found else None
