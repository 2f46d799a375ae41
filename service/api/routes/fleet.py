"""What the tables of the floor run on."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from service.access.roles import Permission
from service.api.errors import problems
from service.api.fleet_exports import fleet_csv
from service.api.fleet_schemas import FleetOut, FleetQuery, FleetTableOut
from service.api.permissions import requires
from service.api.sight import SightDep

router = APIRouter(prefix="/v1", tags=["tables"])

_HEALTH = requires(Permission.HEALTH)


@router.get("/fleet", dependencies=[_HEALTH], responses=problems(404, 422, 503))
async def get_fleet(sight: SightDep, asked: Annotated[FleetQuery, Query()]) -> FleetOut:
    """Version, models, settings, calibration, machine and the rate of verified hands of each table, the worst first."""
    return FleetOut(tables=tuple(map(FleetTableOut.of, await sight.fleet(asked.pit, asked.sort))))


@router.get(
    "/fleet.csv",
    dependencies=[_HEALTH],
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **problems(404, 422, 503)},
)
async def get_fleet_csv(sight: SightDep, asked: Annotated[FleetQuery, Query()]) -> Response:
    """The same as a spreadsheet (CSV)."""
    text = fleet_csv(await sight.fleet(asked.pit, asked.sort))
    named = {"Content-Disposition": 'attachment; filename="fleet.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=named)
