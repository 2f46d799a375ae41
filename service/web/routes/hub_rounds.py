"""The figures of shifts by pit."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from service.access.roles import Permission
from service.api.permissions import requires
from service.record.shifts.shift import FIRST_DAY, LAST_DAY, shift_on
from service.record.shifts.shift_figures import Day, RoundCounts, count
from service.web.hub_page import FloorPageDep
from service.web.left_empty import LEFT_EMPTY
from service.web.routes.tables import Pit

router = APIRouter(include_in_schema=False)

_RESULTS = requires(Permission.RESULTS)
_Day = Annotated[date | None, LEFT_EMPTY, Query()]


@router.get("/shifts", dependencies=[_RESULTS])
def read_shifts(page: FloorPageDep, day: _Day = None, pit: Pit = None) -> HTMLResponse:
    """The figures of a gaming day by pit and shift, by table and by dealer."""
    config = page.parts.config
    zone, shifts = config.page.zone, config.page.shifts
    today, step = shift_on(datetime.now(UTC), zone, shifts).day, timedelta(days=1)
    shown = min(max(day or today, FIRST_DAY), LAST_DAY)
    figures = count(page.parts.projector, shown, zone, shifts)
    scope = page.scope
    meant = scope.tables_in(None, pit)
    tables = [table.name for table in scope.tables if meant is None or table.name in meant]
    of_pits = {each.name: [table.name for table in scope.tables if table.pit == each.name] for each in scope.pits}
    whole = figures.of(tables)
    return page.answer(
        "floor/shifts.html",
        whole=_row(whole),
        by_pit={name: _row(figures.of(of)) for name, of in of_pits.items() if pit in {None, name}},
        by_table={name: _row(figures.of([name])) for name in tables if name in figures.counted},
        by_dealer=whole.dealers,
        spans=figures.spans,
        shown=shown,
        today=today,
        earlier=shown - step,
        later=shown + step,
        pit=pit,
        named_shifts=bool(shifts),
    )


def _row(figures: Day) -> tuple[RoundCounts, ...]:
    """Of each shift, and of the whole day, which comes last."""
    return (*figures.shifts, figures.whole)
