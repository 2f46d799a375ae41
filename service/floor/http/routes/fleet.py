"""What the tables of the floor run on."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.access.roles import Permission
from service.floor.fleet.sheet import fleet_sheet
from service.floor.fleet.shown import FleetRow, ordered
from service.floor.http.fleet_schemas import FleetOut, FleetQuery, FleetTableOut
from service.floor.parts import FloorDep
from service.floor.sight import Sight, SightDep
from service.http.errors import problems
from service.http.permissions import requires

router = APIRouter(prefix="/v1", tags=["tables"])

_HEALTH = requires(Permission.HEALTH)


@router.get("/fleet", dependencies=[_HEALTH], responses=problems(404, 422, 503))
async def get_fleet(parts: FloorDep, sight: SightDep, asked: Annotated[FleetQuery, Query()]) -> FleetOut:
    """Version, models, settings, calibration, machine and the rate of verified hands of each table, the worst first."""
    rows = _seen(await parts.fleet.now(), sight, asked)
    return FleetOut(tables=tuple(map(FleetTableOut.of, rows)))


@router.get(
    "/fleet.csv",
    dependencies=[_HEALTH],
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **problems(404, 422, 503)},
)
async def get_fleet_sheet(parts: FloorDep, sight: SightDep, asked: Annotated[FleetQuery, Query()]) -> Response:
    """The same as a sheet."""
    text = fleet_sheet(_seen(await parts.fleet.now(), sight, asked))
    named = {"Content-Disposition": 'attachment; filename="fleet.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=named)


def _seen(rows: Sequence[FleetRow], sight: Sight, asked: FleetQuery) -> list[FleetRow]:
    """Of the fleet what is asked for and may be seen; ProblemError if there is no such pit."""
    tables = sight.tables_in(None, asked.pit)
    return [row for row in ordered(rows, asked.sort) if tables is None or row.name in tables]
