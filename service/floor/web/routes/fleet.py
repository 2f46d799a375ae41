"""The page of the fleet: what each table runs on, and giving releases out."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.access import Caller
from service.access.roles import Permission
from service.floor.fleet.rings import Stage, tables_of
from service.floor.http.fleet_schemas import Reason, ReleaseName, RingName, Sort
from service.floor.parts import FloorDep
from service.floor.web.around import FloorPage, FloorPageDep
from service.floor.web.routes.tables import Pit
from service.http.permissions import CallerDep, requires
from service.record.changes import Attribution
from service.release.manifest import ReleaseError
from service.web.left_empty import LEFT_EMPTY
from service.words.findings import words_of
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

_Sort = Annotated[Sort | None, LEFT_EMPTY, Query()]
_Name = Annotated[ReleaseName, Form()]
_Reason = Annotated[Reason, Form()]


@router.get("/fleet", dependencies=[requires(Permission.HEALTH)])
async def read_fleet(page: FloorPageDep, pit: Pit = None, sort: _Sort = None) -> HTMLResponse:
    """What each table runs on, the worst first, and how far each release is."""
    return await _fleet(page, pit, sort or "worst")


@router.get("/page/fleet", dependencies=[requires(Permission.HEALTH)])
async def read_tables(page: FloorPageDep, pit: Pit = None, sort: _Sort = None) -> HTMLResponse:
    """The part of the page that changes."""
    return await _fleet(page, pit, sort or "worst", template="floor/fleet_part.html")


@router.post("/page/fleet/give", dependencies=[requires(Permission.GIVE)])
async def give(
    page: FloorPageDep,
    parts: FloorDep,
    caller: CallerDep,
    name: _Name,
    ring: Annotated[RingName, Form()],
    reason: _Reason,
    sure: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Give a release to a ring; first it is shown which tables that is, and the person confirms."""
    if not sure:
        return await _fleet(page, None, "worst", confirm={"name": name, "ring": ring, "reason": reason})
    return await _done(page, lambda why: parts.fleet.giving.give(parts.record, name, [ring], why), caller, reason)


@router.post("/page/fleet/stop", dependencies=[requires(Permission.GIVE)])
async def stop(page: FloorPageDep, parts: FloorDep, caller: CallerDep, name: _Name, reason: _Reason) -> Response:
    """Offer a release to nobody new."""
    return await _done(page, lambda why: parts.fleet.giving.stop(parts.record, name, why), caller, reason)


@router.post("/page/fleet/go-on", dependencies=[requires(Permission.GIVE)])
async def go_on(page: FloorPageDep, parts: FloorDep, caller: CallerDep, name: _Name, reason: _Reason) -> Response:
    """Go on with a release that stands still."""
    return await _done(page, lambda why: parts.fleet.giving.go_on(parts.record, name, why), caller, reason)


async def _done(page: FloorPage, act: Callable[[Attribution], object], caller: Caller, reason: str) -> Response:
    """The page again, or with what was refused."""
    try:
        await run_in_threadpool(act, caller.attribution(reason))
    except ReleaseError as error:
        return await _fleet(page, None, "worst", status=409, refused=words_of(error.finding))
    page.parts.fleet.note_given()
    return RedirectResponse("/fleet", status_code=303)


async def _fleet(
    page: FloorPage,
    pit: str | None,
    sort: Sort,
    *,
    status: int = 200,
    refused: Sayable | None = None,
    confirm: dict[str, str] | None = None,
    template: str = "floor/fleet.html",
) -> HTMLResponse:
    fleet = page.parts.fleet
    given = await fleet.given()
    sight = page.sight
    rows = await sight.fleet(pit, sort)
    tables: tuple[str, ...] = ()
    if confirm is not None:
        try:
            tables = tables_of(confirm["ring"], {each.name: each.pit for each in page.parts.config.tables})
        except ReleaseError as error:
            status, refused, confirm = 409, words_of(error.finding), None
    return await run_in_threadpool(
        page.answer,
        template,
        status=status,
        rows=rows,
        releases=[] if sight.of_pits else [(each, given.of(each.signed.digest)) for each in reversed(given.shelved)],
        stages=tuple(Stage),
        sort=sort,
        pit=pit,
        refused=refused,
        confirm=confirm,
        confirm_tables=tables,
        asked={"pit": pit or "", "sort": sort},
    )
