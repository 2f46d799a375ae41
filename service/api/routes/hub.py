"""Routes of a service that follows remote tables: pits, the equipment of tables, and the witness."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self

from fastapi import APIRouter, Query, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.conditional import TEXT
from service.api.deps import PartsDep, ScopeDep, TableName
from service.api.permissions import requires
from service.api.problems import ProblemError, problems
from service.hub.collect.states import State
from service.hub.fleet import Attention, FleetRow
from service.hub.shown.overview import PitSummary
from service.hub.witness.cosigned import newest, note_at
from service.record.health import EquipmentOut
from service.rounds.reports import FrozenModel
from service.rounds.rounds_csv import csv_line
from service.system.section import Name
from vision.networks.model_card import NETWORKS

router = APIRouter(prefix="/v1")

_HEALTH = requires(Permission.HEALTH)
_RESULTS = requires(Permission.RESULTS)

Sort = Literal["worst", "table", "version", "hands", "calibration", "drift", "disk", "temperature", "clock"]


class PitOut(FrozenModel):
    """A pit with the states of its tables."""

    name: str = Field(description="the pit's name; `-` for tables outside any pit")
    title: str = Field(description="the pit's name for people")
    tables: int = Field(description="number of its tables")
    states: dict[State, int] = Field(description="number of tables by state; states without tables are omitted")
    alarms: int = Field(description="number of open alarms of its tables")
    waiting: int = Field(description="number of rounds of its tables that need review")

    @classmethod
    def of(cls, pit: PitSummary) -> Self:
        return cls.model_validate({name: getattr(pit, name) for name in cls.model_fields})


class PitsOut(FrozenModel):
    """All pits."""

    pits: tuple[PitOut, ...] = Field(description="in the order of the settings")


class FleetQuery(FrozenModel):
    """Selects and sorts tables."""

    pit: Name | None = Field(default=None, description="only tables of this pit", examples=["high-limit"])
    sort: Sort = Field(default="worst", description="the column to sort by, the most critical first")


class FleetTableOut(FrozenModel):
    """What a table runs on."""

    name: str = Field(description="the table's name in this service")
    title: str = Field(description="the table's name for people")
    pit: str | None = Field(description="name of its pit; null if it is in none")
    state: State = Field(description="its state, as in /v1/tables")
    since: datetime = Field(description="start of this state, UTC")
    attention: tuple[Attention, ...] = Field(
        description="what needs attention: `disk`, `hot`, `clock`, `differs`, or `silent` if the table has not "
        "reported since this service started"
    )
    differs: tuple[str, ...] = Field(description="fields in which it differs from most tables")
    clock_s: float | None = Field(description="seconds that its clock is ahead of this service's; null if not known")
    verified_share: float | None = Field(description="share of its latest hands that were verified; null if none")
    reported_at: datetime | None = Field(description="time of its last report, UTC; null if it never reported")
    equipment: EquipmentOut | None = Field(description="its last report; null if it never reported")

    @classmethod
    def of(cls, row: FleetRow) -> Self:
        return cls(
            **{name: getattr(row.shown, name) for name in ("name", "title", "pit", "state", "since")},
            attention=row.attention,
            differs=tuple(sorted(row.differs)),
            clock_s=row.clock_s,
            verified_share=row.verified_share,
            reported_at=None if row.reported is None else row.reported.at,
            equipment=row.equipment,
        )


class FleetOut(FrozenModel):
    """The equipment of all tables."""

    tables: tuple[FleetTableOut, ...] = Field(description="the selected tables, in the requested order")


class WitnessOut(FrozenModel):
    """This service as a witness.

    Attributes:
        key: its public key, `NAME+ID+KEY`, for `houseway record verify --witness`.
    """

    key: str


@router.get("/pits", tags=["tables"], dependencies=[requires(Permission.WATCH)])
async def list_pits(scope: ScopeDep) -> PitsOut:
    """Every pit with the states of its tables."""
    return PitsOut(pits=tuple(map(PitOut.of, (await scope.overview()).pits)))


@router.get("/fleet", tags=["tables"], dependencies=[_HEALTH], responses=problems(404, 422, 503))
async def get_fleet(scope: ScopeDep, asked: Annotated[FleetQuery, Query()]) -> FleetOut:
    """Version, models, settings, calibration, machine and verification rate of each remote table."""
    return FleetOut(tables=tuple(map(FleetTableOut.of, await scope.fleet(asked.pit, asked.sort))))


@router.get(
    "/fleet.csv",
    tags=["tables"],
    dependencies=[_HEALTH],
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **problems(404, 422, 503)},
)
async def get_fleet_csv(scope: ScopeDep, asked: Annotated[FleetQuery, Query()]) -> Response:
    """The same as a spreadsheet (CSV)."""
    text = fleet_csv(await scope.fleet(asked.pit, asked.sort))
    headers = {"Content-Disposition": 'attachment; filename="fleet.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/witness", tags=["record"], dependencies=[_RESULTS])
async def get_witness(parts: PartsDep) -> WitnessOut:
    """The key with which this service co-signs the checkpoints of its remote tables."""
    return WitnessOut(key=parts.hub.witness.signer.key.text)


@router.get(
    "/tables/{table}/checkpoint",
    tags=["record"],
    dependencies=[_RESULTS],
    response_class=Response,
    responses={**TEXT, **problems(404, 422, 503)},
)
async def get_table_checkpoint(parts: PartsDep, scope: ScopeDep, table: TableName) -> Response:
    """The newest checkpoint of a remote table that this service co-signed: a C2SP note for `houseway record verify`."""
    scope.table_of(table)
    cosigned = await run_in_threadpool(newest, parts.hub.reader, table)
    note = None if cosigned is None else await run_in_threadpool(note_at, parts.hub.reader, table, cosigned)
    if note is None:
        raise ProblemError("no_checkpoint", "There is no such checkpoint yet.")
    return Response(note.text, media_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


def fleet_csv(rows: Iterable[FleetRow]) -> str:
    """A header line, then a line for each table; unknown values are empty."""
    lines = [csv_line((*_OF_TABLE, *_OF_EQUIPMENT))]
    for row in rows:
        equipment = row.equipment
        cells = [value(row) for value in _OF_TABLE.values()]
        cells += [None if equipment is None else value(equipment) for value in _OF_EQUIPMENT.values()]
        lines.append(csv_line("" if cell is None else cell for cell in cells))
    return "".join(lines)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _of_model(name: str) -> Callable[[EquipmentOut], str | None]:
    return lambda equipment: equipment.models.get(name)


_OF_TABLE: Final[dict[str, Callable[[FleetRow], Any]]] = {
    "table": lambda row: row.name,
    "title": lambda row: row.shown.title,
    "pit": lambda row: row.shown.pit,
    "state": lambda row: row.shown.state,
    "attention": lambda row: " ".join(row.attention),
    "differs": lambda row: " ".join(sorted(row.differs)),
    "verified_share": lambda row: _rounded(row.verified_share, 4),
    "clock_s": lambda row: row.clock_s,
    "calibration_days": lambda row: _rounded(row.calibration_days, 1),
}
_OF_EQUIPMENT: Final[dict[str, Callable[[EquipmentOut], Any]]] = {
    "version": lambda equipment: equipment.version,
    "code": lambda equipment: equipment.code,
    **{name: _of_model(name) for name in NETWORKS},
    "settings": lambda equipment: equipment.settings,
    "compared_settings": lambda equipment: equipment.compared_settings,
    "drift_mm": lambda equipment: equipment.drift_mm,
    "free_bytes": lambda equipment: equipment.free_bytes,
    "celsius": lambda equipment: equipment.celsius,
    "clock_synchronised": lambda equipment: equipment.clock.synchronised,
    "hands_verified": lambda equipment: None if equipment.hands is None else equipment.hands.verified,
    "hands": lambda equipment: None if equipment.hands is None else equipment.hands.of,
    "failing": lambda equipment: " ".join(equipment.failing),
}
