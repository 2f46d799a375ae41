"""Thresholds with a guarantee: which readings may be called verified, so that at most a share of those is wrong.

Readings whose truth is known are parted by picture into two halves. On the first a combined score is fitted; on the
second the threshold on it is chosen, so that the guarantee does not rest on the data that made the score. Two ways:

- ``sequence``: fixed thresholds are tried from the strictest on, and each is allowed only if the hypothesis "more than
  the share is wrong" is rejected at the level; the first that is not ends it. Fixed-sequence testing spends no part of
  the level on earlier tests (Angelopoulos, Bates, Candes, Jordan and Lei, "Learn then Test", 2021, section 3).
- ``sgr``: a bisection over the sorted scores, each step with its part of the level (Geifman and El-Yaniv, "Selective
  Classification for Deep Neural Networks", NeurIPS 2017, algorithm 1).

Both bound the share of errors among what passes by the exact binomial tail (Clopper and Pearson, 1934). They hold for
readings drawn like the audited ones and independent of each other. Tiles of one picture share light and focus; counted
by picture, each is one trial, wrong if anything in it that passes is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.stats import beta

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Method: TypeAlias = Literal["sequence", "sgr"]
Bools: TypeAlias = "NDArray[np.bool_]"
Floats: TypeAlias = "NDArray[np.float64]"

GRID: Final = np.arange(14.0, -4.0, -0.25)
"""Log-odds tried, the strictest first; fixed beforehand, as the guarantee demands."""
_SPARE: Final = 3
"""Errors that the first test must be able to forgive, if there are readings enough: one stray error ends nothing."""
_PENALTY: Final = 1e-2
_LARGEST_LOGIT: Final = 12.0


@dataclass(frozen=True, slots=True)
class Selection:
    """What a threshold lets pass.

    Attributes:
        threshold: least combined score; infinite if no threshold keeps the promise.
        passed: readings (or pictures) that pass.
        wrong: of these.
        of: all there were.
        bound: share of errors among what passes that is not exceeded, at the level asked for.
    """

    threshold: float
    passed: int
    wrong: int
    of: int
    bound: float

    @property
    def coverage(self) -> float:
        """Share of all that passes."""
        return self.passed / self.of if self.of else 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Combined:
    """One score from several: the log-odds of being right, by logistic regression.

    Attributes:
        names: of the scores.
        middle, spread: (k,) that the scores are measured in.
        weights: (k,).
        offset: log-odds where all scores are at their middle.
    """

    names: tuple[str, ...]
    middle: Floats
    spread: Floats
    weights: Floats
    offset: float

    def __call__(self, scores: Sequence[Mapping[str, float]]) -> Floats:
        """Log-odds (n,)."""
        return np.asarray(_table(scores, self.names, self.middle, self.spread) @ self.weights + self.offset)


def most_errors(wrong: int, of: int, delta: float) -> float:
    """Share of errors that is exceeded with a chance of at most delta, after so many of so many (Clopper-Pearson).

    >>> round(most_errors(0, 2995, 0.05), 5)
    0.001
    """
    return 1.0 if wrong >= of else float(beta.ppf(1 - delta, wrong + 1, of - wrong))


def fit(scores: Sequence[Mapping[str, float]], right: Bools) -> Combined:
    """Fit a combined score to audited readings.

    Args:
        scores: of each reading, all with the same names; probabilities are taken as log-odds.
        right: (n,) whether it was.
    """
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

    # None of the scores speaks against a face by being higher.
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
    """The most permissive threshold that keeps the promise.

    Args:
        score: (n,) the higher the surer.
        wrong: (n,).
        risk: share of errors allowed among what passes.
        delta: chance that the promise may fail.
        method: how it is chosen.
        pictures: (n,) the picture of each reading, to count pictures in place of readings.
    """
    if pictures is not None:
        score, wrong = _by_picture(score, wrong, pictures)
    return _sequence(score, wrong, risk, delta) if method == "sequence" else _sgr(score, wrong, risk, delta)


def halves(pictures: Sequence[str], seed: int) -> Bools:
    """Which readings (n,) belong to the first half; all of a picture to the same."""
    names = sorted(set(pictures))
    order = np.random.default_rng(seed).permutation(len(names))
    first = {names[each] for each in order[: len(names) // 2]}
    return np.array([each in first for each in pictures], np.bool_)


def _sequence(score: Floats, wrong: Bools, risk: float, delta: float) -> Selection:
    best = Selection(math.inf, 0, 0, len(score), 0.0)
    spare = max((each for each in range(_SPARE + 1) if most_errors(each, len(score), delta) <= risk), default=0)
    for threshold in GRID.tolist():
        passes = score >= threshold
        passed, errors = int(passes.sum()), int(wrong[passes].sum())
        if most_errors(spare, passed, delta) > risk:
            continue  # How many pass says nothing of errors, so a test that could hardly succeed may be left out.
        bound = most_errors(errors, passed, delta)
        if bound > risk:
            break
        best = Selection(threshold, passed, errors, len(score), bound)
    return best


def _sgr(score: Floats, wrong: Bools, risk: float, delta: float) -> Selection:
    order = np.argsort(-score, kind="stable")
    errors = np.cumsum(wrong[order])
    steps = max(1, math.ceil(math.log2(max(len(score), 2))))
    best = Selection(math.inf, 0, 0, len(score), 0.0)
    low, high = 1, len(score)
    for _ in range(steps):
        passed = (low + high + 1) // 2
        threshold = float(score[order[passed - 1]])
        passed = int((score >= threshold).sum())
        bound = most_errors(int(errors[passed - 1]), passed, delta / steps)
        if bound <= risk:
            if passed > best.passed:
                best = Selection(threshold, passed, int(errors[passed - 1]), len(score), bound)
            low = min(passed, high)
        else:
            high = max(1, (low + high + 1) // 2 - 1)
    return best


def _by_picture(score: Floats, wrong: Bools, pictures: Sequence[str]) -> tuple[Floats, Bools]:
    """One trial a picture: its surest error if it has one, else its surest reading."""
    found: dict[str, tuple[bool, float]] = {}
    for picture, here, bad in zip(pictures, score.tolist(), wrong.tolist(), strict=True):
        found[picture] = max(found.get(picture, (False, -math.inf)), (bool(bad), here))
    return np.array([here for _, here in found.values()]), np.array([bad for bad, _ in found.values()], np.bool_)


def _table(scores: Sequence[Mapping[str, float]], names: Sequence[str], middle: Floats, spread: Floats) -> Floats:
    """Scores (n, k), probabilities among them as log-odds, measured in spreads from the middle."""
    rows = np.array([[_logit(each[name]) if name in _CHANCES else each[name] for name in names] for each in scores])
    return np.asarray((rows.reshape(len(scores), len(names)) - middle) / spread)


_CHANCES: Final = ("classifier", "detection")


def _logit(chance: float) -> float:
    inside = min(max(chance, 1e-6), 1 - 1e-6)
    return float(np.clip(math.log(inside / (1 - inside)), -_LARGEST_LOGIT, _LARGEST_LOGIT))
