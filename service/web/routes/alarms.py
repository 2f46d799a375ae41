"""The page of alarms of all tables: open and answered ones, claims, and acknowledgement."""

from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.desk import NotAnswered, TakenError
from service.api.permissions import CallerDep, requires
from service.record.projections.alarms import KINDS
from service.record.projections.round_search import begins
from service.system.subscriber_settings import AlarmKind
from service.web.parameters import EMPTY_AS_NONE, AskedDay, AskedPit, AskedTable, local_path
from service.web.templating import Page, PageDep
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

_ON_A_PAGE = 50
_Kind = Annotated[AlarmKind | None, EMPTY_AS_NONE, Query()]
_Cursor = Annotated[
    Annotated[str, Field(pattern=r"^(open|answered)\.[0-9]{1,18}\.[0-9]{1,9}$")] | None, EMPTY_AS_NONE, Query()
]
_Ids = Annotated[list[str], Form(max_length=200)]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Which alarms somebody looks at; forms send it along, so that they come back to the same."""

    kind: _Kind = None
    pit: AskedPit = None
    table: AskedTable = None
    day: AskedDay = None

    @property
    def named(self) -> dict[str, str]:
        """What was chosen, as in an address."""
        return {name: str(value) for name, value in asdict(self).items() if value is not None}

    def again(self) -> RedirectResponse:
        """Back to these alarms."""
        return RedirectResponse(f"/alarms?{urlencode(self.named)}" if self.named else "/alarms", status_code=303)


_ChosenDep = Annotated[_Chosen, Depends()]


@router.get("/alarms", dependencies=[requires(Permission.WATCH)])
def read_alarms(page: PageDep, chosen: _ChosenDep, before: _Cursor = None) -> HTMLResponse:
    """Alarms of all tables, page by page: open ones first."""
    return _alarms(page, chosen, before=before)


@router.get("/page/alarms", dependencies=[requires(Permission.WATCH)])
def read_open(page: PageDep, chosen: _ChosenDep, before: _Cursor = None) -> HTMLResponse:
    """The part of the page that changes."""
    return _alarms(page, chosen, before=before, template="alarm_lists.html")


@router.post("/page/alarms/acknowledge", dependencies=[requires(Permission.ACKNOWLEDGE)])
async def acknowledge(
    page: PageDep,
    caller: CallerDep,
    chosen: _ChosenDep,
    alarm: _Ids,
    reason: Annotated[str, Form(max_length=500)] = "",
    then: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Record that this person saw the alarms that the form showed; the page lists what could not be recorded.

    The form on a table's pages says where to go ``then``. If one of its alarms was raised again meanwhile, that page
    shows its current state.
    """
    desk = page.parts.desk
    done = await desk.acknowledge(alarm, caller.name, reason.strip(), page.scope.bounds)
    await desk.answered_here(done.alarms)
    refused = tuple(each for each in done.not_answered if not (then and each.code == "unknown_alarm"))
    if refused:
        return await run_in_threadpool(_alarms, page, chosen, status=409, not_answered=refused)
    return RedirectResponse(local_path(then), status_code=303) if then else chosen.again()


@router.post("/page/alarms/take", dependencies=[requires(Permission.ACKNOWLEDGE)])
def take(page: PageDep, caller: CallerDep, chosen: _ChosenDep, alarm: Annotated[str, Form(max_length=40)]) -> Response:
    """Claim an alarm, so that others see it is being handled."""
    try:
        page.parts.desk.take_alarm(alarm, caller.name, page.scope.bounds)
    except TakenError as error:
        return _alarms(page, chosen, status=409, refused=error.words)
    return chosen.again()


@router.post("/page/alarms/release", dependencies=[requires(Permission.ACKNOWLEDGE)])
def release(
    page: PageDep, caller: CallerDep, chosen: _ChosenDep, alarm: Annotated[str, Form(max_length=40)]
) -> Response:
    """Let go of an alarm."""
    page.parts.desk.release_alarm(alarm, caller.name, page.scope.bounds)
    return chosen.again()


def _alarms(
    page: Page,
    chosen: _Chosen,
    *,
    before: str | None = None,
    status: int = 200,
    not_answered: tuple[NotAnswered, ...] = (),
    refused: Sayable | None = None,
    template: str = "all_alarms.html",
) -> HTMLResponse:
    alarms = page.scope.alarms_in(chosen.table, chosen.pit)
    zone, step = page.parts.config.page.zone, timedelta(days=1)
    # The calendar's ends have no day beyond them.
    day = None if chosen.day is None else min(max(chosen.day, date.min + 2 * step), date.max - 2 * step)
    days = None if day is None else (begins(day, zone), begins(day + step, zone))
    found = alarms.page(kind=chosen.kind, days=days, limit=_ON_A_PAGE, cursor=before)
    return page.answer(
        template,
        status=status,
        found=found,
        taken=page.parts.desk.taken_alarms([each.id for each in found.alarms if each.id is not None]),
        counts=alarms.counts(),
        kinds=KINDS,
        chosen=chosen,
        before=before,
        not_answered=not_answered,
        refused=refused,
        asked=chosen.named,
        titles=page.scope.named["titles"],
        pit_titles=page.scope.named["pit_titles"],
    )
