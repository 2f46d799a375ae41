"""The truth drawn for the detector reads back as the objects it was drawn from."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the train extra")

from models.bank import DIE, TILE_UP, Bank, open_bank
from models.samples import (
    CANNOT_TELL_DIE,
    CANNOT_TELL_TILE,
    CLEAR_CONTRAST,
    TILE_JITTER,
    UNKNOWN,
    WIPED_OUT_CONTRAST,
    DieSampler,
    Jitter,
    LeanSampler,
    Objects,
    TileSampler,
    contrast_kept,
    jittered,
    move_onto,
)
from models.targets import SHRINK, plain_window, training_window
from tests.models.simple_bank import write_simple_bank
from vision.detect.detections import non_maximum_suppression
from vision.detect.detector import decode_maps
from vision.dice.outlines import corrected


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    folder = tmp_path_factory.mktemp("bank")
    write_simple_bank(folder, 24, seed=4)
    return open_bank(folder)


def changed(bank: Bank, **arrays: object) -> Bank:
    fields = {name: getattr(bank, name) for name in Bank.__slots__}
    return Bank(**(fields | arrays))


def test_every_object_reads_back_to_a_twentieth_of_a_pixel(bank: Bank) -> None:
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


def test_the_hidden_is_not_wanted_and_the_half_hidden_does_not_count(bank: Bank) -> None:
    everything = plain_window(bank, 0)
    assert everything.counts.min() == 1
    hidden = plain_window(changed(bank, visible=np.full_like(bank.visible, 0.05)), 0)
    assert hidden.heat.max() == 0
    assert hidden.counts.min() == 1
    half = plain_window(changed(bank, visible=np.full_like(bank.visible, 0.2)), 0)
    assert half.heat.max() == 0
    assert half.counts.min() == 0
    assert half.weight.max() == 0


@pytest.mark.parametrize(("shift", "kept"), [(0.3, 1), (0.7, 2)])
def test_of_a_tile_far_beneath_another_only_the_upper_one_is_wanted(bank: Bank, shift: float, kept: int) -> None:
    upper, lower = np.flatnonzero((bank.kind == TILE_UP) & (bank.window_of == 0))[:2]
    quads_px, visible = bank.quad_px.copy(), np.zeros_like(bank.visible)
    across = quads_px[upper, 1] - quads_px[upper, 0]
    quads_px[lower] = quads_px[upper] + shift * across
    visible[upper], visible[lower] = 1.0, 0.6
    target = plain_window(changed(bank, quad_px=quads_px, visible=visible), 0)
    found = non_maximum_suppression(decode_maps(target.heat, target.regression, 1.0)).scaled(1 / SHRINK)
    assert len(found) == kept
    assert np.hypot(*(found.centre_px - quads_px[upper].mean(0)).T).min() < 0.05

    def learnt(at_px: np.ndarray) -> bool:
        column, row = ((at_px * SHRINK - 1.5) / 4).round().astype(int)
        return bool(target.counts[row, column])

    # On the upper one all is learnt; where only the lower one is seen, nothing is held against the answer.
    outer = quads_px[upper].mean(0) + (0.5 + shift / 2) * across
    assert learnt(quads_px[upper].mean(0) + 0.3 * across)
    assert learnt(outer) == (kept == 2)


def test_turned_and_scaled_windows_keep_their_truth(bank: Bank) -> None:
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


def test_windows_differ_only_by_their_seed(bank: Bank) -> None:
    first, again, other = (training_window(bank, 3, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (first.pixels == again.pixels).all()
    assert (first.pixels != other.pixels).any()


def test_tile_samples_hold_every_face_and_enough_that_cannot_be_told(bank: Bank) -> None:
    sampler = TileSampler(Objects(bank, bank.training_windows()))
    rng = np.random.default_rng(0)
    samples = [sampler.draw(rng) for _ in range(600)]
    labels = [sample.label for sample in samples]
    assert samples[0].crop.shape == (96, 48, 3)
    assert set(labels) == set(range(22))
    assert 0.15 < np.mean(np.array(labels) == CANNOT_TELL_TILE) < 0.35


def test_glare_and_hands_make_a_tile_unreadable(bank: Bank) -> None:
    covered = changed(bank, visible=np.where(bank.kind == TILE_UP, np.float32(0.5), bank.visible))
    wiped = changed(bank, contrast=np.where(bank.kind == TILE_UP, np.float32(3), bank.contrast))
    for unreadable in (covered, wiped):
        sampler = TileSampler(Objects(unreadable, unreadable.training_windows()))
        rng = np.random.default_rng(0)
        assert {sampler.draw(rng).label for _ in range(100)} == {CANNOT_TELL_TILE}


def test_dice_samples_hold_every_value_and_what_cannot_be_told(bank: Bank) -> None:
    sampler = DieSampler(Objects(bank, bank.training_windows()))
    rng = np.random.default_rng(0)
    samples = [sampler.draw(rng) for _ in range(400)]
    assert samples[0].crop.shape == (80, 80, 4)
    assert {sample.label for sample in samples} == {UNKNOWN, *range(6), CANNOT_TELL_DIE}
    # Of a leaning die the value is not asked for, where it lies is.
    assert all(np.isfinite(sample.move[:3]).all() for sample in samples if sample.label in {UNKNOWN, 0, 3})


def test_a_move_brings_an_outline_onto_its_die() -> None:
    rng = np.random.default_rng(0)
    along = np.array([16.0, 9.0], np.float32)
    axes = (np.array([40.0, 30.0], np.float32), along, np.array([-along[1], along[0]], np.float32))
    there = np.sort(jittered(*axes, Jitter(0, 0, 0, 0, 0), np.random.default_rng(1)), axis=0)
    off = Jitter(shift=0.2, turn_rad=0.3, scale=0.2, shear=0.0, any_turn=0.0)
    for _ in range(30):
        quad = jittered(*axes, off, rng)
        brought = corrected(quad[None], move_onto(quad, axes)[None])[0]
        # The quad is not quite square, which a move does not mend.
        assert np.sort(brought, axis=0) == pytest.approx(there, abs=1.8)


def test_how_to_turn_is_not_known_half_way_between_two_edges() -> None:
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
    diagonal = (
        np.array([10.0, 10.0], np.float32),
        np.array([14.0, 14.0], np.float32),
        np.array([-14.0, 14.0], np.float32),
    )
    move = move_onto(square, diagonal)
    assert np.isfinite(move[:3]).all()
    assert np.isnan(move[3])


@pytest.mark.parametrize("kind", [DieSampler, LeanSampler])
def test_samples_of_dice_show_the_foot_of_most(bank: Bank, kind: type[DieSampler | LeanSampler]) -> None:
    seen = changed(bank, foot_px=np.full((len(bank.kind), 2), 3.0, np.float32))
    sampler = kind(Objects(seen, seen.training_windows()))
    rng = np.random.default_rng(0)
    samples = [sampler.draw(rng) for _ in range(200)]
    assert samples[0].crop.shape == (80, 80, 4)
    feet = [sample.crop[..., 3] for sample in samples]
    told = [foot for foot in feet if foot.any()]
    assert 0.6 < len(told) / len(feet) < 1
    # Every foot lies below the face, and no more to the right than below.
    middles = np.array([np.argwhere(foot > 127).mean(0) - 39.5 for foot in told])
    assert (middles[:, 1] >= -0.6).all()
    assert (middles[:, 0] >= middles[:, 1] - 0.6).all()


def test_lean_samples_are_flat_or_lean(bank: Bank) -> None:
    sampler = LeanSampler(Objects(bank, bank.training_windows()))
    rng = np.random.default_rng(0)
    assert {0, 1} <= {sampler.draw(rng).label for _ in range(100)} <= {0, 1, UNKNOWN}


def test_a_mirrored_lamp_is_learnt_as_no_die_unless_it_lies_on_one(bank: Bank) -> None:
    first_die = int(np.flatnonzero(bank.kind == DIE)[0])
    on_die, beside = (int(at) for at in bank.quad_px[first_die].mean(0)), (130, 130)
    for (x, y), kept in ((on_die, False), (beside, True)):
        pixels = np.full_like(bank.pixels, 60)
        pixels[:, y - 10 : y + 10, x - 12 : x + 12] = 255
        burnt = changed(bank, pixels=pixels)
        sampler = DieSampler(Objects(burnt, bank.window_of[first_die : first_die + 1]))
        samples = [sampler._glint(np.random.default_rng(seed)) for seed in range(20)]
        assert all((sample is not None) == kept for sample in samples)
        for sample in samples:
            assert sample is None or sample.label == CANNOT_TELL_DIE
            assert sample is None or sample.crop[32:48, 32:48, :3].mean() > 1.2 * sample.crop[..., :3].mean()


def test_a_crop_keeps_its_contrast_through_noise_but_not_through_fog() -> None:
    rng = np.random.default_rng(0)
    crop = np.full((96, 48, 3), 20, np.uint8)
    crop[40:56, 16:32] = 200
    noisy = np.clip(crop + rng.normal(0, 14, crop.shape), 0, 255).astype(np.uint8)
    fog = np.clip(250 + crop * 0.02 + rng.normal(0, 14, crop.shape), 0, 255).astype(np.uint8)
    other = rng.integers(0, 256, crop.shape, np.uint8)
    assert contrast_kept(crop, crop, 8) > 40
    assert contrast_kept(crop, noisy, 8) == pytest.approx(contrast_kept(crop, crop, 8), rel=0.1)
    assert contrast_kept(crop, fog, 8) < WIPED_OUT_CONTRAST
    assert contrast_kept(crop, other, 8) < CLEAR_CONTRAST


def test_held_out_windows_are_not_learnt_from(bank: Bank) -> None:
    assert set(bank.training_windows()).isdisjoint(bank.held_out_windows())
    assert len(bank.training_windows()) + len(bank.held_out_windows()) == len(bank)


def test_a_jittered_quad_stays_near_its_tile() -> None:
    rng = np.random.default_rng(0)
    centre, along, across = np.array([100, 60]), np.array([64, 0]), np.array([0, 26])
    axes = [np.array(values, np.float32) for values in (centre, along, across)]
    quads = np.stack([jittered(axes[0], axes[1], axes[2], TILE_JITTER, rng) for _ in range(300)])
    assert np.abs(quads.mean(axis=1) - centre).max() <= 0.12 * 26 + 1e-3
    first = quads[:, 0] - centre
    # Any corner may come first: either end up, mirrored or not.
    assert len({(x > 0, y > 0) for x, y in first}) == 4
