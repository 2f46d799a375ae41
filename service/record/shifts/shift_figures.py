"""When shifts are, and how a gaming day went: rounds by status and the dealers' mistakes, by shift.

A gaming day starts with its first shift; a shift that crosses midnight is one shift.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from service.record.shifts.round_figures import RoundCounts, count_rounds
from service.system.service_settings import ShiftConfig

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Day:
    """A gaming day's figures: in all and by shift, which add up to it."""

    whole: RoundCounts
    shifts: tuple[RoundCounts, ...]
    spans: tuple[Shift, ...]

    @property
    def started(self) -> datetime:
        return self.spans[0].started

    @property
    def ended(self) -> datetime:
        return self.spans[-1].ended


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a gaming day, by table and shift."""

    spans: tuple[Shift, ...]
    counted: Mapping[str, Sequence[tuple[int, RoundCounts]]]

    def of(self, tables: Iterable[str]) -> Day:
        """The figures of some tables together."""
        found: list[list[RoundCounts]] = [[] for _ in self.spans]
        for table in tables:
            for place, counts in self.counted.get(table, ()):
                found[place].append(counts)
        shifts = tuple(RoundCounts.together(span.name, each) for span, each in zip(self.spans, found, strict=True))
        return Day(RoundCounts.together("", shifts), shifts, self.spans)


def count(
    projector: Projector,
    day: date,
    zone: ZoneInfo,
    shifts: Sequence[ShiftConfig],
    tables: Collection[str] | None = None,
) -> Figures:
    """Count a gaming day of some tables, or of all; without shifts by the parts of the day. RecordUnavailableError."""
    spans = shifts_of(day, zone, shifts)
    return Figures(spans, _by_table(projector, (*(span.started for span in spans), spans[-1].ended), tables))


def count_shift(projector: Projector, shift: Shift, tables: Collection[str]) -> dict[str, RoundCounts]:
    """Count one shift, by table. RecordUnavailableError."""
    found = _by_table(projector, (shift.started, shift.ended), tables)
    return {table: RoundCounts.together(shift.name, [each for _, each in found.get(table, ())]) for table in tables}


def _by_table(
    projector: Projector, edges: Sequence[datetime], tables: Collection[str] | None
) -> dict[str, list[tuple[int, RoundCounts]]]:
    found: defaultdict[str, list[tuple[int, RoundCounts]]] = defaultdict(list)
    for (table, place), counts in count_rounds(projector, edges, tables, lambda rounds: [rounds.table]):
        found[table].append((place, counts))
    return dict(found)
