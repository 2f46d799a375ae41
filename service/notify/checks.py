"""How deliveries to subscribers go, for a service that watches no table itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.table.change_notifier import ChangeNotifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from service.table.live_state import Check


class SubscriberChecks:
    """The checks of subscribers, and what else subscribers are told of the service's health.

    Args:
        recorded: notifies of entries.
        others: the other checks.

    Attributes:
        recorded: as above.
        changes: notifies when a check of a subscriber changed.
    """

    def __init__(self, recorded: ChangeNotifier, others: Callable[[], Iterable[Check]]) -> None:
        self.recorded = recorded
        self.changes = ChangeNotifier()
        self._others = others
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
        """How each subscriber is, and the other checks."""
        return (*self.subscribers, *self._others())
