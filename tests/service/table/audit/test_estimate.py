"""The bound of the error rate, compared with simulated tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.table.audit.error_rates import Cell, as_seen, at_worst, upper_bound


@pytest.mark.parametrize("asked", [1, 10, 59, 300])
def test_without_an_error_the_bound_is_the_known_formula(asked: int) -> None:
    assert upper_bound(0, asked) == pytest.approx(1 - 0.05 ** (1 / asked))


def test_equal_probabilities_give_clopper_and_pearson() -> None:
    cells = [Cell(members=100, errors=1, right=9), Cell(members=300, right=30)]
    found = as_seen(cells)
    assert found.rate == pytest.approx(1 / 40)
    assert found.weight == pytest.approx(1)
    assert found.upper == pytest.approx(upper_bound(1, 40))


def test_each_cell_stands_for_its_members() -> None:
    cells = [Cell(members=10, errors=5, right=5), Cell(members=990, right=10)]
    found = as_seen(cells)
    assert found.rate == pytest.approx(0.005)
    assert (found.members, found.asked, found.errors) == (1000, 20, 5)
    assert found.weight == pytest.approx(1.98)


def test_what_was_not_seen_counts_as_an_error_at_worst() -> None:
    cells = [Cell(members=50, errors=1, right=6, slips=1, unseen=2)]
    assert (as_seen(cells).errors, as_seen(cells).asked) == (1, 8)
    assert (at_worst(cells).errors, at_worst(cells).asked) == (4, 10)
    assert at_worst(cells).upper > as_seen(cells).upper


def test_cells_without_an_answer_are_not_spoken_of() -> None:
    assert as_seen([Cell(members=7, right=2), Cell(members=1000)]).members == 7
    assert as_seen([Cell(members=7, unseen=3)]).rate is None
    assert (as_seen([]).upper, as_seen([]).rate) == (1.0, None)


@pytest.mark.parametrize("wrong", [{"members": 2, "right": 3}, {"members": 5, "errors": -1}])
def test_counts_that_cannot_be_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="negative, or there are more answers"):
        Cell(**wrong)


_CELL = st.integers(1, 400).flatmap(
    lambda members: st.tuples(st.just(members), st.integers(0, members // 2), st.integers(1, min(members, 30)))
)


@given(st.lists(_CELL, min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_the_true_rate_exceeds_the_bound_in_one_table_of_20(cells: list[tuple[int, int, int]], seed: int) -> None:
    """Days and strata of any sizes, each with its own number of errors, sampled without replacement."""
    tables, random = 400, np.random.default_rng(seed)
    members, errors, taken = (np.array(column) for column in zip(*cells, strict=True))
    truth = errors.sum() / members.sum()
    found = random.hypergeometric(errors, members - errors, taken, size=(tables, len(cells)))
    weight = (members / members.sum() / (taken / taken.sum())).max()
    bounds = {count: min(1.0, weight * upper_bound(count, int(taken.sum()))) for count in set(found.sum(1).tolist())}
    one = as_seen(Cell(int(of), int(x), int(n - x)) for of, n, x in zip(members, taken, found[0], strict=True))
    assert one.upper == pytest.approx(bounds[int(found[0].sum())])
    exceeded = sum(truth > bounds[count] + 1e-12 for count in found.sum(1).tolist())
    assert exceeded <= 42  # of 400 at 5 %: five standard deviations above 20


def test_a_bound_that_forgets_the_weights_would_be_found() -> None:
    """The same simulation shows that pooling samples of unequal probability is not safe."""
    random = np.random.default_rng(1)
    found = random.hypergeometric([0, 100], [100, 900], [50, 10], size=(400, 2)).sum(1)
    truth = 100 / 1100
    pooled = sum(truth > upper_bound(int(count), 60) for count in found)
    weighed = sum(truth > min(1.0, 1000 / 1100 * 6 * upper_bound(int(count), 60)) for count in found)
    assert (pooled > 42, weighed <= 42) == (True, True)
