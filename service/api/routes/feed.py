"""Results of all tables, in order."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.access.roles import Permission
from service.api.conditional import long_poll
from service.api.deps import Parts, PartsDep
from service.api.errors import ProblemError, problems
from service.api.permissions import CallerDep, requires
from service.api.record_schemas import ResultsQuery
from service.record.feed import ResultsOut
from service.record.store.stored_logs import START, read_cursor

router = APIRouter(prefix="/v1", tags=["record"])


@router.get(
    "/results",
    dependencies=[requires(Permission.RESULTS)],
    response_model=ResultsOut,
    responses=problems(404, 409, 422, 503),
)
async def list_results(parts: PartsDep, caller: CallerDep, asked: Annotated[ResultsQuery, Query()]) -> Response:
    """Every revision of every round of all tables, oldest first, nothing skipped and nothing repeated.

    The order of each table is that of its record. Keep `next` and send it as `since`: it stays valid for ever, also
    after restarts.
    """
    tables = _tables(parts, caller.pits, asked.table)
    since = START if asked.since is None else read_cursor(asked.since)
    body = await long_poll(
        parts.news.recorded,
        min(asked.wait, parts.config.server.max_wait_s),
        lambda changes: parts.feed.page(since, tables, asked.limit, changes),
    )
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


def _tables(parts: Parts, pits: tuple[str, ...], table: str | None) -> tuple[str, ...] | None:
    """Names of the tables that are asked for and may be seen; None for all that there are and ever were."""
    seen = sorted(each.name for each in parts.config.tables if not pits or each.pit in pits)
    if table is None:
        return tuple(seen) if pits else None
    if table not in seen:
        raise ProblemError(404, "unknown_table", f"There is no table {table!r} here.")
    return (table,)
