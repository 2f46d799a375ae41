"""What happened at some tables in a shift, from their entries: what the next shift must know."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import exists, or_, select

from service.record.projections.alarms import AlarmList
from service.record.projections.causes import RECORD, cause_of_outage, causes_of_checks, departures_of
from service.record.results import report_of
from service.record.shifts.round_figures import FIGURES, RoundCounts
from service.record.shifts.shift_figures import count_shift
from service.record.store import schema
from service.record.store.all_logs import LogsReader
from service.record.store.database import faults_as_unavailable
from service.record.store.entries import timestamp
from service.record.store.schema import OWN_LOG, followed, logs
from service.rounds.outcomes import OUTCOMES, LaidHand, outcome_of_finding, wrong_hands
from service.rounds.round_history import decisions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from service.record.projections.alarms import Alarm
    from service.record.projections.projector import Projector
    from service.record.shifts.shift_figures import Shift
    from service.record.store.entries import Entry
    from service.record.store.stored_logs import HeldEntry
    from service.rounds.reports import FindingReport, Outcome, OutcomeReport, RoundReport
    from service.rounds.round_history import Decision

_OfTable = TypeVar("_OfTable", "Alarm", "HeldEntry")
_AT_ONCE = 1000
_EVER = datetime(1900, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WrongHand:
    """A hand that lay against the House Way at some time, as it lay last, and the alarm that it raised, if any."""

    lay: LaidHand
    alarm: Alarm | None


@dataclass(frozen=True, slots=True)
class Departure:
    """A departure from the rulebook's procedure, and what was done about it; None if nothing was recorded."""

    played: RoundReport
    finding: FindingReport
    outcome: OutcomeReport | None


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that failed for some time.

    Attributes:
        started: UTC; possibly in an earlier shift.
        ended: UTC; None while it lasts.
    """

    name: str
    findings: tuple[FindingReport, ...]
    started: datetime
    ended: datetime | None


@dataclass(frozen=True, slots=True)
class Happened:
    """All that happened in a shift.

    Attributes:
        alarms: raised in it, the newest first, those that nobody answered before the others.
        older: raised before it, and answered by nobody until now.
        wrong: hands set wrongly; where a person decided, on that word.
        departures: of its rounds as they stand.
        decisions: made in it, about rounds of any shift, the oldest first.
        failures: checks that failed during it, in order of their start.
    """

    counts: RoundCounts
    alarms: tuple[Alarm, ...]
    older: tuple[Alarm, ...]
    wrong: tuple[WrongHand, ...]
    departures: tuple[Departure, ...]
    waiting: tuple[RoundReport, ...]
    decisions: tuple[Decision, ...]
    failures: tuple[Failure, ...]

    @property
    def outcomes(self) -> dict[Outcome | None, int]:
        """How many wrong hands and departures had each outcome, and how many were left without one (None)."""
        last = [each.lay.outcome for each in self.wrong] + [each.outcome for each in self.departures]
        found = Counter(None if each is None else each.outcome for each in last)
        return {outcome: found[outcome] for outcome in (*OUTCOMES, None) if found[outcome]}


@dataclass(frozen=True, slots=True)
class AllHappened:
    """What happened at several tables.

    Attributes:
        of_tables: by the tables' names, in the given order.
    """

    of_tables: dict[str, Happened]
    counts: RoundCounts

    def standing(self) -> dict[str, int]:
        """The figures and open matters that are signed for."""
        each = self.of_tables.values()
        return {
            **{figure: getattr(self.counts, figure) for figure in FIGURES},
            "open_alarms": sum(alarm.answer is None for of in each for alarm in (*of.alarms, *of.older)),
            "corrected": sum(of.outcomes.get("corrected", 0) for of in each),
            "left": sum(of.outcomes.get(None, 0) for of in each),
            "failing_checks": sum(failure.ended is None for of in each for failure in of.failures),
        }


def happened_at(projector: Projector, tables: Sequence[str], shift: Shift) -> AllHappened:
    """Gather what happened in a shift, with the same number of queries for any number of tables.

    Args:
        projector: derives rounds and alarms from the entries.
        tables: names of the tables; remote ones without any entry yet are omitted.
        shift: which one.

    Raises:
        RecordUnavailableError: the store cannot be read.
    """
    counted = count_shift(projector, shift, tables)
    known = {*projector.record.local, *_followed(projector)}
    reader, listed = LogsReader(projector.record), AlarmList(projector.database, tables)
    alarms = _by_table(_alarms(listed, (shift.started, shift.ended), only_open=False))
    older = _by_table(_alarms(listed, (_EVER, shift.started), only_open=True))
    rounds = _rounds_to_report(projector, reader, tables, shift)
    before = {each.table: each.entry for each in reader.last_before(timestamp(shift.started), "alarm", tables)}
    entries = _by_table(reader.between(timestamp(shift.started), timestamp(shift.ended), tables))
    found: dict[str, Happened] = {}
    for name in tables:
        if name not in known:
            continue
        revised, recorded = rounds[name], [each.entry for each in entries[name]]
        newest = [revisions[-1] for revisions in revised]
        found[name] = Happened(
            counts=counted[name],
            alarms=tuple(alarms[name]),
            older=tuple(older[name]),
            wrong=tuple(_wrong(revised, alarms[name])),
            departures=tuple(each for played in newest for each in _departures(played)),
            waiting=tuple(played for played in newest if played.status == "needs_review"),
            decisions=tuple(
                each
                for each in decisions_of(report_of(entry) for entry in recorded if entry.kind == "review")
                if shift.holds(each.review.at)
            ),
            failures=_failures(before.get(name), (each for each in recorded if each.kind != "review")),
        )
    return AllHappened(found, RoundCounts.together(shift.name, [each.counts for each in found.values()]))


def _followed(projector: Projector) -> list[str]:
    """Names of the remote tables that have an entry."""
    query = select(logs.c.name).join(followed, followed.c.log == logs.c.id).where(logs.c.id != OWN_LOG)
    with faults_as_unavailable(), projector.database.connect() as connection:
        return list(connection.scalars(query))


def _by_table(values: Iterable[_OfTable]) -> defaultdict[str, list[_OfTable]]:
    grouped: defaultdict[str, list[_OfTable]] = defaultdict(list)
    for value in values:
        grouped[value.table].append(value)
    return grouped


def _alarms(listed: AlarmList, days: tuple[datetime, datetime], *, only_open: bool) -> Iterator[Alarm]:
    cursor = None
    while True:
        page = listed.page(days=days, only_open=only_open, limit=_AT_ONCE, cursor=cursor)
        yield from page.alarms
        if page.next is None:
            return
        cursor = page.next


def _rounds_to_report(
    projector: Projector, reader: LogsReader, tables: Sequence[str], shift: Shift
) -> dict[str, list[list[RoundReport]]]:
    """By table, the revisions of each round of the shift that has a wrong hand, a departure or a doubt."""
    rounds, alarms = schema.rounds.c, schema.alarms.c
    departed = exists().where(alarms.log == rounds.log, alarms.round == rounds.round, alarms.kind == "procedure")
    chosen = select(rounds.log, rounds.round).where(
        rounds.table.in_(tables),
        schema.of_present_log(schema.rounds, projector.record.local),
        rounds.opened_at >= timestamp(shift.started),
        rounds.opened_at < timestamp(shift.ended),
        or_(rounds.ever_wrong.is_(True), rounds.status == "needs_review", departed),
    )
    found: defaultdict[str, dict[str | None, list[RoundReport]]] = defaultdict(lambda: defaultdict(list))
    for held in reader.of_rounds(chosen):
        found[held.table][held.entry.round].append(report_of(held.entry))
    return defaultdict(list, {table: list(revisions.values()) for table, revisions in found.items()})


def _wrong(rounds: Iterable[Sequence[RoundReport]], alarms: Sequence[Alarm]) -> Iterator[WrongHand]:
    raised = {(each.round.id, each.subject): each for each in alarms if each.kind == "house_hand_wrong" and each.round}
    for revisions in rounds:
        for place, lay in {each.hand.place: each for each in wrong_hands(revisions)}.items():
            yield WrongHand(lay, raised.get((lay.played.id, place)))


def _departures(played: RoundReport) -> Iterator[Departure]:
    """The departures of a round; and notices, which may have been lawful, if somebody reported what was done."""
    departures = departures_of(played).values()
    for found in played.findings:
        outcome = outcome_of_finding(played, found)
        if found in departures or (found.unless and outcome is not None):
            yield Departure(played, found, outcome)


def _failures(before: Entry | None, entries: Iterable[Entry]) -> tuple[Failure, ...]:
    """Failed checks in entries of alarms and outages; ``before``: the last alarm entry before them."""
    failing: dict[str, Failure] = {}
    over: list[Failure] = []
    for entry in (*(() if before is None else (before,)), *entries):
        if entry.kind == "outage":
            cause = cause_of_outage(entry)
            since, until = (datetime.fromisoformat(entry.data[name]) for name in ("since", "until"))
            over.append(Failure(RECORD, cause.details.findings, since, until))
            continue
        at = datetime.fromisoformat(entry.at)
        bad = {cause.subject: cause for cause in causes_of_checks(entry)}
        for name in failing.keys() - bad.keys():
            ended = failing.pop(name)
            over.append(Failure(name, ended.findings, ended.started, at))
        for name, cause in bad.items():
            failing.setdefault(name, Failure(name, cause.details.findings, at, None))
    return tuple(sorted((*over, *failing.values()), key=lambda each: each.started))
