"""What is counted of a source: pictures, drops, gaps, lag, restarts."""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

State: TypeAlias = Literal["opening", "running", "bad_picture", "waiting", "closed"]

_RECENT: Final = 100
"""Lag is told of so many pictures."""
_RATE: Final = 30
"""Pictures a second are told from so many."""


@dataclass(frozen=True, slots=True)
class CaptureStatistics:
    """How a source is and what it has done since it was opened first.

    Attributes:
        state: ``opening``, ``running``, ``bad_picture`` (it shows nothing or cannot be read), ``waiting`` (to be tried
            again) or ``closed``.
        frames: pictures that the camera gave.
        delivered: of these, handed on.
        dropped: of these, passed over for newer ones.
        bad: of these, black, still frozen or unreadable.
        gaps: times that no picture came for longer than allowed.
        longest_gap_ms: the longest time between two pictures, restarts included; None before the second.
        lag_ms: median age of the last pictures when they were handed on; None if none has a time of its own.
        worst_lag_ms: the greatest age among these.
        fps: pictures a second, of the last ones; None before the second.
        restarts: how often the source was opened anew.
        last_error: what went wrong last, None if nothing has.
        last_error_at: when, UTC.
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
    last_error: str | None = None
    last_error_at: datetime | None = None


class Tally:
    """Counts; not safe against two threads at once, whoever holds it sees to that.

    Args:
        gap_s: longer than this without a picture is a gap; None to count none.
    """

    def __init__(self, gap_s: float | None) -> None:
        self.state: State = "opening"
        self._gap_ns = None if gap_s is None else round(gap_s * 1e9)
        self._frames = self._delivered = self._dropped = self._bad = self._gaps = self._opened = 0
        self._longest_gap_ns: int | None = None
        self._arrived_ns: deque[int] = deque(maxlen=_RATE)
        self._lags_ns: deque[int] = deque(maxlen=_RECENT)
        self._error: tuple[str, datetime] | None = None

    def opening(self) -> None:
        """The source is opened."""
        self.state = "opening"
        self._opened += 1
        self._arrived_ns.clear()

    def came(self, at_ns: int, previous_ns: int | None, passed: int, *, bad: bool) -> None:
        """A picture came, and so many before it were passed over in the child."""
        self.state = "bad_picture" if bad else "running"
        self._frames += 1 + passed
        self._dropped += passed
        self._bad += bad
        self._arrived_ns.extend([at_ns] * (1 + passed))
        if previous_ns is not None and self._gap_ns is not None:
            gap_ns = at_ns - previous_ns
            self._longest_gap_ns = max(self._longest_gap_ns or 0, gap_ns)
            self._gaps += gap_ns > self._gap_ns

    def passed_over(self) -> None:
        """A picture that had come gave way to a newer one."""
        self._dropped += 1

    def handed_on(self, lag_ns: int | None) -> None:
        """A picture was handed on, so old."""
        self._delivered += 1
        if lag_ns is not None:
            self._lags_ns.append(lag_ns)

    def failed(self, message: str) -> None:
        """The source must be opened anew."""
        self.state = "waiting"
        self._error = (message, datetime.now(UTC))

    def now(self) -> CaptureStatistics:
        """Everything as it is."""
        arrived, lags = self._arrived_ns, self._lags_ns
        span_ns = arrived[-1] - arrived[0] if arrived else 0
        error, error_at = self._error or (None, None)
        return CaptureStatistics(
            state=self.state,
            frames=self._frames,
            delivered=self._delivered,
            dropped=self._dropped,
            bad=self._bad,
            gaps=self._gaps,
            longest_gap_ms=None if self._longest_gap_ns is None else _ms(self._longest_gap_ns),
            lag_ms=_ms(statistics.median(lags)) if lags else None,
            worst_lag_ms=_ms(max(lags)) if lags else None,
            fps=round((len(arrived) - 1) * 1e9 / span_ns, 2) if span_ns else None,
            restarts=max(0, self._opened - 1),
            last_error=error,
            last_error_at=error_at,
        )


def _ms(ns: float) -> float:
    return round(ns / 1e6, 1)
