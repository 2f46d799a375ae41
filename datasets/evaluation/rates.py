"""Proportions with confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from scipy.stats import beta, binomtest

LEVEL: Final = 0.95
"""Confidence level of all reported intervals and bounds."""


def upper_bound(count: int, of: int, level: float = LEVEL) -> float:
    """One-sided upper bound of a proportion (Clopper and Pearson), 1 without trials.

    >>> round(upper_bound(0, 29_956), 6)  # no error in that many bounds the chance of one at 1 in 10 000
    0.0001
    """
    return 1.0 if count >= of else float(beta.ppf(level, count + 1, of - count))


@dataclass(frozen=True, slots=True)
class Proportion:
    """Successes among trials."""

    count: int = 0
    of: int = 0

    def __add__(self, other: Proportion) -> Proportion:
        """Both samples together."""
        return Proportion(self.count + other.count, self.of + other.of)

    @property
    def value(self) -> float | None:
        """The share; None without trials."""
        return self.count / self.of if self.of else None

    def interval(self) -> tuple[float, float]:
        """Two-sided interval of the share (Wilson); (0, 1) without trials.

        >>> tuple(round(end, 3) for end in Proportion(9, 10).interval())
        (0.596, 0.982)
        """
        if not self.of:
            return 0.0, 1.0
        found = binomtest(self.count, self.of).proportion_ci(LEVEL, method="wilson")
        return float(found.low), float(found.high)

    def upper_bound(self) -> float:
        """One-sided upper bound of the share (Clopper and Pearson)."""
        return upper_bound(self.count, self.of)
