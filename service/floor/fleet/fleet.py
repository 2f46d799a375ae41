"""The fleet as everybody is shown it, and the releases, looked at once for all who ask within a moment."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from service.floor.fleet.asked import Asked
from service.floor.fleet.giving import Given, Giving
from service.floor.fleet.shown import fleet_of
from service.ops.background import in_background
from service.record.single_flight import SingleFlight
from service.record.store.entries import RecordUnavailableError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.floor.collect.collector import Collector
    from service.floor.fleet.shown import FleetRow
    from service.floor.settings import FloorConfig
    from service.floor.shown.view import FloorView
    from service.floor.store.reader import FloorReader
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

_MOMENT_S: Final = 1.0
_LOOK_S: Final = 15.0


class Fleet:
    """What the tables of a floor run on, and what is given out to them.

    Attributes:
        asked: what they told of themselves.
        giving: the releases.
    """

    def __init__(
        self, config: FloorConfig, record: Record, reader: FloorReader, collector: Collector, view: FloorView
    ) -> None:
        self.asked = Asked(collector.clients, collector.states.changes)
        self.giving = Giving(config, record, reader.database)
        self.newest: tuple[FleetRow, ...] = ()
        """As it was looked at last, for who cannot wait."""
        self._view = view
        self._given: SingleFlight[Given] = SingleFlight(lambda _: True)
        self._changed = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ask the tables while the block runs, and look at the fleet now and then even if nobody else does."""
        async with self.asked.running(), in_background(self._look()):
            yield
        await self._given.settle()

    async def _look(self) -> None:
        while True:
            try:
                await self.now()
            except RecordUnavailableError as error:
                _log.warning("the fleet is shown as it was known last: %s", error)
            await asyncio.sleep(_LOOK_S)

    async def given(self) -> Given:
        """The releases as they stand; RecordUnavailableError."""
        return await self._given.answer((int(time.monotonic() / _MOMENT_S), self._changed), self.giving.now)

    def note_given(self) -> None:
        """Have the releases looked at anew: a person has just done something with one."""
        self._changed += 1

    async def now(self) -> tuple[FleetRow, ...]:
        """The fleet, the worst first; RecordUnavailableError."""
        floor = await self._view.now()
        self.newest = fleet_of(floor.tables, self.asked.known, await self.given())
        return self.newest
