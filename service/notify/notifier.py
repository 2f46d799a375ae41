"""Every delivery to subscribers, as tasks that live as long as the application."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from service.notify.checkpoint_keeper import CheckpointFile, CheckpointKeeper
from service.notify.health_recorder import HealthRecorder
from service.notify.history import MARK, History
from service.notify.outbox import Outbox
from service.notify.subscribers import Subscribers
from service.ops.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Mapping

    from service.config.settings import Config
    from service.notify.checks import SubscriberChecks
    from service.notify.notices import NoticeReader
    from service.record.store.record import Record
    from service.table.live_state import AllTables, Check, LiveState


class Notifier:
    """Delivers to the webhooks and the broker of the settings; ConfigError if a secret cannot be read.

    Args:
        config: the settings.
        shared: where it is shown, at every table, how the file of checkpoints is.
        checks: where it is shown how deliveries go.
        tables: the live states of the tables, by name.
        record: of all of them.
        notices: what subscribers are told.
        healths: further checks for the broker, by MQTT topic, besides those of the local tables.
    """

    def __init__(
        self,
        config: Config,
        shared: AllTables,
        checks: SubscriberChecks,
        tables: Mapping[str, LiveState],
        record: Record,
        notices: NoticeReader,
        healths: Mapping[str, Callable[[], tuple[Check, ...]]],
    ) -> None:
        outbox = Outbox(record.database)
        file = config.record.checkpoints_file
        self.history = History(record, outbox, config.service.name, {MARK: record.settings.mark_file})
        self._keeper = CheckpointKeeper(
            self.history,
            shared,
            record.settings.mark_file,
            None if file is None else CheckpointFile(file, record),
            config.record.checkpoints_every_s,
        )
        self._health = [HealthRecorder(record, live, name) for name, live in tables.items()]
        about = (config.webhooks, config.mqtt, config.service.name)
        every = {**healths, **{name: live.health for name, live in tables.items()}}
        self._subscribers = Subscribers(*about, notices, outbox, checks, every)

    @asynccontextmanager
    async def running(self, *, watched: Collection[str]) -> AsyncIterator[None]:
        """Deliver while the block runs, and record how the health of the tables changes that are watched."""
        await self._keeper.begin()
        work = [*self._subscribers.work(), self._keeper.run()]
        work += [each.run() for each in self._health if each.table in watched]
        try:
            async with in_background(*work):
                yield
        finally:
            await asyncio.to_thread(self._keeper.end)
