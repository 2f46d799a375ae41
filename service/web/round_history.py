"""Recorded rounds for people: found by what they look for, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from calibration.table.places import Place
from service.record.results import report_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from zoneinfo import ZoneInfo

    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.rounds.reports import EvidenceReport, Reason, RoundReport

PAGE: Final = 25
LOOKED_AT_ONCE: Final = 500
"""The most rounds that one answer looks through; a page says how far back that went and where to go on."""

_BATCH: Final = 50

# A form sends fields that were left empty.
_Empty = BeforeValidator(lambda said: None if said == "" else said)

RoundVerdict = Literal["correct", "wrong", "needs_review", "none"]


class Search(BaseModel):
    """What somebody looks for.

    Attributes:
        q: words that must all be found in a round: its number or id, tiles, rules, reasons, findings, names.
        since: the first day, in the page's time zone.
        until: the last day.
        verdict: on the House hand; ``none`` where it was not seen.
        review: only rounds that need review.
        box: only rounds in which this box had a hand.
        before: entry that the answer before ended at.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    q: Annotated[str, Field(max_length=100)] = ""
    since: Annotated[date | None, _Empty] = None
    until: Annotated[date | None, _Empty] = None
    verdict: Annotated[RoundVerdict | None, _Empty] = None
    review: bool = False
    box: Annotated[int | None, Field(ge=1, le=8), _Empty] = None
    before: Annotated[int | None, Field(ge=1, lt=2**63), _Empty] = None

    @property
    def asked(self) -> dict[str, str]:
        """What is looked for, as an address says it; without the place in the answer."""
        said = self.model_dump(mode="json", exclude={"before"}, exclude_defaults=True)
        return {name: "true" if value is True else str(value) for name, value in said.items()}


@dataclass(frozen=True, slots=True)
class RoundPage:
    """A page of rounds, newest first; where the next begins, if any; how far back was looked, if that cut it short."""

    rounds: tuple[RoundReport, ...]
    next: int | None = None
    looked_back_to: datetime | None = None


def search(record: DatabaseReader, table: str, asked: Search, zone: ZoneInfo) -> RoundPage:
    """Find rounds.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    words = asked.q.casefold().split()
    began = None if asked.since is None else begins(asked.since, zone)
    ended = None if asked.until is None else begins(asked.until + timedelta(days=1), zone)
    before = asked.before
    if before is None and ended is not None:
        before = start_behind(record, table, ended)
    found: list[RoundReport] = []
    seq, played = before, None
    for looked, (first, entry) in enumerate(walk(record, table, before)):
        if len(found) == PAGE:
            return RoundPage(tuple(found), seq)
        if looked == LOOKED_AT_ONCE and played is not None:
            return RoundPage(tuple(found), seq, played.opened_at)
        seq, played = first, report_of(entry)
        if began is not None and played.opened_at < began:
            break
        if (ended is None or played.opened_at < ended) and _fits(played, asked, words):
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


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture of the whole table kept as evidence, with the round drawn on it and as the camera gave it, by hash.

    `close_ups` are by place, of each hand and of the throw; none in records of earlier versions.
    """

    annotated: str | None
    frame: str | None
    close_ups: Mapping[str, str]


def shown_pictures(report: RoundReport) -> tuple[ShownPicture, ...]:
    """The pictures of a revision, each once with all that it shows."""
    by_place: dict[str | None, dict[str, str]] = {}
    for one in report.evidence:
        if one.role == "clip":
            continue
        by_place.setdefault(one.place, {})[one.role] = one.sha256
    found: dict[tuple[str | None, str | None], dict[str, str]] = {}
    for place, roles in by_place.items():
        close_ups = found.setdefault((roles.get("annotated"), roles.get("frame")), {})
        if place is not None and "close_up" in roles:
            close_ups[place] = roles["close_up"]
    return tuple(ShownPicture(*whole, close_ups) for whole, close_ups in found.items())


def clips_of(revisions: Iterable[RoundReport]) -> tuple[EvidenceReport, ...]:
    """The clips of the seconds before a round's alarms, each once, the newest first."""
    found = {one.sha256: one for report in revisions for one in report.evidence if one.role == "clip"}
    return tuple(reversed(found.values()))


def picture_of(revisions: Iterable[RoundReport]) -> str | None:
    """The picture to look at before deciding a round: the last annotated one while its tiles lay.

    One that shows what is in doubt, if there is one. In a record of an earlier version what ends a round shows an empty
    table, or nothing where the end was not seen.
    """
    laid = [report for report in revisions if report.state == "open"]
    drawn = [one for report in laid for one in report.evidence if one.role == "annotated"]
    doubtful = {name for report in laid[-1:] for name, _ in doubts(report)}
    first = [one for one in drawn if one.place in doubtful] or drawn
    return first[-1].sha256 if first else None


def doubts(played: RoundReport) -> tuple[tuple[str, tuple[Reason, ...]], ...]:
    """What in a round needs review: places, and ``dice``, each with its reasons."""
    hands = tuple((hand.place, hand.said) for hand in played.hands if hand.status == "uncertain")
    dice = [die for die in played.dice if die.status == "uncertain"]
    if not dice:
        return hands
    reasons = {reason.text: reason for die in dice for reason in die.said}
    return (*hands, ("dice", tuple(reasons.values())))


def _fits(played: RoundReport, asked: Search, words: list[str]) -> bool:
    return (
        (not asked.review or played.status == "needs_review")
        and (asked.verdict is None or verdict_of(played) == asked.verdict)
        and (asked.box is None or any(Place.parse(hand.place).box == asked.box for hand in played.hands))
        and (not words or all(word in _text(played) for word in words))
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
