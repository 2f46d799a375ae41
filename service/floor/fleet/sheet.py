"""The fleet as a CSV file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from service.rounds.rounds_csv import csv_line
from vision.networks.model_card import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from service.floor.fleet.shown import FleetRow
    from service.http.equipment_schemas import EquipmentOut


def _of_calibration(told: EquipmentOut) -> float | None:
    return None if told.calibration is None or told.calibration.days is None else round(told.calibration.days, 1)


def _of_model(name: str) -> Callable[[EquipmentOut], str | None]:
    return lambda told: told.models.get(name)


_OF_TABLE: Final[dict[str, Callable[[FleetRow], Any]]] = {
    "table": lambda row: row.name,
    "title": lambda row: row.shown.title,
    "pit": lambda row: row.shown.pit,
    "state": lambda row: row.shown.state,
    "needs": lambda row: " ".join(row.attention),
    "differs": lambda row: " ".join(sorted(row.differs)),
    "ring": lambda row: row.ring,
    "stage": lambda row: row.stage,
    "release": lambda row: row.release,
    "verified_share": lambda row: None if row.verified_share is None else round(row.verified_share, 4),
    "clock_s": lambda row: row.clock_s,
}
_OF_EQUIPMENT: Final[dict[str, Callable[[EquipmentOut], Any]]] = {
    "version": lambda told: told.version,
    "code": lambda told: told.code,
    **{name: _of_model(name) for name in NETWORKS},
    "settings": lambda told: told.settings,
    "shared_settings": lambda told: told.shared_settings,
    "calibration_days": _of_calibration,
    "drift_mm": lambda told: told.drift_mm,
    "free_bytes": lambda told: told.free_bytes,
    "celsius": lambda told: told.celsius,
    "clock_synchronised": lambda told: told.clock.synchronised,
    "hands_verified": lambda told: None if told.hands is None else told.hands.verified,
    "hands": lambda told: None if told.hands is None else told.hands.of,
    "failing": lambda told: " ".join(told.failing),
}


def fleet_sheet(rows: Iterable[FleetRow]) -> str:
    """A line for each table, below one with the names of the columns; what is not known is empty."""
    lines = [csv_line((*_OF_TABLE, *_OF_EQUIPMENT))]
    for row in rows:
        told = row.equipment
        cells = [value(row) for value in _OF_TABLE.values()]
        cells += ["" if told is None else of(told) for of in _OF_EQUIPMENT.values()]
        lines.append(csv_line("" if cell is None else cell for cell in cells))
    return "".join(lines)
