"""Every delivery to subscribers, as tasks that live as long as the application."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from service.notify.delivery import Delivery, RetryPolicy
from service.notify.health_recorder import HealthRecorder
from service.notify.mqtt import MqttChannel
from service.notify.outbox import Outbox
from service.notify.webhooks import WebhookChannel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from service.config.settings import Config
    from service.config.subscriber_settings import SubscriberConfig
    from service.notify.delivery import Channel
    from service.notify.notices import NoticeReader
    from service.record.store.record import Record
    from service.table.live_state import Desk

_FOR_EVER: Final = RetryPolicy(attempts=2**62, first_s=1.0, longest_s=60.0)


def webhook_subscriber(name: str) -> str:
    """What a webhook is called in the database."""
    return f"webhook {name}"


class Notifier:
    """Delivers to the webhooks and the broker of the settings.

    Args:
        config: the settings.
        desk: notifies when something was recorded, and shows how the deliveries are.
        record: what the notices are made of.
        notices: makes them.

    Raises:
        ConfigError: a secret cannot be read.
    """

    def __init__(self, config: Config, desk: Desk, record: Record, notices: NoticeReader) -> None:
        self._desk = desk
        self._notices = notices
        self._outbox = Outbox(record.database)
        self._health = HealthRecorder(record, desk, config.table.name)
        self._deliveries = [
            self._delivery(
                webhook_subscriber(webhook.name),
                webhook_subscriber(webhook.name),
                webhook,
                WebhookChannel(webhook),
                RetryPolicy(webhook.attempts, webhook.first_pause_s, webhook.longest_pause_s),
            )
            for webhook in config.webhooks
        ]
        self._broker = None if config.mqtt is None else MqttChannel(config.mqtt, config.table.name, desk)
        if config.mqtt is not None and self._broker is not None:
            # There is one broker, whatever it is called; it keeps what it takes, so nothing is ever laid aside.
            self._deliveries.append(self._delivery("mqtt", "mqtt events", config.mqtt, self._broker, _FOR_EVER))

    @asynccontextmanager
    async def running(self, *, watch: bool) -> AsyncIterator[None]:
        """Deliver while the block runs; with ``watch`` also record how the table's health changes."""
        work: list[Coroutine[None, None, None]] = [delivery.run() for delivery in self._deliveries]
        if self._broker is not None:
            work.append(self._broker.run())
        if watch:
            work.append(self._health.run())
        tasks = [asyncio.create_task(each) for each in work]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _delivery(
        self, name: str, shown_as: str, config: SubscriberConfig, channel: Channel, retry: RetryPolicy
    ) -> Delivery:
        return Delivery(
            name=name,
            shown_as=shown_as,
            kinds=frozenset(config.kinds),
            from_start=config.begin == "start",
            channel=channel,
            retry=retry,
            reader=self._notices,
            outbox=self._outbox,
            desk=self._desk,
        )
