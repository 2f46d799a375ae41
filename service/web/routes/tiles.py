"""The table's set of tiles on the page: how it is, and having it checked, enrolled or answered for."""

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse
from pydantic import StringConstraints

from service.access.roles import Permission
from service.api.permissions import CallerDep, requires
from service.api.routes.tiles_set import SetDep, ask_set
from service.table.monitor.set_watch import SetReport
from service.web.templating import TablePage, TablePageDep

router = APIRouter(prefix="/tables/{table}/tiles", include_in_schema=False)

_TILES = requires(Permission.TILES)

Reason = Annotated[str, Form(), StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


@router.get("", dependencies=[_TILES])
def read_tiles(page: TablePageDep) -> HTMLResponse:
    """Which set is enrolled, whether anything speaks against it, and what was found last."""
    return _answer(page)


@router.post("/check", dependencies=[_TILES])
async def check(page: TablePageDep, tiles: SetDep, caller: CallerDep, reason: Reason) -> HTMLResponse:
    """Check the set that lies at the display."""
    return _answer(page, await ask_set("check", tiles, caller, reason))


@router.post("/enrolment", dependencies=[_TILES])
async def enrol(page: TablePageDep, tiles: SetDep, caller: CallerDep, reason: Reason) -> HTMLResponse:
    """Enrol the set that lies at the display."""
    return _answer(page, await ask_set("enrol", tiles, caller, reason))


@router.post("/confirmation", dependencies=[requires(Permission.REVIEW)])
async def confirm(page: TablePageDep, tiles: SetDep, caller: CallerDep, reason: Reason) -> HTMLResponse:
    """Answer for the tiles in play."""
    return _answer(page, await ask_set("confirm", tiles, caller, reason))


def _answer(page: TablePage, found: SetReport | None = None) -> HTMLResponse:
    tiles = page.table.tiles
    file, last = (None, None) if tiles is None else (tiles.path, tiles.last)
    return page.answer("tiles.html", path=f"{page.table.at}/tiles", tiles=tiles, file=file, found=found, last=last)
