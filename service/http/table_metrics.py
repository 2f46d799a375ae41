"""How a table is at the moment that Prometheus asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from service.table.live_state import LiveState
    from vision.capture import CaptureStatistics


class TableCollector(Collector):
    """Collects the state of a table, of its source, and of who waits for news of it."""

    def __init__(self, live: LiveState) -> None:
        self._live = live

    def describe(self) -> Iterator[Metric]:
        """The families of metrics, without values."""
        yield from _table_families()
        yield from _capture(None)

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""
        checks, well, newest, waiting = _table_families()
        found = self._live.health()
        for check in found:
            checks.add_metric([check.name], float(check.ok))
        well.add_metric([], float(all(check.ok for check in found)))
        view = self._live.state.view
        if view is not None:
            newest.add_metric([], view.taken_at.timestamp())
        waiting.add_metric(["changes"], self._live.changes.waiting)
        waiting.add_metric(["results"], self._live.recorded.waiting)
        waiting.add_metric(["entries"], self._live.appended.waiting)
        yield from (checks, well, newest, waiting)
        yield from _capture(self._live.capture)


def _table_families() -> tuple[GaugeMetricFamily, ...]:
    return (
        GaugeMetricFamily(
            "houseway_check_ok", "1 if a check is well, 0 if not; the checks are those of /v1/tables", labels=["check"]
        ),
        GaugeMetricFamily("houseway_healthy", "1 if every check is well, 0 if not"),
        GaugeMetricFamily("houseway_last_picture_timestamp_seconds", "When the last picture was read, as a Unix time"),
        GaugeMetricFamily("houseway_waiting_requests", "Long polls and event streams that are open", labels=["for"]),
    )


def _capture(seen: CaptureStatistics | None) -> Iterator[Metric]:
    """How the source is: pictures by what became of them, gaps, restarts, lag."""
    pictures = CounterMetricFamily(
        "houseway_capture_pictures", "Pictures of the source: delivered, dropped for newer ones, bad", labels=["fate"]
    )
    gaps = CounterMetricFamily("houseway_capture_gaps", "Times that no picture came for longer than allowed")
    restarts = CounterMetricFamily("houseway_capture_restarts", "Times that the source was reopened")
    lag = GaugeMetricFamily(
        "houseway_capture_lag_seconds",
        "Age of pictures when they were handed on: median and worst of the last hundred",
        labels=["of"],
    )
    if seen is not None:
        for fate in ("delivered", "dropped", "bad"):
            pictures.add_metric([fate], getattr(seen, fate))
        gaps.add_metric([], seen.gaps)
        restarts.add_metric([], seen.restarts)
        for name, lag_ms in (("median", seen.lag_ms), ("worst", seen.worst_lag_ms)):
            if lag_ms is not None:
                lag.add_metric([name], lag_ms / 1e3)
    yield from (pictures, gaps, restarts, lag)
