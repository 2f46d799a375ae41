"""Results of all tables, in order."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.access.roles import Permission
from service.floor.feed import FloorResultsOut
from service.http.conditional import long_poll
from service.http.deps import PartsDep
from service.http.errors import problems
from service.http.hub_schemas import FloorResultsQuery
from service.http.permissions import requires
from service.http.sight import SightDep
from service.record.results import START, read_cursor

router = APIRouter(prefix="/v1", tags=["record"])


@router.get(
    "/results",
    include_in_schema=False,
    dependencies=[requires(Permission.RESULTS)],
    response_model=FloorResultsOut,
    responses=problems(404, 409, 422, 503),
)
async def list_results(parts: PartsDep, sight: SightDep, asked: Annotated[FloorResultsQuery, Query()]) -> Response:
    """Every revision of every round of all tables, in the order in which the floor accepted them; none is left out.

    The order of each table is that of its record. Keep `next` and send it as `since`.
    """
    meant = sight.tables_in(asked.table, None)
    tables = None if meant is None else tuple(sorted(meant))
    since = START if asked.since is None else read_cursor(asked.since)
    body = await long_poll(
        parts.hub.writer.appended,
        min(asked.wait, parts.config.server.max_wait_s),
        lambda changes: parts.hub.feed.page(since, tables, asked.limit, changes),
    )
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})
