"""Finding recorded rounds of all tables, on a page and as a table for a spreadsheet."""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response, StreamingResponse

from service.access.roles import Permission
from service.api.permissions import requires
from service.record.projections.round_search import find_rounds
from service.rounds.reports import RoundReport
from service.rounds.rounds_csv import rounds_csv
from service.web.round_history import Search
from service.web.routes.alarms import Table
from service.web.routes.tables import Pit
from service.web.templating import Page, PageDep

router = APIRouter(include_in_schema=False)

_RESULTS = requires(Permission.RESULTS)


@router.get("/rounds", dependencies=[_RESULTS])
def read_rounds(page: PageDep, asked: Annotated[Search, Query()], pit: Pit = None, table: Table = None) -> HTMLResponse:
    """Rounds that somebody looks for."""
    wanted, tables = asked.in_zone(page.parts.config.page.zone), page.scope.tables_in(table, pit)
    found = find_rounds(page.parts.projector, wanted, tables, before=asked.before)
    more = {name: value for name, value in {"pit": pit, "table": table}.items() if value is not None}
    context: dict[str, Any] = page.scope.named
    return page.answer(
        "rounds.html",
        asked=asked,
        found=found,
        pit=pit,
        table_asked=table,
        query=asked.asked | more,
        with_table=page.parts.only is None,
        **context,
    )


@router.get("/rounds.csv", dependencies=[_RESULTS])
def read_rounds_table(
    page: PageDep, asked: Annotated[Search, Query()], pit: Pit = None, table: Table = None
) -> Response:
    """The rounds that somebody looks for, all of them, newest first."""
    lines = rounds_csv(_all(page, asked, page.scope.tables_in(table, pit)))
    return attached(StreamingResponse(lines, media_type="text/csv; charset=utf-8"), "rounds.csv")


def _all(page: Page, asked: Search, tables: list[str] | None) -> Iterator[tuple[str, RoundReport]]:
    before, wanted = asked.before, asked.in_zone(page.parts.config.page.zone)
    while True:
        found = find_rounds(page.parts.projector, wanted, tables, before=before)
        yield from ((each.table, each.played) for each in found.rounds)
        if (before := found.next) is None:
            return


def attached(answer: Response, name: str) -> Response:
    """An answer as a file to keep, under a name."""
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    answer.headers["Cache-Control"] = "no-store"
    return answer
