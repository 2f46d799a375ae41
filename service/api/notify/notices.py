"""Notices: results and alarms of all tables, each computed from one entry of a log.

They are in the order of the entries of all logs, and so for each table in the order of its record. An entry never
changes, so neither do its notices, even if the entry is lost later: a repeated notice is identical, under the same id,
whether the table's own service sends it or one that follows it.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

from service.api.notify.envelopes import (
    CloudEvent,
    EpochStarted,
    FailedCheck,
    HealthAlarm,
    HouseHandAlarm,
    ProcedureAlarm,
    ReviewAlarm,
    RoundRevision,
)
from service.record.checkpoints.epochs import epoch_at, epochs_from, epochs_of, read_epoch
from service.record.checkpoints.note import note_of
from service.record.outbox import ALL_PARTS, Position
from service.record.projections.causes import cause_of_outage, causes_of_checks, departures_of, is_to_review, wrong_lay
from service.record.results import report_of, result_of
from service.record.store.all_logs import LogsReader
from service.record.store.signing import Checkpoint, named_by
from service.record.store.stored_logs import START, cursor_of
from service.record.waiting import SingleFlight
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.judge.verdicts import explain
from service.rounds.served import FindingOut
from service.system.subscriber_settings import NoticeKind
from service.words.findings import english
from service.words.wording import place_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from service.api.notify.envelopes import EventType
    from service.record.checkpoints.epochs import Epoch
    from service.record.projections.causes import Cause
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry, Kind
    from service.record.store.stored_logs import HeldEntry
    from service.rounds.judge.rules_in_force import RulesInForce, RulesOf
    from service.rounds.reports import RoundReport

_log = logging.getLogger(__name__)

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

_NAMING: Final[tuple[Kind, ...]] = ("record", "signing_key", "epoch")
"""Entries that name the record, key and epoch of the entries after them."""
_SCANNED_AT_ONCE = 100
_CACHED = 256
"""Number of entries whose notices are cached, since all subscribers read nearly the same ones."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice.

    Attributes:
        entry: position of its entry among those of all logs.
        part: number of the notice within the entry, from 1.
        hash: of the entry.
        id: identifies the notice for ever and for every receiver. It includes the entry's hash, so that other contents
            under the same number have another id.
        body: the CloudEvents envelope as JSON, the same bytes every time.
    """

    entry: int
    part: int
    kind: NoticeKind
    table: str
    hash: str
    id: str
    body: str

    @property
    def position(self) -> Position:
        return (self.entry, self.part)


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


class NoticeReader:
    """Makes notices from the entries of all logs, with a cache.

    Every method may raise RecordUnavailableError.

    Args:
        record: this service's own log, in the store that has the others as well.
        rules: finds those that a round of this service's own tables was judged by.
    """

    def __init__(self, record: DatabaseReader, rules: RulesOf = rules_of) -> None:
        self._record = record
        self._logs = LogsReader(record)
        self._rules = rules
        self._naming: dict[int, _Naming] = {}
        self._held: dict[tuple[int, str, str], tuple[Notice, ...]] = {}

    def end(self) -> Position:
        """The position after the newest entry."""
        position = self._logs.position()
        return (position, ALL_PARTS) if position else (0, 0)

    def holds(self, position: int, start: str) -> bool:
        """Whether the hash of the entry at a position starts with ``start``."""
        held = self._logs.at(position)
        return held is not None and held.entry.hash.startswith(start)

    def after(self, position: Position, kinds: frozenset[NoticeKind]) -> NoticePage:
        """The notices of these kinds behind a position."""
        found = self._logs.after(position[0] - 1, kinds=NOTIFYING_KINDS, limit=_SCANNED_AT_ONCE)
        if not found:
            return NoticePage((), position, more=False)
        epochs = self._epochs()
        read = found[-1].position
        made = [notice for held in found for notice in self._made_of(held, epochs, read) if notice.position > position]
        # Every subscriber is notified of a new epoch, whatever kinds it wants.
        wanted = tuple(notice for notice in made if notice.kind in kinds or notice.kind == "epoch")
        return NoticePage(wanted, max(position, (read, ALL_PARTS)), more=len(found) == _SCANNED_AT_ONCE)

    def epoch(self) -> str:
        """The epoch of this service's record; when it changes, positions must be read again."""
        epochs = epochs_of(self._record)
        return epochs[-1].name if epochs else ""

    def _epochs(self) -> tuple[tuple[int, Epoch], ...]:
        """The epochs of this service's record, each with the position that its entries lie beyond."""
        epochs = epochs_of(self._record)
        places = {each.entry.seq: each.position for each in self._logs.own_numbered([each.since for each in epochs])}
        return tuple((places.get(each.since, 0), each) for each in epochs)

    def _made_of(self, held: HeldEntry, epochs: tuple[tuple[int, Epoch], ...], read: int) -> tuple[Notice, ...]:
        epoch = next((each for since, each in reversed(epochs) if since < held.position), epochs[0][1])
        known = self._held.get(name := (held.position, held.entry.hash, epoch.name))
        if known is None:
            known = self._held[name] = self._make(held, epoch, self._naming_of(held, epochs[-1][1].name, read))
            for old in tuple(self._held)[:-_CACHED]:
                self._held.pop(old, None)
        return known

    def _naming_of(self, held: HeldEntry, epoch: str, read: int) -> _Naming:
        """What names the records, keys and epochs of an entry's log; ``read`` is a position that was read already."""
        known = self._naming.get(held.log)
        if known is None or known.through < held.position or known.epoch != epoch:
            entries = self._logs.of_kinds(held.log, _NAMING)
            known = self._naming[held.log] = _Naming(entries, read, epoch)
        return known

    def _make(self, held: HeldEntry, epoch: Epoch, naming: _Naming) -> tuple[Notice, ...]:
        before = None if held.entry.supersedes is None else self._logs.superseded(held)
        try:
            return self._notices_of(held, before, epoch, naming)
        except (KeyError, TypeError, ValueError):
            if held.own:
                raise
            # The other service may be newer than this one; the entries after it are still delivered.
            _log.exception("entry %s of table %s is not reported: it cannot be read", held.entry.seq, held.table)
            return ()

    def _notices_of(
        self, held: HeldEntry, before: HeldEntry | None, epoch: Epoch, naming: _Naming
    ) -> tuple[Notice, ...]:
        entry, line = held.entry, naming.of(held)
        first = next(each.entry for each in line if each.entry.seq == 1)
        record = str(first.data["record"])
        its = epoch_at(epochs_from(first, (each.entry for each in line if each.entry.kind == "epoch")), entry.seq)
        checkpoint = _checkpoint(held, record, line)
        notices: list[Notice] = []
        contents = contents_of(
            held, None if before is None else before.entry, self._go_on(held), self._rules if held.own else rules_of
        )
        for part, (kind, subject, data) in enumerate(contents, start=1):
            name = notice_id(record, entry, kind, part)
            envelope = CloudEvent(
                id=name,
                source=f"urn:uuid:{record}",
                type=TYPES[kind],
                subject=f"tables/{held.table}{subject}",
                time=entry.at,
                table=held.table,
                sequence=epoch.sequence(held.position, part),
                epoch=its.name,
                cursor=held.cursor,
                checkpoint=checkpoint,
                data=data,
            )
            notices.append(Notice(held.position, part, kind, held.table, entry.hash, name, envelope.model_dump_json()))
        return tuple(notices)

    def _go_on(self, held: HeldEntry) -> str:
        """The cursor to continue from after an entry; after an own epoch entry, that of the common entry."""
        if not held.own or held.entry.kind != "epoch":
            return held.cursor
        common = self._logs.own_numbered([read_epoch(held.entry).common.seq])
        return common[0].cursor if common else cursor_of(*START)


@dataclass(frozen=True, slots=True)
class _Naming:
    """The entries of a log that name its records, keys and epochs, with those that were lost, oldest first.

    Attributes:
        through: the position up to which they are complete.
        epoch: of this service's own record when they were read.
    """

    entries: tuple[HeldEntry, ...]
    through: int
    epoch: str

    def of(self, held: HeldEntry) -> list[HeldEntry]:
        """Those that an entry goes on from, or that say from where it does: of the record as it was with the entry."""
        end = self._lost_at(held)
        return [each for each in self.entries if each.position < end and self._lost_at(each) >= end]

    def _lost_at(self, held: HeldEntry) -> float:
        """Position of the first entry of the epoch in which an entry is lost."""
        if held.gone is None:
            return math.inf
        begun_by = (each for each in self.entries if f"{each.entry.seq}-{each.entry.hash[:16]}" == held.gone)
        return next((each.position for each in begun_by), math.inf)


def _checkpoint(held: HeldEntry, record: str, line: Sequence[HeldEntry]) -> str | None:
    """The checkpoint of an entry as a note; None if it is not signed, or with a key that a person accepted."""
    entry = held.entry
    naming = [each.entry for each in line if each.entry.kind != "epoch" and each.entry.seq < entry.seq]
    key = named_by(naming[-1]) if naming else None
    if key is None or not held.signature:
        return None
    made = Checkpoint(record, entry.seq, entry.hash, entry.at, held.signature)
    return note_of(made, key).compact if key.holds(made) else None


class NoticeFeed:
    """Notices for clients that wait at the same position, read once for all of them."""

    def __init__(self, reader: NoticeReader) -> None:
        self.reader = reader
        self._found: SingleFlight[NoticePage] = SingleFlight(lambda found: bool(found.notices))

    async def after(self, position: Position, kinds: frozenset[NoticeKind], changes: int) -> NoticePage:
        """Return the reader's page; calls with equal ``changes``, a count of recorded changes, share one reading."""
        return await self._found.answer((position, kinds, changes), lambda: self.reader.after(position, kinds))


def notice_id(record: str, entry: Entry, kind: NoticeKind, part: int) -> str:
    # Standard Webhooks signs the id followed by a full stop, so it must not contain one.
    return f"{record}-{entry.seq}-{entry.hash[:16]}-{kind}-{part}"


def contents_of(
    held: HeldEntry, before: Entry | None, go_on: str, rules: RulesOf = rules_of
) -> Iterator[tuple[NoticeKind, str, Any]]:
    """Kind, end of the subject, and data of each notice of an entry.

    Args:
        held: the entry.
        before: the one that it supersedes.
        go_on: the cursor to continue from, if the entry starts an epoch.
        rules: finds those that a round was judged by.
    """
    entry = held.entry
    if entry.kind in {"round", "review"}:
        now, known = report_of(entry), None if before is None else report_of(before)
        where, by = f"/rounds/{now.id}", rules(now)
        yield "result", where, result_of(held, rules)
        yield from (("house_hand_wrong", where, alarm) for alarm in _house_alarms(now, known, by))
        yield from (("needs_review", where, alarm) for alarm in _review_alarms(now, known))
        # Last, for events that were sent before there were these keep their ids.
        yield from (("procedure", where, alarm) for alarm in _procedure_alarms(now, known, by))
    elif entry.kind == "alarm":
        body = entry.data
        if not body["ok"] and not body.get("new", True):
            return  # one check passes again while others still fail
        checks = tuple(_check(cause) for cause in causes_of_checks(entry))
        yield "health", "", HealthAlarm(state="cleared" if body["ok"] else "raised", checks=checks)
    elif entry.kind == "epoch":
        epoch = read_epoch(entry)
        yield (
            "epoch",
            "",
            EpochStarted(
                name=f"{entry.seq}-{entry.hash[:16]}",
                common=epoch.common,
                cursor=go_on,
                lost=epoch.lost,
                by=epoch.by,
                reason=epoch.reason,
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
        explained = explain(hand, rules.house_way, now.reached)
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
    was, is_now = known is not None and is_to_review(known), is_to_review(now)
    if was != is_now:
        reasons = _doubts(now) if is_now else ()
        yield ReviewAlarm(state="raised" if is_now else "cleared", round=_name(now), reasons=reasons)


def _procedure_alarms(now: RoundReport, known: RoundReport | None, rules: RulesInForce) -> Iterator[ProcedureAlarm]:
    was, is_now = ({} if known is None else departures_of(known)), departures_of(now)
    for found in (found for name, found in is_now.items() if name not in was):
        yield ProcedureAlarm(state="raised", round=_name(now), finding=FindingOut.from_report(found, rules.book))
    for found in (found for name, found in was.items() if name not in is_now):
        yield ProcedureAlarm(state="cleared", round=_name(now), finding=FindingOut.from_report(found, rules.book))


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
