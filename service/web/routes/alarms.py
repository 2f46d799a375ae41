"""Alarms on the page: saying that they were seen, and the list of all that ever were."""

from datetime import date, timedelta
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.config.subscriber_settings import AlarmKind
from service.http.deps import TableDep
from service.http.local_table import LocalTableRoute
from service.http.permissions import CallerDep, requires
from service.projections.alarm import KINDS
from service.projections.round_search import begins
from service.web.left_empty import LEFT_EMPTY
from service.web.looks import inside
from service.web.templating import TablePageDep

router = APIRouter(prefix="/tables/{table}/alarms", route_class=LocalTableRoute, include_in_schema=False)

_ON_A_PAGE = 50
_Day = Annotated[date | None, LEFT_EMPTY, Query()]
_Kind = Annotated[AlarmKind | None, LEFT_EMPTY, Query()]
_Cursor = Annotated[str | None, Query(pattern=r"^(open|answered)\.[0-9]{1,18}\.[0-9]{1,9}$")]


@router.get("", dependencies=[requires(Permission.WATCH)])
def read_alarms(page: TablePageDep, kind: _Kind = None, day: _Day = None, before: _Cursor = None) -> HTMLResponse:
    """All alarms, page by page: first those that nobody answered, then the others with who did."""
    zone, step = page.parts.config.page.zone, timedelta(days=1)
    # The calendar's ends have no day beyond them.
    day = None if day is None else min(max(day, date.min + 2 * step), date.max - 2 * step)
    days = None if day is None else (begins(day, zone), begins(day + step, zone))
    found = page.table.alarms.page(kind=kind, days=days, limit=_ON_A_PAGE, cursor=before)
    asked = {"kind": kind, "day": None if day is None else day.isoformat()}
    return page.answer(
        "all_alarms.html",
        found=found,
        kinds=KINDS,
        kind=kind,
        day=day,
        asked={name: value for name, value in asked.items() if value is not None},
    )


@router.post("/acknowledge", dependencies=[requires(Permission.ACKNOWLEDGE)])
def acknowledge(
    table: TableDep,
    caller: CallerDep,
    alarm: Annotated[list[str], Form(max_length=200)],
    then: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Record that somebody saw the alarms that the form showed.

    One that was raised again meanwhile was not seen as it is now, and stays.
    """
    table.alarms.acknowledge(alarm, caller.name, skip_unknown=True)
    return RedirectResponse(inside(then or table.at), status_code=303)
