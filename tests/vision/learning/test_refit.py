"""Refitting a layer: what is new is learnt, what was known stays, and nothing new changes nothing."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.learning.last_layer import LastLayer
from vision.learning.refit import Lesson, between, one_hot, refit, views

CLASSES, FEATURES = 22, 12
NONE = Lesson(np.empty((0, FEATURES), np.float32), np.empty((0, CLASSES), np.float32))


def _layer(rng: np.random.Generator) -> LastLayer:
    weight = rng.normal(0, 1, (CLASSES, FEATURES)).astype(np.float32)
    return LastLayer(weight, rng.normal(0, 1, CLASSES).astype(np.float32), float(rng.uniform(0.3, 3)))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60))
def test_without_new_crops_nothing_changes(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    before = _layer(rng)
    after = refit(before, NONE, rng.normal(0, 2, (count, FEATURES)).astype(np.float32))
    assert np.array_equal(after.weight, before.weight)
    assert np.array_equal(after.bias, before.bias)


def test_a_new_kind_of_crop_is_learnt_and_others_stay() -> None:
    rng = np.random.default_rng(5)
    before = _layer(rng)
    replayed = rng.normal(0, 2, (400, FEATURES)).astype(np.float32)
    replayed[:, -1] = 0  # the new crops show a feature that the others lack
    own = np.zeros((20, FEATURES), np.float32)
    own[:, -1] = 5
    face = int(before.chances(own)[0].argmin())
    after = refit(before, Lesson(own, one_hot(np.full(20, face), CLASSES)), replayed)
    assert (after.chances(own).argmax(1) == face).all()
    assert (after.chances(replayed).argmax(1) == before.chances(replayed).argmax(1)).mean() > 0.98


def test_the_way_between_two_layers_ends_at_both() -> None:
    rng = np.random.default_rng(6)
    one = _layer(rng)
    other = LastLayer(one.weight + 1, one.bias - 1, one.temperature)
    assert np.array_equal(between(one, other, 0.0).weight, one.weight)
    assert np.allclose(between(one, other, 1.0).weight, other.weight)
    assert np.allclose(between(one, other, 0.5).bias, one.bias - 0.5)


def test_views_begin_with_the_crop_itself_and_differ() -> None:
    crops = np.random.default_rng(7).integers(0, 256, (3, 96, 48, 3), np.uint8)
    seen = views(crops, 4).reshape(3, 4, 96, 48, 3)
    assert np.array_equal(seen[:, 0], crops)
    assert all(not np.array_equal(seen[0, 0], seen[0, n]) for n in range(1, 4))
    assert np.array_equal(views(crops, 4), views(crops, 4))
