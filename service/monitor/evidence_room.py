"""Tells days ahead that the pictures of evidence will fill their space, after which nothing could be recorded."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from service.codes import ServiceCode
from service.ops.background import in_background
from service.record.store.entries import RecordUnavailableError
from service.record.store.room import EvidenceRoom, evidence_room
from service.table.live_state import Check

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.ops.metrics import Metrics
    from service.record.store.record import Record
    from service.table.live_state import Watched

NAME: Final = "evidence"
"""The check that this publishes; it does not hold results back."""
_log = logging.getLogger(__name__)
_EVERY_S: Final = 600.0
_MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class EvidenceWatch:
    """Looks now and then how full the evidence of a record is.

    Attributes:
        warn_days: so many days before it is full the check is not well.
    """

    record: Record
    live: Watched
    metrics: Metrics
    warn_days: float

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look while the block runs."""
        async with in_background(self._run()):
            yield

    async def _run(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self.look, datetime.now(UTC))
            except RecordUnavailableError:
                pass  # the record's own check says so
            except OSError as error:
                why = str(error.strerror or error)
                self.live.check(Check.of(NAME, ServiceCode.EVIDENCE_NOT_COUNTED, ok=False, why=why))
            await asyncio.sleep(_EVERY_S)

    def look(self, now: datetime) -> None:
        """Publish how full it is.

        Raises:
            RecordUnavailableError: the record cannot be read.
            OSError: the disk cannot be asked.
        """
        room = evidence_room(self.record, self.record.evidence, now)
        self.metrics.evidence(room.used, room.limit, room.kept, room.days_left)
        self.live.check(check_of(room, self.warn_days))


def check_of(room: EvidenceRoom, warn_days: float) -> Check:
    """The check of some room: not well if it is full within so many days."""
    limit_mb, days = round(room.limit / _MB), room.days_left
    if days is not None and days <= warn_days:
        params = {"days": int(days), "kept_mb": round(room.kept / _MB), "limit_mb": limit_mb}
        return Check.of(NAME, ServiceCode.EVIDENCE_FILLS, ok=False, **params)
    used_mb = round(room.used / _MB)
    return Check.of(NAME, ServiceCode.EVIDENCE_HAS_ROOM, ok=True, used_mb=used_mb, limit_mb=limit_mb)
