"""Warns days in advance that pictures of evidence will fill their space, after which nothing could be recorded."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from service.record.health import Check
from service.record.store.entries import RecordUnavailableError
from service.record.store.evidence import EvidenceRoom, evidence_room
from service.system.background import in_background
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.record.health import Watched
    from service.record.store.record import Record
    from service.table.metrics import Metrics

NAME: Final = "evidence"
"""Name of the check, which does not block verification."""
_log = logging.getLogger(__name__)
_EVERY_S: Final = 600.0
_MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class EvidenceWatch:
    """Measures periodically how full the evidence of a record is.

    Attributes:
        warn_days: the check fails this many days before the evidence is full.
    """

    record: Record
    live: Watched
    metrics: Metrics
    warn_days: float

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Measure in the background while the block runs."""
        async with in_background(self._run()):
            yield

    async def _run(self) -> None:
        while True:
            try:
                await asyncio.to_thread(self.look, datetime.now(UTC))
            except RecordUnavailableError:
                pass  # the record's own check reports it
            except OSError as error:
                why = str(error.strerror or error)
                self.live.check(Check.of(NAME, ServiceCode.EVIDENCE_NOT_COUNTED, ok=False, why=why))
            await asyncio.sleep(_EVERY_S)

    def look(self, now: datetime) -> None:
        """Publish how full the evidence is.

        Raises:
            RecordUnavailableError: the record cannot be read.
            OSError: the disk cannot be measured.
        """
        room = evidence_room(self.record, self.record.evidence, now)
        self.metrics.evidence(room.used, room.limit, room.kept, room.days_left)
        self.live.check(check_of(room, self.warn_days))


def check_of(room: EvidenceRoom, warn_days: float) -> Check:
    """Return the check of the evidence's space: it fails if it is full within ``warn_days``."""
    limit_mb, days = round(room.limit / _MB), room.days_left
    if days is not None and days <= warn_days:
        params = {"days": int(days), "kept_mb": round(room.kept / _MB), "limit_mb": limit_mb}
        return Check.of(NAME, ServiceCode.EVIDENCE_FILLS, ok=False, **params)
    used_mb = round(room.used / _MB)
    return Check.of(NAME, ServiceCode.EVIDENCE_HAS_ROOM, ok=True, used_mb=used_mb, limit_mb=limit_mb)
