"""Selective classification: the score threshold above which at most a given share of readings is wrong.

It is calibrated on other pictures than the score was fitted on, and holds for independent readings from the same
distribution. Tiles of one picture are not independent: counted by picture, each is one trial, wrong if any passing
reading is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize

from datasets.evaluation.rates import upper_bound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Method: TypeAlias = Literal["sequence", "sgr"]
Bools: TypeAlias = "NDArray[np.bool_]"
Floats: TypeAlias = "NDArray[np.float64]"

GRID: Final = np.arange(14.0, -4.0, -0.25)
"""Thresholds tried, log-odds, the strictest first; fixed beforehand, as the guarantee requires."""
_SPARE: Final = 3
"""Errors that the first test must tolerate, if there are readings enough: a single error must not end the search."""
_PENALTY: Final = 1e-2
"""Weight of the squared weights in the loss: enough to keep them finite where the halves separate perfectly."""
_LARGEST_LOGIT: Final = 12.0
"""Log-odds of a probability are clipped here, where float32 networks round to 1."""
_PROBABILITIES: Final = ("classifier", "detection")
"""Scores that are probabilities, taken as log-odds."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A threshold and the readings passing it.

    Attributes:
        threshold: minimum combined score; infinite if no threshold satisfies the guarantee.
        passed: readings (or pictures) that pass, of all; `wrong` counts the errors among them.
        bound: upper bound of the error rate among passing readings.
    """

    threshold: float
    passed: int
    wrong: int
    of: int
    bound: float

    @property
    def coverage(self) -> float:
        """Share of readings passing."""
        return self.passed / self.of if self.of else 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Combined:
    """Logistic regression on several scores, (k,) standardised by mean and deviation: the log-odds of being right."""

    names: tuple[str, ...]
    middle: Floats
    spread: Floats
    weights: Floats
    offset: float

    def __call__(self, scores: Sequence[Mapping[str, float]]) -> Floats:
        """Log-odds (n,)."""
        return np.asarray(_table(scores, self.names, self.middle, self.spread) @ self.weights + self.offset)


def fit(scores: Sequence[Mapping[str, float]], right: Bools) -> Combined:
    """Fit a combined score to n labelled readings, whose scores all have the same names."""
    names = tuple(sorted(scores[0]))
    raw = _table(scores, names, np.zeros(len(names)), np.ones(len(names)))
    middle, spread = raw.mean(0), np.maximum(raw.std(0), 1e-6)
    table = (raw - middle) / spread
    sign = np.where(right, 1.0, -1.0)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        margin = sign * (table @ parameters[1:] + parameters[0])
        slope = -sign / (1 + np.exp(np.clip(margin, -50, 50))) / len(sign)
        gradient = np.concatenate([[slope.sum()], slope @ table + _PENALTY * parameters[1:]])
        value = np.logaddexp(0, -margin).mean() + _PENALTY / 2 * parameters[1:] @ parameters[1:]
        return float(value), gradient

    # No score may count against a face by being higher.
    bounds = [(None, None)] + [(0.0, None)] * len(names)
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, bounds=bounds, method="L-BFGS-B").x
    return Combined(names, middle, spread, found[1:], float(found[0]))


def select(
    score: Floats,
    wrong: Bools,
    risk: float,
    delta: float,
    method: Method = "sequence",
    pictures: Sequence[str] | None = None,
) -> Selection:
    """Choose the most permissive threshold that satisfies the guarantee.

    Args:
        score: (n,) higher for more confidence.
        wrong: (n,).
        risk: allowed error rate among passing readings.
        delta: probability that the guarantee fails.
        method: ``sequence`` or ``sgr``.
        pictures: (n,) the picture of each reading, to count pictures instead of readings.
    """
    if pictures is not None:
        score, wrong = _by_picture(score, wrong, pictures)
    return _sequence(score, wrong, risk, delta) if method == "sequence" else _sgr(score, wrong, risk, delta)


def halves(pictures: Sequence[str], seed: int) -> Bools:
    """Mask (n,) of the readings of the first half; pictures are not split."""
    names = sorted(set(pictures))
    order = np.random.default_rng(seed).permutation(len(names))
    first = {names[each] for each in order[: len(names) // 2]}
    return np.array([each in first for each in pictures], np.bool_)


def _sequence(score: Floats, wrong: Bools, risk: float, delta: float) -> Selection:
    """Test fixed thresholds from the strictest on ("Learn then Test", Angelopoulos et al. 2021, section 3)."""
    best = Selection(math.inf, 0, 0, len(score), 0.0)
    spare = max((each for each in range(_SPARE + 1) if upper_bound(each, len(score), 1 - delta) <= risk), default=0)
    for threshold in GRID.tolist():
        passes = score >= threshold
        passed, errors = int(passes.sum()), int(wrong[passes].sum())
        if upper_bound(spare, passed, 1 - delta) > risk:
            continue  # The number passing is independent of errors, so a test with hardly any chance is skipped.
        bound = upper_bound(errors, passed, 1 - delta)
        if bound > risk:
            break
        best = Selection(threshold, passed, errors, len(score), bound)
    return best


def _sgr(score: Floats, wrong: Bools, risk: float, delta: float) -> Selection:
    """Bisect the sorted scores (Geifman and El-Yaniv, "Selective Classification", NeurIPS 2017, algorithm 1)."""
    order = np.argsort(-score, kind="stable")
    errors = np.cumsum(wrong[order])
    steps = max(1, math.ceil(math.log2(max(len(score), 2))))
    best = Selection(math.inf, 0, 0, len(score), 0.0)
    low, high = 1, len(score)
    for _ in range(steps):
        passed = (low + high + 1) // 2
        threshold = float(score[order[passed - 1]])
        passed = int((score >= threshold).sum())
        bound = upper_bound(int(errors[passed - 1]), passed, 1 - delta / steps)
        if bound <= risk:
            if passed > best.passed:
                best = Selection(threshold, passed, int(errors[passed - 1]), len(score), bound)
            low = min(passed, high)
        else:
            high = max(1, (low + high + 1) // 2 - 1)
    return best


def _by_picture(score: Floats, wrong: Bools, pictures: Sequence[str]) -> tuple[Floats, Bools]:
    """One trial per picture: its highest-scoring error if it has one, else its highest-scoring reading."""
    found: dict[str, tuple[bool, float]] = {}
    for picture, here, bad in zip(pictures, score.tolist(), wrong.tolist(), strict=True):
        found[picture] = max(found.get(picture, (False, -math.inf)), (bool(bad), here))
    return np.array([here for _, here in found.values()]), np.array([bad for bad, _ in found.values()], np.bool_)


def _table(scores: Sequence[Mapping[str, float]], names: Sequence[str], middle: Floats, spread: Floats) -> Floats:
    """Standardised scores (n, k), probabilities among them as log-odds."""
    rows = np.array(
        [[_logit(each[name]) if name in _PROBABILITIES else each[name] for name in names] for each in scores]
    )
    return np.asarray((rows.reshape(len(scores), len(names)) - middle) / spread)


def _logit(chance: float) -> float:
    inside = min(max(chance, 1e-6), 1 - 1e-6)
    return float(np.clip(math.log(inside / (1 - inside)), -_LARGEST_LOGIT, _LARGEST_LOGIT))
