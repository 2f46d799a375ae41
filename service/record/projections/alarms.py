"""Alarms as served to people and programs: open ones, those of a round, or all of them page by page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from pydantic import Field
from sqlalchemy import and_, func, select

from service.record.projections.causes import Details
from service.record.projections.fold import name_of, read_name
from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.entries import timestamp
from service.rounds.reports import FacePair, FindingReport, FrozenModel, RoundMoment
from service.system.subscriber_settings import AlarmKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlalchemy import ColumnElement, Engine, Row, Select

KINDS: Final[tuple[AlarmKind, ...]] = ("house_hand_wrong", "procedure", "health", "needs_review")
"""The worst first."""


class AlarmRound(FrozenModel):
    """The round that an alarm is about."""

    id: str = Field(description="names the round for ever")
    number: int = Field(description="counts the table's rounds since the start of its record")
    revision: int = Field(description="the revision in which this was seen last")


class AlarmAnswer(FrozenModel):
    """How an alarm was answered, and by whom."""

    action: Literal["acknowledged", "decided", "outcome", "cleared"] = Field(
        description="`acknowledged` if somebody said that it was seen, `decided` if a person decided the round in "
        "doubt, `outcome` if a person reported what was done, `cleared` if later pictures left no doubt"
    )
    by: str = Field(description="who; empty for `cleared`")
    at: datetime = Field(description="when, UTC")
    reason: str = Field(description="why, as that person put it; may be empty")


_DETAILS = ("rulebook", "rulebook_version", "places", "low", "high", "moment", "findings")


class Alarm(FrozenModel):
    """A condition that needs a person's attention, from when it is raised until it is answered."""

    id: str | None = Field(
        description="names the alarm as it was raised last: raised again, it has another id. Null while the record has "
        "not taken it yet; such an alarm cannot be acknowledged"
    )
    table: str = Field(description="the table's name")
    kind: AlarmKind = Field(
        description="`house_hand_wrong` for a hand against the House Way, `procedure` for a round not dealt as the "
        "rulebook has it, `needs_review` for a round in doubt that further pictures will not settle, `health` for a "
        "check of the table that failed"
    )
    subject: str = Field(
        description="place of the hand, code of what was not done by the rulebook, first place in doubt, or name of "
        "the check"
    )
    round: AlarmRound | None = Field(description="the round that it is about; null for `health`")
    rulebook: str = Field(description="that of the round; empty for `health`")
    rulebook_version: str = Field(description="its version in force when the round started; empty for `health`")
    places: tuple[str, ...] = Field(description="where to look, such as `house` or `box3`; `dice` is the throw")
    low: FacePair | None = Field(description="the low hand as laid, of a hand against the House Way")
    high: FacePair | None = Field(description="the high hand as laid, of a hand against the House Way")
    moment: RoundMoment | None = Field(
        description="how far the round had come in that revision, of a hand against the House Way; null if unknown"
    )
    findings: tuple[FindingReport, ...] = Field(description="the departure from the rulebook, or how the check is")
    raised_at: datetime = Field(description="when its cause was seen first, UTC; of a round as its revision has it")
    times: int = Field(description="how often it was raised since then without an answer")
    last_raised_at: datetime = Field(description="when it was raised last, UTC")
    over_at: datetime | None = Field(description="when its cause ended, UTC; null while it lasts")
    answer: AlarmAnswer | None = Field(description="who answered it; null while nobody did")

    @property
    def key(self) -> str:
        """Names it on a page, whether or not the record has it."""
        return self.id or f"{self.subject} {self.raised_at.isoformat()}"

    @property
    def sounds(self) -> bool:
        """Whether a page is to sound: nobody answered, and the cause lasts."""
        return self.answer is None and self.over_at is None

    @classmethod
    def of_row(cls, row: Row[Any]) -> Self:
        details = Details.model_validate(json.loads(row.details))
        numbered = None
        if row.round is not None:
            numbered = {"id": row.round, "number": details.number, "revision": details.revision}
        answer = None
        if row.answered_at is not None:
            answer = {"action": row.answer, "by": row.answered_by, "at": row.answered_at, "reason": row.reason}
        values = {name: getattr(row, name) for name in ("table", "kind", "subject", "times", "raised_at", "over_at")}
        return cls.model_validate(
            values
            | {name: getattr(details, name) for name in _DETAILS}
            | {"id": name_of(row.number, row.times), "last_raised_at": row.last_raised_at}
            | {"round": numbered, "answer": answer}
        )

    @classmethod
    def of_check(cls, table: str, name: str, findings: tuple[FindingReport, ...], since: datetime) -> Self:
        """Make the alarm of a check that is not recorded."""
        return cls(
            id=None,
            table=table,
            kind="health",
            subject=name,
            round=None,
            rulebook="",
            rulebook_version="",
            places=(),
            low=None,
            high=None,
            moment=None,
            findings=findings,
            raised_at=since.astimezone(UTC),
            times=1,
            last_raised_at=since.astimezone(UTC),
            over_at=None,
            answer=None,
        )


_COLUMNS: Final = schema.alarms.c
_OPEN: Final = _COLUMNS.answered_at.is_(None)


@dataclass(frozen=True, slots=True)
class AlarmPage:
    """Alarms, newest first, open ones before those answered; the cursor of the next page, if any."""

    alarms: tuple[Alarm, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class NamedAlarm:
    """An alarm by its names.

    Attributes:
        name: in this service.
        own_number: its number by the entries of that log.
        own_name: its name in that log.
    """

    name: str
    log: int
    table: str
    own_number: int
    own_name: str


class AlarmList:
    """The stored alarms; every method may raise RecordUnavailableError.

    Args:
        database: which has them.
        tables: names of the tables to include; None for all.
    """

    def __init__(self, database: Engine, tables: Collection[str] | None = None) -> None:
        self._database = database
        self._about = () if tables is None else (_COLUMNS.table.in_(tables),)

    def open(self, each: int) -> tuple[Alarm, ...]:
        """The newest of each kind that nobody answered: the worst kind first, and in it those that last."""
        lasting, over = _COLUMNS.over_at.is_(None), _COLUMNS.over_at.is_not(None)
        found: list[Alarm] = []
        for kind in KINDS:
            newest = self._newest(each, _OPEN, _COLUMNS.kind == kind, lasting)
            found += newest
            found += self._newest(each - len(newest), _OPEN, _COLUMNS.kind == kind, over)
        return tuple(found)

    def counts(self) -> dict[AlarmKind, int]:
        """How many of each kind nobody answered, the worst first; only kinds that have any."""
        columns = (_COLUMNS.kind, func.count().label("alarms"))
        query = select(*columns).where(*self._about, _OPEN).group_by(_COLUMNS.kind)
        found: dict[str, int] = {row.kind: row.alarms for row in self._ask(query)}
        return {kind: found[kind] for kind in KINDS if kind in found}

    def failing(self) -> frozenset[str]:
        """Checks whose alarm, answered or not, is not over; as far as the record was taken in."""
        lasting = (*self._about, _COLUMNS.kind == "health", _COLUMNS.over_at.is_(None))
        return frozenset(row.line for row in self._ask(select(_COLUMNS.line).where(*lasting)))

    def answered(self, round_id: str, count: int) -> tuple[Alarm, ...]:
        """What somebody answered of checks that still fail, and of a round."""
        of_checks = (_COLUMNS.over_at.is_(None), _COLUMNS.kind == "health")
        checks = self._newest(count, ~_OPEN, *of_checks)
        return (*checks, *self._newest(count, ~_OPEN, _COLUMNS.round == round_id))

    def named(self, names: Sequence[str]) -> dict[str, Alarm]:
        """The current alarms by name; unknown names, and those of alarms raised again since, are omitted."""
        return {name: Alarm.of_row(row) for name, row in self._rows_named(names).items()}

    def names_of(self, names: Sequence[str]) -> tuple[NamedAlarm, ...]:
        """The alarms of these names by all their names; without those that :meth:`named` leaves out."""
        return tuple(
            NamedAlarm(name, row.log, row.table, row.own_number, name_of(row.own_number, row.times))
            for name, row in self._rows_named(names).items()
        )

    def _rows_named(self, names: Sequence[str]) -> dict[str, Row[Any]]:
        numbers = [read[0] for name in names if (read := read_name(name)) is not None]
        query = select(schema.alarms).where(*self._about, _COLUMNS.number.in_(numbers))
        found = {name_of(row.number, row.times): row for row in self._ask(query)}
        return {name: found[name] for name in names if name in found}

    def page(
        self,
        *,
        kind: AlarmKind | None = None,
        days: tuple[datetime, datetime] | None = None,
        only_open: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> AlarmPage:
        """Alarms in order.

        Args:
            kind: only these.
            days: only those raised in this span, excluding its end.
            only_open: omit answered alarms.
            limit: the most in one page.
            cursor: ``next`` of the page before.

        Raises:
            ValueError: the cursor is invalid.
        """
        answered, before = _read_cursor(cursor)
        wanted = tuple(self._filters(kind, days))
        found: list[Alarm] = []
        for part in (_OPEN,) if only_open else (_OPEN, ~_OPEN)[answered:]:
            where = (*wanted, part, *(() if before is None else (_COLUMNS.number < before,)))
            found += self._newest(limit + 1 - len(found), *where)
            before = None
            if len(found) > limit:
                last = found[limit - 1]
                return AlarmPage(tuple(found[:limit]), f"{'open' if last.answer is None else 'answered'}.{last.id}")
        return AlarmPage(tuple(found), None)

    def _filters(self, kind: AlarmKind | None, days: tuple[datetime, datetime] | None) -> Iterator[ColumnElement[bool]]:
        if kind is not None:
            yield _COLUMNS.kind == kind
        if days is not None:
            starts, ends = (timestamp(day.astimezone(UTC)) for day in days)
            yield _COLUMNS.raised_at >= starts
            yield _COLUMNS.raised_at < ends

    def _newest(self, count: int, *where: ColumnElement[bool]) -> tuple[Alarm, ...]:
        query = select(schema.alarms).where(and_(*self._about, *where))
        return tuple(map(Alarm.of_row, self._ask(query.order_by(_COLUMNS.number.desc()).limit(count))))

    def _ask(self, query: Select[Any]) -> Sequence[Row[Any]]:
        with faults_as_unavailable(), self._database.connect() as connection:
            return connection.execute(query).all()


def _read_cursor(cursor: str | None) -> tuple[bool, int | None]:
    """Whether all open alarms were listed before, and the number of the last alarm listed."""
    if cursor is None:
        return False, None
    part, _, name = cursor.partition(".")
    read = read_name(name)
    if part not in {"open", "answered"} or read is None:
        raise ValueError(cursor)
    return part == "answered", read[0]
