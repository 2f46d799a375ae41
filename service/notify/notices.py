"""Notices: results and alarms, each computed from one entry of the record.

An entry never changes, so neither do its notices: a repeated notice is identical, under the same id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, get_args

from service.alarms.causes import cause_of_outage, causes_of_checks, departures_of, wrong_lay
from service.config.subscriber_settings import NoticeKind
from service.notify.envelopes import (
    CloudEvent,
    EpochStarted,
    FailedCheck,
    HealthAlarm,
    HouseHandAlarm,
    ProcedureAlarm,
    ReviewAlarm,
    RoundRevision,
)
from service.record.checkpoints.epochs import begun, epoch_at, epochs_of
from service.record.checkpoints.newest import note_at
from service.record.results import cursor_of, report_of, result_of
from service.record.single_flight import SingleFlight
from service.words.explanations import explain, way_of
from service.words.findings import english
from service.words.served import FindingOut
from service.words.wording import place_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engine.house_way import HouseWay
    from service.alarms.causes import Cause
    from service.notify.envelopes import EventType
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
"""Kinds of entries that notices are made from."""

Position: TypeAlias = tuple[int, int]
"""The position just after a notice: the number of its entry, and the part within the entry, from 1."""
ALL_PARTS: Final = 9_999
"""In a position: after all notices of the entry."""
_SCANNED_AT_ONCE = 100
_CACHED = 256
"""Number of entries whose notices are cached, since all subscribers read nearly the same ones."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice.

    Attributes:
        seq: number of its entry.
        part: number of the notice within the entry, from 1.
        hash: of the entry.
        id: identifies the notice for ever and for every receiver. It includes the entry's hash, so that other contents
            under the same number have another id.
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
        return (self.seq, self.part)


@dataclass(frozen=True, slots=True)
class NoticePage:
    """The notices after a position.

    Attributes:
        through: the position up to which entries were read.
        more: whether there are further entries already.
    """

    notices: tuple[Notice, ...]
    through: Position
    more: bool


class NoticeSource(Protocol):
    """An ordered source of notices; every method may raise RecordUnavailableError."""

    def end(self) -> Position:
        """Return the position after the newest notice."""
        ...

    def after(self, position: Position, kinds: frozenset[NoticeKind]) -> NoticePage:
        """Return the notices of these kinds after a position."""
        ...

    def epoch(self) -> str:
        """Return the current epoch; when it changes, positions must be read again."""
        ...


class NoticeReader:
    """Makes notices from a record, with a cache."""

    def __init__(self, record: DatabaseReader, ways: Mapping[str, HouseWay] | None = None) -> None:
        self._record = record
        self._ways = ways or {}
        self._source = ""
        self._cache: dict[tuple[int, str, str], tuple[Notice, ...]] = {}

    def end(self) -> Position:
        """Return the position after the newest entry; RecordUnavailableError."""
        head = self._record.head()
        return (0, 0) if head is None else (head.seq, ALL_PARTS)

    def after(self, position: Position, kinds: frozenset[NoticeKind]) -> NoticePage:
        """Return the notices of these kinds after a position; RecordUnavailableError."""
        entries = self._record.after(position[0] - 1, kinds=NOTIFYING_KINDS, limit=_SCANNED_AT_ONCE)
        epochs = epochs_of(self._record) if entries else ()
        made = tuple(
            notice for entry in entries for notice in self._made_of(entry, epochs) if notice.position > position
        )
        through = max(position, (entries[-1].seq, ALL_PARTS)) if entries else position
        # Every subscriber is notified of a new epoch, whatever kinds it wants.
        wanted = tuple(notice for notice in made if notice.kind in kinds or notice.kind == "epoch")
        return NoticePage(wanted, through, more=len(entries) == _SCANNED_AT_ONCE)

    def epoch(self) -> str:
        """Return the name of the record's current epoch; RecordUnavailableError."""
        epochs = epochs_of(self._record)
        return epochs[-1].name if epochs else ""

    def _made_of(self, entry: Entry, epochs: tuple[Epoch, ...]) -> tuple[Notice, ...]:
        epoch = epoch_at(epochs, entry.seq)
        known = self._cache.get(name := (entry.seq, entry.hash, epoch.name))
        if known is None:
            before = None if entry.supersedes is None else self._record.entry(entry.supersedes)
            note = note_at(self._record, entry)
            compact = None if note is None else note.compact
            known = notices_of(entry, before, self._source_name(), epoch, compact, self._ways.get(entry.table or ""))
            self._cache[name] = known
            for old in tuple(self._cache)[:-_CACHED]:
                self._cache.pop(old, None)
        return known

    def _source_name(self) -> str:
        if not self._source:
            first = self._record.entry(1)
            self._source = "" if first is None else str(first.data["record"])
        return self._source


class NoticeFeed:
    """Notices for clients that wait at the same position, read once for all of them."""

    def __init__(self, reader: NoticeReader) -> None:
        self.reader = reader
        self._found: SingleFlight[NoticePage] = SingleFlight(lambda found: bool(found.notices))

    async def after(self, position: Position, kinds: frozenset[NoticeKind], changes: int) -> NoticePage:
        """Return the reader's page; calls with equal ``changes``, a count of recorded changes, share one reading."""
        return await self._found.answer((position, kinds, changes), lambda: self.reader.after(position, kinds))


def notices_of(
    entry: Entry,
    before: Entry | None,
    record: str,
    epoch: Epoch,
    checkpoint: str | None,
    configured: HouseWay | None = None,
) -> tuple[Notice, ...]:
    """Return all notices of an entry, in the order of sending.

    Args:
        entry: the entry.
        before: the entry that it supersedes.
        record: the record's name.
        epoch: the epoch of the entry.
        checkpoint: the newest signed checkpoint at the entry.
        configured: the table's House Way, if it is a file.
    """
    notices: list[Notice] = []
    for part, (kind, subject, data) in enumerate(contents_of(entry, before, configured), start=1):
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
    # Standard Webhooks signs the id followed by a full stop, so it must not contain one.
    return f"{record}-{entry.seq}-{entry.hash[:16]}-{kind}-{part}"


def contents_of(
    entry: Entry, before: Entry | None, configured: HouseWay | None = None
) -> Iterator[tuple[NoticeKind, str, Any]]:
    """Yield kind, end of the subject, and data of each notice of an entry that supersedes ``before``."""
    if entry.kind in {"round", "review"}:
        now, known = report_of(entry), None if before is None else report_of(before)
        where = f"/rounds/{now.id}"
        yield "result", where, result_of(entry, configured)
        yield from (("house_hand_wrong", where, alarm) for alarm in _house_alarms(now, known, way_of(now, configured)))
        yield from (("needs_review", where, alarm) for alarm in _review_alarms(now, known))
        yield from (("procedure", where, alarm) for alarm in _procedure_alarms(now, known))
    elif entry.kind == "alarm":
        body = entry.data
        if not body["ok"] and not body.get("new", True):
            return  # one check passes again while others still fail
        checks = tuple(_check(cause) for cause in causes_of_checks(entry))
        yield "health", "", HealthAlarm(state="cleared" if body["ok"] else "raised", checks=checks)
    elif entry.kind == "epoch":
        epoch = begun(entry)
        yield (
            "epoch",
            "",
            EpochStarted(
                name=f"{entry.seq}-{entry.hash[:16]}",
                common=epoch.common,
                cursor=cursor_of(epoch.common.seq, epoch.common.hash),
                lost=epoch.lost,
                by=epoch.by,
                reason=epoch.reason,
            ),
        )
    elif entry.kind == "outage":
        body = entry.data
        checks = (_check(cause_of_outage(entry)),)
        yield "health", "", HealthAlarm(state="cleared", checks=checks, since=body["since"], until=body["until"])


def _house_alarms(now: RoundReport, known: RoundReport | None, way: HouseWay | None) -> Iterator[HouseHandAlarm]:
    before = {} if known is None else {hand.place: hand for hand in known.judged}
    for hand in now.judged:
        last = before.get(hand.place)
        was, is_now = wrong_lay(last), wrong_lay(hand)
        if was == is_now or hand.house_way is None:
            continue
        explained = explain(hand, way, now.reached)
        yield HouseHandAlarm(
            state="cleared" if is_now is None else "raised",
            round=_name(now),
            place=hand.place,
            low=hand.low,
            high=hand.high,
            expected=hand.house_way.expected,
            choices=hand.house_way.choices,
            rule=hand.house_way.rule,
            explanation=str(explained.explanation),
            remedy=None if explained.remedy is None else str(explained.remedy),
        )


def _review_alarms(now: RoundReport, known: RoundReport | None) -> Iterator[ReviewAlarm]:
    was, reasons = (() if known is None else _doubts(known)), _doubts(now)
    if bool(reasons) != bool(was):
        yield ReviewAlarm(state="raised" if reasons else "cleared", round=_name(now), reasons=reasons)


def _procedure_alarms(now: RoundReport, known: RoundReport | None) -> Iterator[ProcedureAlarm]:
    was, is_now = ({} if known is None else departures_of(known)), departures_of(now)
    for found in (found for name, found in is_now.items() if name not in was):
        yield ProcedureAlarm(state="raised", round=_name(now), finding=FindingOut.from_report(found, now.rulebook))
    for found in (found for name, found in was.items() if name not in is_now):
        yield ProcedureAlarm(state="cleared", round=_name(now), finding=FindingOut.from_report(found, now.rulebook))


def _doubts(played: RoundReport) -> tuple[str, ...]:
    """Reasons why a round needs review: uncertain readings, and hands that could not be judged."""
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


def _check(cause: Cause) -> FailedCheck:
    return FailedCheck(name=cause.subject, message="; ".join(english(each.alone for each in cause.details.findings)))


def _name(played: RoundReport) -> RoundRevision:
    return RoundRevision(id=played.id, number=played.number, revision=played.revision)
