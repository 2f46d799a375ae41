"""The second look: only where the first leaves a face open, and no single cut decides."""

from __future__ import annotations

import numpy as np
import pytest

from vision.second_look import SCALES, SHIFTS, look_again

IMAGE = np.full((200, 300, 3), 90, np.uint8)
QUADS = np.array([[[40, 40], [66, 40], [66, 104], [40, 104]], [[140, 60], [204, 60], [204, 86], [140, 86]]], np.float32)
CUTS = 2 * len(SHIFTS) * len(SCALES)


def chances(*rows: dict[int, float]) -> np.ndarray:
    """Rows of 22 chances; what is left is shared evenly."""
    out = np.empty((len(rows), 22), np.float32)
    for row, said in zip(out, rows, strict=True):
        row[:] = (1 - sum(said.values())) / (22 - len(said))
        for face, chance in said.items():
            row[face] = chance
    return out


class Classifier:
    """Says of each crop asked about what it is told, in turn."""

    def __init__(self, said: list[dict[int, float]]) -> None:
        self.said, self.asked = said, 0

    def __call__(self, crops: np.ndarray) -> np.ndarray:
        assert crops.shape[1:] == (96, 48, 3)
        first, self.asked = self.asked, self.asked + len(crops)
        return chances(*(self.said[number % len(self.said)] for number in range(first, self.asked)))


@pytest.mark.parametrize("first", [{4: 0.9}, {21: 0.85}], ids=["sure of a face", "sure that none can be told"])
def test_what_is_sure_is_left_alone(first: dict[int, float]) -> None:
    classifier = Classifier([{7: 0.99}])
    before = chances(first, first)
    assert np.array_equal(look_again(IMAGE, QUADS, before, classifier), before)
    assert classifier.asked == 0


def test_only_open_ones_are_looked_at_again() -> None:
    classifier = Classifier([{7: 0.99}])
    before = chances({4: 0.9}, {4: 0.4, 7: 0.5})
    after = look_again(IMAGE, QUADS, before, classifier)
    assert classifier.asked == CUTS
    assert np.array_equal(after[0], before[0])
    assert after[1].argmax() == 7
    assert after[1, 7] > 0.98
    assert np.allclose(after.sum(1), 1, atol=1e-5)


def test_no_single_cut_decides() -> None:
    """One cut in ten that is all but certain of another face does not make that face likely."""
    classifier = Classifier([{7: 0.999999}, *[{4: 0.7, 7: 0.1}] * 9])
    after = look_again(IMAGE, QUADS[:1], chances({4: 0.6}), classifier)
    assert after[0].argmax() == 4


def test_cuts_that_contradict_each_other_leave_it_open() -> None:
    classifier = Classifier([{7: 0.97, 4: 0.02}, {4: 0.97, 7: 0.02}])
    after = look_again(IMAGE, QUADS[:1], chances({4: 0.6}), classifier)
    assert after[0].max() < 0.6
