"""The page of all tables, and of one of them."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.floor.collect.states import State
from service.http.conditional import IfNoneMatch, hashed_response
from service.http.deps import PartsDep, TableName
from service.http.local_table import HubRoute
from service.http.permissions import requires
from service.projections.round_search import Wanted, find_rounds
from service.web.hub_page import FloorPage, FloorPageDep
from service.web.left_empty import LEFT_EMPTY

router = APIRouter(route_class=HubRoute, include_in_schema=False)

_WATCH = requires(Permission.WATCH)
_NEWEST = 10
Pit = Annotated[Annotated[str, Field(max_length=40)] | None, LEFT_EMPTY, Query()]
_State = Annotated[State | None, LEFT_EMPTY, Query()]


@router.get("/", dependencies=[_WATCH])
async def read_page(page: FloorPageDep, pit: Pit = None, state: _State = None) -> HTMLResponse:
    """All tables, what is wrong first."""
    board = await _board(page, pit, state)
    asked = {"pit": pit or "", "state": state or ""}
    return await run_in_threadpool(page.answer, "floor/page.html", board=board, asked=asked)


@router.get("/page/floor", dependencies=[_WATCH])
async def read_board(
    page: FloorPageDep, pit: Pit = None, state: _State = None, if_none_match: IfNoneMatch = None
) -> Response:
    """The part of the page that changes: made once for all who look at the same."""
    return hashed_response(await _board(page, pit, state), "text/html", if_none_match)


@router.get("/tables/{table}", dependencies=[_WATCH])
async def read_table(page: FloorPageDep, parts: PartsDep, table: TableName) -> HTMLResponse:
    """One table: how it is, its alarms, its newest rounds."""
    sight = page.sight
    sight.table_of(table)
    shown = (await sight.floor()).by_name[table]

    def made() -> HTMLResponse:
        return page.answer(
            "floor/table.html",
            shown=shown,
            failing=shown.now.summary().get("failing", ()),
            rulebook=shown.now.summary().get("rulebook"),
            alarms=sight.alarms_of([table]).open(5),
            found=find_rounds(parts.projector, Wanted(), [table], limit=_NEWEST),
        )

    return await run_in_threadpool(made)


async def _board(page: FloorPage, pit: str | None, state: State | None) -> str:
    sight = page.sight
    floor = await sight.floor()
    asked = {"pit": pit or "", "state": state or ""}
    return await page.parts.hub.view.text(
        ("board", page.language, sight.of_pits, pit, state, floor.outdated),
        lambda: page.shared("floor/board.html", now=floor, pit=pit, state=state, asked=asked),
    )
