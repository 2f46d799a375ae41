"""Finding recorded rounds by day, verdict, place, status and words: for the page's history and for programs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

from pydantic import BeforeValidator, Field

from calibration.table.places import Place
from service.record.results import report_of
from service.record.search_terms import OfNumber, OnDay, RoundStatus, RoundVerdict, Term, verdict_of
from service.record.search_words import FIRST_DAY, LAST_DAY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from zoneinfo import ZoneInfo

    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import RoundReport

PAGE: Final = 25
LOOKED_AT_ONCE: Final = 500
"""The most rounds that one answer looks through; it says how far back that went and where to go on."""

_BATCH: Final = 50

_ISO_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _written_as_iso(said: object) -> object:
    """A day as text is written as ISO 8601 has it; a bare number is no day."""
    if isinstance(said, str) and not _ISO_DAY.fullmatch(said):
        raise ValueError("a day is written as 2026-01-31")
    return said


# The calendar's ends have no day beyond them.
SearchDay = Annotated[date, BeforeValidator(_written_as_iso), Field(ge=FIRST_DAY, le=LAST_DAY)]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rounds are looked for; what is left out does not matter.

    Attributes:
        terms: that a round must all fit.
        began: the moment from which on it was opened.
        ended: the moment before which it was opened.
        verdict: on the House hand; ``none`` where it was not seen.
        status: of the whole round.
        place: where a hand lay.
    """

    terms: tuple[Term, ...] = ()
    began: datetime | None = None
    ended: datetime | None = None
    verdict: RoundVerdict | None = None
    status: RoundStatus | None = None
    place: Place | None = None

    def on_days(self, since: date | None, until: date | None, zone: ZoneInfo) -> Self:
        """The same, from the beginning of one day to the end of another."""
        return replace(
            self,
            began=None if since is None else begins(since, zone),
            ended=None if until is None else begins(until + timedelta(days=1), zone),
        )


@dataclass(frozen=True, slots=True)
class RoundPage:
    """A page of rounds, newest first; where the next begins, if any; how far back was looked, if that cut it short."""

    rounds: tuple[RoundReport, ...]
    next: int | None = None
    looked_back_to: datetime | None = None


def find_rounds(
    record: DatabaseReader, table: str, wanted: Wanted, *, before: int | None = None, limit: int = PAGE
) -> RoundPage:
    """Find rounds of a table, newest first.

    Args:
        record: where they are.
        table: its name.
        wanted: which of them.
        before: ``next`` of the page before; None for the first page.
        limit: the most rounds on a page.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    wanted = narrowed(wanted)
    numbers = [term.number for term in wanted.terms if isinstance(term, OfNumber)]
    if before is None and wanted.ended is not None:
        before = start_behind(record, table, wanted.ended)
    if before is None and numbers:
        before = _first_where(record, table, lambda played: int(played["number"]) > min(numbers))
    found: list[RoundReport] = []
    seq, played = before, None
    for looked, (first, entry) in enumerate(walk(record, table, before)):
        if len(found) == limit:
            return RoundPage(tuple(found), seq)
        if looked == LOOKED_AT_ONCE and played is not None:
            return RoundPage(tuple(found), seq, played.opened_at)
        seq, played = first, report_of(entry)
        if wanted.began is not None and played.opened_at < wanted.began:
            break
        if numbers and played.number < max(numbers):
            break
        if fits(played, wanted):
            found.append(played)
    return RoundPage(tuple(found))


def walk(record: DatabaseReader, table: str, before: int | None) -> Iterator[tuple[int, Entry]]:
    """Rounds newest first, each by the number of its first entry and its newest revision."""
    while found := record.rounds_before(table, before, _BATCH):
        yield from found
        before = found[-1][0]


def begins(day: date, zone: ZoneInfo) -> datetime:
    """The moment at which a day begins somewhere."""
    return datetime.combine(day, time(), zone)


def start_behind(record: DatabaseReader, table: str, ended: datetime) -> int:
    """Where to look back from for rounds that began before a moment: rounds are recorded in the order they began."""
    return _first_where(record, table, lambda played: datetime.fromisoformat(played["opened_at"]) >= ended)


def _first_where(record: DatabaseReader, table: str, beyond: Callable[[dict[str, Any]], bool]) -> int:
    """The entry behind the last round that is not beyond something, where every round behind such a one is too."""
    head = record.head()
    low, high = 1, 1 if head is None else head.seq + 1
    while low < high:
        middle = (low + high) // 2
        played = record.round_from(table, middle)
        if played is None or beyond(played.data):
            high = middle
        else:
            low = played.seq + 1
    return low


def narrowed(wanted: Wanted) -> Wanted:
    """The same, with the days that are among the terms as moments, so that no other rounds are looked through."""
    began, ended = [wanted.began], [wanted.ended]
    for term in wanted.terms:
        if isinstance(term, OnDay):
            began.append(begins(term.day, term.zone))
            ended.append(begins(term.after, term.zone))
    return replace(
        wanted,
        began=max((at for at in began if at is not None), default=None),
        ended=min((at for at in ended if at is not None), default=None),
    )


def fits(played: RoundReport, wanted: Wanted) -> bool:
    """Whether a round is one of those that are looked for."""
    return (
        (wanted.ended is None or played.opened_at < wanted.ended)
        and (wanted.status is None or played.status == wanted.status)
        and (wanted.verdict is None or verdict_of(played) == wanted.verdict)
        and (wanted.place is None or any(Place.parse(hand.place) == wanted.place for hand in played.hands))
        and all(term.fits(played) for term in wanted.terms)
    )
