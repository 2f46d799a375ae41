"""How a gaming day went, by pit and shift: what a table counts of its own rounds, counted over many tables at once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Final

from sqlalchemy import Integer, case, cast, func, select

from service.floor.projections import schema
from service.floor.store import schema as store
from service.record.store.chain import timestamp
from service.record.store.storage_faults import faults_as_unavailable
from service.shifts.figures import FIGURES, RoundCounts
from service.shifts.shift import shifts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from zoneinfo import ZoneInfo

    from sqlalchemy import Engine

    from service.config.service_settings import ShiftConfig
    from service.shifts.shift import Shift

_ROUNDS: Final = schema.rounds.c


@dataclass(frozen=True, slots=True)
class FloorDay:
    """The figures of a gaming day.

    Attributes:
        spans: its shifts.
        tables: by table, figures of each shift.
    """

    spans: tuple[Shift, ...]
    tables: Mapping[str, tuple[RoundCounts, ...]]

    def together(self, tables: Iterable[str]) -> tuple[RoundCounts, ...]:
        """The figures of some tables together: of each shift, and of the whole day, which comes last."""
        own = [self.tables[table] for table in tables if table in self.tables]
        shifts = [
            RoundCounts.together(span.name, [counts[number] for counts in own])
            for number, span in enumerate(self.spans)
        ]
        return (*shifts, RoundCounts.together("", shifts))


def count_floor(database: Engine, day: date, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> FloorDay:
    """Count a gaming day of all tables; without shifts by the parts of the day. RecordUnavailableError."""
    spans = shifts_of(day, zone, shifts)
    began, ended = (timestamp(at.astimezone(UTC)) for at in (spans[0].began, spans[-1].ended))
    ends = [timestamp(span.ended.astimezone(UTC)) for span in spans]
    number = case(*((_ROUNDS.opened_at < at, place) for place, at in enumerate(ends)), else_=len(ends) - 1)
    is_status = {"verified": "verified", "decided": "confirmed", "waiting": "needs_review"}
    asked = (
        select(
            store.tables.c.name,
            number.label("span"),
            func.count().label("rounds"),
            *(func.count().filter(_ROUNDS.status == status).label(name) for name, status in is_status.items()),
            func.sum(cast(func.coalesce(_ROUNDS.decided_wrong, _ROUNDS.ever_wrong), Integer)).label("mistakes"),
        )
        .join_from(schema.rounds, store.tables, store.tables.c.id == _ROUNDS.table_id)
        .where(_ROUNDS.opened_at >= began, _ROUNDS.opened_at < ended)
        .group_by(store.tables.c.name, "span")
    )
    with faults_as_unavailable(), database.connect() as connection:
        rows = connection.execute(asked).all()
    found: defaultdict[str, dict[int, RoundCounts]] = defaultdict(dict)
    for row in rows:
        counted = {name: int(getattr(row, name)) for name in FIGURES}
        found[row.name][row.span] = RoundCounts(spans[row.span].name, **counted)
    tables = {
        name: tuple(of.get(place, RoundCounts(span.name)) for place, span in enumerate(spans))
        for name, of in found.items()
    }
    return FloorDay(spans, tables)
