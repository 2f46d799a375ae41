"""Finding recorded rounds of all tables."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.access.roles import Permission
from service.http.deps import PartsDep
from service.http.errors import problems
from service.http.hub_schemas import FloorRoundOut, FloorRoundsOut, FloorRoundsQuery
from service.http.permissions import requires
from service.http.sight import SightDep
from service.projections.round_search import find_rounds

router = APIRouter(prefix="/v1", tags=["record"])


@router.get(
    "/rounds", include_in_schema=False, dependencies=[requires(Permission.RESULTS)], responses=problems(404, 422, 503)
)
def list_rounds(parts: PartsDep, sight: SightDep, asked: Annotated[FloorRoundsQuery, Query()]) -> FloorRoundsOut:
    """Rounds of all tables that fit all filters, newest first, each in its newest revision."""
    wanted = asked.in_zone(parts.config.page.zone)
    tables = sight.tables_in(asked.table, asked.pit)
    found = find_rounds(parts.projector, wanted, tables, before=asked.cursor, limit=asked.limit)
    return FloorRoundsOut(
        rounds=tuple(map(FloorRoundOut.of, found.rounds)), next=found.next, looked_back_to=found.looked_back_to
    )
