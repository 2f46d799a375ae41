"""Delivers notices to one subscriber, one after the other, from where it stood when the service last ran."""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from service.codes import ServiceCode
from service.notify.outbox import MovedError
from service.record.store.entries import RecordUnavailableError
from service.table.live_state import Check
from service.words.findings import FindingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config.subscriber_settings import SubscriberConfig
    from service.notify.notices import Notice, NoticeReader, Position
    from service.notify.outbox import DeliveryState, Outbox
    from service.table.live_state import Watched
    from vision.findings import Finding, Param

_log = logging.getLogger(__name__)

_LOOK_AGAIN_S = 2.0
"""Longest wait for a change: another program may have recorded something."""
_RECORD_PAUSE_S = 1.0
"""Wait before the record is asked again after a fault."""
_SHOWN_AFTER = 3
"""Failed attempts after which the subscriber's check turns bad; one or two are a passing fault of the network."""
_JITTER = random.SystemRandom()


class NotTakenError(FindingError):
    """A notice was not taken.

    Attributes:
        retry_after_s: how long the other side wishes to be left alone, if it said so.
        gone: the other side wants nothing more at all.
    """

    def __init__(self, finding: Finding, retry_after_s: float = 0.0, *, gone: bool = False) -> None:
        super().__init__(finding)
        self.retry_after_s = retry_after_s
        self.gone = gone


class _StoppedError(RuntimeError):
    """The other side wants nothing more, until an administrator begins it again."""


class Channel(Protocol):
    """A way to one subscriber."""

    async def send(self, notice: Notice) -> None:
        """Returns once the other side has it for good; NotTakenError otherwise."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential back-off with jitter, from ``first_s`` to ``longest_s`` seconds; after ``attempts`` a dead letter."""

    attempts: int
    first_s: float
    longest_s: float

    def pause_s(self, attempts: int) -> float:
        """The pause after so many failures: half of it fixed, half random, so that many do not retry at once."""
        whole = min(self.first_s * 2.0 ** min(attempts - 1, 60), self.longest_s)
        return whole * _JITTER.uniform(0.5, 1.0)


@dataclass(slots=True)
class Delivery:
    """The delivery of notices to one subscriber, called ``name`` in the database and ``shown_as`` by its check."""

    name: str
    shown_as: str
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
                    standing = await asyncio.to_thread(self._standing)
                    if standing.stopped_at is None:
                        await self._from(standing, epoch)
                    elif not await self._rest(standing.stopped_at):
                        continue
                except _StoppedError:
                    continue
                except RecordUnavailableError as error:
                    self._show(ServiceCode.CHANNEL_WAITS_FOR_RECORD, ok=False, why=(error.finding,))
                    await asyncio.sleep(_RECORD_PAUSE_S)
                except MovedError as error:
                    _log.warning("%s; going on from there", error)
                except Exception as error:  # noqa: BLE001  whatever it was, the subscriber must be told on
                    _log.exception("telling %s failed; trying again", self.shown_as)
                    self._show(ServiceCode.CHANNEL_FAULT, ok=False, why=str(error))
                    await asyncio.sleep(_RECORD_PAUSE_S)
                else:
                    return
        finally:
            await self.channel.close()

    def _standing(self) -> DeliveryState:
        return self.outbox.state(self.name, (0, 0) if self.config.begin == "start" else self.reader.end())

    async def _rest(self, stopped_at: str) -> bool:
        """Wait a little for somebody to begin it again; returns whether the service stops."""
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
                raise MovedError(f"{self.name}: the record goes on in a new epoch")
            found = await asyncio.to_thread(self.reader.after, looked, frozenset(self.config.kinds))
            for notice in found.notices:
                dead += await self._deliver(notice, position, attempts)
                position, attempts = notice.position, 0
                self._show_well(dead)
            looked = found.through
            if found.more and looked != position:
                # So that a restart does not look through them all again.
                await asyncio.to_thread(self.outbox.acknowledge, self.name, position, looked)
                position = looked
            elif not found.more:
                if dead:  # somebody may have sent them again, or let them go
                    dead = len(await asyncio.to_thread(self.outbox.dead, self.name))
                    self._show_well(dead)
                await self.live.recorded.wait_beyond(heard, _LOOK_AGAIN_S)
                if self.live.recorded.closed:
                    return

    async def _deliver(self, notice: Notice, at: Position, attempts: int) -> int:
        """Send a notice until it is taken or laid aside; returns how many were laid aside."""
        while True:
            try:
                await self.channel.send(notice)
            except NotTakenError as error:
                if error.gone:
                    _log.error(
                        "%s: it answered 410 (gone): nothing more is sent until it is begun again", self.shown_as
                    )
                    await self._keep(self.outbox.stop, self.name, at)
                    raise _StoppedError from None
                attempts += 1
                if attempts >= self.retry.attempts:
                    _log.error("%s: %s is laid aside after %d attempts: %s", self.shown_as, notice.id, attempts, error)
                    await self._keep(self.outbox.lay_aside, self.name, at, notice, attempts, str(error))
                    return 1
                await self._keep(self.outbox.failed, self.name, at, attempts)
                if attempts >= _SHOWN_AFTER:
                    self._show(ServiceCode.CHANNEL_REFUSES, ok=False, why=(error.finding,), attempts=attempts)
                await asyncio.sleep(max(self.retry.pause_s(attempts), error.retry_after_s))
            else:
                await self._keep(self.outbox.acknowledge, self.name, at, notice.position, notice.hash)
                return 0

    async def _keep(self, keep: Callable[..., None], *told: object) -> None:
        """Have the outbox keep something, however long its database is away: what was taken is not sent again."""
        while True:
            try:
                await asyncio.to_thread(keep, *told)
            except RecordUnavailableError as error:
                self._show(ServiceCode.CHANNEL_WAITS_FOR_RECORD, ok=False, why=(error.finding,))
                await asyncio.sleep(_RECORD_PAUSE_S)
            else:
                return

    def _show_well(self, dead: int) -> None:
        if dead:
            attempts = self.retry.attempts
            self._show(ServiceCode.CHANNEL_LAID_ASIDE, ok=False, events=dead, attempts=attempts)
        else:
            self._show(ServiceCode.CHANNEL_WELL, ok=True)

    def _show(self, code: ServiceCode, *, ok: bool, **params: Param) -> None:
        self.live.check(Check.of(self.shown_as, code, ok=ok, **params))
