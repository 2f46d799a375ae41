import numpy as np
import pytest

from vision.levels import percentiles


@pytest.mark.parametrize("count", [1, 2, 7, 2016])
@pytest.mark.parametrize("most", [1, 4, 256])
def test_percentiles_are_those_of_numpy(count: int, most: int) -> None:
    levels = np.random.default_rng(count).integers(0, most, (5, count)).astype(np.uint8)
    percents = (0, 2, 40, 50, 99, 100)
    assert percentiles(levels, *percents) == pytest.approx(np.percentile(levels, percents, axis=1), abs=1e-9)


def test_there_may_be_none() -> None:
    assert percentiles(np.zeros((0, 12), np.uint8), 50).shape == (1, 0)
