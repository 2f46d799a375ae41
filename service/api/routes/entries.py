"""Every entry of the record with what proves it: for the floor service, and for whoever keeps a second record."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.access.roles import Permission
from service.api.conditional import long_poll
from service.api.deps import PartsDep
from service.api.errors import problems
from service.api.permissions import requires
from service.api.record_schemas import EntriesQuery
from service.record.feed import EntriesOut
from service.record.store.stored_logs import START, read_cursor

router = APIRouter(prefix="/v1/record", tags=["record"])


@router.get(
    "/entries",
    dependencies=[requires(Permission.ENTRIES)],
    response_model=EntriesOut,
    responses=problems(409, 422, 503),
)
async def list_entries(parts: PartsDep, asked: Annotated[EntriesQuery, Query()]) -> Response:
    """Every entry of every kind with its signature, oldest first, nothing skipped and nothing repeated.

    Keep `next` and send it as `since`. Verify each entry by its hash, the entry before it and its signature.
    """
    since = START if asked.since is None else read_cursor(asked.since)
    body = await long_poll(
        parts.news.appended,
        min(asked.wait, parts.config.server.max_wait_s),
        lambda changes: parts.feed.entries(since, asked.limit, changes),
    )
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})
