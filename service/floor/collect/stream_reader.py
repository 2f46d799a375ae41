"""Reads the messages of a table's stream from any entry on. It remembers no position: that is found by what is held."""

from __future__ import annotations

import logging
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import FetchTimeoutError, NotFoundError

from service.floor.collect.client import LIMIT, TableAwayError, read_page
from service.record.results import START
from service.record.store.chain import BrokenEntryError, Entry

if TYPE_CHECKING:
    from datetime import datetime

    from nats.aio.msg import Msg
    from nats.js import JetStreamContext

    from service.floor.collect.client import Page
    from service.nats.line import NatsLine
    from service.nats.names import Names
    from service.record.results import Cursor

_log = logging.getLogger(__name__)

_ONCE_S: Final = 2.0
_BEAT_S: Final = 0.4
"""A consumer that is there gives a sign of life so often; one that went with its server does not."""
_TOGETHER: Final = 16
"""Messages that are fetched together."""
_UNUSED_S: Final = 30.0
_NEWEST_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the stream.

    Attributes:
        page: the entries in it.
        since: the cursor that they follow.
        end: the cursor behind them.
        pending: how many messages there are behind it.
    """

    page: Page
    since: Cursor
    end: Cursor
    pending: int = 0

    @classmethod
    def read(cls, data: bytes, pending: int = 0) -> Message | None:
        """A message as it came; None if it is not a page of entries."""
        try:
            page = read_page(data)
            first, last = (Entry.of_line(page.given[place].line) for place in (0, -1))
        except (TableAwayError, BrokenEntryError, IndexError):
            return None
        since = (first.seq - 1, first.previous[:16]) if first.seq > 1 else START
        return cls(page, since, (last.seq, last.hash[:16]), pending)

    def goes_on_from(self, cursor: Cursor) -> bool:
        """Whether what follows a cursor is in it."""
        if self.since == cursor:
            return True
        place = cursor[0] - self.since[0] - 1
        if not 0 <= place < len(self.page.given) - 1:
            return False
        try:
            entry = Entry.of_line(self.page.given[place].line)
        except BrokenEntryError:
            return False
        return (entry.seq, entry.hash[:16]) == cursor


@dataclass(slots=True)
class StreamReader:
    """Reads one stream, from where it is asked to; raises what NATS raises."""

    line: NatsLine
    names: Names
    _consumer: JetStreamContext.PullSubscription | None = None
    _end: Cursor | None = None
    _waiting: deque[Message | None] = field(default_factory=deque)
    _newest_at: datetime | None = None
    _looked_at: float = float("-inf")

    @property
    def placed(self) -> bool:
        """Whether it stands somewhere in the stream."""
        return self._consumer is not None

    async def page(self, cursor: Cursor, wait_s: float) -> Page | None:
        """What follows a cursor; None if the stream has nothing of it, or does not go on from there."""
        ends = time.monotonic() + wait_s
        if not self.placed and not await self._seek(cursor):
            return None
        while (message := await self._next(ends)) is not None:
            if message.goes_on_from(cursor):
                return await self._together(message)
            if message.end[0] > cursor[0] or (self._end is not None and message.since != self._end):
                break
            self._end = message.end  # what is held already
        else:
            return None
        await self.lose()
        return None

    async def lose(self) -> None:
        """Stand nowhere any more."""
        consumer, self._consumer = self._consumer, None
        self._waiting.clear()
        self._end = None
        if consumer is not None and self.line.up:
            await consumer.unsubscribe()

    async def _together(self, message: Message) -> Page:
        """A page of a message, and of what follows it and is here already."""
        page, end, pending = message.page, message.end, message.pending
        while self._waiting and (following := self._waiting[0]) is not None:
            more = (*page.given, *following.page.given)
            if following.since != end or following.page.record != page.record or len(more) > LIMIT:
                break
            page, end, pending = replace(following.page, given=more), following.end, following.pending
            self._waiting.popleft()
        self._end = end
        behind = pending > 0 or bool(self._waiting)
        newest_at = await self._look_for_newest() if behind else page.newest_at
        return replace(page, more=behind or page.more, newest_at=newest_at, direct=False)

    async def _look_for_newest(self) -> datetime | None:
        """When the newest entry in the stream was recorded."""
        if time.monotonic() - self._looked_at > _NEWEST_S:
            self._looked_at = time.monotonic()
            streams = self.line.client.jetstream()
            last = await self._at((await streams.stream_info(self.names.leaf)).state.last_seq)
            self._newest_at = self._newest_at if last is None else last.page.newest_at
        return self._newest_at

    async def _next(self, ends: float) -> Message | None:
        """The next message; None if none came in time, or it is not to be read."""
        if not self._waiting:
            await self._fetch(ends)
        if not self._waiting:
            return None
        found = self._waiting.popleft()
        if found is None:
            _log.warning("%s: its stream has a message that is no page of entries; it is left out", self.names.table)
        return found

    async def _fetch(self, ends: float) -> None:
        consumer = self._consumer
        while consumer is not None:
            left = ends - time.monotonic()
            once = max(0.1, min(left, _ONCE_S))
            beat = _BEAT_S if once > 2 * _BEAT_S else None
            try:
                got = await consumer.fetch(1, once, beat)
                pending = got[0].metadata.num_pending
                if pending:
                    got += await consumer.fetch(min(pending, _TOGETHER), _ONCE_S)
            except FetchTimeoutError:
                pass
            except NatsTimeoutError:
                if beat is not None:
                    await self.lose()
                    return
            else:
                self._waiting.extend(map(_message, got))
                return
            if left <= once:
                return

    async def _seek(self, cursor: Cursor) -> bool:
        """Stand behind a cursor; False if it is nowhere in the stream."""
        streams = self.line.client.jetstream()
        try:
            state = (await streams.stream_info(self.names.leaf)).state
        except NotFoundError:
            return False
        start, end = state.last_seq + 1, None
        if state.messages:
            last = await self._at(state.last_seq)
            if last is None:
                return False
            end = last.end
            if last.end[0] > cursor[0]:
                found = await self._find(cursor, state.first_seq, state.last_seq)
                if found is None:
                    return False
                start, end = found, None
        made = await streams.add_consumer(
            self.names.leaf,
            ConsumerConfig(
                deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=start,
                ack_policy=AckPolicy.NONE,
                inactive_threshold=_UNUSED_S,
                mem_storage=True,
                num_replicas=1,
            ),
        )
        self._consumer = await streams.pull_subscribe_bind(made.name, self.names.leaf)
        self._end = end
        return True

    async def _find(self, cursor: Cursor, first: int, last: int) -> int | None:
        """The number of the message that goes on from a cursor, looked for from the end; None if there is none.

        Within one epoch the entries of messages ascend. Where a record was restored they do not, and an earlier place
        may be missed: then the table is asked instead.
        """
        low, high, step = last, last + 1, 1
        while (message := await self._at(low)) is not None and message.since[0] > cursor[0]:
            if low == first:
                return None
            low, high, step = max(first, low - step), low, 2 * step
        while message is not None and high - low > 1:
            between = (low + high) // 2
            message = await self._at(between)
            if message is not None and message.since[0] <= cursor[0]:
                low = between
            else:
                high = between
        message = await self._at(low)
        return low if message is not None and message.goes_on_from(cursor) else None

    async def _at(self, number: int) -> Message | None:
        try:
            found = await self.line.client.jetstream().get_msg(self.names.leaf, number)
        except NotFoundError:
            return None
        return Message.read(found.data or b"")


def _message(message: Msg) -> Message | None:
    return Message.read(message.data, message.metadata.num_pending)
