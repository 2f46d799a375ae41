"""The live page of a table: the table as it is, and the parts of it that change."""

from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.api.conditional import IfNoneMatch, hashed_response
from service.api.deps import TableDep
from service.api.local_table import LocalTable
from service.api.permissions import CallerDep, requires
from service.record.dealers import DealerName
from service.web.left_empty import LEFT_EMPTY
from service.web.templating import TablePageDep

router = APIRouter(prefix="/tables/{table}", include_in_schema=False)

_WATCH = requires(Permission.WATCH)


@router.get("", dependencies=[_WATCH])
def read_page(page: TablePageDep) -> HTMLResponse:
    """The page, with the table as it is now."""
    return page.answer("page.html", set_up=page.table.setting_up.finished, **_table(page.table))


@router.get("/board", dependencies=[_WATCH])
def read_board(page: TablePageDep, if_none_match: IfNoneMatch = None) -> Response:
    """The parts of the page that change with the table."""
    return hashed_response(page.render("board.html", **_table(page.table)), "text/html", if_none_match)


@router.get("/status", dependencies=[_WATCH])
def read_status(page: TablePageDep, if_none_match: IfNoneMatch = None) -> Response:
    """The parts that change on every other page: the state of the table, and its alarms."""
    return hashed_response(page.render("status.html"), "text/html", if_none_match)


@router.post("/dealer", dependencies=[requires(Permission.SETTLE)])
def name_dealer(
    table: TableDep, caller: CallerDep, dealer: Annotated[DealerName | None, LEFT_EMPTY, Form()] = None
) -> Response:
    """Record who deals from now on; nobody if the field was left empty."""
    table.ledger.dealers.name(dealer, caller.name)
    table.live.changes.notify()
    return RedirectResponse(table.at, status_code=303)


def _table(table: LocalTable) -> dict[str, Any]:
    state = table.live.displayed
    current = state.current
    now = state.progress
    # Once a round is over and tiles are moved again, they and the dice are the next round's.
    is_next = current is not None and current.state == "closed" and now is not None and now.step is not None
    played = None if is_next else current
    thrown = played if played is not None and played.dice else now
    return {
        "parts_at": f"{table.at}/board",
        "reading": state.reading,
        "view": state.view,
        "now": now,
        "lying": {} if now is None else {str(place): how for place, how in now.places.items()},
        "played": played,
        "thrown": thrown if thrown is not None and thrown.dice else None,
        "recent": tuple(played for played in state.recent if current is None or played.id != current.id)[:6],
    }
