"""What everybody who looks at the floor is shown, made once for all of them whenever something changed."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from service.floor.shown.tables import Recorded, floor_of, recorded_now
from service.ops.background import in_background
from service.record.single_flight import SingleFlight
from service.record.store.entries import RecordUnavailableError
from service.table.change_notifier import ChangeNotifier

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sqlalchemy import Engine

    from service.config.settings import Config
    from service.floor.collect.states import TableStates
    from service.floor.shown.tables import Floor

_log = logging.getLogger(__name__)

APART_S: Final = 0.5
"""News of many tables is told together: pages are not made more often than this."""
_LOOK_AGAIN_S: Final = 10.0
"""However quiet it is, what is shown is no older than this."""


class FloorView:
    """How the floor is now, and news of it.

    Args:
        database: of the floor.
        config: its settings.
        states: how each table is, by what was collected.
        changes: notifies of every change in the service, and so of these.

    Attributes:
        news: notifies whoever looks.
    """

    def __init__(self, database: Engine, config: Config, states: TableStates, changes: ChangeNotifier) -> None:
        self.news = ChangeNotifier()
        self._database = database
        self._config = config
        self._states = states
        self._changes = changes
        self._recorded = Recorded()
        self._floors: SingleFlight[Floor] = SingleFlight(lambda floor: not floor.outdated)
        self._texts: SingleFlight[str] = SingleFlight(lambda _: True)

    async def now(self) -> Floor:
        """All tables as they are; while the database cannot be read, with what was known of rounds and alarms last."""
        return await self._floors.answer(self._moment(), self._look)

    def _look(self) -> Floor:
        try:
            self._recorded = recorded_now(self._database)
        except RecordUnavailableError as error:
            _log.warning("what was recorded last is shown: %s", error)
            return floor_of(self._config, self._states.tables, self._recorded, outdated=True)
        return floor_of(self._config, self._states.tables, self._recorded)

    async def text(self, question: tuple[object, ...], made: Callable[[], str]) -> str:
        """A page's text that is the same for all who ask this question until something changes."""
        return await self._texts.answer((*self._moment(), *question), made)

    @asynccontextmanager
    async def running(self, projected: ChangeNotifier) -> AsyncIterator[None]:
        """Tell news while the block runs; ``projected`` notifies of rounds and alarms."""
        async with in_background(*(self._tell(source) for source in (self._states.changes, projected))):
            yield
        self.news.close()
        await self._floors.settle()
        await self._texts.settle()

    def _moment(self) -> tuple[int, int]:
        return self.news.count, int(time.monotonic() / _LOOK_AGAIN_S)

    async def _tell(self, source: ChangeNotifier) -> None:
        heard = source.count
        while not source.closed:
            await source.wait_beyond(heard, _LOOK_AGAIN_S)
            if source.count != heard:
                heard = source.count
                self.news.notify()
                self._changes.notify()
                await asyncio.sleep(APART_S)
