"""The deliveries to all subscribers of the settings, of a table or of a floor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.notify.delivery import Delivery, RetryPolicy
from service.notify.mqtt import MqttChannel
from service.notify.stopped import webhook_subscriber
from service.notify.webhooks import WebhookChannel

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping

    from service.config.subscriber_settings import MqttConfig, WebhookConfig
    from service.notify.notices import NoticeReader
    from service.notify.outbox import Outbox
    from service.table.live_state import Check, Watched

_FOR_EVER: Final = RetryPolicy(attempts=2**62, first_s=1.0, longest_s=60.0)


class Subscribers:
    """Webhooks and the broker, each told at its own pace; ConfigError if a secret cannot be read.

    Args:
        webhooks: the settings of each.
        mqtt: those of the broker, if there is one.
        name: of the service.
        notices: what they are told.
        outbox: how far each was told.
        live: what is watched, and where it is shown how the deliveries go.
        healths: the checks that the broker is told, by the name of what they are of.
    """

    def __init__(
        self,
        webhooks: Iterable[WebhookConfig],
        mqtt: MqttConfig | None,
        name: str,
        notices: NoticeReader,
        outbox: Outbox,
        live: Watched,
        healths: Mapping[str, Callable[[], tuple[Check, ...]]],
    ) -> None:
        self._deliveries = []
        for webhook in webhooks:
            known_as = webhook_subscriber(webhook.name)
            retry = RetryPolicy(webhook.attempts, webhook.first_pause_s, webhook.longest_pause_s)
            channel = WebhookChannel(webhook)
            self._deliveries.append(Delivery(known_as, known_as, webhook, channel, retry, notices, outbox, live))
        self._broker = None
        if mqtt is not None:
            # There is one broker, whatever it is called; it keeps what it takes, so nothing is ever laid aside.
            self._broker = broker = MqttChannel(mqtt, name, live, healths)
            told = Delivery("mqtt", "mqtt events", mqtt, broker, _FOR_EVER, notices, outbox, live)
            self._deliveries.append(told)

    def work(self) -> tuple[Coroutine[None, None, None], ...]:
        """What is to be run at the same time, until it is cancelled or the service stops."""
        state = () if self._broker is None else (self._broker.run(),)
        return (*(delivery.run() for delivery in self._deliveries), *state)
