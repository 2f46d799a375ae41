"""Writes into the record when a check of the table turns bad and when all are well again, so that others are told."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.record.store.entries import Draft, RecordUnavailableError

if TYPE_CHECKING:
    from service.record.store.record import Record
    from service.table.live_state import Check, LiveState


@dataclass(frozen=True, slots=True)
class HealthRecorder:
    """Records how a table's checks change."""

    record: Record
    live: LiveState
    table: str
    look_every_s: float = 1.0
    """Two looks in a row make a fault: shorter ones are not recorded."""
    well_for_s: float = 10.0
    """How long all must be well before the end is recorded: a loose cable makes one alarm, not hundreds."""

    async def run(self) -> None:
        """Look until cancelled, or until the service stops."""
        recorded: frozenset[str] | None = None
        seen: frozenset[str] = frozenset()
        since = time.monotonic()
        while True:
            await asyncio.sleep(self.look_every_s)
            if self.live.recorded.closed:
                return  # the service is stopping, and its checks say nothing of the table
            bad = {check.name: check for check in self.live.health() if not check.ok}
            names = frozenset(bad)
            if names != seen:
                seen, since = names, time.monotonic()
                continue
            try:
                if recorded is None:
                    recorded = await asyncio.to_thread(self._last_recorded)
                worse = bool(names - recorded)
                if worse or (recorded and not names and time.monotonic() - since >= self.well_for_s):
                    await asyncio.to_thread(self._append, tuple(bad.values()))
                    recorded = names
            except RecordUnavailableError:
                pass  # an entry of its own tells of the time in which nothing could be recorded

    def _last_recorded(self) -> frozenset[str]:
        for entry in self.record.last(("alarm",), table=self.table):
            return frozenset(each["name"] for each in entry.data["checks"])
        return frozenset()

    def _append(self, bad: tuple[Check, ...]) -> None:
        checks = [{"name": check.name, "message": check.message} for check in bad]
        self.record.append(Draft("alarm", {"ok": not bad, "checks": checks}, table=self.table))
        self.live.recorded.notify()
        self.live.changes.notify()
