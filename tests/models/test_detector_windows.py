"""The ground truth drawn for the detector reads back as the objects it was drawn from."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the train extra")

from models.samples.detector_windows import SHRINK, plain_window, training_window
from models.training_bank import TrainingBank
from vision.detect.detections import DIE, TILE_UP, non_maximum_suppression
from vision.detect.detector import decode_maps


def test_every_object_reads_back_to_a_twentieth_of_a_pixel(bank: TrainingBank) -> None:
    for window in range(8):
        target = plain_window(bank, window)
        found = non_maximum_suppression(decode_maps(target.heat, target.regression, 1.0)).scaled(1 / SHRINK)
        items = slice(bank.first[window], bank.first[window + 1])
        assert sorted(found.kind) == sorted(bank.kind[items])
        quads_px, centres_px = bank.quad_px[items], bank.quad_px[items].mean(axis=1)
        for index, quad_px in enumerate(found.quads_px()):
            nearest = int(np.hypot(*(centres_px - found.centre_px[index]).T).argmin())
            # Either end of a tile, any edge of a die may come first; the way round is the same.
            turns = (0, 1, 2, 3) if found.kind[index] == DIE else (0, 2)
            error = min(np.abs(np.roll(quads_px[nearest], turn, axis=0) - quad_px).max() for turn in turns)
            assert error < 0.05
            if found.kind[index] == DIE:
                assert found.body_px[index] == pytest.approx(bank.body_px[items][nearest], abs=0.05)


def test_hidden_objects_are_background_half_hidden_ignored(bank: TrainingBank) -> None:
    everything = plain_window(bank, 0)
    assert everything.counts.min() == 1
    hidden = plain_window(replace(bank, visible=np.full_like(bank.visible, 0.05)), 0)
    assert hidden.heat.max() == 0
    assert hidden.counts.min() == 1
    half = plain_window(replace(bank, visible=np.full_like(bank.visible, 0.2)), 0)
    assert half.heat.max() == 0
    assert half.counts.min() == 0
    assert half.weight.max() == 0


@pytest.mark.parametrize(("shift", "kept"), [(0.3, 1), (0.7, 2)])
def test_of_a_tile_far_beneath_another_only_the_upper_is_wanted(bank: TrainingBank, shift: float, kept: int) -> None:
    upper, lower = np.flatnonzero((bank.kind == TILE_UP) & (bank.window_of == 0))[:2]
    quads_px, visible = bank.quad_px.copy(), np.zeros_like(bank.visible)
    across = quads_px[upper, 1] - quads_px[upper, 0]
    quads_px[lower] = quads_px[upper] + shift * across
    visible[upper], visible[lower] = 1.0, 0.6
    target = plain_window(replace(bank, quad_px=quads_px, visible=visible), 0)
    found = non_maximum_suppression(decode_maps(target.heat, target.regression, 1.0)).scaled(1 / SHRINK)
    assert len(found) == kept
    assert np.hypot(*(found.centre_px - quads_px[upper].mean(0)).T).min() < 0.05

    def learnt(at_px: np.ndarray) -> bool:
        column, row = ((at_px * SHRINK - 1.5) / 4).round().astype(int)
        return bool(target.counts[row, column])

    # On the upper one all is learnt; where only the lower one is visible, no answer is penalised.
    outer = quads_px[upper].mean(0) + (0.5 + shift / 2) * across
    assert learnt(quads_px[upper].mean(0) + 0.3 * across)
    assert learnt(outer) == (kept == 2)


def test_turned_and_scaled_windows_keep_their_truth(bank: TrainingBank) -> None:
    # The drawn tiles are darker than their surroundings (as photographed: mostly), the die redder; here only that a
    # centre's cell lies on its object, which a swapped axis or a lost mirror would break.
    dark = bright = 0
    for seed in range(24):
        target = training_window(bank, seed, np.random.default_rng(seed))
        for row, column in zip(*np.nonzero(target.heat[TILE_UP] == 1.0), strict=True):
            y, x = int(row) * 4 + 2, int(column) * 4 + 2
            inside = float(np.median(target.pixels[max(y - 3, 0) : y + 4, max(x - 3, 0) : x + 4]))
            around = float(np.median(target.pixels))
            dark, bright = dark + (inside < around), bright + (inside >= around)
    assert dark > 8 * bright


def test_windows_differ_only_by_their_seed(bank: TrainingBank) -> None:
    first, again, other = (training_window(bank, 3, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (first.pixels == again.pixels).all()
    assert (first.pixels != other.pixels).any()
