"""State of each remote table, as this service sees it: the most severe that applies, and since when."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from service.record.store.entries import timestamp
from service.record.waiting import ChangeNotifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.hub.table_client import SelfReport
    from service.record.store.faults import Fault
    from vision.findings import Finding

_BEHIND_S: Final = 60.0
"""Lag from which a table is behind."""
_URGENT: Final = frozenset({"house_hand_wrong", "procedure", "health"})


class State(StrEnum):
    """State of a table, most severe first."""

    REFUSED = "refused"
    """It sent entries that failed verification: no more are accepted until that is corrected, or a person decides."""
    UNREACHABLE = "unreachable"
    BEHIND = "behind"
    """More than a minute of its entries has not been collected yet."""
    CANNOT_VERIFY = "cannot_verify"
    """Its own checks fail, so that nothing is verified."""
    ALARM = "alarm"
    """It has open alarms."""
    LOOK = "look"
    """It has rounds to decide, or a failed check that does not affect verification."""
    WELL = "well"
    STANDBY = "standby"
    """This service is on standby: the active one follows the table."""


@dataclass(slots=True)
class TableNow:
    """Current state of one table.

    Attributes:
        name: its name in this service.
        state: the most severe that applied when it was updated last.
        since: since when, UTC; of an unreachable table, its last contact.
        standby: whether this service is on standby.
        refused: why its entries are refused; None if they are not.
        disputed: a signed checkpoint that contradicts its entries, until a person decides; None without any.
        away: why it cannot be reached; None if it can.
        behind_s: lag: age of the last collected entry compared with the newest, seconds.
        report: its last report on itself; None before the first.
        version: of its program.
        collected_at: when it answered last, UTC; empty before the first answer.
        changes: notified when the displayed values change.
    """

    name: str
    state: State = State.UNREACHABLE
    since: str = field(default_factory=timestamp)
    standby: bool = False
    refused: Fault | None = None
    disputed: Fault | None = None
    away: Finding | None = None
    behind_s: float = 0.0
    report: SelfReport | None = None
    version: str = ""
    collected_at: str = ""
    changes: ChangeNotifier = field(default_factory=ChangeNotifier)
    _shown: tuple[object, ...] = ()

    @property
    def now(self) -> State:
        """The most severe state that applies."""
        if self.standby:
            return State.STANDBY
        if self.refused is not None:
            return State.REFUSED
        if self.away is not None or not self.collected_at:
            return State.UNREACHABLE
        if self.behind_s > _BEHIND_S:
            return State.BEHIND
        return State.WELL if self.report is None else _reported(self.report)

    @property
    def why(self) -> Finding | None:
        """Why it is refused or unreachable; None if it is neither."""
        if self.standby:
            return None
        return self.away if self.refused is None else self.refused.about

    def update(self) -> None:
        """Update state and time, and notify if displayed values have changed."""
        now, report = self.now, self.report
        if now is not self.state:
            lost = now is State.UNREACHABLE and self.collected_at
            self.state, self.since = now, self.collected_at if lost else timestamp()
        reported = None if report is None else (report.status, report.rulebook, report.failing)
        shown = (self.state, self.why, self.version, reported)
        if shown != self._shown:
            self._shown = shown
            self.changes.notify()


class TableStates:
    """States of all tables.

    Attributes:
        changes: notified when the state of a table changes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.changes = ChangeNotifier()
        self.tables: Mapping[str, TableNow] = {name: TableNow(name, changes=self.changes) for name in names}

    def set_standby(self, *, standby: bool) -> None:
        """Set whether this service is on standby."""
        for table in self.tables.values():
            if table.standby is not standby:
                table.standby = standby
                table.update()


def _reported(report: SelfReport) -> State:
    if report.level == "fault":
        return State.CANNOT_VERIFY
    if any(report.unanswered.get(kind) for kind in _URGENT):
        return State.ALARM
    return State.LOOK if report.level == "attention" or any(report.unanswered.values()) else State.WELL
