"""Counters of a source: pictures, drops, gaps, lag, restarts."""

import statistics
from collections import deque
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from vision.findings import Finding

State: TypeAlias = Literal["opening", "running", "bad_picture", "waiting", "closed"]

_LAG_PICTURES: Final = 100
"""Pictures over which lag is measured, some seconds."""
_RATE_PICTURES: Final = 30
"""Pictures over which the rate is measured, about a second."""


@dataclass(frozen=True, slots=True)
class CaptureStatistics:
    """State of a source, and its counts since it was first opened.

    Attributes:
        state: ``opening``, ``running``, ``bad_picture`` (black, frozen or unreadable), ``waiting`` (for the next
            attempt) or ``closed``.
        frames: pictures received from the camera.
        delivered: passed on.
        dropped: skipped for newer ones.
        bad: black, still frozen or unreadable.
        gaps: number of times that no picture arrived within the allowed time.
        longest_gap_ms: the longest time between two pictures, restarts included; None before the second.
        lag_ms: median age of the last pictures on delivery; None if none has its own timestamp.
        worst_lag_ms: the greatest age among them.
        fps: recent pictures per second; None before the second.
        restarts: how often the source was reopened.
        last_error: the last error, None if there was none.
        last_error_at: its time, UTC.
    """

    state: State
    frames: int = 0
    delivered: int = 0
    dropped: int = 0
    bad: int = 0
    gaps: int = 0
    longest_gap_ms: float | None = None
    lag_ms: float | None = None
    worst_lag_ms: float | None = None
    fps: float | None = None
    restarts: int = 0
    last_error: Finding | None = None
    last_error_at: datetime | None = None


class CaptureCounters:
    """Counters of a source (a gap lasts ``gap_s``; None counts none); not thread-safe."""

    def __init__(self, gap_s: float | None) -> None:
        self._statistics = CaptureStatistics("opening")
        self._gap_ms = gap_s and gap_s * 1e3
        self._opened = 0
        self._arrived_ns: deque[int] = deque(maxlen=_RATE_PICTURES)
        self._lags_ms: deque[float] = deque(maxlen=_LAG_PICTURES)

    def opening(self) -> None:
        self._statistics = replace(self._statistics, state="opening", restarts=self._opened)
        self._opened += 1
        self._arrived_ns.clear()

    def arrived(self, at_ns: int, previous_ns: int | None, dropped: int, *, bad: bool) -> None:
        """Count a picture, and earlier ones that the child dropped."""
        now = self._statistics
        gap_ms = None if previous_ns is None or self._gap_ms is None else (at_ns - previous_ns) / 1e6
        self._statistics = replace(
            now,
            state="bad_picture" if bad else "running",
            frames=now.frames + 1 + dropped,
            dropped=now.dropped + dropped,
            bad=now.bad + bad,
            gaps=now.gaps + (gap_ms is not None and gap_ms > (self._gap_ms or 0)),
            longest_gap_ms=now.longest_gap_ms if gap_ms is None else max(now.longest_gap_ms or 0.0, round(gap_ms, 1)),
        )
        self._arrived_ns.extend([at_ns] * (1 + dropped))

    def dropped(self) -> None:
        """Count a picture replaced by a newer one."""
        self._statistics = replace(self._statistics, dropped=self._statistics.dropped + 1)

    def delivered(self, lag_ns: int | None) -> None:
        self._statistics = replace(self._statistics, delivered=self._statistics.delivered + 1)
        if lag_ns is not None:
            self._lags_ms.append(lag_ns / 1e6)

    def failed(self, fault: Finding) -> None:
        """Record why the source must be reopened."""
        self._statistics = replace(self._statistics, state="waiting", last_error=fault, last_error_at=datetime.now(UTC))

    def closed(self) -> None:
        """Record that the source was closed."""
        self._statistics = replace(self._statistics, state="closed")

    def now(self) -> CaptureStatistics:
        arrived, lags = self._arrived_ns, self._lags_ms
        span_ns = arrived[-1] - arrived[0] if arrived else 0
        return replace(
            self._statistics,
            lag_ms=round(statistics.median(lags), 1) if lags else None,
            worst_lag_ms=round(max(lags), 1) if lags else None,
            fps=round((len(arrived) - 1) * 1e9 / span_ns, 2) if span_ns else None,
        )
