"""The tables of the floor, and how each is."""

from typing import Annotated

from fastapi import APIRouter, Path

from service.access.roles import Permission
from service.floor.collect.states import TableNow
from service.floor.http.schemas import FloorTableOut, FloorTablesOut, PitOut
from service.floor.parts import FloorDep, FloorParts
from service.floor.settings import FloorTableConfig
from service.http.errors import ProblemError, problems
from service.http.permissions import requires
from service.rounds.reports import FindingReport
from service.words.findings import words_of

router = APIRouter(prefix="/v1", tags=["tables"], dependencies=[requires(Permission.WATCH)])

TableName = Annotated[str, Path(max_length=40, description="the table's name, as /v1/tables lists it")]


@router.get("/tables")
async def list_tables(parts: FloorDep) -> FloorTablesOut:
    """Every table of the floor, and how it is."""
    config = parts.config
    return FloorTablesOut(
        floor=config.floor.name,
        title=config.floor.title,
        pits=tuple(PitOut(name=pit.name, title=pit.title) for pit in config.pits),
        tables=tuple(described(parts, table) for table in config.tables),
    )


@router.get("/tables/{table}", responses=problems(404, 422))
async def get_table(table: TableName, parts: FloorDep) -> FloorTableOut:
    """One table of the floor, and how it is."""
    for each in parts.config.tables:
        if each.name == table:
            return described(parts, each)
    raise ProblemError(404, "unknown_table", f"There is no table {table!r} on this floor.")


def described(parts: FloorParts, table: FloorTableConfig) -> FloorTableOut:
    """A table as it is now."""
    now, known = parts.collector.states.tables[table.name], parts.writer.known[table.name]
    told = now.told
    return FloorTableOut.model_validate(
        {
            "name": table.name,
            "title": table.title,
            "pit": table.pit,
            "url": str(table.url),
            "state": now.now,
            "since": now.since,
            **_why(now),
            "record": known.record,
            "entries": known.seq,
            "epoch": known.epoch,
            "behind_s": now.behind_s,
            "clock_s": told and told.clock_s,
            "version": now.version,
            "status": told and told.status,
            "unanswered": {} if told is None else told.unanswered,
        }
    )


def _why(now: TableNow) -> dict[str, object]:
    if now.why is None:
        return {"message": "", "findings": ()}
    return {"message": str(words_of(now.why)), "findings": (FindingReport.of(now.why),)}
