"""Counters of the entries that the hub collects, for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import Counter, Histogram

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


_COMMIT_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class HubMetrics:
    """Counts entries and transactions."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._entries = Counter("houseway_hub_entries", "Entries accepted from tables", registry=registry)
        self._commit_seconds = Histogram(
            "houseway_hub_commit_seconds",
            "Time of a transaction that stores entries",
            buckets=_COMMIT_BUCKETS,
            registry=registry,
        )

    def committed(self, entries: int, seconds: float) -> None:
        """Count a transaction of the writer."""
        if entries:
            self._entries.inc(entries)
            self._commit_seconds.observe(seconds)
