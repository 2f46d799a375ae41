"""Minimum-cost pairs, compared with SciPy's public function."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.assignment import cheapest_pairs


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=st.integers(-9, 9)))
def test_pairs_are_those_of_scipy(costs: NDArray[np.float64]) -> None:
    for ours, theirs in zip(cheapest_pairs(costs), linear_sum_assignment(costs), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_what_may_not_be_is_refused() -> None:
    with pytest.raises(ValueError, match="infeasible"):
        cheapest_pairs(np.full((2, 2), np.inf))
