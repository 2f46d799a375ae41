"""What a person must be told at once, and goes on being told until somebody says that they saw it.

There are four kinds: a hand that lies against the House Way, a round that departs from the rulebook, a round that needs
review, and a table that is not well.
An acknowledgement is an entry of the record; an alarm that has one stays quiet, also when the service is started anew.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

from service.record.store.entries import Draft, RecordUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.record.store.chain import Entry
    from service.record.store.record import Record
    from service.rounds.reports import RoundReport
    from service.table.live_state import LiveState
    from vision.findings import Finding

_REMEMBERED: Final = 1000


class UnknownAlarmError(LookupError):
    """There is no such alarm, or it is over."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """That somebody saw an alarm.

    Attributes:
        by: who.
        at: when, UTC.
    """

    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something a person must be told.

    Attributes:
        id: names this very occurrence.
        kind: ``wrong`` for a hand against the House Way, ``procedure`` for a round not dealt as the rulebook has it,
            ``review`` for a round in doubt, ``health`` for the table.
        message: the same in words, as the record keeps it.
        subject: the place of the hand, or the name of the check.
        raised_at: since when, UTC.
        round: the round it is about; None for ``health``.
        findings: the state of the check, of ``health``; the departure, of ``procedure``.
        acknowledged: who saw it; None while nobody did.
    """

    id: str
    kind: Literal["wrong", "procedure", "review", "health"]
    message: str
    subject: str
    raised_at: datetime
    round: RoundReport | None = None
    findings: tuple[Finding, ...] = ()
    acknowledged: Acknowledgement | None = None


class Alarms:
    """The alarms of a table.

    Args:
        live: what is known of the table.
        record: where acknowledgements are kept.
        table: the table's name.
    """

    def __init__(self, live: LiveState, record: Record, table: str) -> None:
        self._live = live
        self._record = record
        self._table = table
        self._lock = threading.Lock()
        self._bad_since: dict[str, datetime] = {}
        self._seen: dict[str, Acknowledgement] | None = None

    def standing(self) -> tuple[Alarm, ...]:
        """Every alarm whose cause lasts, the worst kind first and in it the newest, acknowledged ones too."""
        with self._lock:
            seen = self._acknowledged()
            found = [*self._of_rounds(), *self._of_health()]
        told = [replace(each, acknowledged=seen.get(each.id)) for each in found]
        worst = {"wrong": 0, "procedure": 1, "health": 2, "review": 3}
        return tuple(sorted(told, key=lambda each: (worst[each.kind], -each.raised_at.timestamp(), each.id)))

    def name(self) -> str:
        """A short name of what nobody has acknowledged; empty if there is nothing."""
        ids = sorted(each.id for each in self.standing() if each.acknowledged is None)
        return hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16] if ids else ""

    def acknowledge(self, alarm_id: str, by: str) -> Acknowledgement:
        """Record that somebody saw an alarm; one that was seen before stays the first one's.

        Raises:
            UnknownAlarmError: there is no such alarm any more.
            RecordUnavailableError: it could not be made durable, so the alarm stands.
        """
        alarm = next((each for each in self.standing() if each.id == alarm_id), None)
        if alarm is None:
            raise UnknownAlarmError("This alarm is over.")
        if alarm.acknowledged is not None:
            return alarm.acknowledged
        said = {"kind": alarm.kind, "message": alarm.message, "raised_at": alarm.raised_at.isoformat(), "by": by}
        entry = self._record.append(
            Draft(
                "acknowledgement",
                said,
                table=self._table,
                round=None if alarm.round is None else alarm.round.id,
                subject=alarm.id,
            )
        )
        acknowledged = _read(entry)
        with self._lock:
            self._acknowledged()[alarm.id] = acknowledged
        self._live.changes.notify()
        return acknowledged

    def _acknowledged(self) -> dict[str, Acknowledgement]:
        """By alarm, who saw it; read from the record once it can be read."""
        if self._seen is not None:
            return self._seen
        try:
            entries = self._record.last(("acknowledgement",), table=self._table, count=_REMEMBERED)
        except RecordUnavailableError:
            return {}
        self._seen = {str(entry.subject): _read(entry) for entry in reversed(entries)}
        return self._seen

    def _of_rounds(self) -> Iterator[Alarm]:
        for played in self._live.state.recent:
            for hand in played.judged:
                if hand.house_way is not None and hand.house_way.verdict == "wrong":
                    lay = f"{' '.join(hand.low)}/{' '.join(hand.high)}"
                    words = f"Round {played.number}: the {hand.place} hand lies {lay}, against the House Way"
                    name = f"wrong:{played.id}:{hand.place}:{lay}"
                    yield Alarm(name, "wrong", words, hand.place, played.changed_at, played)
            for found in played.findings:
                if found.rule is not None and found.alone.known:
                    departure = found.alone.finding()
                    name = f"procedure:{played.id}:{departure}"
                    words = f"Round {played.number}: {found.message}"
                    yield Alarm(name, "procedure", words, found.code, played.changed_at, played, (departure,))
            if played.status == "needs_review":
                parts = [hand.place for hand in played.hands if hand.status == "uncertain"]
                parts += ["dice"] if any(die.status == "uncertain" for die in played.dice) else []
                words = f"Round {played.number} needs review: {', '.join(parts)}"
                name = f"review:{played.id}:{','.join(parts)}"
                yield Alarm(name, "review", words, parts[0] if parts else "", played.changed_at, played)

    def _of_health(self) -> Iterator[Alarm]:
        bad = {check.name: check for check in self._live.health() if not check.ok}
        now = datetime.now(UTC)
        # What was well in between is another occurrence, and needs to be seen again.
        self._bad_since = {name: self._bad_since.get(name, now) for name in bad}
        for name, check in bad.items():
            since = self._bad_since[name]
            words = f"{name}: {check.message}"
            yield Alarm(f"health:{name}:{since.isoformat()}", "health", words, name, since, findings=check.findings)


def _read(entry: Entry) -> Acknowledgement:
    return Acknowledgement(str(entry.data["by"]), datetime.fromisoformat(entry.at))
