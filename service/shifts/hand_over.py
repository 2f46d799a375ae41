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
    """A hand that was set against the House Way at some time.

    Attributes:
        played: the revision of the round in which it was wrong.
        hand: the hand in that revision.
        put_right: whether it is no longer wrong in the newest revision.
        alarm: the alarm that it raised; None if the book of alarms does not have it.
    """

    played: RoundReport
    hand: HandReport
    put_right: bool
    alarm: Alarm | None


@dataclass(frozen=True, slots=True)
class ShiftDeparture:
    """A departure from the rulebook's procedure in a round of the shift."""

    played: RoundReport
    finding: FindingReport


@dataclass(frozen=True, slots=True)
class ShiftDecision:
    """A person's decision in the shift about a part of a round.

    Attributes:
        place: of the hand, or ``dice``.
    """

    played: RoundReport
    place: str
    review: ReviewReport


@dataclass(frozen=True, slots=True)
class Failure:
    """A period in which a check failed.

    Attributes:
        began: UTC; may be in an earlier shift.
        ended: UTC; None while the check still fails.
    """

    name: str
    findings: tuple[FindingReport, ...]
    began: datetime
    ended: datetime | None


@dataclass(frozen=True, slots=True)
class ShiftEvents:
    """The events of a shift.

    Attributes:
        counts: its figures.
        alarms: raised in it, unanswered ones first, then newest first.
        older: raised before it, and still unanswered.
        wrong: hands set wrong; a person's decision takes precedence.
        departures: in the newest revisions of its rounds.
        waiting: its rounds that need review now.
        decisions: made in it, about rounds of any shift, oldest first.
        failures: of checks that failed in it at some time, by their start.
    """

    counts: RoundCounts
    alarms: tuple[Alarm, ...]
    older: tuple[Alarm, ...]
    wrong: tuple[WrongHand, ...]
    departures: tuple[ShiftDeparture, ...]
    waiting: tuple[RoundReport, ...]
    decisions: tuple[ShiftDecision, ...]
    failures: tuple[Failure, ...]


class AlarmPages(Protocol):
    """A source of alarms, read page by page."""

    def page(
        self, *, days: tuple[datetime, datetime] | None, only_open: bool, limit: int, cursor: str | None
    ) -> AlarmPage:
        """Return alarms raised in a period, in order."""
        ...


def events_in(shift: Shift, record: DatabaseReader, book: AlarmPages, table: str) -> ShiftEvents:
    """Gather the events of a shift.

    Args:
        shift: the shift.
        record: of the table or its floor.
        book: the table's alarms.
        table: name of the table.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    alarms = tuple(_alarms(book, (shift.began, shift.ended), only_open=False))
    rounds = tuple(_rounds(record, rounds_between(record, table, shift.began, shift.ended)[::-1]))
    newest = [revisions[-1] for revisions in rounds]
    return ShiftEvents(
        counts=count_shift(record, table, shift),
        alarms=alarms,
        older=tuple(_alarms(book, (_EVER, shift.began), only_open=True)),
        wrong=tuple(_wrong(rounds, alarms)),
        departures=tuple(
            ShiftDeparture(played, found) for played in newest for found in departures_of(played).values()
        ),
        waiting=tuple(played for played in newest if played.status == "needs_review"),
        decisions=tuple(_decisions(_entries(record, table, shift, ("review",)), shift)),
        failures=tuple(_failures(record, table, shift)),
    )


def _alarms(book: AlarmPages, days: tuple[datetime, datetime], *, only_open: bool) -> Iterator[Alarm]:
    cursor = None
    while True:
        page = book.page(days=days, only_open=only_open, limit=_AT_ONCE, cursor=cursor)
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
    """Yield the entries appended in a shift, oldest first."""
    seq = record.first_at(shift.began) - 1
    while found := record.after(seq, kinds=kinds, table=table, limit=_AT_ONCE):
        for entry in found:
            if datetime.fromisoformat(entry.at) >= shift.ended:
                return
            yield entry
        seq = found[-1].seq


def _decisions(entries: Iterable[Entry], shift: Shift) -> Iterator[ShiftDecision]:
    known: set[tuple[str, str, datetime]] = set()
    for entry in entries:
        played = report_of(entry)
        reviewed: list[tuple[str, ReviewReport | None]] = [(hand.place, hand.review) for hand in played.hands]
        reviewed += [(gone.place, gone.review) for gone in played.absent]
        reviewed += [("dice", played.dice_review)]
        for place, review in reviewed:
            # A revision repeats earlier decisions.
            if review is not None and shift.holds(review.at) and (played.id, place, review.at) not in known:
                known.add((played.id, place, review.at))
                yield ShiftDecision(played, place, review)


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
    """The shift cannot be handed over or taken over."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The signature of a person who handed a shift over, or took it over.

    Attributes:
        seq: number of the entry.
        hash: of the entry.
        at: when, UTC.
        text: the person's note; may be empty.
        stood: the figures signed for, by :func:`signed_figures`.
    """

    seq: int
    hash: str
    act: Act
    by: str
    at: datetime
    text: str
    stood: dict[str, int]


def signatures(record: Record, table: str, shift: Shift) -> tuple[Signature, ...]:
    """Return the signatures of a shift, oldest first.

    Raises:
        RecordUnavailableError: the record cannot be read.
    """
    found: list[Signature] = []
    seq = record.first_at(shift.began) - 1
    while entries := record.after(seq, kinds=("handover",), table=table):
        for entry in entries:
            if entry.subject == _name(shift):
                body: dict[str, Any] = {name: entry.data[name] for name in ("act", "by", "text", "stood")}
                found.append(Signature(entry.seq, entry.hash, at=datetime.fromisoformat(entry.at), **body))
        seq = entries[-1].seq
    return tuple(found)


def signed_figures(counts: RoundCounts, events: Collection[ShiftEvents]) -> dict[str, int]:
    """Return the figures that a hand-over is signed for: counts, open alarms and failing checks of all tables."""
    return {
        **{figure: getattr(counts, figure) for figure in FIGURES},
        "open_alarms": sum(alarm.answer is None for each in events for alarm in (*each.alarms, *each.older)),
        "failing_checks": sum(failure.ended is None for each in events for failure in each.failures),
    }


def open_hand_over(signed: Sequence[Signature]) -> Signature | None:
    """Return the newest hand-over, unless it was taken over."""
    last = signed[-1] if signed else None
    return last if last is not None and last.act == "handed_over" else None


def sign(record: Record, table: str, shift: Shift, *, act: Act, by: str, text: str, stood: dict[str, int]) -> None:
    """Record that a person hands a shift over, or takes it over.

    Args:
        record: of the table or floor.
        table: name of the table.
        shift: the shift, which must have started.
        act: the act.
        by: the person.
        text: the person's note.
        stood: the figures signed for, by :func:`signed_figures`.

    Raises:
        HandOverError: the shift has not started; or there is nothing to take over, or the same person handed it over.
        RecordUnavailableError: the entry could not be made durable.
    """
    if datetime.now(UTC) < shift.began:
        raise HandOverError(words("This shift has not begun."))
    handed = open_hand_over(signatures(record, table, shift))
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
