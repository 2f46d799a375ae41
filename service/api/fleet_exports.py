"""What the tables of a floor run on, as CSV and for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector as MetricsCollector

from service.hub.fleet import Attention
from service.rounds.rounds_csv import csv_line
from vision.networks.model_card import NETWORKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prometheus_client.core import Metric

    from service.hub.fleet import Fleet, FleetRow
    from service.record.health import EquipmentOut


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


def fleet_csv(rows: Iterable[FleetRow]) -> str:
    """A header line, then a line for each table; unknown values are empty."""
    lines = [csv_line((*_OF_TABLE, *_OF_EQUIPMENT))]
    for row in rows:
        equipment = row.equipment
        cells = [value(row) for value in _OF_TABLE.values()]
        cells += [None if equipment is None else value(equipment) for value in _OF_EQUIPMENT.values()]
        lines.append(csv_line("" if cell is None else cell for cell in cells))
    return "".join(lines)


class FleetCollector(MetricsCollector):
    """Each table's figures for Prometheus, as last reported."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def collect(self) -> Iterator[Metric]:
        """The metrics at the moment of a scrape."""

        def of_tables(name: str, what: str, *labels: str) -> GaugeMetricFamily:
            return GaugeMetricFamily(f"houseway_floor_table_{name}", what, labels=["table", *labels])

        info = of_tables("info", "1, with the version of a table", "version")
        free = of_tables("free_bytes", "Free on the disk of a table's record")
        celsius = of_tables("celsius", "Hottest sensor of a table's processor, degrees")
        days = of_tables("calibration_days", "Age of a table's calibration, days")
        drift = of_tables("drift_mm", "How far a table's camera seems to have moved, millimetres")
        clock = of_tables("clock_seconds", "How far a table's clock is ahead of the floor's")
        share = of_tables("verified_ratio", "Share of a table's newest hands that was verified")
        attention = of_tables("attention", "1 for each reason why a table needs attention", "reason")
        for row in self._fleet.newest:
            equipment = row.equipment
            for reason in Attention:
                attention.add_metric([row.name, reason], float(reason in row.attention))
            if equipment is None:
                continue
            info.add_metric([row.name, equipment.version], 1.0)
            free.add_metric([row.name], equipment.free_bytes)
            for metric, value in (
                (celsius, equipment.celsius),
                (days, row.calibration_days),
                (drift, equipment.drift_mm),
                (clock, row.clock_s),
                (share, row.verified_share),
            ):
                if value is not None:
                    metric.add_metric([row.name], value)
        yield from (info, free, celsius, days, drift, clock, share, attention)
