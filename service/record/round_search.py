"""Finding recorded rounds by day, verdict, place, status and words: for the page's history and for programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import Field

from calibration.table.places import Place
from service.record.results import report_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zoneinfo import ZoneInfo

    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import RoundReport

PAGE: Final = 25
LOOKED_AT_ONCE: Final = 500
"""The most rounds that one answer looks through; it says how far back that went and where to go on."""

_BATCH: Final = 50

# The calendar's ends have no day beyond them.
SearchDay = Annotated[date, Field(ge=date(1900, 1, 1), le=date(9999, 12, 30))]
RoundVerdict = Literal["correct", "wrong", "needs_review", "none"]
RoundStatus = Literal["verified", "confirmed", "needs_review"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rounds are looked for; what is left out does not matter.

    Attributes:
        words: that must all be found in a round, in lower case: its number or id, tiles, rules, reasons, names.
        began: the moment from which on it was opened.
        ended: the moment before which it was opened.
        verdict: on the House hand; ``none`` where it was not seen.
        status: of the whole round.
        place: where a hand lay.
    """

    words: tuple[str, ...] = ()
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
    if before is None and wanted.ended is not None:
        before = start_behind(record, table, wanted.ended)
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
        if _fits(played, wanted):
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
    head = record.head()
    low, high = 1, 1 if head is None else head.seq + 1
    while low < high:
        middle = (low + high) // 2
        played = record.round_from(table, middle)
        if played is None or datetime.fromisoformat(played.data["opened_at"]) >= ended:
            high = middle
        else:
            low = played.seq + 1
    return low


def verdict_of(played: RoundReport) -> RoundVerdict:
    """The verdict on a round's House hand; the worst one where several hands are judged."""
    given = {hand.house_way.verdict for hand in played.hands if hand.house_way is not None}
    order: tuple[RoundVerdict, ...] = ("wrong", "needs_review", "correct")
    return next((verdict for verdict in order if verdict in given), "none")


def _fits(played: RoundReport, wanted: Wanted) -> bool:
    return (
        (wanted.ended is None or played.opened_at < wanted.ended)
        and (wanted.status is None or played.status == wanted.status)
        and (wanted.verdict is None or verdict_of(played) == wanted.verdict)
        and (wanted.place is None or any(Place.parse(hand.place) == wanted.place for hand in played.hands))
        and (not wanted.words or all(word in _text(played) for word in wanted.words))
    )


def _text(played: RoundReport) -> str:
    said = [str(played.number), played.id, *(found.message for found in played.findings)]
    for hand in played.hands:
        said += [hand.place, *hand.low, *hand.high, *hand.reasons]
        if hand.house_way is not None:
            said += [hand.house_way.rule or "", hand.house_way.explanation]
    reviews = [hand.review for hand in played.hands] + [gone.review for gone in played.absent] + [played.dice_review]
    said += [f"{review.by} {review.reason}" for review in reviews if review is not None]
    return "\n".join(said).casefold()
