"""The pages of all tables and of each table: how it is now, the live view, and what it runs on."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from engine.vocabulary.facts import Bank
from service.access.roles import Permission
from service.api.conditional import IfNoneMatch, hashed_response
from service.api.deps import TableDep, TableName
from service.api.permissions import CallerDep, requires
from service.api.routes.equipment import Sort
from service.hub.table_figures import FIGURES
from service.hub.table_states import State
from service.record.ledger import DealerName
from service.record.projections.round_search import Wanted, find_rounds
from service.rounds.bank import ReportedBank
from service.rounds.outcomes import acceptors, subjects
from service.web.live_marks import live_marks
from service.web.parameters import EMPTY_AS_NONE, AskedPit
from service.web.templating import Page, PageDep, TablePage, TablePageDep

router = APIRouter(include_in_schema=False)

_TABLE = "/tables/{table}"
_WATCH = requires(Permission.WATCH)
_State = Annotated[State | None, EMPTY_AS_NONE, Query()]
_Sort = Annotated[Sort | None, EMPTY_AS_NONE, Query()]
_NEWEST = 10


@router.get("/", dependencies=[_WATCH], response_model=None)
async def read_tables(page: PageDep, pit: AskedPit = None, state: _State = None) -> HTMLResponse | RedirectResponse:
    """All tables, the most severe state first; the table's own page if there is only one."""
    if page.parts.only is not None:
        return RedirectResponse(page.parts.only.at, status_code=303)
    board = await _tables_now(page, pit, state)
    asked = {"pit": pit or "", "state": state or ""}
    return await run_in_threadpool(page.answer, "tables.html", board=board, asked=asked)


@router.get("/page/tables", dependencies=[_WATCH])
async def read_tables_now(
    page: PageDep, pit: AskedPit = None, state: _State = None, if_none_match: IfNoneMatch = None
) -> Response:
    """The part of the page that changes."""
    return hashed_response(await _tables_now(page, pit, state), "text/html", if_none_match)


@router.get("/fleet", dependencies=[requires(Permission.HEALTH)])
async def read_fleet(page: PageDep, pit: AskedPit = None, sort: _Sort = None) -> HTMLResponse:
    """What each table runs on, the most severe state first."""
    return await _fleet(page, pit, sort, "fleet.html")


@router.get("/page/fleet", dependencies=[requires(Permission.HEALTH)])
async def read_fleet_now(page: PageDep, pit: AskedPit = None, sort: _Sort = None) -> HTMLResponse:
    """The part of the page that changes."""
    return await _fleet(page, pit, sort, "fleet_rows.html")


@router.get(_TABLE, dependencies=[_WATCH])
async def read_table(page: PageDep, table: TableName) -> HTMLResponse:
    """The live page of a local table; of a remote one its state, alarms and newest rounds."""
    page.scope.table_of(table)
    local = page.parts.tables.get(table)
    if local is None:
        return await _remote_table(page, table)
    here = TablePage(page.request, page.parts, local)
    return await run_in_threadpool(
        lambda: here.answer("live.html", set_up=local.setting_up.finished, **_live(here)),
    )


@router.get(f"{_TABLE}/board", dependencies=[_WATCH])
def read_live_parts(page: TablePageDep, if_none_match: IfNoneMatch = None) -> Response:
    """The parts of the live page that change with the table."""
    return hashed_response(page.render("live_parts.html", **_live(page)), "text/html", if_none_match)


@router.get(f"{_TABLE}/status", dependencies=[_WATCH])
def read_status(page: TablePageDep, if_none_match: IfNoneMatch = None) -> Response:
    """The parts that change on every other page of a table: its state and its alarms."""
    return hashed_response(page.render("status.html"), "text/html", if_none_match)


@router.post(f"{_TABLE}/dealer", dependencies=[requires(Permission.SETTLE)])
def name_dealer(
    table: TableDep, caller: CallerDep, dealer: Annotated[DealerName | None, EMPTY_AS_NONE, Form()] = None
) -> Response:
    """Record who deals from now on; nobody if the field was left empty."""
    table.ledger.dealers.name(dealer, caller.name)
    table.live.changes.notify()
    return RedirectResponse(table.at, status_code=303)


@router.post(f"{_TABLE}/other-cut", dependencies=[requires(Permission.SETTLE)])
def report_other_cut(table: TableDep, caller: CallerDep, accepted: Annotated[bool, Form()]) -> Response:
    """Record whether somebody with the authority accepted another cut than the die's under a House bank."""
    known = table.live.state.reported_bank or ReportedBank(caller.name)
    reported = replace(known, by=caller.name, held=Bank.HOUSE, box=None, other_cut=accepted)
    table.report_bank(reported)
    return RedirectResponse(table.at, status_code=303)


async def _tables_now(page: Page, pit: str | None, state: State | None) -> str:
    """Rendered once for all who see the same tables in the same language."""
    scope = page.scope
    overview = await scope.overview()
    asked = {"pit": pit or "", "state": state or ""}
    return await page.parts.overview.text(
        ("board", page.language, scope.of_pits, pit, state, overview.outdated),
        lambda: page.render_shared("tables_now.html", now=overview, pit=pit, state=state, asked=asked, figures=FIGURES),
    )


async def _fleet(page: Page, pit: str | None, sort: Sort | None, template: str) -> HTMLResponse:
    chosen: Sort = sort or "worst"
    rows = await page.scope.fleet(pit, chosen)
    asked = ({"pit": pit} if pit else {}) | {"sort": chosen}
    return await run_in_threadpool(page.answer, template, rows=rows, sort=chosen, asked=asked)


async def _remote_table(page: Page, table: str) -> HTMLResponse:
    shown = (await page.scope.overview()).by_name[table]
    report = None if shown.remote is None else shown.remote.report
    return await run_in_threadpool(
        lambda: page.answer(
            "remote_table.html",
            shown=shown,
            failing=() if report is None else report.failing,
            rulebook=None if report is None else report.rulebook,
            variant=None if report is None else report.variant,
            alarms=page.scope.alarms_of([table]).open(5),
            found=find_rounds(page.parts.projector, Wanted(), [table], limit=_NEWEST),
        )
    )


def _live(page: TablePage) -> dict[str, Any]:
    table, state = page.table, page.table.live.displayed
    may_review = page.request.state.caller.may(Permission.REVIEW)
    current = state.current
    now = state.progress
    # Once a round is over and tiles are moved again, they and the dice are the next round's.
    is_next = current is not None and current.state == "closed" and now is not None and now.step is not None
    played = None if is_next else current
    thrown = played if played is not None and played.dice else now
    return {
        "reading": state.reading,
        "view": state.view,
        "marks": None if state.reading is None else live_marks(state.reading, played),
        "now": now,
        "lying": {} if now is None else {str(place): how for place, how in now.places.items()},
        "played": played,
        "concluding": {each.part: acceptors(each, played, table.rules.of_round(played)) for each in subjects(played)}
        if played is not None and may_review
        else {},
        "thrown": thrown if thrown is not None and thrown.dice else None,
        "recent": tuple(played for played in state.recent if current is None or played.id != current.id)[:6],
    }
