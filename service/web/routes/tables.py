"""The page of all tables; where there is only one, its own page takes its place."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.http.conditional import IfNoneMatch, hashed_response
from service.http.deps import Parts, PartsDep
from service.http.permissions import requires
from service.http.routes.tables import describe_table, status_of
from service.web.templating import PageDep

router = APIRouter(include_in_schema=False)

_WATCH = requires(Permission.WATCH)


@router.get("/", dependencies=[_WATCH], response_model=None)
def read_tables(page: PageDep, parts: PartsDep) -> HTMLResponse | RedirectResponse:
    """All tables with their states and alarms."""
    if parts.only is not None:
        return RedirectResponse(parts.only.at, status_code=303)
    return page.answer("tables.html", cards=_cards(parts))


@router.get("/board", dependencies=[_WATCH])
def read_board(page: PageDep, parts: PartsDep, if_none_match: IfNoneMatch = None) -> Response:
    """The part of that page that changes."""
    return hashed_response(page.render("tables_board.html", cards=_cards(parts)), "text/html", if_none_match)


def _cards(parts: Parts) -> list[dict[str, object]]:
    return [
        {
            "table": describe_table(table),
            "at": table.at,
            "status": status_of(table),
            "alarms": sum(table.alarms.standing().counts.values()),
        }
        for table in parts.tables.values()
    ]
