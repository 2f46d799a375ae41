"""How each table is, as the floor sees it: the worst of what is known, and since when."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from service.record.store.entries import timestamp
from service.record.waiting import ChangeNotifier
from service.words.doubts import DoubtReport
from service.words.findings import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.hub.collect.client import Told
    from service.record.store.faults import Fault
    from service.record.store.stored_logs import HeldTable
    from vision.findings import Finding

BEHIND_S: Final = 60.0
"""A table with entries to collect that are older than its newest one by more than this is behind."""
_CLOCK_S: Final = 5.0
"""Clocks that differ by no more than this are told as one."""
_URGENT: Final = frozenset({"house_hand_wrong", "procedure", "health"})


class State(StrEnum):
    """How a table is, the worst first."""

    REFUSED = "refused"
    """It sent what does not hold: nothing more is taken from it until that is right, or a person decides."""
    UNREACHABLE = "unreachable"
    BEHIND = "behind"
    """More than a minute of its entries is not collected yet."""
    CANNOT_VERIFY = "cannot_verify"
    """Its own checks let nothing be verified."""
    ALARM = "alarm"
    """Alarms that nobody answered."""
    LOOK = "look"
    """Rounds to decide, or a check that has no part in verifying."""
    WELL = "well"


@dataclass(slots=True)
class TableNow:
    """How one table is now.

    Attributes:
        name: its name on the floor.
        state: as it was told last.
        since: since when it is so, UTC; if it cannot be reached, when it was last.
        refused: what does not hold; None if all does.
        disputed: a checkpoint that it signed and that its entries do not lead to, until a person decides; None if none.
        away: why it cannot be asked; None if it can.
        behind_s: how much older than its newest entry the last one that was collected is, seconds.
        told: what it told of itself last; None if it never did since the floor was started.
        version: of its program.
        collected_at: when it answered last, UTC; empty if it never did since the floor was started.
        changes: notifies when any of it changed.
    """

    name: str
    state: State = State.UNREACHABLE
    since: str = field(default_factory=timestamp)
    refused: Fault | None = None
    disputed: Fault | None = None
    away: Finding | None = None
    behind_s: float = 0.0
    told: Told | None = None
    version: str = ""
    collected_at: str = ""
    changes: ChangeNotifier = field(default_factory=ChangeNotifier)
    _kept: str = ""

    @property
    def now(self) -> State:
        """How it is, by what is known."""
        if self.refused is not None:
            return State.REFUSED
        if self.away is not None or not self.collected_at:
            return State.UNREACHABLE
        if self.behind_s > BEHIND_S:
            return State.BEHIND
        return State.WELL if self.told is None else _by_itself(self.told)

    @property
    def why(self) -> Finding | None:
        """Why it is refused, or cannot be reached."""
        return self.away if self.refused is None else self.refused.about

    def summary(self) -> dict[str, Any]:
        """What is kept of it: what a person wants to know of a table while it cannot be asked."""
        told, why = self.told, self.why
        return {
            "version": self.version,
            "why": None if why is None else DoubtReport.of(why).model_dump(mode="json", exclude={"about"}),
            "message": "" if why is None else str(words_of(why)),
            "clock_s": 0 if told is None or abs(told.clock_s) <= _CLOCK_S else round(told.clock_s),
            "unanswered": {} if told is None else told.unanswered,
            **({} if told is None else _of_table(told.table)),
        }

    def news(self) -> tuple[str, str, str] | None:
        """State, since when and summary as JSON, if they are others than when this was asked last."""
        now = self.now
        if now is not self.state:
            reached = now is State.UNREACHABLE and self.collected_at
            self.state, self.since = now, self.collected_at if reached else timestamp()
        kept = json.dumps([self.state, summary := self.summary()], sort_keys=True)
        if kept == self._kept:
            return None
        self._kept = kept
        self.changes.notify()
        return self.state, self.since, json.dumps(summary)


class TableStates:
    """How all tables are.

    Attributes:
        changes: notifies when the state of a table changed.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.changes = ChangeNotifier()
        self.tables: Mapping[str, TableNow] = {name: TableNow(name, changes=self.changes) for name in names}

    def remember(self, held: Iterable[HeldTable]) -> None:
        """Go on from how the tables were when the floor was ended."""
        for each in held:
            if (table := self.tables.get(each.name)) is not None and each.state in set(State):
                table.state, table.since = State(each.state), each.since
                table.version = str(each.told.get("version", ""))


def _by_itself(told: Told) -> State:
    if told.level == "fault":
        return State.CANNOT_VERIFY
    if any(told.unanswered.get(kind) for kind in _URGENT):
        return State.ALARM
    return State.LOOK if told.level == "attention" or any(told.unanswered.values()) else State.WELL


def _of_table(table: dict[str, Any]) -> dict[str, Any]:
    """Of what ``/v1/tables`` says, what changes seldom."""
    checks = table.get("checks")
    failing = [
        {"name": each.get("name"), "message": each.get("message")}
        for each in (checks if isinstance(checks, list) else ())
        if isinstance(each, dict) and each.get("ok") is False
    ]
    return {"status": table.get("status"), "rulebook": table.get("rulebook"), "failing": failing}
