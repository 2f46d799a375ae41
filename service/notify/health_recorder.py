"""Writes into the record when a check of the table turns bad and when it is well again, so that others are told."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from service.projections.alarm_list import AlarmList
from service.projections.causes import RECORD
from service.record.store.entries import Draft, RecordUnavailableError
from service.rounds.reports import FindingReport

if TYPE_CHECKING:
    from service.record.store.record import Record
    from service.table.live_state import Check, LiveState

_Written: TypeAlias = dict[str, Any]
"""A check that is not well, as an entry has it."""


@dataclass(frozen=True, slots=True)
class HealthRecorder:
    """Records how a table's checks change."""

    record: Record
    live: LiveState
    table: str
    look_every_s: float = 1.0
    """Two looks in a row make a fault: shorter ones are not recorded."""
    well_for_s: float = 10.0
    """How long a check must be well before its end is recorded: a loose cable makes one alarm, not hundreds."""

    async def run(self) -> None:
        """Look until cancelled, or until the service stops."""
        recorded: dict[str, _Written] | None = None
        seen: frozenset[str] = frozenset()
        bad_at: dict[str, float] = {}
        while True:
            await asyncio.sleep(self.look_every_s)
            if self.live.recorded.closed:
                return  # the service is stopping, and its checks say nothing of the table
            # That the record cannot be written, an entry of its own tells afterwards.
            bad = {each.name: _written(each) for each in self.live.health() if not each.ok and each.name != RECORD}
            now = time.monotonic()
            bad_at |= dict.fromkeys(bad, now)
            lasting, seen = seen & bad.keys(), frozenset(bad)
            try:
                if recorded is None:
                    recorded = await asyncio.to_thread(self._last_recorded)
                new = lasting - recorded.keys()
                # From the first look on, what was bad when the service stopped has to be well for a while too.
                well = {name for name in recorded if now - bad_at.setdefault(name, now) >= self.well_for_s}
                if new or well:
                    bad_now = {name: bad.get(name, check) for name, check in recorded.items() if name not in well}
                    bad_now |= {name: bad[name] for name in new}
                    await asyncio.to_thread(self._append, bad_now, new)
                    recorded = bad_now
            except RecordUnavailableError:
                pass  # it is tried again

    def _last_recorded(self) -> dict[str, _Written]:
        # What a record of an earlier version tells of, and no alarm does, is told anew.
        known = AlarmList(self.record.database, [self.table]).failing()
        told = (entry.data["checks"] for entry in self.record.last(("alarm",), table=self.table))
        return {check["name"]: check for checks in told for check in checks if check["name"] in known}

    def _append(self, bad: dict[str, _Written], new: frozenset[str]) -> None:
        checks = [bad[name] for name in sorted(bad)]
        self.record.append(Draft("alarm", {"ok": not bad, "checks": checks, "new": sorted(new)}, table=self.table))
        self.live.recorded.notify()
        self.live.changes.notify()


def _written(check: Check) -> _Written:
    found = [FindingReport.of(each).model_dump(mode="json") for each in check.findings]
    return {"name": check.name, "findings": found}
