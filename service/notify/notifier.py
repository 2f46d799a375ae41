"""Every delivery to subscribers, as tasks that live as long as the application."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from service.notify.checkpoint_keeper import CheckpointFile, CheckpointKeeper
from service.notify.delivery import Delivery, RetryPolicy
from service.notify.health_recorder import HealthRecorder
from service.notify.history import MARK, History
from service.notify.mqtt import MqttChannel
from service.notify.outbox import Outbox
from service.notify.stopped import webhook_subscriber
from service.notify.webhooks import WebhookChannel
from service.ops.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from service.config.settings import Config
    from service.notify.notices import NoticeReader
    from service.record.store.record import Record
    from service.table.live_state import LiveState

_FOR_EVER: Final = RetryPolicy(attempts=2**62, first_s=1.0, longest_s=60.0)


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
        self._deliveries = []
        for webhook in config.webhooks:
            name = webhook_subscriber(webhook.name)
            retry = RetryPolicy(webhook.attempts, webhook.first_pause_s, webhook.longest_pause_s)
            channel = WebhookChannel(webhook)
            self._deliveries.append(Delivery(name, name, webhook, channel, retry, notices, outbox, live))
        self._broker = None
        if config.mqtt is not None:
            # There is one broker, whatever it is called; it keeps what it takes, so nothing is ever laid aside.
            self._broker = broker = MqttChannel(config.mqtt, config.table.name, live)
            told = Delivery("mqtt", "mqtt events", config.mqtt, broker, _FOR_EVER, notices, outbox, live)
            self._deliveries.append(told)

    @asynccontextmanager
    async def running(self, *, watch: bool) -> AsyncIterator[None]:
        """Deliver while the block runs; with ``watch`` also record how the table's health changes."""
        await self._keeper.begin()
        work: list[Coroutine[None, None, None]] = [delivery.run() for delivery in self._deliveries]
        work.append(self._keeper.run())
        if self._broker is not None:
            work.append(self._broker.run())
        if watch:
            work.append(self._health.run())
        try:
            async with in_background(*work):
                yield
        finally:
            await asyncio.to_thread(self._keeper.end)
