"""Server-sent events: that something changed on the floor."""

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from fastapi import APIRouter
from fastapi.sse import EventSourceResponse, ServerSentEvent

from service.access.roles import Permission
from service.floor.http.schemas import FloorEventOut
from service.floor.parts import FloorDep
from service.http.permissions import CallerDep, requires
from service.http.routes.event_stream import HEARTBEAT_S, RECONNECT_MS
from service.http.schemas import HeartbeatOut

router = APIRouter(prefix="/v1", tags=["tables"])


@router.get("/events", dependencies=[requires(Permission.WATCH)], response_class=EventSourceResponse)
async def stream_events(parts: FloorDep, caller: CallerDep) -> AsyncIterator[ServerSentEvent]:
    """News, server-sent: `change` at once and with every change on the floor, with how many tables are how.

    What was recorded is in `/v1/results`, which loses nothing. A `heartbeat` comes at least every ten seconds; without
    one the connection is dead.
    """
    news = parts.view.news
    yield ServerSentEvent(comment="Houseway", retry=RECONNECT_MS)
    beats = time.monotonic() + HEARTBEAT_S
    told = -1
    while not news.closed and await parts.access.holds(caller):
        heard = news.count
        if heard != told:
            floor = await parts.view.now()
            counts = {"states": floor.states, "unanswered": floor.unanswered, "waiting": floor.waiting}
            yield ServerSentEvent(event="change", data=FloorEventOut.model_validate({**counts, "moment": heard}))
            told = heard
        if time.monotonic() >= beats:
            yield ServerSentEvent(event="heartbeat", data=HeartbeatOut(at=datetime.now(UTC)))
            beats = time.monotonic() + HEARTBEAT_S
        await news.wait_beyond(heard, max(0.0, beats - time.monotonic()))
