"""When shifts are: a gaming day begins with its first shift, and a shift that crosses midnight is one shift."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from service.system.service_settings import ShiftConfig

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

PARTS_OF_THE_DAY: Final = (
    ShiftConfig(name="Night", begins=time(0)),
    ShiftConfig(name="Morning", begins=time(6)),
    ShiftConfig(name="Afternoon", begins=time(12)),
    ShiftConfig(name="Evening", begins=time(18)),
)
"""The shifts of a table that names none."""
FIRST_DAY, LAST_DAY = date.min + timedelta(days=2), date.max - timedelta(days=2)
"""The calendar's ends have no day beyond them."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Shift:
    """One shift of one gaming day.

    Attributes:
        name: from the settings, or a part of the day.
        day: the gaming day that it belongs to.
        begins: the time of day at which it starts; identifies it within its day.
        began: its start, UTC.
        ended: its end (exclusive), UTC.
    """

    name: str
    day: date
    begins: time
    began: datetime
    ended: datetime

    def holds(self, moment: datetime) -> bool:
        """Whether a moment is in this shift."""
        return self.began <= moment < self.ended


def shifts_of(day: date, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> tuple[Shift, ...]:
    """The shifts of a gaming day, one after the other without a gap; without settings the parts of the day.

    Args:
        day: from ``FIRST_DAY`` to ``LAST_DAY``.
        zone: of the casino.
        shifts: the settings, in any order.
    """
    ordered = sorted(shifts or PARTS_OF_THE_DAY, key=lambda shift: shift.begins)
    edges = [_moment(day, shift.begins, zone) for shift in ordered] + [_moment(day + _DAY, ordered[0].begins, zone)]
    for number in range(1, len(edges)):
        # When clocks are set forward, a shift could end before it starts.
        edges[number] = max(edges[number - 1 : number + 1])
    return tuple(
        Shift(shift.name, day, shift.begins, began, ended)
        for shift, began, ended in zip(ordered, edges, edges[1:], strict=False)
    )


def shift_on(moment: datetime, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> Shift:
    """The shift that is on at a moment."""
    day = min(max(moment.astimezone(zone).date(), FIRST_DAY), LAST_DAY)
    near = (*shifts_of(day, zone, shifts), *shifts_of(day - _DAY, zone, shifts))
    return next((shift for shift in near if shift.holds(moment)), near[0])


def shift_named(day: date, begins: time, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> Shift:
    """The shift of a gaming day that is on at a time of day."""
    known = shifts_of(day, zone, shifts)
    early = begins < known[0].begins
    at = _moment(day + _DAY if early else day, begins, zone)
    return next((shift for shift in known if shift.begins == begins or shift.holds(at)), known[-1])


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, zone).astimezone(UTC)
