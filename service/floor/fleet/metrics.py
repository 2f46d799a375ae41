"""The fleet for Prometheus: each table's own figures, as it told them last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector as MetricsCollector

from service.floor.fleet.shown import Attention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from service.floor.fleet.fleet import Fleet


class FleetCollector(MetricsCollector):
    """The fleet at the moment of a scrape."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""

        def of_tables(name: str, what: str) -> GaugeMetricFamily:
            return GaugeMetricFamily(name, what, labels=["table"])

        info = GaugeMetricFamily(
            "houseway_floor_table_info", "1, with what a table runs on", labels=["table", "version", "release"]
        )
        free = of_tables("houseway_floor_table_free_bytes", "Free on the disk of a table's record")
        celsius = of_tables("houseway_floor_table_celsius", "Hottest sensor of a table's processor, degrees")
        days = of_tables("houseway_floor_table_calibration_days", "Age of a table's calibration, days")
        drift = of_tables("houseway_floor_table_drift_mm", "How far a table's camera seems to have moved, millimetres")
        clock = of_tables("houseway_floor_table_clock_seconds", "How far a table's clock is ahead of the floor's")
        share = of_tables("houseway_floor_table_verified_ratio", "Share of a table's newest hands that was verified")
        needs = GaugeMetricFamily(
            "houseway_floor_table_needs", "1 for what of a table needs somebody", labels=["table", "what"]
        )
        for row in self._fleet.newest:
            told = row.equipment
            for what in Attention:
                needs.add_metric([row.name, what], float(what in row.attention))
            if told is None:
                continue
            info.add_metric([row.name, told.version, row.release], 1.0)
            free.add_metric([row.name], told.free_bytes)
            calibration_days = None if told.calibration is None else told.calibration.days
            for metric, value in (
                (celsius, told.celsius),
                (days, calibration_days),
                (drift, told.drift_mm),
                (clock, row.clock_s),
                (share, row.verified_share),
            ):
                if value is not None:
                    metric.add_metric([row.name], value)
        yield from (info, free, celsius, days, drift, clock, share, needs)
