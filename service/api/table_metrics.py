"""How the tables are at the moment that Prometheus asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client.core import Metric

    from service.record.waiting import News
    from service.table.live_state import LiveState
    from vision.capture import CaptureStatistics


class TableCollector(Collector):
    """Collects the state of each table and of its source, and who waits for news."""

    def __init__(self, tables: Mapping[str, LiveState], news: News) -> None:
        self._tables = tables
        self._news = news

    def describe(self) -> Iterator[Metric]:
        """The families of metrics, without values."""
        yield from _of_tables({})
        yield from _waiting(None)

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""
        yield from _of_tables(self._tables)
        yield from _waiting(self._news)


def _of_tables(tables: Mapping[str, LiveState]) -> Iterator[Metric]:
    checks = GaugeMetricFamily(
        "houseway_check_ok",
        "1 if a check is well, 0 if not; the checks are those of /v1/tables",
        labels=["table", "check"],
    )
    well = GaugeMetricFamily("houseway_healthy", "1 if every check is well, 0 if not", labels=["table"])
    newest = GaugeMetricFamily(
        "houseway_last_picture_timestamp_seconds", "When the last picture was read, as a Unix time", labels=["table"]
    )
    for name, live in tables.items():
        found = live.health()
        for check in found:
            checks.add_metric([name, check.name], float(check.ok))
        well.add_metric([name], float(all(check.ok for check in found)))
        view = live.state.view
        if view is not None:
            newest.add_metric([name], view.taken_at.timestamp())
    yield from (checks, well, newest)
    yield from _capture({name: seen for name, live in tables.items() if (seen := live.capture) is not None})


def _waiting(news: News | None) -> Iterator[Metric]:
    waiting = GaugeMetricFamily(
        "houseway_waiting_requests", "Long polls and event streams that are open", labels=["for"]
    )
    if news is not None:
        waiting.add_metric(["changes"], news.changes.waiting)
        waiting.add_metric(["results"], news.recorded.waiting)
        waiting.add_metric(["entries"], news.appended.waiting)
    yield waiting


def _capture(seen: Mapping[str, CaptureStatistics]) -> Iterator[Metric]:
    """How the sources are: pictures by what became of them, gaps, restarts, lag."""
    pictures = CounterMetricFamily(
        "houseway_capture_pictures",
        "Pictures of the source: delivered, dropped for newer ones, bad",
        labels=["table", "fate"],
    )
    gaps = CounterMetricFamily(
        "houseway_capture_gaps", "Times that no picture came for longer than allowed", labels=["table"]
    )
    restarts = CounterMetricFamily("houseway_capture_restarts", "Times that the source was reopened", labels=["table"])
    lag = GaugeMetricFamily(
        "houseway_capture_lag_seconds",
        "Age of pictures when they were handed on: median and worst of the last hundred",
        labels=["table", "of"],
    )
    for table, of in seen.items():
        for fate in ("delivered", "dropped", "bad"):
            pictures.add_metric([table, fate], getattr(of, fate))
        gaps.add_metric([table], of.gaps)
        restarts.add_metric([table], of.restarts)
        for name, lag_ms in (("median", of.lag_ms), ("worst", of.worst_lag_ms)):
            if lag_ms is not None:
                lag.add_metric([table, name], lag_ms / 1e3)
    yield from (pictures, gaps, restarts, lag)
