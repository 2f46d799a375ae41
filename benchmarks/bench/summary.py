"""What many times come to: median, 95th percentile, and a ratio with the range in which it surely lies."""

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
"""With fewer turns than this a range is that of the single turns, with fewer than three there is none."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Times (or other figures) of one measure.

    Attributes:
        median: of all.
        p95: 95 % are at most this.
        count: how many there are.
    """

    median: float
    p95: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        """Sum up at least one value."""
        return cls(statistics.median(values), float(np.quantile(values, 0.95)), len(values))


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as good one side is as the other.

    Attributes:
        ratio: of the medians; above 1 the first side is better.
        low: lower end of the range in which the ratio surely lies; None after too few turns.
        high: its upper end.
    """

    ratio: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, ours: Sequence[float], theirs: Sequence[float], *, more_is_better: bool = False) -> Ratio:
        """Compare two series that were measured by turns, the n-th of one beside the n-th of the other.

        The range, of 95 %, is a bootstrap: turns are drawn anew from those measured, both sides of a turn together, so
        that what disturbed both alike does not widen it. After few turns it is from the least to the greatest of them.
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
    """Of two rows, ours and theirs, how many times as good ours are."""
    ours, theirs = figures
    return np.asarray(ours / theirs if more_is_better else theirs / ours)
