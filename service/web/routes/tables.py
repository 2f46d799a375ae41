"""The page of all tables; where there is only one, its own page takes its place."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.conditional import IfNoneMatch, hashed_response
from service.api.permissions import requires
from service.hub.table_figures import FIGURES
from service.hub.table_states import State
from service.web.hub_page import FloorPage, FloorPageDep
from service.web.left_empty import LEFT_EMPTY

router = APIRouter(include_in_schema=False)

_WATCH = requires(Permission.WATCH)
Pit = Annotated[Annotated[str, Field(max_length=40)] | None, LEFT_EMPTY, Query()]
_State = Annotated[State | None, LEFT_EMPTY, Query()]


@router.get("/", dependencies=[_WATCH], response_model=None)
async def read_page(page: FloorPageDep, pit: Pit = None, state: _State = None) -> HTMLResponse | RedirectResponse:
    """All tables, the most severe first."""
    if page.parts.only is not None:
        return RedirectResponse(page.parts.only.at, status_code=303)
    board = await _board(page, pit, state)
    asked = {"pit": pit or "", "state": state or ""}
    return await run_in_threadpool(page.answer, "floor/tables.html", board=board, asked=asked)


@router.get("/page/tables", dependencies=[_WATCH])
async def read_board(
    page: FloorPageDep, pit: Pit = None, state: _State = None, if_none_match: IfNoneMatch = None
) -> Response:
    """The part of the page that changes: made once for all who look at the same."""
    return hashed_response(await _board(page, pit, state), "text/html", if_none_match)


async def _board(page: FloorPage, pit: str | None, state: State | None) -> str:
    sight = page.sight
    overview = await sight.overview()
    asked = {"pit": pit or "", "state": state or ""}
    return await page.parts.overview.text(
        ("board", page.language, sight.of_pits, pit, state, overview.outdated),
        lambda: page.shared("floor/board.html", now=overview, pit=pit, state=state, asked=asked, figures=FIGURES),
    )
