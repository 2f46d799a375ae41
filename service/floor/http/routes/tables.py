"""The tables of the floor and its pits, the worst first."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from service.access.roles import Permission
from service.floor.http.schemas import FloorTableOut, FloorTablesOut, FloorTablesQuery, PitOut, PitsOut
from service.floor.parts import FloorDep
from service.floor.sight import SightDep
from service.http.errors import problems
from service.http.permissions import requires

router = APIRouter(prefix="/v1", tags=["tables"], dependencies=[requires(Permission.WATCH)])

TableName = Annotated[str, Path(max_length=40, description="the table's name on the floor, as /v1/tables lists it")]


@router.get("/tables", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422))
async def list_tables(parts: FloorDep, sight: SightDep, asked: Annotated[FloorTablesQuery, Query()]) -> FloorTablesOut:
    """Every table of the floor with its state, the worst first."""
    sight.tables_in(None, asked.pit)
    floor = await sight.floor()
    known = parts.writer.known
    return FloorTablesOut(
        floor=parts.config.service.name,
        title=parts.config.service.title,
        tables=tuple(FloorTableOut.of(each, known[each.name]) for each in floor.of(asked.pit, asked.state)),
        states=dict(floor.states),
        outdated=floor.outdated,
    )


@router.get("/tables/{table}", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422))
async def get_table(parts: FloorDep, sight: SightDep, table: TableName) -> FloorTableOut:
    """One table with its state."""
    sight.table_of(table)
    return FloorTableOut.of((await sight.floor()).by_name[table], parts.writer.known[table])


@router.get("/pits", dependencies=[requires(Permission.WATCH)])
async def list_pits(sight: SightDep) -> PitsOut:
    """Every pit with the states of its tables."""
    return PitsOut(pits=tuple(map(PitOut.of, (await sight.floor()).pits)))
