"""How some weeks went, for a manager: mistakes by week, dealer and rule, and rounds and boxes in play over the day."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import case, func

from service.record.projections.round_search import starts
from service.record.shifts.round_figures import RoundCounts, count_rounds
from service.record.store.schema import is_mistake

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from zoneinfo import ZoneInfo

    from service.record.projections.projector import Projector
    from service.record.store.schema import Columns

LONGEST: Final = timedelta(days=371)
"""The longest period that is counted: more weeks than a year has."""
_WEEK: Final = timedelta(days=7)
_BEYOND_CHANCE: Final = 2.0
"""Standard deviations; a smaller difference between two shares may be chance."""


@dataclass(frozen=True, slots=True)
class Week:
    """A week from Monday to Sunday, or the part of it within the period."""

    since: date
    until: date
    counts: RoundCounts


@dataclass(frozen=True, slots=True)
class HourOfDay:
    """One hour of the clock on the wall, on all days together.

    Attributes:
        hour: 0 to 23.
        played: how many hours of play these are: of each table and day, one in which a round started.
    """

    hour: int
    counts: RoundCounts
    played: int

    @property
    def rounds_an_hour(self) -> float:
        """Rounds in an hour of play at one table; 0 if nobody played."""
        return self.counts.rounds / self.played if self.played else 0.0


@dataclass(frozen=True, slots=True)
class Trend:
    """Mistakes in the newer half of the weeks, compared with as many weeks before."""

    newer: RoundCounts
    older: RoundCounts
    weeks: int

    @property
    def change(self) -> int:
        """1 if mistakes became more frequent, -1 if less, 0 if the difference may be chance."""
        new, old = self.newer, self.older
        if not (new.rounds and old.rounds and new.mistakes + old.mistakes):
            return 0
        share = (new.mistakes + old.mistakes) / (new.rounds + old.rounds)
        deviation = math.sqrt(share * (1 - share) * (1 / new.rounds + 1 / old.rounds))
        difference = new.mistakes / new.rounds - old.mistakes / old.rounds
        return 0 if abs(difference) <= _BEYOND_CHANCE * deviation else int(math.copysign(1, difference))


@dataclass(frozen=True, slots=True)
class Period:
    """The figures of some days, each from midnight to midnight.

    Attributes:
        dealers: those with the most mistakes per 100 rounds first, rounds without a named dealer last.
        rules: rounds in which a hand was set against each rule, the most frequent first.
        hours: the 24 hours of the day.
    """

    whole: RoundCounts
    weeks: tuple[Week, ...]
    dealers: tuple[RoundCounts, ...]
    rules: tuple[tuple[str, int], ...]
    hours: tuple[HourOfDay, ...]

    @property
    def rounds_an_hour(self) -> float | None:
        """Rounds in an hour of play at one table; None without a round."""
        played = sum(hour.played for hour in self.hours)
        return self.whole.rounds / played if played else None

    @property
    def trend(self) -> Trend | None:
        """None for less than two weeks."""
        half = len(self.weeks) // 2
        newer, older = self.weeks[-half:], self.weeks[-2 * half : -half]
        if not half:
            return None
        new, old = (RoundCounts.together("", [each.counts for each in some]) for some in (newer, older))
        return Trend(new, old, half)


def count_period(
    projector: Projector, since: date, until: date, zone: ZoneInfo, tables: Collection[str] | None = None
) -> Period:
    """Count some days of some tables, or of all.

    Args:
        projector: derives rounds from the entries.
        since: the first day.
        until: the last day.
        zone: of the casino.
        tables: names of the tables; None for all.

    Raises:
        RecordUnavailableError: the store cannot be read.
    """
    mondays = [since]
    while (monday := mondays[-1] - timedelta(mondays[-1].weekday()) + _WEEK) <= until:
        mondays.append(monday)
    ends = [*mondays[1:], until + timedelta(days=1)]
    edges = [starts(day, zone).astimezone(UTC) for day in (since, *ends)]
    of_week: defaultdict[int, list[RoundCounts]] = defaultdict(list)
    of_dealer: defaultdict[str, list[RoundCounts]] = defaultdict(list)
    rules: Counter[str] = Counter()
    for (dealer, broken, week), counts in count_rounds(projector, edges, tables, _dealer_and_rules):
        of_week[week].append(counts)
        of_dealer[dealer].append(counts)
        rules.update(dict.fromkeys(broken.splitlines(), counts.mistakes))
    weeks = tuple(
        Week(first, end - timedelta(days=1), RoundCounts.together("", of_week[place]))
        for place, (first, end) in enumerate(zip(mondays, ends, strict=True))
    )
    dealers = [RoundCounts.together(name, counts) for name, counts in of_dealer.items()]
    return Period(
        whole=RoundCounts.together("", [each.counts for each in weeks]),
        weeks=weeks,
        dealers=tuple(sorted(dealers, key=lambda each: (not each.name, -(each.per_hundred or 0.0), each.name))),
        rules=tuple(sorted(rules.items(), key=lambda each: (-each[1], each[0]))),
        hours=_hours(projector, (edges[0], edges[-1]), zone, tables),
    )


def _dealer_and_rules(rounds: Columns) -> Sequence[Any]:
    return func.coalesce(rounds.dealer, ""), case((is_mistake(rounds), rounds.wrong_rules), else_="")


def _hours(
    projector: Projector, edges: Sequence[datetime], zone: ZoneInfo, tables: Collection[str] | None
) -> tuple[HourOfDay, ...]:
    # Ten minutes belong to one hour of the clock in all zones but the few whose hours start at a quarter.
    length = 15 if all(_minutes(at, zone) % 10 == 0 for at in edges) else 16
    found: list[list[RoundCounts]] = [[] for _ in range(24)]
    played: set[tuple[str, datetime]] = set()

    def by(rounds: Columns) -> Sequence[Any]:
        return rounds.table, func.substr(rounds.opened_at, 1, length)

    for (table, start, _), counts in count_rounds(projector, edges, tables, by):
        at = datetime.fromisoformat(f"{start:0<16}").replace(tzinfo=UTC).astimezone(zone)
        found[at.hour].append(counts)
        played.add((table, at.replace(minute=0)))
    tables_at = Counter(at.hour for _, at in played)
    return tuple(
        HourOfDay(hour, RoundCounts.together(f"{hour:02}:00", each), tables_at[hour]) for hour, each in enumerate(found)
    )


def _minutes(at: datetime, zone: ZoneInfo) -> int:
    offset = at.astimezone(zone).utcoffset()
    return 0 if offset is None else round(offset.total_seconds()) // 60
