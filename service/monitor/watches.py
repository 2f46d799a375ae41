"""What every verified result needs beside a good picture, looked at again before each one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from service.monitor.clock import ClockWatch
from service.monitor.self_test import as_check, self_test
from service.record.store.entries import RecordUnavailableError
from service.table.live_state import Check

if TYPE_CHECKING:
    from service.config.settings import Config
    from service.record.store.record import Record

Watch: TypeAlias = Callable[[], Check]
"""Says how one thing is now; while it is not well, nothing is verified, with its message as the reason."""


def watches_of(config: Config, record: Record) -> tuple[Watch, ...]:
    """The watches of a table service: its self-test, made now, and its clock.

    Args:
        config: the settings.
        record: the open record.
    """
    tested = as_check(self_test(config, record))
    return (lambda: tested, ClockWatch(config.table.clock, _newest(record)).check)


def _newest(record: Record) -> datetime | None:
    """When the newest entry was made; None if there is none or it cannot be read."""
    try:
        head = record.head()
    except RecordUnavailableError:
        return None
    return None if head is None else datetime.fromisoformat(head.at)
