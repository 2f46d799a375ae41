"""Metrics for Prometheus: how much was read and verified, how fast, and the state of the service.

Names follow the conventions of Prometheus: base units, ``_total`` for counters. Labels have few values: stages, checks,
causes of doubts in :mod:`service.words.declared`, route templates.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, PlatformCollector, ProcessCollector

from service import __version__
from service.words.declared.all_codes import cause_of

if TYPE_CHECKING:
    from service.rounds.reports import DieReport, HandReport, RoundReport
    from vision.reading import Reading

_READ_BUCKETS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0)
_RECORD_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Metrics:
    """The metrics of a service, scraped from ``registry``."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        counter, seconds = partial(Counter, registry=self.registry), partial(Histogram, registry=self.registry)
        Info("houseway", "Version of the program", registry=self.registry).info({"version": __version__})
        durable = "Time until an entry of the record is durable"
        self.record_seconds = seconds("houseway_record_append_seconds", durable, buckets=_RECORD_BUCKETS)
        self.connections_closed = counter(
            "houseway_connections_closed",
            "Connections refused or closed, by why: no_room, too_many_from_address, head_too_large, slow_request, "
            "slow_reader, too_much_unread",
            ["why"],
        )
        self.requests = counter(
            "houseway_http_requests", "Requests answered, by method, route and status", ["method", "route", "status"]
        )
        self.pictures = counter("houseway_pictures", "Pictures read", ["table"])
        self.read_seconds = seconds(
            "houseway_read_seconds", "Time to read a picture, by stage", ["table", "stage"], buckets=_READ_BUCKETS
        )
        self.rounds = counter("houseway_rounds", "Rounds closed, by status: verified, uncertain", ["table", "status"])
        self.hands = counter(
            "houseway_hands", "Hands of closed rounds, by status: verified, uncertain", ["table", "status"]
        )
        self.verdicts = counter(
            "houseway_verdicts",
            "Hands of closed rounds, by House Way verdict: correct, wrong, needs_review",
            ["table", "verdict"],
        )
        doubts = (
            "Hands and dice of closed rounds that were not verified, by reason: classifier, second_reader, clock, ..."
        )
        self.doubts = counter("houseway_doubts", doubts, ["table", "what", "reason"])
        self.source_openings = counter("houseway_source_openings", "Times the source was opened", ["table"])
        self.source_faults = counter("houseway_source_faults", "Pictures that could not be had", ["table"])
        self.starts = Gauge(
            "houseway_service_starts", "Starts of the service in its record", ["table"], registry=self.registry
        )
        self._evidence = Gauge(
            "houseway_evidence_bytes",
            "Pictures of evidence: used, not_exported, and the limit of what they may take",
            ["what"],
            registry=self.registry,
        )
        self._evidence_days = Gauge(
            "houseway_evidence_days_left",
            "Days until nothing can be recorded unless pictures are exported; infinite while none are added",
            registry=self.registry,
        )
        self.crops = counter(
            "houseway_crops", "Tile pictures to learn from: kept, or aside for a person", ["table", "what"]
        )
        shadow = (
            "Tiles that a candidate read beside the model in use, by which was right: both, used, candidate, neither"
        )
        self.shadow_tiles = counter("houseway_shadow_tiles", shadow, ["table", "right"])

    def evidence(self, used: int, limit: int, kept: int, days_left: float | None) -> None:
        """Set the size of the evidence in bytes, and the days until it is full (None: never)."""
        for what, size in (("used", used), ("limit", limit), ("not_exported", kept)):
            self._evidence.labels(what).set(size)
        self._evidence_days.set(math.inf if days_left is None else days_left)


class TableMetrics:
    """The counters of one table among those of its service."""

    def __init__(self, metrics: Metrics, table: str) -> None:
        self._metrics = metrics
        self._table = table
        # Metrics without another label are exported from the start, as 0.
        self._pictures = metrics.pictures.labels(table)
        self.source_openings = metrics.source_openings.labels(table)
        self.source_faults = metrics.source_faults.labels(table)
        self.starts = metrics.starts.labels(table)

    def read(self, reading: Reading) -> None:
        """Count a picture and the time it took."""
        self._pictures.inc()
        for stage, spent_ms in reading.elapsed_ms.items():
            self._metrics.read_seconds.labels(self._table, stage).observe(spent_ms / 1e3)

    def collected(self, *, kept: int, aside: int) -> None:
        """Count new crops, and those put aside for a person."""
        self._metrics.crops.labels(self._table, "kept").inc(kept)
        self._metrics.crops.labels(self._table, "aside").inc(aside)

    def shadowed(self, right: str) -> None:
        """Count a tile by the model that was right: ``both``, ``used``, ``candidate`` or ``neither``."""
        self._metrics.shadow_tiles.labels(self._table, right).inc()

    def recorded(self, *rounds: RoundReport) -> None:
        """Count the closed ones of the rounds just recorded."""
        for played in rounds:
            if played.state != "closed":
                continue
            self._metrics.rounds.labels(self._table, played.status).inc()
            for hand in played.hands:
                self._metrics.hands.labels(self._table, hand.status).inc()
                if hand.house_way is not None:
                    self._metrics.verdicts.labels(self._table, hand.house_way.verdict).inc()
                self._doubt("hand", hand)
            for die in played.dice:
                self._doubt("die", die)

    def _doubt(self, what: str, seen: HandReport | DieReport) -> None:
        if seen.status == "uncertain":
            for reason in {cause_of(doubt.code) for doubt in seen.doubts or ()} or {"other"}:
                self._metrics.doubts.labels(self._table, what, reason).inc()
