"""What everybody who looks at all tables is shown, made once for all of them whenever something changed."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from service.hub.shown.overview import LocalNow, Overview, Recorded, StatesSeen, overview_of, recorded_now
from service.record.store.entries import RecordUnavailableError
from service.record.waiting import ChangeNotifier, SingleFlight
from service.system.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from sqlalchemy import Engine

    from service.hub.collect.states import TableStates
    from service.record.health import TableStatus
    from service.system.settings import Config
    from service.system.subscriber_settings import AlarmKind

_log = logging.getLogger(__name__)

APART_S: Final = 0.5
"""News of many tables is told together: pages are not made more often than this."""
_LOOK_AGAIN_S: Final = 10.0
"""However quiet it is, what is shown is no older than this."""
_LOCAL_APART_S: Final = 1.0
_PATIENCE_S: Final = 0.5
_NO_PATIENCE_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class LocalSource:
    """Tells how a local table is.

    Attributes:
        status: by its checks, at once.
        unanswered: its alarms that nobody answered, by kind; may read the record.
    """

    status: Callable[[], TableStatus]
    unanswered: Callable[[], Mapping[AlarmKind, int]]


@dataclass(slots=True)
class LiveOverview:
    """How all tables are now, and news of it.

    Attributes:
        database: the store.
        config: the settings.
        states: how each remote table is; None if there are none.
        local: tells how each local table is, by name.
        news: notifies whoever looks.
        newest: as made last, for those who cannot wait; None before the first.
    """

    database: Engine
    config: Config
    states: TableStates | None
    local: Mapping[str, LocalSource]
    news: ChangeNotifier = field(default_factory=ChangeNotifier)
    newest: Overview | None = None
    _recorded: Recorded = field(default_factory=Recorded)
    _unanswered: dict[str, Mapping[AlarmKind, int]] = field(default_factory=dict)
    _seen: StatesSeen = field(default_factory=StatesSeen)
    _overviews: SingleFlight[Overview] = field(default_factory=lambda: SingleFlight(lambda made: not made.outdated))
    _texts: SingleFlight[str] = field(default_factory=lambda: SingleFlight(lambda _: True))
    _slow: bool = False

    async def now(self) -> Overview:
        """All tables as they are; while the database cannot be read, with what was known of rounds and alarms last."""
        try:
            # No request waits long for a database that does not answer. Not wait_for(): until Python 3.12 it loses a
            # cancellation that comes with the result.
            async with asyncio.timeout(_NO_PATIENCE_S if self._slow else _PATIENCE_S):
                found = await self._overviews.answer(self._moment(), self._look)
        except TimeoutError:
            self._slow = True
            return self._made(outdated=True)
        self._slow = False
        return found

    async def text(self, question: tuple[object, ...], made: Callable[[], str]) -> str:
        """A page's text that is the same for all who ask this question until something changes."""
        return await self._texts.answer((*self._moment(), *question), made)

    @asynccontextmanager
    async def running(self, projected: ChangeNotifier, changes: ChangeNotifier) -> AsyncIterator[None]:
        """Tell news while the block runs.

        Args:
            projected: notifies of rounds and alarms.
            changes: notifies of every change in the service, of remote tables by this.
        """
        sources = [projected] if self.states is None else [projected, self.states.changes]
        local = [self._follow_local(changes)] if self.local else []
        async with in_background(*(self._tell(source, changes) for source in sources), *local):
            yield
        self.news.close()
        await self._overviews.settle()
        await self._texts.settle()

    def _look(self) -> Overview:
        # This also brings rounds and alarms of local tables up to date.
        self._unanswered = {name: source.unanswered() for name, source in self.local.items()}
        try:
            self._recorded = recorded_now(self.database, self.local)
        except RecordUnavailableError as error:
            _log.warning("what was recorded last is shown: %s", error)
            return self._made(outdated=True)
        return self._made()

    def _made(self, *, outdated: bool = False) -> Overview:
        local = {name: LocalNow(each.status(), self._unanswered.get(name, {})) for name, each in self.local.items()}
        states = {} if self.states is None else self.states.tables
        self.newest = overview_of(self.config, states, self._recorded, local, self._seen, outdated=outdated)
        return self.newest

    def _moment(self) -> tuple[object, ...]:
        levels = tuple(each.status().level for each in self.local.values())
        return self.news.count, int(time.monotonic() / _LOOK_AGAIN_S), levels

    async def _tell(self, source: ChangeNotifier, changes: ChangeNotifier) -> None:
        heard = source.count
        while not source.closed:
            await source.wait_beyond(heard, _LOOK_AGAIN_S)
            if source.count != heard:
                heard = source.count
                await self._notify(changes)
                await asyncio.sleep(APART_S)

    async def _notify(self, changes: ChangeNotifier) -> None:
        self.news.notify()
        changes.notify()
        if self.local:
            await self.now()  # notes since when a local table is so, also while nobody looks

    async def _follow_local(self, changes: ChangeNotifier) -> None:
        """Notify of what changed at local tables; most of their changes are only another picture."""
        told: object = None
        while not changes.closed:
            heard = changes.count
            now = await asyncio.to_thread(self._of_local)
            if now != told:
                told = now
                await self._notify(changes)
            await asyncio.sleep(_LOCAL_APART_S)
            await changes.wait_beyond(heard, _LOOK_AGAIN_S)

    def _of_local(self) -> object:
        return {name: (each.status().level, dict(each.unanswered())) for name, each in self.local.items()}
