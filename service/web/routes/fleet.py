"""The page that shows what each table runs on."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.permissions import requires
from service.api.routes.hub import Sort
from service.web.hub_page import FloorPage, FloorPageDep
from service.web.left_empty import LEFT_EMPTY
from service.web.routes.tables import Pit

router = APIRouter(include_in_schema=False)

_Sort = Annotated[Sort | None, LEFT_EMPTY, Query()]


@router.get("/fleet", dependencies=[requires(Permission.HEALTH)])
async def read_fleet(page: FloorPageDep, pit: Pit = None, sort: _Sort = None) -> HTMLResponse:
    """What each table runs on, the worst first."""
    return await _fleet(page, pit, sort, "floor/fleet.html")


@router.get("/page/fleet", dependencies=[requires(Permission.HEALTH)])
async def read_fleet_part(page: FloorPageDep, pit: Pit = None, sort: _Sort = None) -> HTMLResponse:
    """The part of the page that changes."""
    return await _fleet(page, pit, sort, "floor/fleet_part.html")


async def _fleet(page: FloorPage, pit: str | None, sort: Sort | None, template: str) -> HTMLResponse:
    chosen: Sort = sort or "worst"
    rows = await page.scope.fleet(pit, chosen)
    asked = {"pit": pit or "", "sort": chosen}
    return await run_in_threadpool(page.answer, template, rows=rows, sort=chosen, asked=asked)
