"""The hand-over of a shift: its events from the record, a note by the person who hands over, and both signatures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Protocol

from pydantic import StringConstraints

from service.alarms.causes import RECORD, cause_of_outage, causes_of_checks, departures_of, wrong_lay
from service.record.results import report_of
from service.record.store.entries import Draft
from service.shifts.gaming_day import FIGURES, count_shift, rounds_between
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from service.alarms.alarm import Alarm
    from service.alarms.alarm_book import AlarmPage
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Kind
    from service.record.store.record import Record
    from service.rounds.reports import FindingReport, HandReport, ReviewReport, RoundReport
    from service.shifts.gaming_day import RoundCounts, Shift

_AT_ONCE = 200
_EVER = datetime(1900, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WrongHand:
    """A hand that lay against the House Way at some time, as it lay then.

    Attributes:
        put_right: whether it lies otherwise in the newest revision.
        alarm: what it raised; None if that is not in the book of alarms.
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
    """What a person decided about a part of a round.

    Attributes:
        place: of the hand, or ``dice``.
    """

    played: RoundReport
    place: str
    review: ReviewReport


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that failed for some time.

    Attributes:
        began: UTC; in an earlier shift perhaps.
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
        counts: its figures.
        alarms: raised in it, the newest first, those that nobody answered before the others.
        older: raised before it, and answered by nobody until now.
        wrong: hands set wrongly; where a person decided, on that word.
        departures: of its rounds as they stand.
        waiting: its rounds that wait for a person now.
        decisions: made in it, about rounds of any shift, the oldest first.
        failures: of checks that failed in it at some time, in the order in which they began.
    """

    counts: RoundCounts
    alarms: tuple[Alarm, ...]
    older: tuple[Alarm, ...]
    wrong: tuple[WrongHand, ...]
    departures: tuple[Departure, ...]
    waiting: tuple[RoundReport, ...]
    decisions: tuple[Decision, ...]
    failures: tuple[Failure, ...]


class Told(Protocol):
    """Alarms, asked for page by page."""

    def page(
        self, *, days: tuple[datetime, datetime] | None, only_open: bool, limit: int, cursor: str | None
    ) -> AlarmPage:
        """Alarms raised in a span of time, in order."""
        ...


def happened_in(shift: Shift, record: DatabaseReader, told: Told, table: str) -> Happened:
    """Gather what happened in a shift.

    Args:
        shift: which one.
        record: where it is kept, at the table or on its floor.
        told: the table's alarms.
        table: its name.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    alarms = tuple(_alarms(told, (shift.began, shift.ended), only_open=False))
    rounds = tuple(_rounds(record, rounds_between(record, table, shift.began, shift.ended)[::-1]))
    newest = [revisions[-1] for revisions in rounds]
    return Happened(
        counts=count_shift(record, table, shift),
        alarms=alarms,
        older=tuple(_alarms(told, (_EVER, shift.began), only_open=True)),
        wrong=tuple(_wrong(rounds, alarms)),
        departures=tuple(Departure(played, found) for played in newest for found in departures_of(played).values()),
        waiting=tuple(played for played in newest if played.status == "needs_review"),
        decisions=tuple(_decisions(_entries(record, table, shift, ("review",)), shift)),
        failures=tuple(_failures(record, table, shift)),
    )


def _alarms(told: Told, days: tuple[datetime, datetime], *, only_open: bool) -> Iterator[Alarm]:
    cursor = None
    while True:
        page = told.page(days=days, only_open=only_open, limit=_AT_ONCE, cursor=cursor)
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
        yield from found.values()


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
    """Entries appended in a shift, oldest first."""
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


LONGEST_NOTE: Final = 2000
Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NOTE)]
Act = Literal["handed_over", "taken_over"]


class HandOverError(WordedError):
    """A shift that cannot be handed over, or taken over, like this."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Who handed a shift over, or took it over.

    Attributes:
        seq: number of the entry.
        hash: of the entry.
        at: when, UTC.
        text: what that person noted; empty if nothing.
        stood: how the shift stood then.
    """

    seq: int
    hash: str
    act: Act
    by: str
    at: datetime
    text: str
    stood: dict[str, int]


def signatures(record: Record, table: str, shift: Shift) -> tuple[Signature, ...]:
    """What was signed of a shift, the oldest first.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    found: list[Signature] = []
    seq = record.first_at(shift.began) - 1
    while entries := record.after(seq, kinds=("handover",), table=table):
        for entry in entries:
            if entry.subject == _name(shift):
                told: dict[str, Any] = {name: entry.data[name] for name in ("act", "by", "text", "stood")}
                found.append(Signature(entry.seq, entry.hash, at=datetime.fromisoformat(entry.at), **told))
        seq = entries[-1].seq
    return tuple(found)


def standing(counts: RoundCounts, happened: Collection[Happened]) -> dict[str, int]:
    """How a shift stands, as it is signed for: its figures, and what happened at one table or several."""
    return {
        **{figure: getattr(counts, figure) for figure in FIGURES},
        "open_alarms": sum(alarm.answer is None for each in happened for alarm in (*each.alarms, *each.older)),
        "failing_checks": sum(failure.ended is None for each in happened for failure in each.failures),
    }


def waits_for_taker(signed: Sequence[Signature]) -> Signature | None:
    """The signature of whoever handed over last, if nobody took over since."""
    last = signed[-1] if signed else None
    return last if last is not None and last.act == "handed_over" else None


def sign(record: Record, table: str, shift: Shift, *, act: Act, by: str, text: str, stood: dict[str, int]) -> None:
    """Record that somebody hands a shift over, or takes it over.

    Args:
        record: where it is kept.
        table: its name.
        shift: which one; not before it began.
        act: what is done.
        by: who does it.
        text: what that person notes.
        stood: how the shift stands, by :func:`standing`.

    Raises:
        HandOverError: the shift has not begun; or there is nothing to take over, or it is by the same person.
        RecordUnavailableError: it could not be made durable.
    """
    if datetime.now(UTC) < shift.began:
        raise HandOverError(words("This shift has not begun."))
    handed = waits_for_taker(signatures(record, table, shift))
    if act == "taken_over":
        if handed is None:
            raise HandOverError(words("Nobody has handed this shift over, or it was taken over already; look again."))
        if handed.by == by:
            raise HandOverError(
                words("You handed this shift over yourself. The person who takes over signs in with their own account.")
            )
    body = {
        "act": act,
        "by": by,
        "text": text,
        "stood": stood,
        "shift": shift.name,
        "day": shift.day.isoformat(),
        "began": shift.began.isoformat(),
        "ended": shift.ended.isoformat(),
        "answers": None if act == "handed_over" or handed is None else handed.seq,
    }
    record.append(Draft("handover", body, table=table, subject=_name(shift)))


def _name(shift: Shift) -> str:
    return f"{shift.day.isoformat()} {shift.begins:%H:%M}"
