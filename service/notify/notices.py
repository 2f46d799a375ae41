"""Notices: results and alarms, each made of an entry of the record and of nothing else.

An entry never changes, so neither do its notices: who gets one twice gets the same, under the same id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, get_args

from service.config.subscriber_settings import NoticeKind
from service.judge.rules_in_force import rules_of
from service.notify.envelopes import (
    CheckTold,
    CloudEvent,
    EpochTold,
    HealthAlarm,
    HouseHandAlarm,
    ProcedureAlarm,
    ReviewAlarm,
    RoundNamed,
)
from service.projections.causes import cause_of_outage, causes_of_checks, departures_of, wrong_lay
from service.record.checkpoints.epochs import begun, epoch_at, epochs_of
from service.record.checkpoints.newest import note_at
from service.record.results import cursor_of, report_of, result_of
from service.record.single_flight import SingleFlight
from service.words.findings import english
from service.words.rounds import explain
from service.words.served import FindingOut
from service.words.wording import place_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.judge.rules_in_force import RulesInForce, RulesOf
    from service.notify.envelopes import EventType
    from service.projections.causes import Cause
    from service.record.checkpoints.epochs import Epoch
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Kind
    from service.rounds.reports import RoundReport

NOTICE_KINDS: Final[tuple[NoticeKind, ...]] = get_args(NoticeKind)
TYPES: Final[dict[NoticeKind, EventType]] = {
    "result": "houseway.result",
    "house_hand_wrong": "houseway.alarm.house_hand_wrong",
    "needs_review": "houseway.alarm.needs_review",
    "health": "houseway.alarm.health",
    "procedure": "houseway.alarm.procedure",
    "epoch": "houseway.epoch",
}
NOTIFYING_KINDS: Final[tuple[Kind, ...]] = ("round", "review", "alarm", "outage", "epoch")
"""The entries that notices are made of."""

Position: TypeAlias = tuple[int, int]
"""A position behind a notice: number of its entry, and which of the entry's notices it is, from 1."""
ALL_PARTS: Final = 9_999
"""In a position: behind all notices of the entry."""
_SCANNED_AT_ONCE = 100
_CACHED = 256
"""Entries whose notices are kept, for all subscribers read nearly the same ones."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice.

    Attributes:
        part: which of the entry's notices it is, from 1.
        hash: of the entry.
        id: names it for ever; the same whenever and to whomever it is sent. The entry's hash is a part of it, so that
            other contents have another id, also under the same number.
        body: the CloudEvents envelope as JSON, the same bytes every time.
    """

    seq: int
    part: int
    kind: NoticeKind
    table: str
    hash: str
    id: str
    body: str

    @property
    def position(self) -> Position:
        """Behind this notice."""
        return (self.seq, self.part)


@dataclass(frozen=True, slots=True)
class NoticePage:
    """The notices behind a position; ``through`` is how far was looked, ``more`` whether there is more already."""

    notices: tuple[Notice, ...]
    through: Position
    more: bool


class NoticeSource(Protocol):
    """Where notices come from, in one order; every method may raise RecordUnavailableError."""

    def end(self) -> Position:
        """Behind everything that there is so far."""
        ...

    def after(self, position: Position, kinds: frozenset[NoticeKind]) -> NoticePage:
        """The notices of these kinds behind a position."""
        ...

    def epoch(self) -> str:
        """Whoever was told in another epoch must look anew where it stands."""
        ...


class NoticeReader:
    """Makes notices of a record; what was made is kept for the next who asks."""

    def __init__(self, record: DatabaseReader, rules: RulesOf = rules_of) -> None:
        self._record = record
        self._rules = rules
        self._source = ""
        self._held: dict[tuple[int, str, str], tuple[Notice, ...]] = {}

    def end(self) -> Position:
        """Behind everything recorded so far; RecordUnavailableError if it cannot be read."""
        head = self._record.head()
        return (0, 0) if head is None else (head.seq, ALL_PARTS)

    def after(self, position: Position, kinds: frozenset[NoticeKind]) -> NoticePage:
        """The notices of these kinds behind a position; RecordUnavailableError if they cannot be read."""
        entries = self._record.after(position[0] - 1, kinds=NOTIFYING_KINDS, limit=_SCANNED_AT_ONCE)
        epochs = epochs_of(self._record) if entries else ()
        made = tuple(
            notice for entry in entries for notice in self._made_of(entry, epochs) if notice.position > position
        )
        through = max(position, (entries[-1].seq, ALL_PARTS)) if entries else position
        # That the record goes on in another epoch is told to everybody, whatever else they want to know.
        wanted = tuple(notice for notice in made if notice.kind in kinds or notice.kind == "epoch")
        return NoticePage(wanted, through, more=len(entries) == _SCANNED_AT_ONCE)

    def epoch(self) -> str:
        """The epoch in which the record goes on; RecordUnavailableError if it cannot be read."""
        epochs = epochs_of(self._record)
        return epochs[-1].name if epochs else ""

    def _made_of(self, entry: Entry, epochs: tuple[Epoch, ...]) -> tuple[Notice, ...]:
        epoch = epoch_at(epochs, entry.seq)
        known = self._held.get(name := (entry.seq, entry.hash, epoch.name))
        if known is None:
            before = None if entry.supersedes is None else self._record.entry(entry.supersedes)
            note = note_at(self._record, entry)
            compact = None if note is None else note.compact
            known = notices_of(entry, before, self._source_name(), epoch, compact, self._rules)
            self._held[name] = known
            for old in tuple(self._held)[:-_CACHED]:
                self._held.pop(old, None)
        return known

    def _source_name(self) -> str:
        if not self._source:
            first = self._record.entry(1)
            self._source = "" if first is None else str(first.data["record"])
        return self._source


class NoticeFeed:
    """Notices for those who wait at the same place, read once for all of them."""

    def __init__(self, reader: NoticeReader) -> None:
        self.reader = reader
        self._found: SingleFlight[NoticePage] = SingleFlight(lambda found: bool(found.notices))

    async def after(self, position: Position, kinds: frozenset[NoticeKind], changes: int) -> NoticePage:
        """As the reader's own; ``changes`` says how often something had been recorded before."""
        return await self._found.answer((position, kinds, changes), lambda: self.reader.after(position, kinds))


def notices_of(
    entry: Entry,
    before: Entry | None,
    record: str,
    epoch: Epoch,
    checkpoint: str | None,
    rules: RulesOf = rules_of,
) -> tuple[Notice, ...]:
    """All notices made of an entry, in the order in which they are sent.

    Args:
        entry: the entry.
        before: the entry that it supersedes.
        record: the record's name.
        epoch: that of the entry.
        checkpoint: the newest signed checkpoint at the entry.
        rules: finds those that a round was judged by.
    """
    notices: list[Notice] = []
    for part, (kind, subject, data) in enumerate(contents_of(entry, before, rules), start=1):
        name = notice_id(record, entry, kind, part)
        envelope = CloudEvent(
            id=name,
            source=f"urn:uuid:{record}",
            type=TYPES[kind],
            subject=f"tables/{entry.table}{subject}",
            time=entry.at,
            sequence=epoch.sequence(entry.seq, part),
            epoch=epoch.name,
            cursor=cursor_of(entry.seq, entry.hash),
            checkpoint=checkpoint,
            data=data,
        )
        notices.append(Notice(entry.seq, part, kind, entry.table, entry.hash, name, envelope.model_dump_json()))
    return tuple(notices)


def notice_id(record: str, entry: Entry, kind: NoticeKind, part: int) -> str:
    """What names a notice for ever."""
    # Standard Webhooks signs ids with a full stop behind them, so they have none inside.
    return f"{record}-{entry.seq}-{entry.hash[:16]}-{kind}-{part}"


def contents_of(entry: Entry, before: Entry | None, rules: RulesOf = rules_of) -> Iterator[tuple[NoticeKind, str, Any]]:
    """What an entry is to be told of: kind, the end of the subject, and what is inside; ``before`` as above."""
    if entry.kind in {"round", "review"}:
        now, known = report_of(entry), None if before is None else report_of(before)
        where = f"/rounds/{now.id}"
        by = rules(now)
        yield "result", where, result_of(entry, rules)
        yield from (("house_hand_wrong", where, alarm) for alarm in _house_alarms(now, known, by))
        yield from (("needs_review", where, alarm) for alarm in _review_alarms(now, known))
        # Last, for events that were sent before there were these keep their ids.
        yield from (("procedure", where, alarm) for alarm in _procedure_alarms(now, known, by))
    elif entry.kind == "alarm":
        body = entry.data
        if not body["ok"] and not body.get("new", True):
            return  # one check is well again while others are not
        checks = tuple(_check(cause) for cause in causes_of_checks(entry))
        yield "health", "", HealthAlarm(state="cleared" if body["ok"] else "raised", checks=checks)
    elif entry.kind == "epoch":
        said = begun(entry)
        yield (
            "epoch",
            "",
            EpochTold(
                name=f"{entry.seq}-{entry.hash[:16]}",
                common=said.common,
                cursor=cursor_of(said.common.seq, said.common.hash),
                lost=said.lost,
                by=said.by,
                reason=said.reason,
            ),
        )
    elif entry.kind == "outage":
        body = entry.data
        checks = (_check(cause_of_outage(entry)),)
        yield "health", "", HealthAlarm(state="cleared", checks=checks, since=body["since"], until=body["until"])


def _house_alarms(now: RoundReport, known: RoundReport | None, rules: RulesInForce) -> Iterator[HouseHandAlarm]:
    before = {} if known is None else {hand.place: hand for hand in known.judged}
    for hand in now.judged:
        last = before.get(hand.place)
        was, is_now = wrong_lay(last), wrong_lay(hand)
        if was == is_now or hand.house_way is None:
            continue
        said = explain(hand, rules.house_way, now.reached)
        yield HouseHandAlarm(
            state="cleared" if is_now is None else "raised",
            round=_name(now),
            place=hand.place,
            low=hand.low,
            high=hand.high,
            expected=hand.house_way.expected,
            choices=hand.house_way.choices,
            rule=hand.house_way.rule,
            explanation=str(said.explanation),
            remedy=None if said.remedy is None else str(said.remedy),
        )


def _review_alarms(now: RoundReport, known: RoundReport | None) -> Iterator[ReviewAlarm]:
    was, reasons = (() if known is None else _doubts(known)), _doubts(now)
    if bool(reasons) != bool(was):
        yield ReviewAlarm(state="raised" if reasons else "cleared", round=_name(now), reasons=reasons)


def _procedure_alarms(now: RoundReport, known: RoundReport | None, rules: RulesInForce) -> Iterator[ProcedureAlarm]:
    was, is_now = ({} if known is None else departures_of(known)), departures_of(now)
    for found in (found for name, found in is_now.items() if name not in was):
        yield ProcedureAlarm(state="raised", round=_name(now), finding=FindingOut.said(found, rules.book))
    for found in (found for name, found in was.items() if name not in is_now):
        yield ProcedureAlarm(state="cleared", round=_name(now), finding=FindingOut.said(found, rules.book))


def _doubts(played: RoundReport) -> tuple[str, ...]:
    """Why a person must look: what was read in doubt, and hands that could not be judged."""
    hands = [
        f"{place_name(hand.place)}: {reason}"
        for hand in played.hands
        for reason in (
            *english(hand.doubts if hand.status == "uncertain" else ()),
            *english(hand.house_way.doubts if hand.house_way is not None else ()),
        )
    ]
    dice = [f"Dice: {reason}" for die in played.dice if die.status == "uncertain" for reason in english(die.doubts)]
    found = tuple(dict.fromkeys((*hands, *dice)))
    return found or (("the round needs review",) if played.status == "needs_review" else ())


def _check(cause: Cause) -> CheckTold:
    return CheckTold(name=cause.subject, message="; ".join(english(each.alone for each in cause.details.findings)))


def _name(played: RoundReport) -> RoundNamed:
    return RoundNamed(id=played.id, number=played.number, revision=played.revision)
