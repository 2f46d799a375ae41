"""Finding recorded rounds of any tables: one set of filters for the pages and the HTTP interface."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field
from sqlalchemy import and_, exists, func, literal, select, tuple_

from service.record.results import report_of
from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.entries import Entry, timestamp
from service.record.store.schema import OWN_LOG, entries
from service.rounds.reports import FrozenModel, RoundVerdict, verdict_of
from service.rounds.review import PlaceText

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from zoneinfo import ZoneInfo

    from sqlalchemy import ColumnElement, Engine, Row, Select

    from service.record.projections.projector import Projector
    from service.rounds.reports import RoundReport

RoundStatus: TypeAlias = Literal["verified", "confirmed", "needs_review"]

PAGE: Final = 25
LOOKED_AT_ONCE: Final = 500
"""The most rounds that one answer looks through; it says how far back that went and where to go on."""

_BATCH: Final = 50
_NEXT: Final = 10
_ROUNDS: Final = schema.rounds.c
_ENTRIES: Final = entries.c

_ISO_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _written_as_iso(value: object) -> object:
    """A day as text is written as ISO 8601 has it; a bare number is no day."""
    if isinstance(value, str) and not _ISO_DAY.fullmatch(value):
        raise ValueError("a day is written as 2026-01-31")
    return value


# The calendar's ends have no day beyond them.
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(9999, 12, 30)
PlaceInRounds = Annotated[
    str,
    Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z~[0-9]{1,18}$", max_length=60),
]
"""A cursor: when the last round of a page started, and the position of its first entry."""
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
    mistake: bool = Field(
        default=False,
        description="only rounds in which a hand was set against the House Way at some time, even if it was corrected",
        examples=[True],
    )
    rule: Annotated[str, Field(max_length=80)] | None = Field(
        default=None, description="only rounds in which a hand was set against this rule", examples=["crown-6.1 7.5.4"]
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
            None if self.since is None else starts(self.since, zone),
            None if self.until is None else starts(self.until + timedelta(days=1), zone),
            self.verdict,
            self.mistake,
            self.rule,
            self.status,
            self.place,
            None if self.dealer is None else _comparable(self.dealer.strip()),
            _comparable(self.q.strip()),
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of a search for rounds; None and empty texts match all rounds.

    Attributes:
        mistake: a hand was set against the House Way at some time.
        rule: a hand was set against this rule at some time.
        started: the round started at this time or later.
        ended: the round started before this time.
        dealer: who dealt, in small letters.
        text: somewhere in the round, in small letters.
    """

    number: int | None = None
    started: datetime | None = None
    ended: datetime | None = None
    verdict: RoundVerdict | None = None
    mistake: bool = False
    rule: str | None = None
    status: RoundStatus | None = None
    place: str | None = None
    dealer: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class FoundRound:
    """The current state of a round.

    Attributes:
        table: name of the table in this service.
    """

    table: str
    log: int
    played: RoundReport


@dataclass(frozen=True, slots=True)
class FoundRounds:
    """Rounds, newest first; the cursor of the next page; how far back the search went, if it stopped early."""

    rounds: tuple[FoundRound, ...]
    next: str | None = None
    looked_back_to: datetime | None = None

    @property
    def played(self) -> tuple[RoundReport, ...]:
        return tuple(each.played for each in self.rounds)


def find_rounds(
    projector: Projector,
    wanted: Wanted,
    tables: Collection[str] | None = None,
    *,
    before: str | None = None,
    limit: int = PAGE,
) -> FoundRounds:
    """Find rounds, newest first; entries of this service's own log are followed first.

    Args:
        projector: derives rounds from the entries.
        wanted: which of them.
        tables: names of the tables to search; None for all.
        before: ``next`` of the page before.
        limit: the most rounds on a page.

    Raises:
        RecordUnavailableError: the store cannot be read, or an entry is not as it was recorded.
    """
    projector.catch_up(OWN_LOG)
    where = (*_filters(wanted), *_at(projector, tables))
    found: list[FoundRound] = []
    place, looked_at = before, None
    for looked, (at, each) in enumerate(_walk(projector, where, before)):
        if len(found) == limit:
            return FoundRounds(tuple(found), place)
        if looked == LOOKED_AT_ONCE:
            return FoundRounds(tuple(found), place, looked_at)
        place, looked_at = at, each.played.opened_at
        if fits(each.played, wanted):
            found.append(each)
    return FoundRounds(tuple(found))


def count_waiting(projector: Projector, tables: Collection[str] | None = None) -> int:
    """How many rounds wait for a person at some tables, or at all; raises as `find_rounds`."""
    projector.catch_up(OWN_LOG)
    where = (_ROUNDS.status == schema.of_index("needs_review"), *_at(projector, tables))
    return int(_ask(projector.database, select(func.count()).select_from(schema.rounds).where(*where))[0][0])


def settled_mistakes(
    projector: Projector, table: str, between: tuple[datetime, datetime], limit: int
) -> tuple[str, ...]:
    """Ids of a local table's rounds with a mistake and a settlement, newest first; raises as `find_rounds`.

    Args:
        projector: derives rounds from the entries.
        table: name of the table.
        between: when they started: UTC, the end exclusive.
        limit: the most rounds.
    """
    projector.catch_up(OWN_LOG)
    settled = exists().where(
        _ENTRIES.log == OWN_LOG, _ENTRIES.kind == schema.of_index("settlement"), _ENTRIES.round == _ROUNDS.round
    )
    query = select(_ROUNDS.round).where(
        *_at(projector, (table,)),
        _ROUNDS.log == OWN_LOG,
        schema.is_mistake(_ROUNDS),
        _ROUNDS.opened_at >= timestamp(between[0]),
        _ROUNDS.opened_at < timestamp(between[1]),
        settled,
    )
    newest = query.order_by(_ROUNDS.opened_at.desc(), _ROUNDS.first.desc()).limit(limit)
    return tuple(row.round for row in _ask(projector.database, newest))


def next_waiting(
    projector: Projector, table: str, round_id: str, tables: Collection[str] | None = None
) -> Iterator[FoundRound]:
    """Rounds that wait for a person, nearest to one round first: its table's older, its newer, then other tables'."""
    waiting = Wanted(status="needs_review")
    query = select(_ROUNDS.opened_at, _ROUNDS.first).where(*_at(projector, [table]), _ROUNDS.round == round_id)
    searches: list[tuple[Collection[str] | None, str | None]] = [
        ([table], f"{row.opened_at}~{row.first}") for row in _ask(projector.database, query)
    ]
    for of_tables, before in (*searches, ([table], None), (tables, None)):
        found = find_rounds(projector, waiting, of_tables, before=before, limit=_NEXT)
        yield from (each for each in found.rounds if each.played.id != round_id)


def _filters(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    if wanted.started is not None:
        yield _ROUNDS.opened_at >= timestamp(wanted.started.astimezone(UTC))
    if wanted.ended is not None:
        yield _ROUNDS.opened_at < timestamp(wanted.ended.astimezone(UTC))
    if wanted.status is not None:
        yield _ROUNDS.status == schema.of_index(wanted.status)
    if wanted.verdict is not None:
        yield _ROUNDS.verdict == wanted.verdict
    if wanted.mistake or wanted.rule is not None:
        yield schema.is_mistake(_ROUNDS)
    if wanted.rule is not None:
        yield (literal("\n") + _ROUNDS.wrong_rules + literal("\n")).contains(f"\n{wanted.rule}\n", autoescape=True)
    if wanted.number is not None:
        yield _ROUNDS.number == wanted.number
    if wanted.dealer is not None:
        yield _ROUNDS.dealer.is_not(None)  # the name itself is compared by `fits`, which knows more than ASCII


def _walk(
    projector: Projector, where: Sequence[ColumnElement[bool]], before: str | None
) -> Iterator[tuple[str, FoundRound]]:
    query = (
        select(
            *(_ROUNDS[name] for name in ("table", "log", "opened_at", "first")),
            _ENTRIES.seq,
            *(_ENTRIES[name].label(f"entry_{name}") for name in Entry.__slots__),
        )
        .join_from(schema.rounds, entries, and_(_ENTRIES.position == _ROUNDS.position))
        .where(*where)
        .order_by(_ROUNDS.opened_at.desc(), _ROUNDS.first.desc())
        .limit(_BATCH)
    )
    while True:
        behind = query
        if before is not None:
            opened_at, _, first = before.partition("~")
            behind = query.where(tuple_(_ROUNDS.opened_at, _ROUNDS.first) < (opened_at, int(first)))
        rows = _ask(projector.database, behind)
        # Entries of this service's own log are verified before they are shown.
        checked = {entry.seq: entry for entry in projector.record.numbered([row.seq for row in rows if _is_own(row)])}
        for row in rows:
            before = f"{row.opened_at}~{row.first}"
            entry = checked.get(row.seq) if _is_own(row) else Entry(*row[-len(Entry.__slots__) :])
            if entry is not None:  # a changed entry that a person accepted is omitted
                yield before, FoundRound(row.table, row.log, report_of(entry))
        if len(rows) < _BATCH:
            return


def _at(projector: Projector, tables: Collection[str] | None) -> Iterator[ColumnElement[bool]]:
    yield schema.of_present_log(schema.rounds, projector.record.local)
    if tables is not None:
        yield _ROUNDS.table.in_(tuple(tables))


def _is_own(row: Row[Any]) -> bool:
    return bool(row.log == OWN_LOG)


def _ask(database: Engine, query: Select[Any]) -> Sequence[Row[Any]]:
    with faults_as_unavailable(), database.connect() as connection:
        return connection.execute(query).all()


def starts(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone)


def fits(played: RoundReport, wanted: Wanted) -> bool:
    """Whether a round is one of those that are looked for."""
    return (
        (wanted.started is None or played.opened_at >= wanted.started)
        and (wanted.ended is None or played.opened_at < wanted.ended)
        and (wanted.number is None or played.number == wanted.number)
        and (wanted.status is None or played.status == wanted.status)
        and (wanted.verdict is None or verdict_of(played) == wanted.verdict)
        and (wanted.place is None or any(hand.place == wanted.place for hand in played.hands))
        and (wanted.dealer is None or _comparable(played.dealer or "") == wanted.dealer)
        and (not wanted.text or wanted.text in _text(played))
    )


def _comparable(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _text(played: RoundReport) -> str:
    parts = [str(played.number), played.id, played.dealer or "", *(found.rule or "" for found in played.findings)]
    for hand in played.hands:
        rule = "" if hand.house_way is None else hand.house_way.rule or ""
        parts += [" ".join(hand.low), " ".join(hand.high), rule]
    reviews = [hand.review for hand in played.hands] + [gone.review for gone in played.absent] + [played.dice_review]
    parts += [text for review in reviews if review is not None for text in (review.by, review.reason)]
    return _comparable("\n".join(parts))
