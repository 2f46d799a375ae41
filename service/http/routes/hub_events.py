"""Server-sent events: that something changed on the floor."""

import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from fastapi import APIRouter
from fastapi.sse import EventSourceResponse, ServerSentEvent

from service.access.roles import Permission
from service.http.deps import PartsDep
from service.http.hub_schemas import FloorEventOut
from service.http.permissions import CallerDep, requires
from service.http.routes.event_stream import HEARTBEAT_S, RECONNECT_MS
from service.http.schemas import HeartbeatOut
from service.http.sight import SightDep

router = APIRouter(prefix="/v1", tags=["tables"])


@router.get(
    "/events", include_in_schema=False, dependencies=[requires(Permission.WATCH)], response_class=EventSourceResponse
)
async def stream_events(parts: PartsDep, sight: SightDep, caller: CallerDep) -> AsyncIterator[ServerSentEvent]:
    """News, server-sent: `change` at once and with every change on the floor, with the number of tables in each state.

    What was recorded is in `/v1/results`, which loses nothing. A `heartbeat` comes at least every ten seconds; without
    one the connection is dead.
    """
    changes = parts.hub.view.news
    yield ServerSentEvent(comment="Houseway", retry=RECONNECT_MS)
    beats = time.monotonic() + HEARTBEAT_S
    heard, moment, told = -1, 0, None
    while not changes.closed and await parts.access.still_allowed(caller):
        if changes.count != heard:
            heard = changes.count
            floor = await sight.floor()
            # Whoever sees some pits is not told that something happened in another one.
            if not sight.of_pits or floor.as_told() != told:
                told, moment = floor.as_told(), moment + 1
                counts = {"states": floor.states, "unanswered": floor.unanswered, "waiting": floor.waiting}
                yield ServerSentEvent(event="change", data=FloorEventOut.model_validate({**counts, "moment": moment}))
        if time.monotonic() >= beats:
            yield ServerSentEvent(event="heartbeat", data=HeartbeatOut(at=datetime.now(UTC)))
            beats = time.monotonic() + HEARTBEAT_S
        await changes.wait_beyond(heard, max(0.0, beats - time.monotonic()))
