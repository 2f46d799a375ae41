"""The quick forms of template matching beside the plain ones."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.template_matching import Templates, disc, disc_means, interpolated, middles

SHAPE = (3, 14, 11)


def between(plane: NDArray[np.float32], row: float, column: float) -> float:
    """The value of one plane at one place between its pixels."""
    at_row, at_column = min(max(row, 0), plane.shape[0] - 1.001), min(max(column, 0), plane.shape[1] - 1.001)
    above, left = int(at_row), int(at_column)
    down, right = at_row - above, at_column - left
    rows = [(1 - right) * plane[y, left] + right * plane[y, left + 1] for y in (above, above + 1)]
    return float((1 - down) * rows[0] + down * rows[1])


@pytest.mark.parametrize("count", [1, 5, 300])
def test_means_of_planes_together_are_those_of_each(count: int) -> None:
    rng = np.random.default_rng(4)
    planes = rng.normal(size=(count, 14, 11)).astype(np.float32)
    for radius, maps in zip((1.7, 2.6), disc_means(planes, (1.7, 2.6)), strict=True):
        for number, plane in enumerate(planes):
            alone = cv2.filter2D(plane, cv2.CV_32F, disc(radius), borderType=cv2.BORDER_CONSTANT)
            assert maps[..., number] == pytest.approx(alone, abs=1e-6)


def test_values_between_pixels() -> None:
    rng = np.random.default_rng(1)
    maps = rng.normal(size=(*SHAPE, 4)).astype(np.float32)
    # Some lie outside and get the value at the rim.
    places = rng.uniform(-2, 16, (2, 5, 40)).astype(np.float32)
    layer, plane = rng.integers(0, SHAPE[0], (5, 1)), rng.integers(0, 4, (5, 40))
    expected = [
        [between(maps[layer[n, 0], ..., plane[n, p]], *places[:, n, p].tolist()) for p in range(plane.shape[1])]
        for n in range(len(plane))
    ]
    assert interpolated(maps, layer, plane, places) == pytest.approx(np.array(expected), abs=2e-5)


def test_templates_are_sums_over_their_pips() -> None:
    rng = np.random.default_rng(2)
    known = rng.uniform(3, 7, (9, 2)).astype(np.float32)
    layer_of = rng.integers(0, SHAPE[0], 9)
    pip = rng.integers(0, 9, (30, 5))
    weight = (rng.uniform(0.5, 2, pip.shape) * (rng.random(pip.shape) < 0.8)).astype(np.float32)
    shifts = np.array([(down, right) for down in (-1.5, 0, 2) for right in (-1, 0.25)], np.float32)
    maps = rng.normal(size=(*SHAPE, 4)).astype(np.float32)
    templates = Templates.of(known[pip], layer_of[pip], shifts, SHAPE)
    sums = (templates.weighted(weight) @ templates.values(maps)).reshape(len(pip), len(shifts), maps.shape[-1])
    assert templates.at_places.shape[0] == len(np.unique(pip)) * len(shifts)
    for template in range(0, len(pip), 7):
        for s, (down, right) in enumerate(shifts.tolist()):
            for m, planes in enumerate(np.moveaxis(maps, -1, 0)):
                expected = sum(
                    weight[template, p] * between(planes[layer_of[k]], known[k, 0] + down, known[k, 1] + right)
                    for p, k in enumerate(pip[template].tolist())
                )
                assert sums[template, s, m] == pytest.approx(expected, abs=1e-4)


def test_medians_of_what_counts() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(50, 7)).astype(np.float32)
    which = rng.random((50, 7)) < 0.4
    expected = [
        float(np.median(row[counts].astype(float))) if counts.any() else -1.0
        for row, counts in zip(values, which, strict=True)
    ]
    assert -1.0 in expected
    assert middles(values, which, -1.0).tolist() == expected
    assert np.isnan(middles(values, which)).sum() == expected.count(-1.0)
