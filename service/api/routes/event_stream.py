"""Server-sent events: states of tables, results and alarms, resumable by the last event's id."""

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
from service.api.deps import PartsDep, ScopeDep
from service.api.local_table import LocalTable
from service.api.notify.notices import NOTICE_KINDS
from service.api.parts import Parts
from service.api.permissions import CallerDep, requires
from service.api.problems import problems
from service.api.scope import Scope
from service.hub.live_overview import LiveOverview
from service.record.outbox import ALL_PARTS, Position
from service.record.store.entries import RecordUnavailableError
from service.record.store.stored_logs import CursorError, cursor_of, read_cursor
from service.rounds.reports import FrozenModel
from service.system.subscriber_settings import AlarmKind, NoticeKind

router = APIRouter(prefix="/v1", tags=["tables"])

HEARTBEAT_S = 10.0
_LOOK_AGAIN_S = 5.0
RECONNECT_MS = 2_000
EVERYTHING = frozenset(NOTICE_KINDS)
ALARMS = EVERYTHING - {"result"}


class EventOut(FrozenModel):
    """The state of a local table.

    Attributes:
        picture: number of the newest picture; changes at most four times a second.
        round: id and revision of the current round.
        healthy: whether every check passes.
        alarms: identifies the current set of open alarms: changes when the set does.
    """

    table: str
    picture: int
    round: str | None
    healthy: bool
    alarms: str


class TablesEventOut(FrozenModel):
    """Totals over all tables of a service with several.

    Attributes:
        states: number of tables by state.
        unanswered: number of open alarms, by kind.
        waiting: number of rounds that need review.
        moment: number of this event within the connection.
    """

    states: dict[str, int]
    unanswered: dict[AlarmKind, int]
    waiting: int
    moment: int


class ResetOut(FrozenModel):
    """Sent if the client's last event is unknown here: it may have missed events."""

    reason: str


class HeartbeatOut(FrozenModel):
    """Shows that the connection is alive."""

    at: datetime


LastEventId = Annotated[
    str | None, Header(max_length=200, description="id of the last received event; later events are sent first")
]


@router.get(
    "/events", dependencies=[requires(Permission.WATCH)], response_class=EventSourceResponse, responses=problems(422)
)
async def stream_events(
    parts: PartsDep,
    scope: ScopeDep,
    caller: CallerDep,
    *,
    recorded: Annotated[bool, Query(description="`false` omits `result` and `alarm`", examples=[False])] = True,
    last_event_id: LastEventId = None,
) -> AsyncIterator[ServerSentEvent]:
    """Server-sent events: `change` for each local table, `result` and `alarm` when recorded.

    `change` is sent on connection and after each change of the table's state. A service with several tables also sends
    `tables`, the number of tables by state. `result` and `alarm` carry CloudEvents and an id; a client that reconnects
    with `Last-Event-ID`, as browsers do, first receives the events it missed. If the id is unknown, `reset` is sent:
    fetch everything again. A `heartbeat` is sent at least every ten seconds; without it the connection is dead. Roles
    that may not see recorded rounds receive no `result`.
    """
    kinds = EVERYTHING if caller.may(Permission.RESULTS) else ALARMS
    holds = partial(parts.access.still_allowed, caller)
    async for event in events(scope, holds, kinds if recorded else frozenset(), last_event_id):
        yield event


async def events(
    scope: Scope,
    holds: Callable[[], Awaitable[bool]],
    kinds: frozenset[NoticeKind] = EVERYTHING,
    last_event_id: str | None = None,
) -> AsyncIterator[ServerSentEvent]:
    """Every event after the last received one, or from now on, until the service stops.

    Args:
        scope: the tables that the client may see.
        holds: whether the client may still see them; awaited before each event.
        kinds: of notices to send.
        last_event_id: id of the last received event.
    """
    changes = scope.parts.news.changes
    recorded = _Recorded(scope, kinds, last_event_id)
    states: dict[str, EventOut] = {}
    tables = None if scope.parts.only is not None else _AllTables(scope, scope.parts.overview)
    beats = time.monotonic() + HEARTBEAT_S
    yield ServerSentEvent(comment="Houseway", retry=RECONNECT_MS)
    # First the position in the record, then the tables' states: nothing can be recorded unnoticed in between.
    async for event in recorded.so_far():
        yield event
    while not changes.closed and await holds():
        heard = changes.count
        for table in scope.local:
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
        # A source that hangs changes nothing, so checks also depend on time.
        await changes.wait_beyond(heard, min(_LOOK_AGAIN_S, max(0.0, beats - time.monotonic())))


@dataclass(slots=True)
class _AllTables:
    """Totals over all tables, as one client last received them."""

    scope: Scope
    overview: LiveOverview
    heard: int = -1
    moment: int = 0
    known: object = None

    async def news(self) -> TablesEventOut | None:
        """The totals, if something changed since the previous call."""
        if self.overview.news.count == self.heard:
            return None
        self.heard = self.overview.news.count
        floor = await self.scope.overview()
        # Changes in pits outside the client's limits must not show.
        if floor.as_told() == self.known:
            return None
        self.known, self.moment = floor.as_told(), self.moment + 1
        counts = {"states": floor.states, "unanswered": floor.unanswered, "waiting": floor.waiting}
        return TablesEventOut.model_validate({**counts, "moment": self.moment})


@dataclass(slots=True)
class _Recorded:
    """How far one reader knows what is recorded."""

    scope: Scope
    kinds: frozenset[NoticeKind]
    last_event_id: str | None
    position: Position | None = None
    heard: int = -1

    async def so_far(self) -> AsyncIterator[ServerSentEvent]:
        """Notices since the previous call; none while the record cannot be read."""
        if not self.kinds:
            return
        parts, seen = self.scope.parts, self.scope.bounds
        heard = parts.news.recorded.count
        if heard == self.heard:
            return  # nothing was recorded
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
                    own_epoch = notice.kind == "epoch" and notice.table == parts.config.service.name
                    if seen is not None and notice.table not in seen and not own_epoch:
                        continue
                    kind = notice.kind if notice.kind in {"result", "epoch"} else "alarm"
                    number = f"{cursor_of(notice.entry, notice.hash)}.{notice.part}"
                    yield ServerSentEvent(event=kind, id=number, raw_data=notice.body)
                self.position = position = found.through
                more = found.more
            self.heard = heard
        except RecordUnavailableError:
            return  # the table's checks report it; retried on the next call


def _begin(parts: Parts, last_event_id: str | None) -> tuple[Position, ResetOut | None]:
    """The position to start at, and a reset if events may have been missed."""
    end = parts.notices.reader.end()
    if last_event_id is None:
        return end, None
    cursor, _, part = last_event_id.partition(".")
    try:
        position, start = read_cursor(cursor)
    except CursorError:
        return end, ResetOut(reason="This is not the id of an event; fetch everything again.")
    known = part.isdecimal() and int(part) <= ALL_PARTS
    if not known or not parts.notices.reader.holds(position, start):
        return end, ResetOut(reason="This record does not contain that event; fetch everything again.")
    return (position, int(part)), None


async def _news(table: LocalTable) -> EventOut:
    current, view = table.live.state.current, table.live.displayed.view
    return EventOut(
        table=table.name,
        picture=0 if view is None else view.number,
        round=None if current is None else f"{current.id}.{current.revision}",
        healthy=all(check.ok for check in table.live.health()),
        alarms=await table.alarms.name(),
    )
