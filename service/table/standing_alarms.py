"""The alarms of a table: from the record, and from failing checks that are not recorded yet.

An alarm stays until it is answered, even if its cause is gone and the service was restarted: a person acknowledges it,
or decides the round in doubt, or later pictures remove the doubt.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from service.record.health import Check
from service.record.projections.alarms import Alarm, AlarmList
from service.record.store.database_reader import answered_before
from service.record.store.entries import Draft, RecordUnavailableError, digest, reply_to
from service.record.store.schema import OWN_LOG
from service.rounds.reports import FindingReport
from service.system.background import in_background
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable, Sequence

    from service.record.projections.projector import Projector
    from service.record.store.record import Record
    from service.system.subscriber_settings import AlarmKind
    from service.table.live_state import LiveState

_log = logging.getLogger(__name__)

CHECK: Final = "alarms"
OPEN_OF_EACH_KIND: Final = 50
"""Maximum number of alarms of a kind on a page; the list has the others."""
_WORSE_THAN_HEALTH: Final[frozenset[AlarmKind]] = frozenset({"house_hand_wrong", "procedure"})
_LOOK_AGAIN_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Standing:
    """The alarms at one moment.

    Attributes:
        open: unanswered alarms, the worst kind first; within a kind those that last, then the newest.
        counts: number of unanswered alarms by kind, including those that ``open`` leaves out.
        seen: answered alarms of the round on the table, and of checks that still fail.
    """

    open: tuple[Alarm, ...] = ()
    counts: dict[AlarmKind, int] = field(default_factory=dict)
    seen: tuple[Alarm, ...] = ()

    @property
    def name(self) -> str:
        """A short hash of the unanswered alarms; empty without any."""
        unanswered = [self.counts, *([each.key, str(each.over_at)] for each in self.open)]
        return hashlib.sha256(json.dumps(unanswered).encode()).hexdigest()[:16] if self.counts else ""


class RecordedAlarms:
    """Records acknowledgements of a table's alarms in this service's own log, also if the table is no longer local.

    Args:
        record: the source of alarms; also stores acknowledgements.
        table: the table's name.
        projector: derives alarms from the record.
    """

    _recording: Final = threading.Lock()

    def __init__(self, record: Record, table: str, projector: Projector) -> None:
        self._record = record
        self._table = table
        self._projector = projector
        self._list = AlarmList(record.database, [table])

    def acknowledge(
        self,
        names: Sequence[str],
        by: str,
        *,
        reason: str = "",
        key: str | None = None,
        sender: str = "",
        leave: Collection[str] = (),
    ) -> tuple[str, ...]:
        """Record that a person saw alarms of this table, in one entry.

        Args:
            names: ids of alarms. Those of other tables, unknown ones, and alarms raised again or answered since are
                skipped.
            by: who saw them.
            reason: of that person.
            key: the sender's Idempotency-Key: sent again, the answer is the same.
            sender: for whom the key holds.
            leave: further ids to skip.

        Returns:
            The ids that are acknowledged now by this person.

        Raises:
            KeyReusedError: the key came with another request before.
            RecordUnavailableError: it could not be made durable, so all alarms stay.
        """
        scope, request = self._request(names, by, reason, sender)
        with self._recording:
            if (answer := answered_before(self._record, scope, key, request)) is not None:
                return tuple(json.loads(answer))
            self._projector.catch_up(OWN_LOG)
            known = self._list.named(tuple(dict.fromkeys(names)))
            wanted = [name for name, alarm in known.items() if alarm.answer is None and name not in leave]
            # A followed log may have alarms of a table of the same name.
            own = [each for each in self._list.names_of(wanted) if each.log == OWN_LOG]
            taken = tuple(each.name for each in own)
            if not taken:
                return ()
            seen = [(each.own_name, known[each.name]) for each in own]
            self._record.append(
                _acknowledgement(self._table, seen, by, reason),
                reply=reply_to(scope, key, request, json.dumps(taken)),
            )
        self._acknowledged()
        return taken

    def _acknowledged(self) -> None:
        """Called after alarms were acknowledged."""

    def check_key(self, names: Sequence[str], by: str, *, reason: str, key: str | None, sender: str) -> None:
        """Check that an Idempotency-Key was not used with another request; KeyReusedError if it was."""
        scope, request = self._request(names, by, reason, sender)
        answered_before(self._record, scope, key, request)

    def _request(self, names: Sequence[str], by: str, reason: str, sender: str) -> tuple[str, str]:
        """The scope of an Idempotency-Key, and the digest of the request that it stands for."""
        return (
            f"acknowledgement at {self._table} by {sender}",
            digest({"alarms": list(names), "by": by, "reason": reason}),
        )


class Alarms(RecordedAlarms):
    """The alarms of a local table.

    Args:
        live: the table's live state.
        record: the source of alarms; also stores acknowledgements.
        table: the table's name.
        projector: derives alarms from the record.
    """

    def __init__(self, live: LiveState, record: Record, table: str, projector: Projector) -> None:
        super().__init__(record, table, projector)
        self._live = live
        self._lock = threading.Lock()
        self._recorded = Standing()
        self._heard: tuple[int, bool, int] | None = None
        self._round_id = ""
        self._listed = -1
        self._bad_since: dict[str, datetime] = {}

    def standing(self) -> Standing:
        """Return the current alarms; the last known ones while the record cannot be read."""
        self._read()
        return self._with_live(self._recorded)

    async def name(self) -> str:
        """Return :attr:`Standing.name` of the current alarms."""
        if self._heard != self._now():
            await asyncio.to_thread(self._read)
        return self._with_live(self._recorded).name

    def _acknowledged(self) -> None:
        self._heard = None
        self._read()
        self._live.changes.notify()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow the record while the block runs, so that requests do not wait long."""
        async with in_background(self._follow()):
            yield

    async def _follow(self) -> None:
        while not self._live.recorded.closed:
            heard = self._live.recorded.count
            if self._heard != self._now():
                await asyncio.to_thread(self._read)
            await self._live.recorded.wait_beyond(heard, _LOOK_AGAIN_S)

    def _now(self) -> tuple[int, bool, int]:
        """Return a value that changes whenever an alarm may have been recorded."""
        return self._live.recorded.count, self._record.state.ok, self._projector.alarms.count

    def _read(self) -> None:
        with self._lock:
            recorded, well, alarms = now = self._now()
            if self._heard == now:
                return
            try:
                current = self._live.state.current
                round_id = "" if current is None else current.id
                if well:
                    self._projector.catch_up(OWN_LOG)
                    alarms = self._projector.alarms.count
                if alarms != self._listed or round_id != self._round_id:
                    seen = self._list.answered(round_id, OPEN_OF_EACH_KIND)
                    self._recorded = Standing(self._list.open(OPEN_OF_EACH_KIND), self._list.counts(), seen)
                    self._round_id, self._listed = round_id, alarms
            except RecordUnavailableError as error:
                if not self._record.state.ok:
                    self._heard = now  # its check says so, and when it is well again this is another state
                    return
                _log.warning("the alarms cannot be read: %s", error)
                self._live.check(Check(CHECK, ok=False, findings=(error.finding,), blocks=False))
                return
            self._heard = recorded, well, alarms
            if any(check.name == CHECK for check in self._live.state.checks):
                self._live.check(Check.of(CHECK, ServiceCode.ALARMS_WELL, ok=True))

    def _with_live(self, recorded: Standing) -> Standing:
        """Return the recorded alarms with the current checks, and alarms that are not recorded yet."""
        bad = {check.name: check for check in self._live.alarming()}
        now = datetime.now(UTC)
        self._bad_since = since = {name: self._bad_since.get(name, now) for name in bad}
        known = {each.subject for each in (*recorded.open, *recorded.seen) if _lasts(each)}
        new = [
            Alarm.of_check(self._table, name, _findings(check), since[name])
            for name, check in bad.items()
            if name not in known
        ]
        if not new and not bad:
            return recorded
        counts = dict(recorded.counts)
        if new:
            counts["health"] = counts.get("health", 0) + len(new)
        first = [each for each in recorded.open if each.kind in _WORSE_THAN_HEALTH]
        rest = _as_now(recorded.open[len(first) :], bad)
        return Standing((*first, *new, *rest), counts, tuple(_as_now(recorded.seen, bad)))


def _acknowledgement(table: str, seen: Sequence[tuple[str, Alarm]], by: str, reason: str) -> Draft:
    rounds = {None if alarm.round is None else alarm.round.id for _, alarm in seen}
    alarms = [
        {"id": name, "kind": alarm.kind, "subject": alarm.subject, "raised_at": alarm.raised_at.isoformat()}
        for name, alarm in seen
    ]
    return Draft(
        "acknowledgement",
        {"by": by, "reason": reason, "alarms": alarms},
        table=table,
        round=rounds.pop() if len(rounds) == 1 else None,
        subject=seen[0][0] if len(seen) == 1 else None,
    )


def _lasts(alarm: Alarm) -> bool:
    return alarm.kind == "health" and alarm.over_at is None


def _as_now(alarms: Iterable[Alarm], bad: dict[str, Check]) -> list[Alarm]:
    """Return the alarms with the present findings of checks that still fail."""
    return [
        alarm.model_copy(update={"findings": _findings(bad[alarm.subject])})
        if _lasts(alarm) and alarm.subject in bad
        else alarm
        for alarm in alarms
    ]


def _findings(check: Check) -> tuple[FindingReport, ...]:
    return tuple(map(FindingReport.of, check.findings))
