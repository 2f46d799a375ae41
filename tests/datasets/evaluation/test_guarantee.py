"""The guarantee of a threshold, checked against the truth of made-up readings."""

import numpy as np
import pytest
from scipy.stats import binom

from datasets.evaluation.guarantee import Method, fit, halves, select
from datasets.evaluation.rates import upper_bound


@pytest.mark.parametrize(("wrong", "of"), [(0, 1), (0, 3000), (3, 500), (499, 500)])
def test_the_bound_is_where_so_few_errors_become_unlikely(wrong: int, of: int) -> None:
    bound = upper_bound(wrong, of)
    assert binom.cdf(wrong, of, bound) == pytest.approx(0.05)
    assert upper_bound(of, of) == 1.0


@pytest.mark.parametrize(("method", "least"), [("sequence", 75), ("sgr", 30)])
def test_the_promise_is_broken_no_more_often_than_promised(method: Method, least: int) -> None:
    """150 times: log-odds that are true, so the risk behind each threshold is known; at most delta of them fail."""
    rng = np.random.default_rng(3)
    risk, delta, broken, useful = 0.02, 0.1, 0, 0
    everything = rng.normal(3, 2, 200_000)
    chance = 1 / (1 + np.exp(everything))
    for _ in range(150):
        score = rng.normal(3, 2, 1500)
        wrong = rng.random(len(score)) < 1 / (1 + np.exp(score))
        found = select(score, wrong, risk, delta, method)
        if found.passed:
            useful += 1
            broken += float(chance[everything >= found.threshold].mean()) > risk
            assert found.bound <= risk
    assert useful > least
    assert broken <= binom.ppf(0.999, 150, delta)


@pytest.mark.parametrize("method", ["sequence", "sgr"])
def test_nothing_passes_where_nothing_can_be_promised(method: Method) -> None:
    score, wrong = np.linspace(-3, 12, 50), np.zeros(50, np.bool_)
    found = select(score, wrong, 0.001, 0.05, method)
    assert (found.passed, found.coverage, found.threshold) == (0, 0.0, np.inf)


def test_a_picture_counts_once_and_is_wrong_if_a_passing_tile_is() -> None:
    score = np.array([5.0, 4.0, 6.0, 3.0] * 100)
    pictures = [f"{number // 2}" for number in range(400)]
    wrong = np.zeros(400, np.bool_)
    assert select(score, wrong, 0.05, 0.05, pictures=pictures).of == 200
    wrong[3::4] = True  # half of the pictures have an error, at a score of 3
    found = select(score, wrong, 0.05, 0.05, pictures=pictures)
    assert found.threshold > 3
    assert found.wrong == 0


def test_the_combined_score_is_the_log_odds_of_what_informs() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(1, 2, 20_000)
    right = rng.random(len(truth)) < 1 / (1 + np.exp(-truth))
    scores = [{"margin": float(each), "clear": float(rng.random() < 0.5)} for each in truth]
    combined = fit(scores, right)
    assert combined.names == ("clear", "margin")
    assert np.abs(combined(scores) - truth).mean() < 0.2
    assert combined.weights[0] < 0.1


def test_all_of_a_picture_is_in_one_half() -> None:
    pictures = [f"{number % 40}" for number in range(400)]
    first = halves(pictures, 1)
    assert first.sum() == 200
    assert len({(name, bool(each)) for name, each in zip(pictures, first, strict=True)}) == 40
