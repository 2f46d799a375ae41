"""How telling others goes, and which tables are not collected: what the floor says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.table.change_notifier import ChangeNotifier
from service.table.live_state import Check

if TYPE_CHECKING:
    from service.floor.collect.states import TableStates


class FloorChecks:
    """The checks of a floor.

    Args:
        recorded: notifies of entries that were collected.
        states: how each table is.

    Attributes:
        recorded: as above.
        changes: notifies when a check of a subscriber changed.
    """

    def __init__(self, recorded: ChangeNotifier, states: TableStates) -> None:
        self.recorded = recorded
        self.changes = ChangeNotifier()
        self._states = states
        self._subscribers: dict[str, Check] = {}

    def check(self, check: Check) -> None:
        """Show how one subscriber is; quiet if nothing changed."""
        if self._subscribers.get(check.name) != check:
            self._subscribers[check.name] = check
            self.changes.notify()

    @property
    def subscribers(self) -> tuple[Check, ...]:
        """How each subscriber is, by name."""
        return tuple(check for _, check in sorted(self._subscribers.items()))

    def health(self) -> tuple[Check, ...]:
        """How each subscriber is, and every table of which nothing is collected."""
        away = tuple(
            Check(f"table {table.name}", ok=False, findings=(table.why,), blocks=False)
            for table in self._states.tables.values()
            if table.why is not None
        )
        return (*self.subscribers, *away)
