"""The table's set of tiles on the page: how it is, and having it checked, enrolled or answered for."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse
from pydantic import StringConstraints

from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.permissions import CallerDep, requires
from service.http.routes.tiles_set import ask_set, watched_set
from service.monitor.set_watch import SetReport
from service.web.templating import answer

router = APIRouter(prefix="/tiles", include_in_schema=False)

_TILES = requires(Permission.TILES)

Reason = Annotated[str, Form(), StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


@router.get("", dependencies=[_TILES], response_class=HTMLResponse)
def read_tiles(request: Request, parts: PartsDep) -> HTMLResponse:
    """Which set is enrolled, whether anything speaks against it, and what was found last."""
    return _page(request, parts)


@router.post("/check", dependencies=[_TILES], response_class=HTMLResponse)
async def check(request: Request, parts: PartsDep, caller: CallerDep, reason: Reason) -> HTMLResponse:
    """Check the set that lies at the display."""
    return _page(request, parts, await ask_set("check", watched_set(parts), caller.name, reason))


@router.post("/enrolment", dependencies=[_TILES], response_class=HTMLResponse)
async def enrol(request: Request, parts: PartsDep, caller: CallerDep, reason: Reason) -> HTMLResponse:
    """Enrol the set that lies at the display."""
    return _page(request, parts, await ask_set("enrol", watched_set(parts), caller.name, reason))


@router.post("/confirmation", dependencies=[requires(Permission.REVIEW)], response_class=HTMLResponse)
async def confirm(request: Request, parts: PartsDep, caller: CallerDep, reason: Reason) -> HTMLResponse:
    """Answer for the tiles in play."""
    return _page(request, parts, await ask_set("confirm", watched_set(parts), caller.name, reason))


def _page(request: Request, parts: Parts, found: SetReport | None = None) -> HTMLResponse:
    tiles = parts.tiles
    told = {
        "tiles": tiles,
        "file": None if tiles is None else tiles.path,
        "found": found,
        "last": None if tiles is None else tiles.last,
    }
    return answer(request, parts, "tiles.html", {"path": "/tiles", **told})
