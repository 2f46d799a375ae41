"""What the floor counts, and how its tables are, for Prometheus."""

from __future__ import annotations

from collections import Counter as Tally
from typing import TYPE_CHECKING

from prometheus_client import Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector as MetricsCollector

from service.hub.table_states import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

    from service.hub.remote_evidence import RemoteEvidence
    from service.hub.table_states import TableStates
    from service.hub.writer import HubWriter
    from service.record.health import SubscriberChecks

_COMMIT_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class HubMetrics:
    """The counters of what is collected from remote tables."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._entries = Counter("houseway_floor_entries", "Entries accepted from tables", registry=registry)
        self._commit_seconds = Histogram(
            "houseway_floor_commit_seconds",
            "Time of a transaction that stores entries",
            buckets=_COMMIT_BUCKETS,
            registry=registry,
        )

    def committed(self, entries: int, seconds: float) -> None:
        """Count a transaction of the writer."""
        if entries:
            self._entries.inc(entries)
            self._commit_seconds.observe(seconds)


class FloorCollector(MetricsCollector):
    """How the tables and the store are at the moment of a scrape."""

    def __init__(
        self, states: TableStates, writer: HubWriter, evidence: RemoteEvidence, checks: SubscriberChecks
    ) -> None:
        self._states, self._writer, self._evidence, self._checks = states, writer, evidence, checks

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""
        found = Tally(table.now for table in self._states.tables.values())
        tables = GaugeMetricFamily("houseway_floor_tables", "Tables by state, the worst first", labels=["state"])
        for state in State:
            tables.add_metric([state], found[state])
        each = GaugeMetricFamily(
            "houseway_floor_table", "1 for the state that a table is in", labels=["table", "state"]
        )
        behind = GaugeMetricFamily(
            "houseway_floor_behind_seconds",
            "Lag: how much older than a table's newest entry the last collected one is",
            labels=["table"],
        )
        for name, table in self._states.tables.items():
            each.add_metric([name, table.now], 1.0)
            behind.add_metric([name], table.behind_s)
        position = GaugeMetricFamily("houseway_floor_position", "Position of the newest entry")
        position.add_metric([], self._writer.position)
        writing = GaugeMetricFamily(
            "houseway_floor_writing", "1 while entries can be written to the floor's database, 0 if not"
        )
        writing.add_metric([], float(self._writer.writing))
        copied = GaugeMetricFamily("houseway_floor_evidence_bytes", "Size of the pictures copied to the floor")
        copied.add_metric([], 0.0 if self._evidence.store is None else self._evidence.store.used)
        full = GaugeMetricFamily("houseway_floor_evidence_full", "1 while copying is stopped because the space is full")
        full.add_metric([], float(self._evidence.full))
        failing = GaugeMetricFamily(
            "houseway_floor_evidence_failing", "1 while pictures cannot be copied, 0 if they can"
        )
        failing.add_metric([], float(bool(self._evidence.failing)))
        told = GaugeMetricFamily(
            "houseway_floor_subscriber_well", "1 while a webhook or the broker accepts events", labels=["name"]
        )
        for check in self._checks.subscribers:
            told.add_metric([check.name], float(check.ok))
        yield from (tables, each, behind, position, writing, copied, full, failing, told)
