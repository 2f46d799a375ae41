"""What tables run on: program, models, settings, calibration and machine."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from fastapi import APIRouter, Query, Response
from pydantic import Field

from service import __version__
from service.access.roles import Permission
from service.api.deps import AskedTableDep, ScopeDep
from service.api.local_table import LocalTable
from service.api.permissions import requires
from service.api.problems import problems
from service.hub.fleet import Attention, FleetRow
from service.hub.table_states import State
from service.record.health import EquipmentOut
from service.rounds.reports import FrozenModel
from service.rounds.rounds_csv import BYTE_ORDER_MARK, csv_line
from service.system.section import Name
from service.system.versions import code_state
from service.table.doctor.machine_checks import free_bytes, hottest_c, kernel_sync
from vision.networks.model_card import NETWORKS

router = APIRouter(prefix="/v1", tags=["health"])

_HEALTH = requires(Permission.HEALTH)

Sort = Literal["worst", "table", "version", "hands", "calibration", "drift", "disk", "temperature", "clock"]

_ROOT: Final = Path("/")
_COMPARED_SETTINGS: Final[Mapping[str, bool | set[str] | dict[str, set[str]]]] = {
    "tables": {"__all__": {"rounds", "clock"}},
    "limits": True,
    "read": True,
    "audit": True,
    "page": True,
    "log": True,
    "learning": {"collect", "max_mb"},
    "models": {"shadow_hours"},
    "record": {"keep_days", "max_mb", "min_free_mb", "clip_s", "warn_days"},
}
"""The settings that tables usually have in common: no names, places, cameras, secrets or rules of play."""
_OWN_SETTINGS: Final[Mapping[str, bool | set[str] | dict[str, set[str]]]] = {
    "service": True,
    "pits": True,
    "tables": {"__all__": {"name", "title", "pit"}},
    "record": {"folder"},
    "models": {"weights"},
}
"""The settings in which all tables differ."""


class FleetQuery(FrozenModel):
    """Selects and sorts tables."""

    pit: Name | None = Field(default=None, description="only tables of this pit", examples=["high-limit"])
    sort: Sort = Field(
        default="worst", description="the column to sort by, the most critical first", examples=["drift"]
    )


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


@router.get("/equipment", dependencies=[_HEALTH], responses=problems(404, 422))
def get_equipment(table: AskedTableDep) -> EquipmentOut:
    """A table's version, models, settings, calibration, machine and verification rate."""
    return equipment_of(table)


@router.get("/fleet", dependencies=[_HEALTH], responses=problems(404, 422, 503))
async def get_fleet(scope: ScopeDep, asked: Annotated[FleetQuery, Query()]) -> FleetOut:
    """Version, models, settings, calibration, machine and verification rate of each table, most critical first."""
    return FleetOut(tables=tuple(map(FleetTableOut.of, await scope.fleet(asked.pit, asked.sort))))


@router.get(
    "/fleet.csv",
    dependencies=[_HEALTH],
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **problems(404, 422, 503)},
)
async def get_fleet_csv(scope: ScopeDep, asked: Annotated[FleetQuery, Query()]) -> Response:
    """The same as a spreadsheet (CSV)."""
    text = fleet_csv(await scope.fleet(asked.pit, asked.sort))
    headers = {"Content-Disposition": 'attachment; filename="fleet.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


def fleet_csv(rows: Iterable[FleetRow]) -> str:
    """A byte order mark and a header line, then a line for each table; unknown values are empty."""
    lines = [BYTE_ORDER_MARK + csv_line((*_OF_TABLE, *_OF_EQUIPMENT))]
    for row in rows:
        equipment = row.equipment
        cells = [value(row) for value in _OF_TABLE.values()]
        cells += [None if equipment is None else value(equipment) for value in _OF_EQUIPMENT.values()]
        lines.append(csv_line("" if cell is None else cell for cell in cells))
    return "".join(lines)


def equipment_of(table: LocalTable) -> EquipmentOut:
    """A local table's equipment at this moment."""
    config = table.config
    _, free = free_bytes(config)
    sync, hands = kernel_sync(), table.newest_hands.now(table.live.recorded.count)
    settings = config.model_dump_json(exclude=_OWN_SETTINGS)
    compared = config.model_dump_json(include=_COMPARED_SETTINGS)
    equipment = {
        "version": __version__,
        "code": code_state().sha256,
        "models": {name: version.removeprefix("sha256:") for name, version in _models(table).items()},
        "settings": hashlib.sha256(settings.encode()).hexdigest(),
        "compared_settings": hashlib.sha256(compared.encode()).hexdigest(),
        "calibration": _calibration(table),
        "drift_mm": None if table.camera is None else table.camera.drift_mm,
        "free_bytes": free,
        "celsius": hottest_c(_ROOT),
        "clock": {"synchronised": sync.synchronised, "max_error_s": sync.max_error_s},
        "hands": None if hands is None else {"verified": hands.verified, "of": hands.of},
        "failing": tuple(check.name for check in table.live.health() if not check.ok),
    }
    return EquipmentOut.model_validate(equipment)


def _models(table: LocalTable) -> dict[str, str]:
    reading = table.live.state.reading
    versions = {} if reading is None else reading.versions
    versions = versions or getattr(table.reader, "versions", {})
    return {name: versions[name] for name in NETWORKS if name in versions}


def _calibration(table: LocalTable) -> dict[str, Any] | None:
    found = table.calibrating.in_use
    if found is None:
        return None
    seal = found.calibration.seal
    made_at = None if seal is None else seal.made_at
    days = None if made_at is None else (datetime.now(UTC) - made_at).total_seconds() / 86_400
    return {"sha256": found.version, "made_at": made_at, "days": days}


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
