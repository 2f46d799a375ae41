"""Delivers notices to one subscriber, one at a time, from its stored position on."""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from service.record.health import Check
from service.record.outbox import PositionMovedError
from service.record.store.entries import RecordUnavailableError
from service.words.codes import ServiceCode
from service.words.findings import FindingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.api.notify.notices import Notice, NoticeReader
    from service.record.health import Watched
    from service.record.outbox import DeliveryState, Outbox, Position
    from service.system.subscriber_settings import SubscriberConfig
    from vision.findings import Finding, Param

_log = logging.getLogger(__name__)

_LOOK_AGAIN_S = 2.0
"""Longest wait for a change: another program may have recorded something."""
_RECORD_PAUSE_S = 1.0
"""Pause before the record is tried again after a fault."""
_SHOWN_AFTER = 3
"""Failed attempts after which the subscriber's check fails; one or two are a passing fault of the network."""
_JITTER = random.SystemRandom()


class NotTakenError(FindingError):
    """The subscriber did not accept a notice.

    Attributes:
        retry_after_s: the pause that the subscriber asks for, if any.
        gone: the subscriber wants no further notices.
    """

    def __init__(self, finding: Finding, retry_after_s: float = 0.0, *, gone: bool = False) -> None:
        super().__init__(finding)
        self.retry_after_s = retry_after_s
        self.gone = gone


class _StoppedError(RuntimeError):
    """The subscriber wants no further notices, until an administrator resumes it."""


class Channel(Protocol):
    """A connection to one subscriber."""

    async def send(self, notice: Notice) -> None:
        """Return once the subscriber has accepted the notice; NotTakenError if it does not."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential back-off with jitter, from ``first_s`` to ``longest_s`` seconds; after ``attempts`` a dead letter."""

    attempts: int
    first_s: float
    longest_s: float

    def pause_s(self, attempts: int) -> float:
        """Return the pause after ``attempts`` failures: half fixed, half random, so that retries do not coincide."""
        longest = min(self.first_s * 2.0 ** min(attempts - 1, 60), self.longest_s)
        return longest * _JITTER.uniform(0.5, 1.0)


@dataclass(slots=True)
class Delivery:
    """The delivery of notices to one subscriber.

    Attributes:
        name: of the subscriber in the database.
        check_name: of the check that reports on it.
    """

    name: str
    check_name: str
    config: SubscriberConfig
    channel: Channel
    retry: RetryPolicy
    reader: NoticeReader
    outbox: Outbox
    live: Watched

    async def run(self) -> None:
        """Deliver until cancelled, or until the service stops."""
        try:
            while True:
                try:
                    epoch = await asyncio.to_thread(self.reader.epoch)
                    state = await asyncio.to_thread(self._state)
                    if state.stopped_at is None:
                        await self._from(state, epoch)
                    elif not await self._rest(state.stopped_at):
                        continue
                except _StoppedError:
                    continue
                except RecordUnavailableError as error:
                    self._show(ServiceCode.CHANNEL_WAITS_FOR_RECORD, ok=False, why=(error.finding,))
                    await asyncio.sleep(_RECORD_PAUSE_S)
                except PositionMovedError as error:
                    _log.warning("%s; going on from there", error)
                except Exception as error:  # noqa: BLE001  no fault may end the deliveries
                    _log.exception("delivery to %s failed; trying again", self.check_name)
                    self._show(ServiceCode.CHANNEL_FAULT, ok=False, why=str(error))
                    await asyncio.sleep(_RECORD_PAUSE_S)
                else:
                    return
        finally:
            await self.channel.close()

    def _state(self) -> DeliveryState:
        return self.outbox.state(self.name, (0, 0) if self.config.start == "oldest" else self.reader.end())

    async def _rest(self, stopped_at: str) -> bool:
        """Wait a little for a person to resume the subscriber; return whether the service stops."""
        self._show(ServiceCode.CHANNEL_STOPPED, ok=False, day=stopped_at[:10], name=self.name.partition(" ")[2])
        heard = self.live.recorded.count
        await self.live.recorded.wait_beyond(heard, _LOOK_AGAIN_S)
        return self.live.recorded.closed

    async def _from(self, state: DeliveryState, epoch: str) -> None:
        position, dead = state.position, state.dead
        looked = position
        attempts = state.attempts
        self._show_well(dead)
        while True:
            heard = self.live.recorded.count
            if await asyncio.to_thread(self.reader.epoch) != epoch:
                raise PositionMovedError(f"{self.name}: the record goes on in a new epoch")
            found = await asyncio.to_thread(self.reader.after, looked, frozenset(self.config.kinds))
            for notice in found.notices:
                dead += await self._deliver(notice, position, attempts)
                position, attempts = notice.position, 0
                self._show_well(dead)
            looked = found.through
            if found.more and looked != position:
                # So that a restart need not read them all again.
                await asyncio.to_thread(self.outbox.acknowledge, self.name, position, looked)
                position = looked
            elif not found.more:
                if dead:  # a person may have sent or deleted them
                    dead = len(await asyncio.to_thread(self.outbox.dead, self.name))
                    self._show_well(dead)
                await self.live.recorded.wait_beyond(heard, _LOOK_AGAIN_S)
                if self.live.recorded.closed:
                    return

    async def _deliver(self, notice: Notice, at: Position, attempts: int) -> int:
        """Send a notice until it is accepted or a dead letter; return the number of new dead letters: 0 or 1."""
        while True:
            try:
                await self.channel.send(notice)
            except NotTakenError as error:
                if error.gone:
                    _log.error("%s: it answered 410 (gone): nothing is sent until a person resumes it", self.check_name)
                    await self._keep(self.outbox.stop, self.name, at)
                    raise _StoppedError from None
                attempts += 1
                if attempts >= self.retry.attempts:
                    _log.error("%s: gave up %s after %d attempts: %s", self.check_name, notice.id, attempts, error)
                    await self._keep(self.outbox.give_up, self.name, at, notice, attempts, str(error))
                    return 1
                await self._keep(self.outbox.failed, self.name, at, attempts)
                if attempts >= _SHOWN_AFTER:
                    self._show(ServiceCode.CHANNEL_REFUSES, ok=False, why=(error.finding,), attempts=attempts)
                await asyncio.sleep(max(self.retry.pause_s(attempts), error.retry_after_s))
            else:
                await self._keep(self.outbox.acknowledge, self.name, at, notice.position, notice.hash)
                return 0

    async def _keep(self, change: Callable[..., None], *args: object) -> None:
        """Change the outbox, retrying while its database is unavailable: an accepted notice is not sent again."""
        while True:
            try:
                await asyncio.to_thread(change, *args)
            except RecordUnavailableError as error:
                self._show(ServiceCode.CHANNEL_WAITS_FOR_RECORD, ok=False, why=(error.finding,))
                await asyncio.sleep(_RECORD_PAUSE_S)
            else:
                return

    def _show_well(self, dead: int) -> None:
        if dead:
            attempts = self.retry.attempts
            self._show(ServiceCode.CHANNEL_UNDELIVERED, ok=False, events=dead, attempts=attempts)
        else:
            self._show(ServiceCode.CHANNEL_WELL, ok=True)

    def _show(self, code: ServiceCode, *, ok: bool, **params: Param) -> None:
        self.live.check(Check.of(self.check_name, code, ok=ok, **params))
