"""How a day went, by hour and by shift: rounds, those verified, those referred to a person, the dealers' mistakes."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final

from service.config.service_settings import ShiftConfig
from service.record.round_search import begins, start_behind, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from zoneinfo import ZoneInfo

    from service.record.store.database_reader import DatabaseReader

PARTS_OF_THE_DAY: Final = (
    ShiftConfig(name="Night", begins=time(0)),
    ShiftConfig(name="Morning", begins=time(6)),
    ShiftConfig(name="Afternoon", begins=time(12)),
    ShiftConfig(name="Evening", begins=time(18)),
)
"""The shifts of a table that names none."""

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """What was counted in some time.

    Attributes:
        name: the hour, 0 to 23, or the shift.
        rounds: that began in it.
        verified: of them, verified without a person.
        referred: of them, handed to a person, whether decided since or not.
        mistakes: of them, those whose House hand lay wrong at some time; where a person decided, on that word.
    """

    name: str
    rounds: int = 0
    verified: int = 0
    referred: int = 0
    mistakes: int = 0

    @property
    def rate(self) -> float | None:
        """The share that was verified; None without a round."""
        return self.verified / self.rounds if self.rounds else None


@dataclass(frozen=True, slots=True)
class Day:
    """A day's figures, in all, by hour and by shift."""

    whole: RoundCounts
    hours: tuple[RoundCounts, ...]
    shifts: tuple[RoundCounts, ...]


@dataclass(frozen=True, slots=True)
class _Round:
    at: time
    verified: bool
    referred: bool
    mistaken: bool


def count(record: DatabaseReader, table: str, day: date, zone: ZoneInfo, shifts: Sequence[ShiftConfig]) -> Day:
    """Count a day from midnight to midnight in a zone; without shifts by the parts of the day.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    began, ended = begins(day, zone), begins(day + timedelta(days=1), zone)
    ids: list[str] = []
    for _, entry in walk(record, table, start_behind(record, table, ended)):
        opened = datetime.fromisoformat(entry.data["opened_at"])
        if opened < began:
            break
        if opened < ended:
            ids.append(str(entry.round))
    played = [_judged(revisions, zone) for revisions in _revisions(record, ids)]
    ordered = sorted(shifts or PARTS_OF_THE_DAY, key=lambda shift: shift.begins)
    return Day(
        whole=_sum("", played),
        hours=tuple(_sum(str(hour), [each for each in played if each.at.hour == hour]) for hour in range(24)),
        shifts=tuple(
            _sum(shift.name, [each for each in played if shift_at(each.at, ordered) is shift]) for shift in ordered
        ),
    )


def shift_at(moment: time, ordered: Sequence[ShiftConfig]) -> ShiftConfig:
    """The shift at a time of day; before the first one begins, the last one of the day before still lasts.

    >>> shift_at(time(5, 59), PARTS_OF_THE_DAY).name
    'Night'
    """
    return next((shift for shift in reversed(ordered) if shift.begins <= moment), ordered[-1])


def _revisions(record: DatabaseReader, ids: Sequence[str]) -> Iterable[list[dict[str, Any]]]:
    for start in range(0, len(ids), _AT_ONCE):
        found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for entry in record.of_rounds(ids[start : start + _AT_ONCE]):
            found[str(entry.round)].append(entry.data)
        yield from found.values()


def _judged(revisions: list[dict[str, Any]], zone: ZoneInfo) -> _Round:
    newest = revisions[-1]
    decided = any(hand.get("review") is not None for hand in newest["hands"] if hand["house_way"] is not None)
    counted = revisions[-1:] if decided else revisions
    return _Round(
        at=datetime.fromisoformat(newest["opened_at"]).astimezone(zone).time(),
        verified=newest["status"] == "verified",
        referred=any(each["status"] != "verified" for each in revisions),
        mistaken=any((hand["house_way"] or {}).get("verdict") == "wrong" for each in counted for hand in each["hands"]),
    )


def _sum(name: str, played: Sequence[_Round]) -> RoundCounts:
    told = Counter({"rounds": len(played)})
    for each in played:
        told.update(verified=each.verified, referred=each.referred, mistakes=each.mistaken)
    return RoundCounts(name, **told)
