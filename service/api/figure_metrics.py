"""The figures of each table, local or remote, for Prometheus."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from service.hub.table_figures import FIGURES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from service.hub.live_overview import LiveOverview


class FigureCollector(Collector):
    """The figures of all tables as the overview had them last."""

    def __init__(self, overview: LiveOverview) -> None:
        self._overview = overview

    def collect(self) -> Iterator[Metric]:
        """The metrics of all tables; a table without a value is left out."""
        newest = self._overview.newest
        for figure in FIGURES:
            family = GaugeMetricFamily(figure.metric, figure.meaning, labels=["table"])
            for table in () if newest is None else newest.tables:
                value = figure.value(table)
                if value is not None:
                    family.add_metric([table.name], value.timestamp() if isinstance(value, datetime) else value)
            yield family
