"""When shifts are, and how a gaming day went: rounds by status and the dealers' mistakes, by hour, shift and dealer.

A gaming day starts with its first shift; a shift that crosses midnight is one shift.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final, Self

from sqlalchemy import Integer, case, cast, func, select

from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.entries import timestamp
from service.record.store.schema import OWN_LOG
from service.system.service_settings import ShiftConfig

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from zoneinfo import ZoneInfo

    from service.record.projections.projector import Projector

PARTS_OF_THE_DAY: Final = (
    ShiftConfig(name="Night", starts=time(0)),
    ShiftConfig(name="Morning", starts=time(6)),
    ShiftConfig(name="Afternoon", starts=time(12)),
    ShiftConfig(name="Evening", starts=time(18)),
)
"""The shifts of a table that names none."""
FIRST_DAY, LAST_DAY = date.min + timedelta(days=2), date.max - timedelta(days=2)
"""The calendar's ends have no day beyond them."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Shift:
    """One shift of one gaming day.

    Attributes:
        starts: the local time of its start; identifies it within its day.
        ended: its end (exclusive), UTC.
    """

    name: str
    day: date
    starts: time
    started: datetime
    ended: datetime

    def holds(self, moment: datetime) -> bool:
        return self.started <= moment < self.ended


def shifts_of(day: date, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> tuple[Shift, ...]:
    """The shifts of a gaming day, one after the other without a gap; without settings the parts of the day.

    Args:
        day: from ``FIRST_DAY`` to ``LAST_DAY``.
        zone: of the casino.
        shifts: the settings, in any order.
    """
    ordered = sorted(shifts or PARTS_OF_THE_DAY, key=lambda shift: shift.starts)
    edges = [_moment(day, shift.starts, zone) for shift in ordered] + [_moment(day + _DAY, ordered[0].starts, zone)]
    for number in range(1, len(edges)):
        # When clocks are set forward, a shift could end before it starts.
        edges[number] = max(edges[number - 1 : number + 1])
    return tuple(
        Shift(shift.name, day, shift.starts, started, ended)
        for shift, started, ended in zip(ordered, edges, edges[1:], strict=False)
    )


def shift_on(moment: datetime, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> Shift:
    day = min(max(moment.astimezone(zone).date(), FIRST_DAY), LAST_DAY)
    near = (*shifts_of(day, zone, shifts), *shifts_of(day - _DAY, zone, shifts))
    return next((shift for shift in near if shift.holds(moment)), near[0])


def shift_named(day: date, starts: time, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> Shift:
    known = shifts_of(day, zone, shifts)
    early = starts < known[0].starts
    at = _moment(day + _DAY if early else day, starts, zone)
    exact = (shift for shift in known if shift.starts == starts)
    return next(exact, None) or next((shift for shift in known if shift.holds(at)), known[-1])


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, zone).astimezone(UTC)


_HOUR: Final = timedelta(hours=1)
_ROUNDS: Final = schema.rounds.c
_STATUSES: Final = {"verified": "verified", "decided": "confirmed", "waiting": "needs_review"}
FIGURES: Final = ("rounds", "verified", "decided", "waiting", "mistakes")
"""What of a :class:`RoundCounts` can be added up."""


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """What was counted in some time. Each round is in one of three parts: ``verified + decided + waiting == rounds``.

    Attributes:
        name: the hour such as ``06:00``, the shift or the dealer; empty for rounds whose dealer was not named.
        rounds: rounds that started in it.
        verified: of them, verified without a person.
        decided: of them, confirmed or corrected by a person.
        waiting: of them, those that wait for a person.
        mistakes: of all of them, those whose House hand lay wrong at some time; where a person decided, on that word.
    """

    name: str
    rounds: int = 0
    verified: int = 0
    decided: int = 0
    waiting: int = 0
    mistakes: int = 0

    @property
    def rate(self) -> float | None:
        """The share that was verified without a person; None without a round."""
        return self.verified / self.rounds if self.rounds else None

    @classmethod
    def together(cls, name: str, counts: Collection[RoundCounts]) -> Self:
        """All of them added up, under a name."""
        return cls(name, **{figure: sum(getattr(each, figure) for each in counts) for figure in FIGURES})


def dealers_in_order(names: Iterable[str]) -> list[str]:
    """Dealers by their names; the empty one, of rounds whose dealer was not named, last."""
    return sorted(names, key=lambda name: (not name, name))


@dataclass(frozen=True, slots=True)
class Day:
    """A gaming day's figures: in all, by hour, by shift and by dealer, which all add up to it.

    Attributes:
        dealers: by their names, rounds without one last.
    """

    whole: RoundCounts
    hours: tuple[RoundCounts, ...]
    shifts: tuple[RoundCounts, ...]
    dealers: tuple[RoundCounts, ...]
    spans: tuple[Shift, ...]

    @property
    def started(self) -> datetime:
        return self.spans[0].started

    @property
    def ended(self) -> datetime:
        return self.spans[-1].ended


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a gaming day.

    Attributes:
        hours: name and start of each, UTC.
    """

    spans: tuple[Shift, ...]
    hours: tuple[tuple[str, datetime], ...]
    counted: Mapping[str, Sequence[tuple[datetime, RoundCounts]]]
    """By table: figures by the start of their interval, each with the name of the dealer."""

    def of(self, tables: Iterable[str]) -> Day:
        """The figures of some tables together."""
        shift_starts, hour_starts = [span.started for span in self.spans], [start for _, start in self.hours]
        spans: list[list[RoundCounts]] = [[] for _ in self.spans]
        hours: list[list[RoundCounts]] = [[] for _ in self.hours]
        dealers: defaultdict[str, list[RoundCounts]] = defaultdict(list)
        for table in tables:
            for at, counts in self.counted.get(table, ()):
                spans[bisect_right(shift_starts, at) - 1].append(counts)
                hours[bisect_right(hour_starts, at) - 1].append(counts)
                dealers[counts.name].append(counts)
        together = RoundCounts.together
        of_spans = tuple(together(span.name, each) for span, each in zip(self.spans, spans, strict=True))
        return Day(
            whole=together("", of_spans),
            hours=tuple(together(name, each) for (name, _), each in zip(self.hours, hours, strict=True)),
            shifts=of_spans,
            dealers=tuple(together(name, dealers[name]) for name in dealers_in_order(dealers)),
            spans=self.spans,
        )


def count(
    projector: Projector,
    day: date,
    zone: ZoneInfo,
    shifts: Sequence[ShiftConfig],
    tables: Collection[str] | None = None,
) -> Figures:
    """Count a gaming day of some tables, or of all; without shifts by the parts of the day. RecordUnavailableError."""
    spans = shifts_of(day, zone, shifts)
    started, ended = spans[0].started, spans[-1].ended
    hours = tuple((f"{hour:%H:%M}", hour.replace(tzinfo=zone).astimezone(UTC)) for hour in _hours(started, ended, zone))
    edges = {span.started for span in spans} | {start for _, start in hours if start > started}
    return Figures(spans, hours, _counted(projector, (*sorted(edges), ended), tables))


def count_shift(projector: Projector, shift: Shift, tables: Collection[str]) -> dict[str, RoundCounts]:
    """Count one shift, by table. RecordUnavailableError."""
    found = _counted(projector, (shift.started, shift.ended), tables)
    return {table: RoundCounts.together(shift.name, [each for _, each in found.get(table, ())]) for table in tables}


def _counted(
    projector: Projector, edges: Sequence[datetime], tables: Collection[str] | None
) -> dict[str, list[tuple[datetime, RoundCounts]]]:
    """Counts of rounds from each edge to before the next, by table and dealer."""
    projector.catch_up(OWN_LOG)
    ends = [timestamp(at) for at in edges[1:]]
    slot = case(*((_ROUNDS.opened_at < at, place) for place, at in enumerate(ends)), else_=len(ends) - 1)
    query = (
        select(
            _ROUNDS.table,
            slot.label("slot"),
            func.coalesce(_ROUNDS.dealer, "").label("dealer"),
            func.count().label("rounds"),
            *(func.count().filter(_ROUNDS.status == status).label(name) for name, status in _STATUSES.items()),
            func.sum(cast(func.coalesce(_ROUNDS.decided_wrong, _ROUNDS.ever_wrong), Integer)).label("mistakes"),
        )
        .where(_ROUNDS.opened_at >= timestamp(edges[0]), _ROUNDS.opened_at < ends[-1])
        .where(schema.of_present_log(schema.rounds, projector.record.local))
        .where(*(() if tables is None else (_ROUNDS.table.in_(tables),)))
        .group_by(_ROUNDS.table, "slot", "dealer")
    )
    with faults_as_unavailable(), projector.database.connect() as connection:
        rows = connection.execute(query).all()
    found: defaultdict[str, list[tuple[datetime, RoundCounts]]] = defaultdict(list)
    for row in rows:
        counts = RoundCounts(row.dealer, **{name: int(getattr(row, name)) for name in FIGURES})
        found[row.table].append((edges[row.slot], counts))
    return dict(found)


def _hours(started: datetime, ended: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """The hours of the clock on the wall; one that the clock shows twice is one."""
    hour = started.astimezone(zone).replace(minute=0, second=0, microsecond=0, tzinfo=None, fold=0)
    end = ended.astimezone(zone).replace(tzinfo=None)
    while hour < end:
        yield hour
        hour += _HOUR
