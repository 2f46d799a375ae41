"""The page of all tables of the floor."""

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from service.access.roles import Permission
from service.floor.http.routes.tables import described
from service.floor.web.around import FloorPageDep
from service.http.permissions import requires

router = APIRouter(include_in_schema=False)


@router.get("/", dependencies=[requires(Permission.WATCH)])
def read_tables(page: FloorPageDep) -> HTMLResponse:
    """All tables, and how each is."""
    parts = page.parts
    tables = [described(parts, table) for table in parts.config.tables]
    return page.answer("floor_tables.html", tables=tables, pits={pit.name: pit.title for pit in parts.config.pits})
