"""Server-sent events: how the tables are now, what is recorded, and alarms, from where the reader left off."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.deps import Parts, PartsDep
from service.api.errors import problems
from service.api.local_table import LocalTable
from service.api.notify.notices import NOTICE_KINDS
from service.api.permissions import CallerDep, requires
from service.api.schemas import EventOut, HeartbeatOut, ResetOut, TablesEventOut
from service.api.sight import Sight, SightDep
from service.hub.shown.live_overview import LiveOverview
from service.record.outbox import ALL_PARTS, Position
from service.record.store.entries import RecordUnavailableError
from service.record.store.stored_logs import CursorError, cursor_of, read_cursor
from service.system.subscriber_settings import NoticeKind

router = APIRouter(prefix="/v1", tags=["tables"])

HEARTBEAT_S = 10.0
_LOOK_AGAIN_S = 5.0
RECONNECT_MS = 2_000
EVERYTHING = frozenset(NOTICE_KINDS)
ALARMS = EVERYTHING - {"result"}

LastEventId = Annotated[
    str | None, Header(max_length=200, description="id of the last event held; what came since is sent first")
]


@router.get(
    "/events", dependencies=[requires(Permission.WATCH)], response_class=EventSourceResponse, responses=problems(422)
)
async def stream_events(
    parts: PartsDep,
    sight: SightDep,
    caller: CallerDep,
    *,
    recorded: Annotated[
        bool, Query(description="`false` leaves out `result` and `alarm`, as pages do", examples=[False])
    ] = True,
    last_event_id: LastEventId = None,
) -> AsyncIterator[ServerSentEvent]:
    """News, server-sent: `change` of each local table at once and as it changes, `result` and `alarm` as recorded.

    A service with several tables also sends `tables`, at once and as something changes: how many of them are in each
    state. `result` and `alarm` carry CloudEvents and an id; a reader that comes back with `Last-Event-ID`, as
    browsers do by themselves, gets first what it missed. An id that this record does not know is answered with `reset`:
    fetch everything anew. A `heartbeat` comes at least every ten seconds; without one the connection is dead. A role
    that may not see recorded rounds gets no `result`.
    """
    kinds = EVERYTHING if caller.may(Permission.RESULTS) else ALARMS
    holds = partial(parts.access.still_allowed, caller)
    async for event in events(sight, holds, kinds if recorded else frozenset(), last_event_id):
        yield event


async def events(
    sight: Sight,
    holds: Callable[[], Awaitable[bool]],
    kinds: frozenset[NoticeKind] = EVERYTHING,
    last_event_id: str | None = None,
) -> AsyncIterator[ServerSentEvent]:
    """Every event from where the reader left off, or from now on, until the service stops.

    Args:
        sight: what the reader sees.
        holds: whether the reader may still see it; asked before each event.
        kinds: of notices from the record; nothing of the record if there are none.
        last_event_id: the last event that the reader holds.
    """
    changes = sight.parts.news.changes
    recorded = _Recorded(sight, kinds, last_event_id)
    states: dict[str, EventOut] = {}
    tables = None if sight.parts.only is not None else _AllTables(sight, sight.parts.overview)
    beats = time.monotonic() + HEARTBEAT_S
    yield ServerSentEvent(comment="Houseway", retry=RECONNECT_MS)
    # First where the reader stands, then how the table is: nothing can be recorded unseen in between.
    async for event in recorded.so_far():
        yield event
    while not changes.closed and await holds():
        heard = changes.count
        for table in sight.local:
            news = await _news(table)
            if news != states.get(table.name):
                yield ServerSentEvent(event="change", data=news)
                states[table.name] = news
        if tables is not None and (counts := await tables.news()) is not None:
            yield ServerSentEvent(event="tables", data=counts)
        async for event in recorded.so_far():
            yield event
        if time.monotonic() >= beats:
            yield ServerSentEvent(event="heartbeat", data=HeartbeatOut(at=datetime.now(UTC)))
            beats = time.monotonic() + HEARTBEAT_S
        # A source that hangs changes nothing, so the time is looked at as well.
        await changes.wait_beyond(heard, min(_LOOK_AGAIN_S, max(0.0, beats - time.monotonic())))


@dataclass(slots=True)
class _AllTables:
    """What one reader knows of all tables together."""

    sight: Sight
    overview: LiveOverview
    heard: int = -1
    moment: int = 0
    known: object = None

    async def news(self) -> TablesEventOut | None:
        """The counts, if something changed since this was asked before."""
        if self.overview.news.count == self.heard:
            return None
        self.heard = self.overview.news.count
        floor = await self.sight.overview()
        # Nobody is told that something happened in a pit that he does not see.
        if floor.as_told() == self.known:
            return None
        self.known, self.moment = floor.as_told(), self.moment + 1
        counts = {"states": floor.states, "unanswered": floor.unanswered, "waiting": floor.waiting}
        return TablesEventOut.model_validate({**counts, "moment": self.moment})


@dataclass(slots=True)
class _Recorded:
    """How far one reader knows what is recorded."""

    sight: Sight
    kinds: frozenset[NoticeKind]
    last_event_id: str | None
    position: Position | None = None
    heard: int = -1

    async def so_far(self) -> AsyncIterator[ServerSentEvent]:
        """What was recorded since this was asked before; nothing while the record cannot be read."""
        if not self.kinds:
            return
        parts, seen = self.sight.parts, self.sight.bounds
        heard = parts.news.recorded.count
        if heard == self.heard:
            return  # only a picture changed
        try:
            position = self.position
            if position is None:
                begin, reset = await run_in_threadpool(_begin, parts, self.last_event_id)
                self.position = position = begin
                if reset is not None:
                    yield ServerSentEvent(event="reset", data=reset)
            more = True
            while more:
                found = await parts.notices.after(position, self.kinds, heard)
                for notice in found.notices:
                    if seen is not None and notice.table not in seen:
                        continue
                    kind = notice.kind if notice.kind in {"result", "epoch"} else "alarm"
                    number = f"{cursor_of(notice.entry, notice.hash)}.{notice.part}"
                    yield ServerSentEvent(event=kind, id=number, raw_data=notice.body)
                self.position = position = found.through
                more = found.more
            self.heard = heard
        except RecordUnavailableError:
            return  # the table's checks say so; it is tried again


def _begin(parts: Parts, last_event_id: str | None) -> tuple[Position, ResetOut | None]:
    """Where a reader begins, and what it must know if that is not where it left off."""
    end = parts.notices.reader.end()
    if last_event_id is None:
        return end, None
    cursor, _, part = last_event_id.partition(".")
    try:
        position, start = read_cursor(cursor)
    except CursorError:
        return end, ResetOut(reason="This id is none that was sent; fetch everything anew.")
    known = part.isdecimal() and int(part) <= ALL_PARTS
    if not known or not parts.notices.reader.holds(position, start):
        return end, ResetOut(reason="This record does not hold the event of this id; fetch everything anew.")
    return (position, int(part)), None


async def _news(table: LocalTable) -> EventOut:
    current, view = table.live.state.current, table.live.shown.view
    return EventOut(
        table=table.name,
        picture=0 if view is None else view.number,
        round=None if current is None else f"{current.id}.{current.revision}",
        healthy=all(check.ok for check in table.live.health()),
        alarms=await table.alarms.name(),
    )
