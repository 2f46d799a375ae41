"""Finding rounds of all tables, and the figures of shifts by pit."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from service.access.roles import Permission
from service.floor.shown.rounds import find_on_floor
from service.floor.shown.shifts import count_floor
from service.floor.web.around import FloorPageDep
from service.floor.web.routes.alarms import Table
from service.floor.web.routes.reviews import Before
from service.floor.web.routes.tables import Pit
from service.http.permissions import requires
from service.shifts.gaming_day import FIRST_DAY, LAST_DAY, shift_on
from service.web.left_empty import LEFT_EMPTY
from service.web.round_history import Search

router = APIRouter(include_in_schema=False)

_RESULTS = requires(Permission.RESULTS)
_Day = Annotated[date | None, LEFT_EMPTY, Query()]


@router.get("/rounds", dependencies=[_RESULTS])
def read_rounds(
    page: FloorPageDep,
    asked: Annotated[Search, Query()],
    pit: Pit = None,
    table: Table = None,
    at: Before = None,
) -> HTMLResponse:
    """Rounds that somebody looks for, of all tables."""
    parts = page.parts
    wanted = asked.in_zone(parts.config.page.zone)
    found = find_on_floor(parts.reader.database, wanted, page.sight.tables_in(table, pit), before=at)
    more = {name: value for name, value in {"pit": pit, "table": table}.items() if value is not None}
    return page.answer("floor/rounds.html", asked=asked, found=found, pit=pit, table=table, query=asked.asked | more)


@router.get("/shifts", dependencies=[_RESULTS])
def read_shifts(page: FloorPageDep, day: _Day = None, pit: Pit = None) -> HTMLResponse:
    """The figures of a gaming day by pit and shift, by table and by dealer."""
    config = page.parts.config
    zone, shifts = config.page.zone, config.page.shifts
    today, step = shift_on(datetime.now(UTC), zone, shifts).day, timedelta(days=1)
    shown = min(max(day or today, FIRST_DAY), LAST_DAY)
    figures = count_floor(page.parts.reader.database, shown, zone, shifts)
    sight = page.sight
    meant = sight.tables_in(None, pit)
    tables = [table.name for table in sight.tables if meant is None or table.name in meant]
    of_pits = {each.name: [table.name for table in sight.tables if table.pit == each.name] for each in sight.pits}
    return page.answer(
        "floor/shifts.html",
        whole=figures.together(tables),
        by_pit={name: figures.together(of) for name, of in of_pits.items() if pit in {None, name}},
        by_table={name: figures.together([name]) for name in tables if name in figures.tables},
        by_dealer=figures.by_dealer(tables),
        spans=figures.spans,
        shown=shown,
        today=today,
        earlier=shown - step,
        later=shown + step,
        pit=pit,
        named_shifts=bool(shifts),
    )
