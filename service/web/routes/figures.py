"""The manager's figures of some weeks: mistakes by week, dealer and rule, rounds and boxes in play over the day."""

from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

from service.access.roles import Permission
from service.api.permissions import requires
from service.record.projections.round_search import starts
from service.record.shifts.period_figures import LONGEST, count_period
from service.record.shifts.shift_figures import FIRST_DAY, LAST_DAY, shift_on
from service.web.letter import letter_of, letter_pdf
from service.web.mistake_costs import costs_of
from service.web.parameters import AskedDay, AskedPit, AskedTable
from service.web.routes.rounds import attached
from service.web.templating import PageDep

router = APIRouter(include_in_schema=False)

_WEEKS = 8


@router.get("/figures", dependencies=[requires(Permission.RESULTS)])
def read_figures(
    page: PageDep,
    since: AskedDay = None,
    until: AskedDay = None,
    pit: AskedPit = None,
    table: AskedTable = None,
) -> HTMLResponse:
    """The figures from one day to another; of the last eight weeks if none is named."""
    tables = page.scope.tables_in(table, pit)
    last = min(max(until or datetime.now(UTC).astimezone(page.parts.config.page.zone).date(), FIRST_DAY), LAST_DAY)
    monday = max(last - timedelta(days=last.weekday(), weeks=_WEEKS - 1), FIRST_DAY)
    first = min(max(since or monday, last - LONGEST, FIRST_DAY), last)
    zone = page.parts.config.page.zone
    period = count_period(page.parts.projector, first, last, zone, tables)
    started, ended = (starts(day, zone).astimezone(UTC) for day in (first, last + timedelta(days=1)))
    named = {name: value for name, value in (("pit", pit), ("table", table)) if value is not None}
    return page.answer(
        "figures.html",
        period=period,
        cost=costs_of(page.parts, tables, started, ended),
        since=first,
        until=last,
        pit=pit,
        table_asked=table,
        asked={"since": first, "until": last, "mistake": "true"} | named,
    )


@router.get("/letter.pdf", dependencies=[requires(Permission.RESULTS)])
def read_letter(page: PageDep, day: AskedDay = None, pit: AskedPit = None, table: AskedTable = None) -> Response:
    """The letter of a gaming day as PDF, for the tables that the caller sees; of the last one that has ended."""
    config, meant = page.parts.config.page, page.scope.tables_in(table, pit)
    yesterday = shift_on(datetime.now(UTC), config.zone, config.shifts).day - timedelta(days=1)
    shown = min(max(day or yesterday, FIRST_DAY), LAST_DAY)
    tables = [each.name for each in page.scope.tables if meant is None or each.name in meant]
    pdf = letter_pdf(letter_of(page.parts, shown, tables), page.parts, page.language)
    return attached(Response(pdf, media_type="application/pdf"), f"houseway-{shown}.pdf")
