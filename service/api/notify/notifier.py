"""Deliveries to all subscribers, and the recording of health changes, as tasks of the application."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from service.api.notify.delivery import Delivery, RetryPolicy
from service.api.notify.mqtt import MqttChannel
from service.api.notify.webhooks import WebhookChannel
from service.record.checkpoints.history import MARK, CheckpointFile, CheckpointKeeper, RecordHistory
from service.record.outbox import Outbox, webhook_subscriber
from service.record.projections.alarms import AlarmList
from service.record.projections.causes import RECORD
from service.record.store.entries import Draft, RecordUnavailableError
from service.rounds.reports import FindingReport
from service.system.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Mapping

    from service.api.notify.notices import NoticeReader
    from service.record.health import Check, SubscriberChecks, Watched
    from service.record.store.record import Record
    from service.system.settings import Config
    from service.system.subscriber_settings import MqttConfig, WebhookConfig
    from service.table.live_state import AllTables, LiveState


_Encoded: TypeAlias = dict[str, Any]
"""A failed check, encoded for an entry."""


@dataclass(frozen=True, slots=True)
class HealthRecorder:
    """Records when a check of a table fails and when it passes again."""

    record: Record
    live: LiveState
    table: str
    look_every_s: float = 1.0
    """A check that fails twice in a row is recorded; shorter faults are not."""
    well_for_s: float = 10.0
    """How long a check must pass before that is recorded: a loose cable makes one alarm, not hundreds."""

    async def run(self) -> None:
        """Watch the checks until cancelled, or until the service stops."""
        recorded: dict[str, _Encoded] | None = None
        seen: frozenset[str] = frozenset()
        bad_at: dict[str, float] = {}
        while True:
            await asyncio.sleep(self.look_every_s)
            if self.live.recorded.closed:
                return  # the service is stopping: its checks say nothing about the table
            # An outage of the record is recorded afterwards, in an entry of its own.
            bad = {each.name: _encoded(each) for each in self.live.alarming() if each.name != RECORD}
            now = time.monotonic()
            bad_at |= dict.fromkeys(bad, now)
            lasting, seen = seen & bad.keys(), frozenset(bad)
            try:
                if recorded is None:
                    recorded = await asyncio.to_thread(self._last_recorded)
                new = lasting - recorded.keys()
                # A check that failed when the service stopped must also pass for a while from the first look on.
                well = {name for name in recorded if now - bad_at.setdefault(name, now) >= self.well_for_s}
                if new or well:
                    bad_now = {name: bad.get(name, check) for name, check in recorded.items() if name not in well}
                    bad_now |= {name: bad[name] for name in new}
                    await asyncio.to_thread(self._append, bad_now, new)
                    recorded = bad_now
            except RecordUnavailableError:
                pass  # it is tried again

    def _last_recorded(self) -> dict[str, _Encoded]:
        known = AlarmList(self.record.database, [self.table]).failing()
        recorded = (entry.data["checks"] for entry in self.record.last(("alarm",), table=self.table))
        return {check["name"]: check for checks in recorded for check in checks if check["name"] in known}

    def _append(self, bad: dict[str, _Encoded], new: frozenset[str]) -> None:
        checks = [bad[name] for name in sorted(bad)]
        self.record.append(Draft("alarm", {"ok": not bad, "checks": checks, "new": sorted(new)}, table=self.table))
        self.live.recorded.notify()
        self.live.changes.notify()


def _encoded(check: Check) -> _Encoded:
    found = [FindingReport.of(each).model_dump(mode="json") for each in check.findings]
    return {"name": check.name, "findings": found}


_STANDBY_S: Final = 1.0
_FOR_EVER: Final = RetryPolicy(attempts=2**62, first_s=1.0, longest_s=60.0)


class Subscribers:
    """Webhooks and the broker, each delivered to at its own pace; ConfigError if a secret cannot be read.

    Args:
        webhooks: their settings.
        mqtt: settings of the broker, if there is one.
        name: of the service.
        notices: the source of notices.
        outbox: the positions of subscribers.
        live: the changes to deliver, and the checks of the deliveries.
        healths: the checks to publish at the broker, by the name of their table or service.
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
            subscriber = webhook_subscriber(webhook.name)
            retry = RetryPolicy(webhook.attempts, webhook.first_pause_s, webhook.longest_pause_s)
            channel = WebhookChannel(webhook)
            self._deliveries.append(Delivery(subscriber, subscriber, webhook, channel, retry, notices, outbox, live))
        self._broker = None
        if mqtt is not None:
            # The broker accepts every notice once it is reachable, so there are no dead letters.
            self._broker = broker = MqttChannel(mqtt, name, live, healths)
            self._deliveries.append(Delivery("mqtt", "mqtt events", mqtt, broker, _FOR_EVER, notices, outbox, live))

    def work(self) -> tuple[Coroutine[None, None, None], ...]:
        """Return the coroutines to run concurrently, until they are cancelled or the service stops."""
        state = () if self._broker is None else (self._broker.run(),)
        return (*(delivery.run() for delivery in self._deliveries), *state)


class Notifier:
    """Runs all deliveries, the health recorders and the checkpoint keeper; ConfigError if a secret is unreadable.

    Args:
        config: the settings.
        shared: receives the check of the file of checkpoints, for every table.
        checks: receives the checks of deliveries.
        tables: the live states of the tables, by name.
        record: of all tables.
        notices: the source of notices.
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
        self._record = record
        outbox = Outbox(record.database)
        file = config.record.checkpoints_file
        self.history = RecordHistory(record, outbox, config.service.name, {MARK: record.settings.mark_file})
        self._keeper = CheckpointKeeper(
            self.history,
            shared,
            record.settings.mark_file,
            None if file is None else CheckpointFile(file, record),
            config.record.checkpoints_every_s,
        )
        self._health = [HealthRecorder(record, live, name) for name, live in tables.items()]
        every = {**healths, **{name: live.health for name, live in tables.items()}}
        self._subscribers = Subscribers(
            config.webhooks, config.mqtt, config.service.name, notices, outbox, checks, every
        )

    async def _deliver(self) -> None:
        """Deliver to all subscribers, once no other service writes to the record: that one delivers."""
        while self._record.state.is_standby:
            await asyncio.sleep(_STANDBY_S)
            await asyncio.to_thread(self._record.recover)
        await asyncio.gather(*self._subscribers.work())

    @asynccontextmanager
    async def running(self, *, watched: Collection[str]) -> AsyncIterator[None]:
        """Deliver while the block runs, and record changes of the health of ``watched`` tables."""
        await self._keeper.start()
        work = [self._deliver(), self._keeper.run()]
        work += [each.run() for each in self._health if each.table in watched]
        try:
            async with in_background(*work):
                yield
        finally:
            await asyncio.to_thread(self._keeper.end)
