"""Prometheus collectors: the state of tables, local and remote, and of the hub, at the time of a scrape."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from service.hub.fleet import Attention
from service.hub.table_figures import FIGURES
from service.hub.table_states import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client.core import Metric

    from service.hub.fleet import Fleet
    from service.hub.hub import Hub
    from service.hub.live_overview import LiveOverview
    from service.record.waiting import News
    from service.table.live_state import LiveState


class FigureCollector(Collector):
    """The figures of all tables, from the latest overview; tables without a value are omitted."""

    def __init__(self, overview: LiveOverview) -> None:
        self._overview = overview

    def collect(self) -> Iterator[Metric]:
        newest = self._overview.newest
        for figure in FIGURES:
            family = _by_table(figure.metric, figure.meaning)
            for table in () if newest is None else newest.tables:
                value = table.figures[figure.name]
                if value is not None:
                    family.add_metric([table.name], value.timestamp() if isinstance(value, datetime) else value)
            yield family


class LocalCollector(Collector):
    """The checks and sources of local tables, and the requests that wait for news."""

    def __init__(self, tables: Mapping[str, LiveState], news: News) -> None:
        self._tables = tables
        self._news = news

    def describe(self) -> Iterator[Metric]:
        """The families without values: while the service starts, checks are not run."""
        yield from _checks({})
        yield from _captures({})
        yield _waiting(None)

    def collect(self) -> Iterator[Metric]:
        yield from _checks(self._tables)
        yield from _captures(self._tables)
        yield _waiting(self._news)


def _checks(tables: Mapping[str, LiveState]) -> tuple[Metric, ...]:
    checks = _by_table("houseway_check_ok", "1 if a check passes, 0 if it fails; /v1/tables lists the checks", "check")
    healthy = _by_table("houseway_healthy", "1 if every check passes, 0 if not")
    newest = _by_table("houseway_last_picture_timestamp_seconds", "Unix time of the last picture that was read")
    for name, live in tables.items():
        found = live.health()
        for check in found:
            checks.add_metric([name, check.name], float(check.ok))
        healthy.add_metric([name], float(all(check.ok for check in found)))
        view = live.state.view
        if view is not None:
            newest.add_metric([name], view.taken_at.timestamp())
    return checks, healthy, newest


def _captures(tables: Mapping[str, LiveState]) -> tuple[Metric, ...]:
    pictures = CounterMetricFamily(
        "houseway_capture_pictures",
        "Pictures of the source: delivered, dropped in favour of newer ones, bad",
        labels=["table", "fate"],
    )
    gaps = CounterMetricFamily(
        "houseway_capture_gaps", "Times that no picture came for longer than allowed", labels=["table"]
    )
    restarts = CounterMetricFamily("houseway_capture_restarts", "Times that the source was reopened", labels=["table"])
    lag = _by_table(
        "houseway_capture_lag_seconds", "Age of pictures on delivery: median and maximum of the last hundred", "of"
    )
    for name, live in tables.items():
        capture = live.capture
        if capture is None:
            continue
        for fate in ("delivered", "dropped", "bad"):
            pictures.add_metric([name, fate], getattr(capture, fate))
        gaps.add_metric([name], capture.gaps)
        restarts.add_metric([name], capture.restarts)
        for of, lag_ms in (("median", capture.lag_ms), ("worst", capture.worst_lag_ms)):
            if lag_ms is not None:
                lag.add_metric([name, of], lag_ms / 1e3)
    return pictures, gaps, restarts, lag


def _waiting(news: News | None) -> Metric:
    waiting = GaugeMetricFamily("houseway_waiting_requests", "Open long polls and event streams", labels=["for"])
    if news is not None:
        waiting.add_metric(["changes"], news.changes.waiting)
        waiting.add_metric(["results"], news.recorded.waiting)
        waiting.add_metric(["entries"], news.appended.waiting)
    return waiting


class HubCollector(Collector):
    """Remote tables: their states and equipment, the collection of their entries and pictures, and subscribers."""

    def __init__(self, hub: Hub, fleet: Fleet) -> None:
        self._hub = hub
        self._fleet = fleet

    def collect(self) -> Iterator[Metric]:
        yield from self._states()
        yield from self._equipment()
        writer, evidence = self._hub.writer, self._hub.evidence
        yield _gauge("houseway_hub_position", "Position of the newest entry", writer.position)
        yield _gauge("houseway_hub_writing", "1 while entries can be written to the database, 0 if not", writer.writing)
        yield _gauge(
            "houseway_hub_evidence_bytes",
            "Size of the copied pictures",
            0 if evidence.store is None else evidence.store.used,
        )
        yield _gauge(
            "houseway_hub_evidence_full", "1 while copying is stopped because the space is full", evidence.full
        )
        yield _gauge("houseway_hub_evidence_failing", "1 while pictures cannot be copied", bool(evidence.failing))
        subscribers = GaugeMetricFamily(
            "houseway_hub_subscriber_well", "1 while a webhook or the broker accepts events", labels=["name"]
        )
        for check in self._hub.checks.subscribers:
            subscribers.add_metric([check.name], float(check.ok))
        yield subscribers

    def _states(self) -> tuple[Metric, ...]:
        tables = self._hub.collector.states.tables
        counts = Counter(table.now for table in tables.values())
        by_state = GaugeMetricFamily(
            "houseway_hub_tables", "Number of remote tables by state, most severe first", labels=["state"]
        )
        for state in State:
            by_state.add_metric([state], counts[state])
        current = _by_table("houseway_hub_table", "1 for the state that a remote table is in", "state")
        behind = _by_table(
            "houseway_hub_behind_seconds", "Lag: age difference of a table's newest entry and the last collected one"
        )
        for name, table in tables.items():
            current.add_metric([name, table.now], 1.0)
            behind.add_metric([name], table.behind_s)
        return by_state, current, behind

    def _equipment(self) -> tuple[Metric, ...]:
        prefix = "houseway_hub_table_"
        info = _by_table(f"{prefix}info", "1, with the version of a table", "version")
        free = _by_table(f"{prefix}free_bytes", "Free space on the disk of a table's record")
        celsius = _by_table(f"{prefix}celsius", "Hottest sensor of a table's processor, degrees")
        days = _by_table(f"{prefix}calibration_days", "Age of a table's calibration, days")
        drift = _by_table(f"{prefix}drift_mm", "Estimated movement of a table's camera, millimetres")
        clock = _by_table(f"{prefix}clock_seconds", "Seconds that a table's clock is ahead of the hub's")
        share = _by_table(f"{prefix}verified_ratio", "Share of a table's latest hands that were verified")
        attention = _by_table(f"{prefix}attention", "1 for each reason why a table needs attention", "reason")
        for row in self._fleet.newest:
            for reason in Attention:
                attention.add_metric([row.name, reason], float(reason in row.attention))
            equipment = row.equipment
            if equipment is None:
                continue
            info.add_metric([row.name, equipment.version], 1.0)
            for family, value in (
                (free, equipment.free_bytes),
                (celsius, equipment.celsius),
                (days, row.calibration_days),
                (drift, equipment.drift_mm),
                (clock, row.clock_s),
                (share, row.verified_share),
            ):
                if value is not None:
                    family.add_metric([row.name], value)
        return info, free, celsius, days, drift, clock, share, attention


def _by_table(name: str, meaning: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, labels=["table", *labels])


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=float(value))
