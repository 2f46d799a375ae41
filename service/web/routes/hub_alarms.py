"""The alarms of the floor: those that nobody answered, with who has taken which, and answering them."""

from dataclasses import asdict, dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.config.subscriber_settings import AlarmKind
from service.floor.desk import NotAnswered, TakenError
from service.http.deps import PartsDep
from service.http.permissions import CallerDep, requires
from service.http.sight import SightDep
from service.projections.alarm import KINDS
from service.web.hub_page import FloorPage, FloorPageDep
from service.web.left_empty import LEFT_EMPTY
from service.web.routes.hub_tables import Pit
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

_ON_A_PAGE = 50
_Kind = Annotated[AlarmKind | None, LEFT_EMPTY, Query()]
Table = Annotated[Annotated[str, Field(max_length=40)] | None, LEFT_EMPTY, Query()]
_Cursor = Annotated[
    Annotated[str, Field(pattern=r"^(open|answered)\.[0-9]{1,18}\.[0-9]{1,9}$")] | None, LEFT_EMPTY, Query()
]
_Ids = Annotated[list[str], Form(max_length=200)]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Which alarms somebody looks at; forms send it along, so that they come back to the same."""

    kind: _Kind = None
    pit: Pit = None
    table: Table = None

    @property
    def named(self) -> dict[str, str]:
        """What was chosen, as in an address."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def again(self) -> RedirectResponse:
        """Back to these alarms."""
        return RedirectResponse(f"/alarms?{urlencode(self.named)}" if self.named else "/alarms", status_code=303)


_ChosenDep = Annotated[_Chosen, Depends()]


@router.get("/alarms", dependencies=[requires(Permission.WATCH)])
def read_alarms(page: FloorPageDep, chosen: _ChosenDep, before: _Cursor = None) -> HTMLResponse:
    """Alarms of all tables, page by page: first those that nobody answered."""
    return _alarms(page, chosen, before=before)


@router.get("/page/alarms", dependencies=[requires(Permission.WATCH)])
def read_open(page: FloorPageDep, chosen: _ChosenDep, before: _Cursor = None) -> HTMLResponse:
    """The part of the page that changes."""
    return _alarms(page, chosen, before=before, template="floor/alarm_lists.html")


@router.post("/page/alarms/acknowledge", dependencies=[requires(Permission.ACKNOWLEDGE)])
async def acknowledge(
    page: FloorPageDep,
    parts: PartsDep,
    caller: CallerDep,
    chosen: _ChosenDep,
    alarm: _Ids,
    reason: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Have the tables record that this person saw the alarms that the form showed; what could not be is told."""
    done = await parts.desk.acknowledge(alarm, caller.name, reason.strip(), page.sight.bounds)
    await parts.desk.answered_here(done.alarms)
    if done.not_answered:
        return await run_in_threadpool(_alarms, page, chosen, status=409, not_answered=done.not_answered)
    return chosen.again()


@router.post("/page/alarms/take", dependencies=[requires(Permission.ACKNOWLEDGE)])
def take(
    page: FloorPageDep,
    parts: PartsDep,
    caller: CallerDep,
    chosen: _ChosenDep,
    alarm: Annotated[str, Form(max_length=40)],
) -> Response:
    """Take an alarm, so that others see who looks after it."""
    try:
        parts.desk.take_alarm(alarm, caller.name, page.sight.bounds)
    except TakenError as error:
        return _alarms(page, chosen, status=409, refused=error.words)
    return chosen.again()


@router.post("/page/alarms/release", dependencies=[requires(Permission.ACKNOWLEDGE)])
def release(
    parts: PartsDep,
    sight: SightDep,
    caller: CallerDep,
    chosen: _ChosenDep,
    alarm: Annotated[str, Form(max_length=40)],
) -> Response:
    """Let go of an alarm."""
    parts.desk.release_alarm(alarm, caller.name, sight.bounds)
    return chosen.again()


def _alarms(
    page: FloorPage,
    chosen: _Chosen,
    *,
    before: str | None = None,
    status: int = 200,
    not_answered: tuple[NotAnswered, ...] = (),
    refused: Sayable | None = None,
    template: str = "floor/alarms.html",
) -> HTMLResponse:
    parts, sight = page.parts, page.sight
    alarms = sight.alarms_of(sight.tables_in(chosen.table, chosen.pit))
    found = alarms.page(kind=chosen.kind, limit=_ON_A_PAGE, cursor=before)
    return page.answer(
        template,
        status=status,
        found=found,
        taken=parts.desk.taken_alarms([each.id for each in found.alarms if each.id is not None]),
        counts=alarms.counts(),
        kinds=KINDS,
        kind=chosen.kind,
        pit=chosen.pit,
        table=chosen.table,
        before=before,
        not_answered=not_answered,
        refused=refused,
        asked=chosen.named,
    )
