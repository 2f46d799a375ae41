"""How deliveries to subscribers go, shown at every local table and kept for the service as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from service.table.live_state import AllTables, Check


class SubscriberChecks:
    """The checks of subscribers.

    Args:
        tables: the local tables.

    Attributes:
        recorded: notifies of entries.
        changes: notifies when a check changed.
    """

    def __init__(self, tables: AllTables) -> None:
        self.recorded, self.changes = tables.recorded, tables.changes
        self._tables = tables
        self._subscribers: dict[str, Check] = {}

    def check(self, check: Check) -> None:
        """Show how one subscriber is; quiet if nothing changed."""
        if self._subscribers.get(check.name) != check:
            self._subscribers[check.name] = check
            self._tables.check(check)
            self.changes.notify()

    @property
    def subscribers(self) -> tuple[Check, ...]:
        """How each subscriber is, by name."""
        return tuple(check for _, check in sorted(self._subscribers.items()))
