"""Records rounds: each is published once it is durable, and waits while the record cannot be written."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from service.record.health import Check
from service.record.store.entries import RecordUnavailableError
from service.rounds.review import as_read
from service.words.codes import ServiceCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.record.ledger import Evidence, Ledger
    from service.rounds.reports import RoundReport
    from service.table.live_state import LiveState
    from service.table.metrics import TableMetrics

_log = logging.getLogger(__name__)

_TIDY_EVERY_S: Final = 3600.0
_WAITING_AT_MOST: Final = 20
"""Maximum number of waiting rounds: with three pictures for each hand, more would fill the memory."""
_PROGRAM: Final = ("houseway", "code", "libraries")
"""Versions that identify the program."""
_CLIPS_WAITING_AT_MOST: Final = 3
"""Maximum number of waiting clips: a clip is as large as all pictures of a round."""


@dataclass(slots=True)
class Recorder:
    """Records and publishes the rounds of one table; at the start it publishes the last ``keep`` rounds."""

    ledger: Ledger
    live: LiveState
    metrics: TableMetrics
    keep: int
    _started: bool = False
    _durable: RoundReport | None = None
    _waiting: dict[str, tuple[RoundReport, tuple[Evidence, ...]]] = field(default_factory=dict)
    _tidy_at: float = 0.0

    def resume(self) -> RoundReport | None:
        """Return the last round in the record, as it was read; None without one."""
        last = self.live.state.current
        self._durable = None if last is None else as_read(last)
        return self._durable

    def recover(self, versions: Mapping[str, str]) -> Finding | None:
        """Let the record recover; return why nothing may be verified, or None."""
        record = self.ledger.record
        try:
            if record.recover():
                if not self._started:
                    self.live.check(_program(self.ledger.started_with(), versions))
                    self.metrics.starts.set(self.ledger.begin(versions))
                    self.live.publish_rounds(*self.ledger.rounds(self.keep))
                    self.ledger.dealers.in_force()
                    self._started = True
                self._record_waiting()
                if time.monotonic() >= self._tidy_at:
                    self._tidy_at = time.monotonic() + _TIDY_EVERY_S
                    record.tidy()
        except RecordUnavailableError:
            pass  # the record's state says so
        state = record.state
        self.live.check(Check("record", ok=state.ok, findings=(state.finding,)))
        return None if state.ok else Finding.of(ServiceCode.NOT_RECORDED, why=(state.finding,))

    def published(self, round_id: str) -> RoundReport | None:
        """Return the last published revision of the current round; None if this is another round."""
        current = self.live.state.current
        return current if current is not None and current.id == round_id else None

    def durable(self, round_id: str) -> RoundReport | None:
        """Return the round as it was read when its last revision became durable; None without one."""
        return self._durable if self._durable is not None and self._durable.id == round_id else None

    def record(self, report: RoundReport, evidence: tuple[Evidence, ...]) -> None:
        """Record a round's new revision and only then publish it.

        Raises:
            RecordUnavailableError: it is not durable: withhold it, and call :meth:`wait`.
        """
        # Rounds are recorded in order.
        self._record_waiting()
        self._publish(*self.ledger.revise(report, evidence))
        self._durable = as_read(report)

    def wait(self, withheld: RoundReport, evidence: tuple[Evidence, ...], why: Finding) -> None:
        """Publish a round that could not be recorded, and record it once that is possible."""
        report = self.ledger.provisional(withheld, self.live.state.current)
        self._waiting[report.id] = (report, (*self._evidence_waiting(report.id), *evidence))
        self._drop_clips()
        while len(self._waiting) > _WAITING_AT_MOST:
            lost = self._waiting.pop(next(iter(self._waiting)))[0]
            _log.error("round %s could not be recorded in time and is lost", lost.number)
        self.live.publish_rounds(report)
        self.live.check(Check("record", ok=False, findings=(why,)))

    def _evidence_waiting(self, round_id: str) -> tuple[Evidence, ...]:
        return self._waiting[round_id][1] if round_id in self._waiting else ()

    def _drop_clips(self) -> None:
        """Keep only the newest clips."""
        left = _CLIPS_WAITING_AT_MOST
        for round_id, (report, evidence) in reversed(self._waiting.items()):
            kept = []
            for one in reversed(evidence):
                left -= one.role == "clip"
                if one.role != "clip" or left >= 0:
                    kept.append(one)
            self._waiting[round_id] = report, tuple(reversed(kept))

    def _record_waiting(self) -> None:
        for round_id in tuple(self._waiting):
            self._publish(*self.ledger.revise(*self._waiting[round_id]))
            del self._waiting[round_id]

    def _publish(self, *recorded: RoundReport) -> None:
        self.live.publish_rounds(*recorded)
        self.metrics.recorded(*recorded)
        for played in recorded:
            about = (played.number, played.revision, played.state, played.status)
            _log.log(
                logging.INFO if played.state == "closed" else logging.DEBUG,
                "round %s revision %s is recorded: %s, %s",
                *about,
            )


def _program(before: Mapping[str, str], now: Mapping[str, str]) -> Check:
    """Return the check whether this is the program that was started last, by the hashes in the record."""
    installed = "libraries" in before or "libraries" in now
    if not before or not installed or all(before.get(name) == now.get(name) for name in _PROGRAM):
        return Check.of("program", ServiceCode.PROGRAM_SAME, ok=True)
    hashes = {
        name: ", ".join(str(versions.get(each, "")).removeprefix("sha256:")[:12] for each in _PROGRAM)
        for name, versions in (("before", before), ("now", now))
    }
    return Check.of("program", ServiceCode.PROGRAM_CHANGED, ok=False, **hashes)
