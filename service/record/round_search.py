"""Finding recorded rounds: one set of filters for the pages and the HTTP interface, of a table and of a floor."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from service.record.results import report_of
from service.rounds.reports import FrozenModel
from service.rounds.review import PlaceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from zoneinfo import ZoneInfo

    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import RoundReport

RoundVerdict: TypeAlias = Literal["correct", "wrong", "needs_review", "none"]
RoundStatus: TypeAlias = Literal["verified", "confirmed", "needs_review"]

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
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(9999, 12, 30)
SearchDay = Annotated[date, BeforeValidator(_written_as_iso), Field(ge=FIRST_DAY, le=LAST_DAY)]


class RoundFilter(FrozenModel):
    """Which rounds; a parameter that is misspelt is refused, for without it everything would fit."""

    since: SearchDay | None = Field(
        default=None, description="first day, in the casino's time zone", examples=["2026-01-30"]
    )
    until: SearchDay | None = Field(
        default=None, description="last day, in the casino's time zone", examples=["2026-01-31"]
    )
    number: Annotated[int, Field(ge=1, lt=2**53)] | None = Field(
        default=None, description="the round of this number", examples=[7]
    )
    verdict: RoundVerdict | None = Field(
        default=None, description="on the House hand; `none` where it was not seen", examples=["wrong"]
    )
    status: RoundStatus | None = Field(default=None, description="of the round", examples=["needs_review"])
    place: PlaceText | None = Field(default=None, description="where a hand lay", examples=["house"])
    dealer: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="who dealt, in capitals or not", examples=["Ann Lee"]
    )
    q: Annotated[str, Field(max_length=100)] = Field(
        default="",
        description="text in the round's id, number, faces, rules, reasons or persons' names, in capitals or not",
        examples=["6-5"],
    )

    def in_zone(self, zone: ZoneInfo) -> Wanted:
        """The rounds that are looked for, with days as moments."""
        return Wanted(
            self.number,
            None if self.since is None else begins(self.since, zone),
            None if self.until is None else begins(self.until + timedelta(days=1), zone),
            self.verdict,
            self.status,
            self.place,
            None if self.dealer is None else _comparable(self.dealer.strip()),
            _comparable(self.q.strip()),
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """The rounds that are looked for; None and empty texts fit all rounds.

    Attributes:
        number: of the round.
        began: the moment from which on it was opened.
        ended: the moment before which it was opened.
        verdict: on the House hand; ``none`` where it was not seen.
        status: of the whole round.
        place: where a hand lay.
        dealer: who dealt, in small letters.
        text: somewhere in the round, in small letters.
    """

    number: int | None = None
    began: datetime | None = None
    ended: datetime | None = None
    verdict: RoundVerdict | None = None
    status: RoundStatus | None = None
    place: str | None = None
    dealer: str | None = None
    text: str = ""


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
    number = wanted.number
    if before is None and wanted.ended is not None:
        before = start_behind(record, table, wanted.ended)
    if before is None and number is not None:
        before = _first_where(record, table, lambda played: int(played["number"]) > number)
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
        if number is not None and played.number < number:
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


def fits(played: RoundReport, wanted: Wanted) -> bool:
    """Whether a round is one of those that are looked for."""
    return (
        (wanted.began is None or played.opened_at >= wanted.began)
        and (wanted.ended is None or played.opened_at < wanted.ended)
        and (wanted.number is None or played.number == wanted.number)
        and (wanted.status is None or played.status == wanted.status)
        and (wanted.verdict is None or verdict_of(played) == wanted.verdict)
        and (wanted.place is None or any(hand.place == wanted.place for hand in played.hands))
        and (wanted.dealer is None or _comparable(played.dealer or "") == wanted.dealer)
        and (not wanted.text or wanted.text in _text(played))
    )


def verdict_of(played: RoundReport) -> RoundVerdict:
    """The verdict on a round's House hand; the most severe one where several hands are judged."""
    given = {hand.house_way.verdict for hand in played.hands if hand.house_way is not None}
    order: tuple[RoundVerdict, ...] = ("wrong", "needs_review", "correct")
    return next((verdict for verdict in order if verdict in given), "none")


def _comparable(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _text(played: RoundReport) -> str:
    """All that a text is looked for in."""
    parts = [str(played.number), played.id, played.dealer or "", *(found.rule or "" for found in played.findings)]
    for hand in played.hands:
        rule = "" if hand.house_way is None else hand.house_way.rule or ""
        parts += [" ".join(hand.low), " ".join(hand.high), rule]
    reviews = [hand.review for hand in played.hands] + [gone.review for gone in played.absent] + [played.dice_review]
    parts += [text for review in reviews if review is not None for text in (review.by, review.reason)]
    return _comparable("\n".join(parts))
