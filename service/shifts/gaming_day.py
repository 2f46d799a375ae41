"""Shifts of a gaming day, and its figures by hour, shift and dealer.

A gaming day starts with its first shift, and a shift that crosses midnight is one shift.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic_core import from_json

from service.config.service_settings import ShiftConfig
from service.record.round_search import start_behind, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from zoneinfo import ZoneInfo

    from service.record.store.database_reader import DatabaseReader

PARTS_OF_THE_DAY: Final = (
    ShiftConfig(name="Night", begins=time(0)),
    ShiftConfig(name="Morning", begins=time(6)),
    ShiftConfig(name="Afternoon", begins=time(12)),
    ShiftConfig(name="Evening", begins=time(18)),
)
"""The shifts of a table without shifts in its settings."""
FIRST_DAY, LAST_DAY = date.min + timedelta(days=2), date.max - timedelta(days=2)
"""Days that have neighbouring days in the calendar."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Shift:
    """One shift of one gaming day.

    Attributes:
        name: from the settings, or a part of the day.
        day: the gaming day that it belongs to.
        begins: its starting time of day, which identifies it within its day.
        began: the moment of its start, UTC.
        ended: the moment of its end, exclusive, UTC.
    """

    name: str
    day: date
    begins: time
    began: datetime
    ended: datetime

    def holds(self, moment: datetime) -> bool:
        return self.began <= moment < self.ended


def shifts_of(day: date, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> tuple[Shift, ...]:
    """Return the shifts of a gaming day, in order and without gaps; without settings the parts of the day.

    Args:
        day: from ``FIRST_DAY`` to ``LAST_DAY``.
        zone: of the casino.
        shifts: the settings, in any order.
    """
    ordered = sorted(shifts or PARTS_OF_THE_DAY, key=lambda shift: shift.begins)
    edges = [_moment(day, shift.begins, zone) for shift in ordered] + [_moment(day + _DAY, ordered[0].begins, zone)]
    for number in range(1, len(edges)):
        # When clocks are set forward, a shift may end before it would start.
        edges[number] = max(edges[number - 1 : number + 1])
    return tuple(
        Shift(shift.name, day, shift.begins, began, ended)
        for shift, began, ended in zip(ordered, edges, edges[1:], strict=False)
    )


def shift_on(moment: datetime, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> Shift:
    """Return the shift at a moment."""
    day = min(max(moment.astimezone(zone).date(), FIRST_DAY), LAST_DAY)
    near = (*shifts_of(day, zone, shifts), *shifts_of(day - _DAY, zone, shifts))
    return next((shift for shift in near if shift.holds(moment)), near[0])


def shift_named(day: date, begins: time, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> Shift:
    """Return the shift of a gaming day at a time of day."""
    known = shifts_of(day, zone, shifts)
    early = begins < known[0].begins
    at = _moment(day + _DAY if early else day, begins, zone)
    return next((shift for shift in known if shift.begins == begins or shift.holds(at)), known[-1])


def _moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, at, zone).astimezone(UTC)


_AT_ONCE = 500
_WRONG = '"verdict":"wrong"'
"""Marks a revision with a hand set against the House Way: entries are canonical JSON, whose strings escape quotes."""
_HOUR = timedelta(hours=1)
FIGURES: Final = ("rounds", "verified", "decided", "waiting", "mistakes")
"""The additive fields of :class:`RoundCounts`."""


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """Counts of rounds. Each round is in one of three parts: ``verified + decided + waiting == rounds``.

    Attributes:
        name: the hour such as ``06:00``, the shift or the dealer; empty for rounds without a named dealer.
        rounds: number of rounds that started in the period.
        verified: rounds verified without a person.
        decided: rounds confirmed or corrected by a person.
        waiting: rounds that need review.
        mistakes: rounds whose House hand was set wrong at some time; a person's decision takes precedence.
    """

    name: str
    rounds: int = 0
    verified: int = 0
    decided: int = 0
    waiting: int = 0
    mistakes: int = 0

    @property
    def rate(self) -> float | None:
        """Share of rounds verified without a person; None without rounds."""
        return self.verified / self.rounds if self.rounds else None

    @classmethod
    def together(cls, name: str, counts: Collection[RoundCounts]) -> Self:
        """Add up counts under a name."""
        return cls(name, **{figure: sum(getattr(each, figure) for each in counts) for figure in FIGURES})


def dealers_in_order(names: Iterable[str]) -> list[str]:
    """Sort dealers by name; the empty name, of rounds without a named dealer, last."""
    return sorted(names, key=lambda name: (not name, name))


@dataclass(frozen=True, slots=True)
class Day:
    """Figures of a gaming day: in total, by hour, by shift and by dealer, each of which adds up to the total.

    Attributes:
        dealers: by name, rounds without a named dealer last.
    """

    whole: RoundCounts
    hours: tuple[RoundCounts, ...]
    shifts: tuple[RoundCounts, ...]
    dealers: tuple[RoundCounts, ...]
    spans: tuple[Shift, ...]

    @property
    def began(self) -> datetime:
        """Moment of its start, UTC."""
        return self.spans[0].began

    @property
    def ended(self) -> datetime:
        """Moment of its end, UTC."""
        return self.spans[-1].ended


@dataclass(frozen=True, slots=True)
class _Round:
    at: datetime
    status: str
    mistaken: bool
    dealer: str | None = None


def count(record: DatabaseReader, table: str, day: date, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> Day:
    """Count the rounds of a gaming day; without shifts by the parts of the day.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    spans = shifts_of(day, zone, shifts)
    began, ended = spans[0].began, spans[-1].ended
    played = _rounds(record, table, began, ended)
    by_hour: dict[datetime, list[_Round]] = {at: [] for at in _hours(began, ended, zone)}
    for each in played:
        by_hour[_hour(each.at, zone)].append(each)
    return Day(
        whole=_sum("", played),
        hours=tuple(_sum(f"{at:%H:%M}", those) for at, those in by_hour.items()),
        shifts=tuple(_sum(span.name, [each for each in played if span.holds(each.at)]) for span in spans),
        dealers=_by_dealer(played),
        spans=spans,
    )


def count_shift(record: DatabaseReader, table: str, shift: Shift) -> RoundCounts:
    """Count the rounds of one shift.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    return _sum(shift.name, _rounds(record, table, shift.began, shift.ended))


def rounds_between(record: DatabaseReader, table: str, began: datetime, ended: datetime) -> list[str]:
    """Return the ids of the rounds that started in a period, its end excluded; newest first.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    ids: list[str] = []
    for _, entry in walk(record, table, start_behind(record, table, ended)):
        opened = datetime.fromisoformat(entry.data["opened_at"])
        if opened < began:
            break
        if opened < ended:
            ids.append(str(entry.round))
    return ids


def _rounds(record: DatabaseReader, table: str, began: datetime, ended: datetime) -> list[_Round]:
    first, last = (start_behind(record, table, moment) for moment in (began, ended))
    newest: dict[str, int] = {}
    wrong: set[str] = set()
    for seq, round_id, tells in record.revisions(table, first, last, _WRONG):
        newest[round_id] = seq
        if tells:
            wrong.add(round_id)
    numbers = list(newest.values())
    found = (
        _judged(from_json(entry.body), ever_wrong=entry.round in wrong)
        for start in range(0, len(numbers), _AT_ONCE)
        for entry in record.numbered(numbers[start : start + _AT_ONCE])
    )
    return [each for each in found if began <= each.at < ended]


def _hours(began: datetime, ended: datetime, zone: ZoneInfo) -> Iterator[datetime]:
    """Yield the hours of local time; an hour that occurs twice is yielded once."""
    hour, end = _hour(began, zone), ended.astimezone(zone).replace(tzinfo=None)
    while hour < end:
        yield hour
        hour += _HOUR


def _hour(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(minute=0, second=0, microsecond=0, tzinfo=None, fold=0)


def _judged(newest: dict[str, Any], *, ever_wrong: bool) -> _Round:
    """Return a round by its newest revision; a person's decision takes precedence over ``ever_wrong``."""
    judged = [hand for hand in newest["hands"] if hand["house_way"] is not None]
    decided = any(hand.get("review") is not None for hand in judged)
    is_wrong = any(hand["house_way"]["verdict"] == "wrong" for hand in judged)
    return _Round(
        at=datetime.fromisoformat(newest["opened_at"]).astimezone(UTC),
        status=newest["status"],
        mistaken=is_wrong if decided else ever_wrong,
        dealer=newest.get("dealer"),
    )


def _by_dealer(played: Sequence[_Round]) -> tuple[RoundCounts, ...]:
    dealt: dict[str, list[_Round]] = {}
    for each in played:
        dealt.setdefault(each.dealer or "", []).append(each)
    return tuple(_sum(name, dealt[name]) for name in dealers_in_order(dealt))


def _sum(name: str, played: Sequence[_Round]) -> RoundCounts:
    by_status = Counter(each.status for each in played)
    return RoundCounts(
        name,
        rounds=len(played),
        verified=by_status["verified"],
        decided=by_status["confirmed"],
        waiting=by_status["needs_review"],
        mistakes=sum(each.mistaken for each in played),
    )
