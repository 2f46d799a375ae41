"""What happened at some tables in a shift, from their entries: what the next shift must know."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import select

from service.record.projections.alarms import AlarmList
from service.record.projections.causes import RECORD, cause_of_outage, causes_of_checks, departures_of, wrong_lay
from service.record.results import report_of
from service.record.shifts.shift_figures import FIGURES, RoundCounts, count_shift, rounds_between
from service.record.store.database import faults_as_unavailable
from service.record.store.database_reader import record_of_log
from service.record.store.schema import OWN_LOG, followed, logs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from service.record.projections.alarms import Alarm
    from service.record.projections.projector import Projector
    from service.record.shifts.shift_figures import Shift
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry, Kind
    from service.rounds.reports import FindingReport, HandReport, ReviewReport, RoundReport

_AT_ONCE = 200
_EVER = datetime(1900, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WrongHand:
    """A hand that lay against the House Way at some time, as it lay then.

    Attributes:
        put_right: whether it lies otherwise in the newest revision.
        alarm: what it raised; None if there is no such alarm.
    """

    played: RoundReport
    hand: HandReport
    put_right: bool
    alarm: Alarm | None


@dataclass(frozen=True, slots=True)
class Departure:
    """A departure from the rulebook's procedure."""

    played: RoundReport
    finding: FindingReport


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about a part of a round."""

    played: RoundReport
    place: str
    review: ReviewReport


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that failed for some time.

    Attributes:
        began: UTC; possibly in an earlier shift.
        ended: UTC; None while it lasts.
    """

    name: str
    findings: tuple[FindingReport, ...]
    began: datetime
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
            "failing_checks": sum(failure.ended is None for of in each for failure in of.failures),
        }


def happened_at(projector: Projector, tables: Sequence[str], shift: Shift, *, local: Collection[str]) -> AllHappened:
    """Gather what happened in a shift. RecordUnavailableError.

    Args:
        projector: derives rounds and alarms from the entries.
        tables: names of the tables; remote ones without any entry yet are omitted.
        shift: which one.
        local: names of the tables in this service's own log; the others are in followed ones.
    """
    counted = count_shift(projector, shift, tables)
    known = {name: (projector.record, "") for name in tables if name in local}
    if remote := [name for name in tables if name not in local]:
        columns = logs.c
        query = select(columns.name, columns.id, followed.c.own_name).join(followed, followed.c.log == columns.id)
        with faults_as_unavailable(), projector.database.connect() as connection:
            rows = connection.execute(query.where(columns.name.in_(remote), columns.id != OWN_LOG)).all()
        known |= {row.name: (record_of_log(projector.database, row.id), row.own_name) for row in rows}
    found = {
        name: _happened_in(shift, projector, name, *known[name], counted[name]) for name in tables if name in known
    }
    return AllHappened(found, RoundCounts.together(shift.name, [each.counts for each in found.values()]))


def _happened_in(
    shift: Shift, projector: Projector, table: str, record: DatabaseReader, own_name: str, counts: RoundCounts
) -> Happened:
    alarm_list, own_name = AlarmList(projector.database, [table]), own_name or table
    alarms = tuple(_alarms(alarm_list, (shift.began, shift.ended), only_open=False))
    rounds = tuple(_rounds(record, rounds_between(projector, table, shift.began, shift.ended)))
    newest = [revisions[-1] for revisions in rounds]
    return Happened(
        counts=counts,
        alarms=alarms,
        older=tuple(_alarms(alarm_list, (_EVER, shift.began), only_open=True)),
        wrong=tuple(_wrong(rounds, alarms)),
        departures=tuple(Departure(played, found) for played in newest for found in departures_of(played).values()),
        waiting=tuple(played for played in newest if played.status == "needs_review"),
        decisions=tuple(_decisions(_entries(record, own_name, shift, ("review",)), shift)),
        failures=tuple(_failures(record, own_name, shift)),
    )


def _alarms(alarm_list: AlarmList, days: tuple[datetime, datetime], *, only_open: bool) -> Iterator[Alarm]:
    cursor = None
    while True:
        page = alarm_list.page(days=days, only_open=only_open, limit=_AT_ONCE, cursor=cursor)
        yield from page.alarms
        if page.next is None:
            return
        cursor = page.next


def _rounds(record: DatabaseReader, ids: Sequence[str]) -> Iterator[list[RoundReport]]:
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        found: dict[str, list[RoundReport]] = {round_id: [] for round_id in some}
        for entry in record.of_rounds(some):
            found[str(entry.round)].append(report_of(entry))
        yield from filter(None, found.values())


def _wrong(rounds: Iterable[Sequence[RoundReport]], alarms: Sequence[Alarm]) -> Iterator[WrongHand]:
    raised = {(each.round.id, each.subject): each for each in alarms if each.kind == "house_hand_wrong" and each.round}
    for revisions in rounds:
        newest = {hand.place: hand for hand in revisions[-1].judged}
        decided = any(hand.review is not None for hand in newest.values())
        last: dict[str, tuple[HandReport, RoundReport]] = {}
        for report in revisions[-1:] if decided else revisions:
            last |= {hand.place: (hand, report) for hand in report.judged if wrong_lay(hand) is not None}
        for place, (hand, report) in last.items():
            put_right = wrong_lay(newest.get(place)) is None
            yield WrongHand(report, hand, put_right, raised.get((report.id, place)))


def _entries(record: DatabaseReader, table: str, shift: Shift, kinds: Sequence[Kind]) -> Iterator[Entry]:
    seq = record.first_at(shift.began) - 1
    while found := record.after(seq, kinds=kinds, table=table, limit=_AT_ONCE):
        for entry in found:
            if datetime.fromisoformat(entry.at) >= shift.ended:
                return
            yield entry
        seq = found[-1].seq


def _decisions(entries: Iterable[Entry], shift: Shift) -> Iterator[Decision]:
    known: set[tuple[str, str, datetime]] = set()
    for entry in entries:
        played = report_of(entry)
        reviewed: list[tuple[str, ReviewReport | None]] = [(hand.place, hand.review) for hand in played.hands]
        reviewed += [(gone.place, gone.review) for gone in played.absent]
        reviewed += [("dice", played.dice_review)]
        for place, review in reviewed:
            # A revision carries what was decided before it.
            if review is not None and shift.holds(review.at) and (played.id, place, review.at) not in known:
                known.add((played.id, place, review.at))
                yield Decision(played, place, review)


def _failures(record: DatabaseReader, table: str, shift: Shift) -> Iterator[Failure]:
    before = record.last(("alarm",), table=table, before=record.first_at(shift.began))
    failing: dict[str, Failure] = {}
    over: list[Failure] = []
    for entry in (*before, *_entries(record, table, shift, ("alarm", "outage"))):
        if entry.kind == "outage":
            cause = cause_of_outage(entry)
            since, until = (datetime.fromisoformat(entry.data[name]) for name in ("since", "until"))
            over.append(Failure(RECORD, cause.details.findings, since, until))
            continue
        at = datetime.fromisoformat(entry.at)
        bad = {cause.subject: cause for cause in causes_of_checks(entry)}
        for name in failing.keys() - bad.keys():
            ended = failing.pop(name)
            over.append(Failure(name, ended.findings, ended.began, at))
        for name, cause in bad.items():
            failing.setdefault(name, Failure(name, cause.details.findings, at, None))
    return iter(sorted((*over, *failing.values()), key=lambda each: each.began))
