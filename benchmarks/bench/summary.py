"""Statistics of many times: median, 95th percentile, and a ratio with its confidence interval."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Figures = NDArray[np.float64]

RESAMPLED: Final = 1000
FEW: Final = 10
"""With fewer turns a range is minimum to maximum; with fewer than three there is no range."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Times (or other figures) of one measure.

    Attributes:
        median: of all.
        p95: 95th percentile.
        count: number of values.
    """

    median: float
    p95: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        """Summarise one or more values."""
        return cls(statistics.median(values), float(np.quantile(values, 0.95)), len(values))


@dataclass(frozen=True, slots=True)
class Ratio:
    """Ratio of two sides; above 1 the first is better.

    Attributes:
        ratio: of the medians.
        low: lower end of the 95 % confidence interval; None after too few turns.
        high: its upper end.
    """

    ratio: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, ours: Sequence[float], theirs: Sequence[float], *, more_is_better: bool = False) -> Ratio:
        """Compare two series measured in turns, paired by turn.

        The 95 % interval is a bootstrap that resamples turns with both sides together, so that a common disturbance
        does not widen it. After few turns it is minimum to maximum.
        """
        count = min(len(ours), len(theirs))
        pairs = np.array([ours[:count], theirs[:count]], np.float64)
        ratio = float(_ratio(np.median(pairs, axis=1), more_is_better=more_is_better))
        if count < 3:
            return cls(ratio, None, None)
        if count < FEW:
            turns = _ratio(pairs, more_is_better=more_is_better)
            return cls(ratio, float(turns.min()), float(turns.max()))
        drawn = pairs[:, np.random.default_rng(1).integers(0, count, (RESAMPLED, count))]
        low, high = np.quantile(_ratio(np.median(drawn, axis=2), more_is_better=more_is_better), (0.025, 0.975))
        return cls(ratio, float(low), float(high))


def _ratio(figures: Figures, *, more_is_better: bool) -> Figures:
    """Return the ratio of two rows, ours and theirs."""
    ours, theirs = figures
    return np.asarray(ours / theirs if more_is_better else theirs / ours)
