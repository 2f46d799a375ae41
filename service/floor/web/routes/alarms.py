"""The alarms of the floor: those that nobody answered, with who has taken which, and answering them."""

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.alarms.alarm import KINDS
from service.config.subscriber_settings import AlarmKind
from service.floor.desk import NotAnswered, TakenError
from service.floor.parts import FloorDep
from service.floor.sight import SightDep
from service.floor.web.around import FloorPage, FloorPageDep
from service.floor.web.routes.tables import Pit
from service.http.permissions import CallerDep, requires
from service.web.left_empty import LEFT_EMPTY
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

_ON_A_PAGE = 50
_Kind = Annotated[AlarmKind | None, LEFT_EMPTY, Query()]
Table = Annotated[Annotated[str, Field(max_length=40)] | None, LEFT_EMPTY, Query()]
_Cursor = Annotated[
    Annotated[str, Field(pattern=r"^(open|answered)\.[0-9]{1,18}\.[0-9]{1,9}$")] | None, LEFT_EMPTY, Query()
]
_Ids = Annotated[list[str], Form(max_length=200)]


@router.get("/alarms", dependencies=[requires(Permission.WATCH)])
def read_alarms(
    page: FloorPageDep, kind: _Kind = None, pit: Pit = None, table: Table = None, before: _Cursor = None
) -> HTMLResponse:
    """Alarms of all tables, page by page: first those that nobody answered."""
    return _alarms(page, kind=kind, pit=pit, table=table, before=before)


@router.get("/page/alarms", dependencies=[requires(Permission.WATCH)])
def read_open(
    page: FloorPageDep, kind: _Kind = None, pit: Pit = None, table: Table = None, before: _Cursor = None
) -> HTMLResponse:
    """The part of the page that changes."""
    return _alarms(page, kind=kind, pit=pit, table=table, before=before, template="floor/alarm_lists.html")


@router.post("/page/alarms/acknowledge", dependencies=[requires(Permission.ACKNOWLEDGE)])
async def acknowledge(
    page: FloorPageDep,
    parts: FloorDep,
    caller: CallerDep,
    alarm: _Ids,
    reason: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Have the tables record that this person saw the alarms that the form showed; what could not be is told."""
    done = await parts.desk.acknowledge(alarm, caller.name, reason.strip(), page.sight.bounds)
    await parts.desk.answered_here(done.alarms)
    if done.not_answered:
        return await run_in_threadpool(_alarms, page, status=409, not_answered=done.not_answered)
    return RedirectResponse("/alarms", status_code=303)


@router.post("/page/alarms/take", dependencies=[requires(Permission.ACKNOWLEDGE)])
def take(
    page: FloorPageDep, parts: FloorDep, caller: CallerDep, alarm: Annotated[str, Form(max_length=40)]
) -> Response:
    """Take an alarm, so that others see who looks after it."""
    try:
        parts.desk.take_alarm(alarm, caller.name, page.sight.bounds)
    except TakenError as error:
        return _alarms(page, status=409, refused=error.words)
    return RedirectResponse("/alarms", status_code=303)


@router.post("/page/alarms/release", dependencies=[requires(Permission.ACKNOWLEDGE)])
def release(
    parts: FloorDep, sight: SightDep, caller: CallerDep, alarm: Annotated[str, Form(max_length=40)]
) -> Response:
    """Let go of an alarm."""
    parts.desk.release_alarm(alarm, caller.name, sight.bounds)
    return RedirectResponse("/alarms", status_code=303)


def _alarms(
    page: FloorPage,
    *,
    kind: AlarmKind | None = None,
    pit: str | None = None,
    table: str | None = None,
    before: str | None = None,
    status: int = 200,
    not_answered: tuple[NotAnswered, ...] = (),
    refused: Sayable | None = None,
    template: str = "floor/alarms.html",
) -> HTMLResponse:
    parts, sight = page.parts, page.sight
    alarms = sight.alarms_of(sight.tables_in(table, pit))
    found = alarms.page(kind=kind, limit=_ON_A_PAGE, cursor=before)
    asked = {"kind": kind, "pit": pit, "table": table}
    return page.answer(
        template,
        status=status,
        found=found,
        taken=parts.desk.taken_alarms([each.id for each in found.alarms if each.id is not None]),
        counts=alarms.counts(),
        kinds=KINDS,
        kind=kind,
        pit=pit,
        table=table,
        before=before,
        not_answered=not_answered,
        refused=refused,
        asked={name: value for name, value in asked.items() if value is not None},
    )
