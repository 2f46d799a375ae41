"""Crops to learn from: every class is among them, and their labels stay true."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the train extra")

from models.samples.crop_sampler import (
    CLEAR_CONTRAST,
    UNKNOWN,
    WIPED_OUT_CONTRAST,
    Jitter,
    Objects,
    contrast_kept,
    jittered,
)
from models.samples.die_sampler import CANNOT_TELL_DIE, DieSampler, LeanSampler, move_onto
from models.samples.tile_sampler import CANNOT_TELL_TILE, TILE_JITTER, TileSampler
from models.training_bank import TrainingBank
from vision.detect.detections import DIE, TILE_UP
from vision.dice.outlines import corrected


def test_tile_samples_hold_every_face_and_enough_unreadable_ones(bank: TrainingBank) -> None:
    sampler = TileSampler(Objects(bank, bank.training_windows()))
    rng = np.random.default_rng(0)
    samples = [sampler.draw(rng) for _ in range(600)]
    labels = [sample.label for sample in samples]
    assert samples[0].crop.shape == (96, 48, 3)
    assert set(labels) == set(range(22))
    assert 0.15 < np.mean(np.array(labels) == CANNOT_TELL_TILE) < 0.35


def test_glare_and_hands_make_a_tile_unreadable(bank: TrainingBank) -> None:
    covered = replace(bank, visible=np.where(bank.kind == TILE_UP, np.float32(0.5), bank.visible))
    wiped = replace(bank, contrast=np.where(bank.kind == TILE_UP, np.float32(3), bank.contrast))
    for unreadable in (covered, wiped):
        sampler = TileSampler(Objects(unreadable, unreadable.training_windows()))
        rng = np.random.default_rng(0)
        assert {sampler.draw(rng).label for _ in range(100)} == {CANNOT_TELL_TILE}


def test_dice_samples_hold_every_value_and_unreadable_ones(bank: TrainingBank) -> None:
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
    there = np.sort(jittered(axes, Jitter(0, 0, 0, 0, 0), np.random.default_rng(1)), axis=0)
    off = Jitter(shift=0.2, turn_rad=0.3, scale=0.2, shear=0.0, any_turn=0.0)
    for _ in range(30):
        quad = jittered(axes, off, rng)
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
def test_samples_of_dice_show_the_foot_of_most(bank: TrainingBank, kind: type[DieSampler | LeanSampler]) -> None:
    seen = replace(bank, foot_px=np.full((len(bank.kind), 2), 3.0, np.float32))
    sampler = kind(Objects(seen, seen.training_windows()))
    rng = np.random.default_rng(0)
    samples = [sampler.draw(rng) for _ in range(200)]
    assert samples[0].crop.shape == (80, 80, 4)
    feet = [sample.crop[..., 3] for sample in samples]
    shown = [foot for foot in feet if foot.any()]
    assert 0.6 < len(shown) / len(feet) < 1
    # Every foot lies below the face, and no more to the right than below.
    middles = np.array([np.argwhere(foot > 127).mean(0) - 39.5 for foot in shown])
    assert (middles[:, 1] >= -0.6).all()
    assert (middles[:, 0] >= middles[:, 1] - 0.6).all()


def test_lean_samples_are_flat_or_lean(bank: TrainingBank) -> None:
    sampler = LeanSampler(Objects(bank, bank.training_windows()))
    rng = np.random.default_rng(0)
    assert {0, 1} <= {sampler.draw(rng).label for _ in range(100)} <= {0, 1, UNKNOWN}


@pytest.mark.parametrize("on_die", [False, True])
def test_a_mirrored_lamp_is_no_die_unless_on_one(bank: TrainingBank, *, on_die: bool) -> None:
    first_die = int(np.flatnonzero(bank.kind == DIE)[0])
    x, y = (int(at) for at in bank.quad_px[first_die].mean(0)) if on_die else (130, 130)
    pixels = np.full_like(bank.pixels, 60)
    pixels[:, y - 10 : y + 10, x - 12 : x + 12] = 255
    # Nothing else in the window is learnt from.
    burnt = replace(bank, pixels=pixels, visible=np.full_like(bank.visible, 0.05))
    sampler = DieSampler(Objects(burnt, bank.window_of[first_die : first_die + 1]))
    rng = np.random.default_rng(1)
    samples = [sampler.draw(rng) for _ in range(60)]
    bright = [each.crop[32:48, 32:48, :3].mean() > 1.2 * each.crop[..., :3].mean() for each in samples]
    assert np.mean(bright) < 0.1 if on_die else np.mean(bright) > 0.3
    assert {each.label for each in samples} == {CANNOT_TELL_DIE}


def test_contrast_survives_noise_but_not_fog() -> None:
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


def test_held_out_windows_are_not_learnt_from(bank: TrainingBank) -> None:
    assert set(bank.training_windows()).isdisjoint(bank.held_out_windows())
    assert len(bank.training_windows()) + len(bank.held_out_windows()) == len(bank)


def test_a_jittered_quad_stays_near_its_tile() -> None:
    rng = np.random.default_rng(0)
    centre, along, across = np.array([100, 60]), np.array([64, 0]), np.array([0, 26])
    axes = (centre.astype(np.float32), along.astype(np.float32), across.astype(np.float32))
    quads = np.stack([jittered(axes, TILE_JITTER, rng) for _ in range(300)])
    assert np.abs(quads.mean(axis=1) - centre).max() <= 0.12 * 26 + 1e-3
    first = quads[:, 0] - centre
    # Any corner may come first: either end up, mirrored or not.
    assert len({(x > 0, y > 0) for x, y in first}) == 4
