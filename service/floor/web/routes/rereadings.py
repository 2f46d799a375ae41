"""Recorded rounds read again, for supervisors: the runs, and which rounds would have been decided otherwise."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from pydantic import Field

from service.access.roles import Permission
from service.floor.http.routes.rereadings import RunId, run_named
from service.floor.reread.results import Which, count, page
from service.floor.reread.runs import runs
from service.floor.web.around import FloorPageDep
from service.http.permissions import requires
from service.web.left_empty import LEFT_EMPTY

router = APIRouter(include_in_schema=False)

_ON_A_PAGE = 50
_SEEN = requires(Permission.REREADINGS)


@router.get("/rereadings", dependencies=[_SEEN])
def read_rereadings(shown: FloorPageDep) -> HTMLResponse:
    """All runs, newest first."""
    return shown.answer("floor/rereadings.html", runs=runs(shown.parts.reader.database))


@router.get("/rereadings/{run}", dependencies=[_SEEN])
def read_rereading(
    shown: FloorPageDep,
    run: RunId,
    which: Annotated[Which | None, LEFT_EMPTY, Query()] = None,
    after: Annotated[int, Field(ge=0, le=2**63 - 1), Query()] = 0,
) -> HTMLResponse:
    """One run; first the rounds that would have been decided otherwise."""
    database, meant = shown.parts.reader.database, run_named(shown.parts, run)
    wanted = which or "otherwise"
    found = page(database, run, wanted, after=after, limit=_ON_A_PAGE + 1)
    return shown.answer(
        "floor/rereading.html",
        run=meant,
        counted=count(database, run),
        which=wanted,
        found=found[:_ON_A_PAGE],
        next=found[_ON_A_PAGE - 1].position if len(found) > _ON_A_PAGE else None,
    )
