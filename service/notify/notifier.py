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
    from collections.abc import AsyncIterator

    from service.config.settings import Config
    from service.notify.notices import NoticeReader
    from service.record.store.record import Record
    from service.table.live_state import LiveState


class Notifier:
    """Delivers to the webhooks and the broker of the settings; ConfigError if a secret cannot be read."""

    def __init__(self, config: Config, live: LiveState, record: Record, notices: NoticeReader) -> None:
        outbox = Outbox(record.database)
        file = config.record.checkpoints_file
        self.history = History(record, outbox, config.table.name, {MARK: record.settings.mark_file})
        self._keeper = CheckpointKeeper(
            self.history,
            live,
            record.settings.mark_file,
            None if file is None else CheckpointFile(file, record),
            config.record.checkpoints_every_s,
        )
        self._health = HealthRecorder(record, live, config.table.name)
        about = (config.webhooks, config.mqtt, config.table.name)
        self._subscribers = Subscribers(*about, notices, outbox, live)

    @asynccontextmanager
    async def running(self, *, watch: bool) -> AsyncIterator[None]:
        """Deliver while the block runs; with ``watch`` also record how the table's health changes."""
        await self._keeper.begin()
        work = [*self._subscribers.work(), self._keeper.run()]
        if watch:
            work.append(self._health.run())
        try:
            async with in_background(*work):
                yield
        finally:
            await asyncio.to_thread(self._keeper.end)
