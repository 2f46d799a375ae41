"""The page of a table of another service."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.deps import PartsDep, TableName
from service.api.local_table import HubRoute
from service.api.permissions import requires
from service.record.projections.round_search import Wanted, find_rounds
from service.web.hub_page import FloorPageDep

router = APIRouter(route_class=HubRoute, include_in_schema=False)

_WATCH = requires(Permission.WATCH)
_NEWEST = 10


@router.get("/tables/{table}", dependencies=[_WATCH])
async def read_table(page: FloorPageDep, parts: PartsDep, table: TableName) -> HTMLResponse:
    """State, alarms and newest rounds of a table."""
    sight = page.sight
    sight.table_of(table)
    shown = (await sight.overview()).by_name[table]
    report = None if shown.remote is None else shown.remote.report

    def made() -> HTMLResponse:
        return page.answer(
            "floor/table.html",
            shown=shown,
            failing=() if report is None else report.failing,
            rulebook=None if report is None else report.rulebook,
            alarms=sight.alarms_of([table]).open(5),
            found=find_rounds(parts.projector, Wanted(), [table], limit=_NEWEST),
        )

    return await run_in_threadpool(made)
