"""The overview of all tables, computed once per change for all readers."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from service.hub.overview import LocalNow, Overview, Recorded, StatesSeen, overview_of, recorded_now
from service.record.store.entries import RecordUnavailableError
from service.record.waiting import ChangeNotifier, SingleFlight
from service.system.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from sqlalchemy import Engine

    from service.hub.table_states import TableStates
    from service.record.health import TableStatus
    from service.system.settings import Config
    from service.system.subscriber_settings import AlarmKind

_log = logging.getLogger(__name__)

APART_S: Final = 0.5
"""Changes of many tables are notified together: pages are not computed more often than this."""
_OLDEST_S: Final = 10.0
"""Greatest age of the overview without changes."""
_LOCAL_APART_S: Final = 1.0
_PATIENCE_S: Final = 0.5
_NO_PATIENCE_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class LocalSource:
    """State of a local table.

    Attributes:
        status: by its checks; does not block.
        unanswered: number of its open alarms, by kind; may read the record.
    """

    status: Callable[[], TableStatus]
    unanswered: Callable[[], Mapping[AlarmKind, int]]


@dataclass(slots=True)
class LiveOverview:
    """The current overview, and notification of changes.

    Attributes:
        database: the store.
        config: the settings.
        states: states of the remote tables; None without any.
        local: sources of the local tables, by name.
        news: notified of changes.
        newest: as computed last, for metrics; None before the first.
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
        """All tables; while the database cannot be read, with rounds and alarms as last known."""
        try:
            # No request waits long for a database that does not answer. Not wait_for(): until Python 3.12 it loses a
            # cancellation that comes with the result.
            async with asyncio.timeout(_NO_PATIENCE_S if self._slow else _PATIENCE_S):
                found = await self._overviews.answer(self._moment(), self._read)
        except TimeoutError:
            self._slow = True
            return self._made(outdated=True)
        self._slow = False
        return found

    async def text(self, query: tuple[object, ...], made: Callable[[], str]) -> str:
        """A page's text for a query, cached until something changes."""
        return await self._texts.answer((*self._moment(), *query), made)

    @asynccontextmanager
    async def running(self, projected: ChangeNotifier, changes: ChangeNotifier) -> AsyncIterator[None]:
        """Notify of changes while the block runs.

        Args:
            projected: notified of new rounds and alarms.
            changes: notified of every change in the service; those of remote tables are added here.
        """
        sources = [projected] if self.states is None else [projected, self.states.changes]
        local = [self._follow_local(changes)] if self.local else []
        async with in_background(*(self._follow(source, changes) for source in sources), *local):
            yield
        self.news.close()
        await self._overviews.settle()
        await self._texts.settle()

    def _read(self) -> Overview:
        # This also brings rounds and alarms of local tables up to date.
        self._unanswered = {name: source.unanswered() for name, source in self.local.items()}
        try:
            self._recorded = recorded_now(self.database, self.local)
        except RecordUnavailableError as error:
            _log.warning("rounds and alarms are shown as last known: %s", error)
            return self._made(outdated=True)
        return self._made()

    def _made(self, *, outdated: bool = False) -> Overview:
        local = {name: LocalNow(each.status(), self._unanswered.get(name, {})) for name, each in self.local.items()}
        states = {} if self.states is None else self.states.tables
        self.newest = overview_of(self.config, states, self._recorded, local, self._seen, outdated=outdated)
        return self.newest

    def _moment(self) -> tuple[object, ...]:
        levels = tuple(each.status().level for each in self.local.values())
        return self.news.count, int(time.monotonic() / _OLDEST_S), levels

    async def _follow(self, source: ChangeNotifier, changes: ChangeNotifier) -> None:
        heard = source.count
        while not source.closed:
            await source.wait_beyond(heard, _OLDEST_S)
            if source.count != heard:
                heard = source.count
                await self._notify(changes)
                await asyncio.sleep(APART_S)

    async def _notify(self, changes: ChangeNotifier) -> None:
        self.news.notify()
        changes.notify()
        if self.local:
            await self.now()  # notes the time of a local table's change also without readers

    async def _follow_local(self, changes: ChangeNotifier) -> None:
        """Notify of changes of local tables other than a new picture."""
        before: object = None
        while not changes.closed:
            heard = changes.count
            now = await asyncio.to_thread(self._of_local)
            if now != before:
                before = now
                await self._notify(changes)
            await asyncio.sleep(_LOCAL_APART_S)
            await changes.wait_beyond(heard, _OLDEST_S)

    def _of_local(self) -> object:
        return {name: (each.status().level, dict(each.unanswered())) for name, each in self.local.items()}
