"""The tables of the floor and its pits, the worst first."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from service.access.roles import Permission
from service.floor.http.asked import table_of, tables_in
from service.floor.http.schemas import FloorTableOut, FloorTablesOut, FloorTablesQuery, PitOut, PitsOut
from service.floor.parts import FloorDep
from service.http.errors import problems
from service.http.permissions import requires

router = APIRouter(prefix="/v1", tags=["tables"], dependencies=[requires(Permission.WATCH)])

TableName = Annotated[str, Path(max_length=40, description="the table's name on the floor, as /v1/tables lists it")]


@router.get("/tables", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422))
async def list_tables(parts: FloorDep, asked: Annotated[FloorTablesQuery, Query()]) -> FloorTablesOut:
    """Every table of the floor and how it is, the worst first."""
    tables_in(parts, None, asked.pit)
    floor = await parts.view.now()
    known = parts.writer.known
    return FloorTablesOut(
        floor=parts.config.floor.name,
        title=parts.config.floor.title,
        tables=tuple(FloorTableOut.of(each, known[each.name]) for each in floor.of(asked.pit, asked.state)),
        states=dict(floor.states),
        outdated=floor.outdated,
    )


@router.get("/tables/{table}", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422))
async def get_table(parts: FloorDep, table: TableName) -> FloorTableOut:
    """One table and how it is."""
    table_of(parts, table)
    return FloorTableOut.of((await parts.view.now()).by_name[table], parts.writer.known[table])


@router.get("/pits", dependencies=[requires(Permission.WATCH)])
async def list_pits(parts: FloorDep) -> PitsOut:
    """Every pit and how its tables are."""
    return PitsOut(pits=tuple(map(PitOut.of, (await parts.view.now()).pits)))
