"""Finding recorded rounds of all tables."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query

from calibration.table.places import Place
from service.access.roles import Permission
from service.floor.http.schemas import FloorRoundOut, FloorRoundsOut, FloorRoundsQuery
from service.floor.parts import FloorDep
from service.floor.shown.rounds import find_on_floor
from service.floor.sight import SightDep
from service.http.errors import problems
from service.http.permissions import requires
from service.record.round_search import Wanted
from service.record.search_words import understand

router = APIRouter(prefix="/v1", tags=["record"])


@router.get("/rounds", dependencies=[requires(Permission.RESULTS)], responses=problems(404, 422, 503))
def list_rounds(parts: FloorDep, sight: SightDep, asked: Annotated[FloorRoundsQuery, Query()]) -> FloorRoundsOut:
    """Rounds of all tables by day, verdict, status, place and words, the newest first, each as it stands now."""
    zone = parts.config.page.zone
    wanted = Wanted(
        terms=understand(asked.q, "en", datetime.now(UTC).astimezone(zone).date(), zone),
        verdict=asked.verdict,
        status=asked.status,
        place=None if asked.place is None else Place.parse(asked.place),
    ).on_days(asked.since, asked.until, zone)
    tables = sight.tables_in(asked.table, asked.pit)
    found = find_on_floor(parts.reader.database, wanted, tables, before=asked.cursor, limit=asked.limit)
    return FloorRoundsOut(
        rounds=tuple(map(FloorRoundOut.of, found.rounds)), next=found.next, looked_back_to=found.looked_back_to
    )
