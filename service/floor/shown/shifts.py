"""How a gaming day went, by pit, shift and dealer: what a table counts of its rounds, over many tables at once."""

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
from service.shifts.gaming_day import FIGURES, RoundCounts, dealers_in_order, shifts_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date
    from zoneinfo import ZoneInfo

    from sqlalchemy import Engine

    from service.config.service_settings import ShiftConfig
    from service.shifts.gaming_day import Shift

_ROUNDS: Final = schema.rounds.c


@dataclass(frozen=True, slots=True)
class FloorDay:
    """The figures of a gaming day.

    Attributes:
        spans: its shifts.
        tables: by table, figures of each shift.
        dealers: by table and dealer, figures of the day; the dealer is empty where nobody was named.
    """

    spans: tuple[Shift, ...]
    tables: Mapping[str, tuple[RoundCounts, ...]]
    dealers: Mapping[tuple[str, str], RoundCounts]

    def together(self, tables: Iterable[str]) -> tuple[RoundCounts, ...]:
        """The figures of some tables together: of each shift, and of the whole day, which comes last."""
        own = [self.tables[table] for table in tables if table in self.tables]
        shifts = [
            RoundCounts.together(span.name, [counts[number] for counts in own])
            for number, span in enumerate(self.spans)
        ]
        return (*shifts, RoundCounts.together("", shifts))

    def by_dealer(self, tables: Collection[str]) -> tuple[RoundCounts, ...]:
        """The figures of each dealer at some tables, by name; rounds whose dealer nobody named come last."""
        own: defaultdict[str, list[RoundCounts]] = defaultdict(list)
        for (table, dealer), counts in self.dealers.items():
            if table in tables:
                own[dealer].append(counts)
        return tuple(RoundCounts.together(name, own[name]) for name in dealers_in_order(own))


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
            func.coalesce(_ROUNDS.dealer, "").label("dealer"),
            func.count().label("rounds"),
            *(func.count().filter(_ROUNDS.status == status).label(name) for name, status in is_status.items()),
            func.sum(cast(func.coalesce(_ROUNDS.decided_wrong, _ROUNDS.ever_wrong), Integer)).label("mistakes"),
        )
        .join_from(schema.rounds, store.tables, store.tables.c.id == _ROUNDS.log)
        .where(_ROUNDS.opened_at >= began, _ROUNDS.opened_at < ended)
        .group_by(store.tables.c.name, "span", "dealer")
    )
    with faults_as_unavailable(), database.connect() as connection:
        rows = connection.execute(asked).all()
    of_spans: defaultdict[str, list[list[RoundCounts]]] = defaultdict(lambda: [[] for _ in spans])
    of_dealers: defaultdict[tuple[str, str], list[RoundCounts]] = defaultdict(list)
    for row in rows:
        counts = RoundCounts(row.dealer, **{name: int(getattr(row, name)) for name in FIGURES})
        of_spans[row.name][row.span].append(counts)
        of_dealers[row.name, row.dealer].append(counts)
    tables = {
        name: tuple(RoundCounts.together(span.name, of) for span, of in zip(spans, each, strict=True))
        for name, each in of_spans.items()
    }
    return FloorDay(spans, tables, {of: RoundCounts.together(of[1], each) for of, each in of_dealers.items()})
