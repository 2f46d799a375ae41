"""Outlines as detected in use: their objects, and training on them."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch", reason="training needs the train extra")

from datasets.generate import bank as make_bank
from datasets.labels.label_files import read_labels, write_labels
from models.found import find, pairs
from models.samples.crop_sampler import DECEIVED_FROM, UNKNOWN, Objects, Sample
from models.samples.die_sampler import CANNOT_TELL_DIE, CLOSE_SIDE_PX, DieSampler, LeanSampler
from models.samples.tile_sampler import TileSampler
from models.training_bank import FOUND_FILE, TrainingBank, open_bank
from vision.detect.detections import DIE, TILE_UP
from vision.dice.outlines import areas
from vision.networks.runtime import default_weights

SQUARE = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bank")
    make_bank(folder, count=10, seed=3, workers=1, bare=0.0, dice=1.0)
    find(folder, default_weights(), workers=1)
    return folder


def off_by(bank: TrainingBank) -> NDArray[np.floating]:
    return np.asarray(np.linalg.norm(bank.found_px.mean(1) - bank.quad_px.mean(1), axis=1))


def test_most_dice_of_a_window_are_found_where_they_are(folder: Path) -> None:
    bank = open_bank(folder)
    dice = (bank.kind == DIE) & (bank.visible > 0.9) & ~bank.cocked
    assert np.isfinite(off_by(bank)[dice]).mean() > 0.8
    assert np.nanmedian(off_by(bank)[dice]) < 1.0
    assert np.isnan(bank.found_px[bank.kind != DIE]).all()
    # What is read of them is kept as well.
    assert np.isclose(np.nansum(bank.found_chances[dice], 1), np.isfinite(off_by(bank)[dice])).all()
    assert np.nanmean(bank.found_chances[dice].argmax(1) + 1 == bank.label[dice]) > 0.7
    assert np.nanmedian(bank.found_leaning[bank.cocked]) > np.nanmedian(bank.found_leaning[dice])
    # The foot is that of the outline found, close to the true one.
    assert np.nanmedian(np.linalg.norm(bank.found_foot_px - bank.foot_px, axis=1)[dice]) < 1.5


def test_what_was_found_in_other_windows_does_not_count(folder: Path, tmp_path: Path) -> None:
    make_bank(tmp_path, count=1, seed=4, workers=1, bare=0.0, dice=1.0)
    (tmp_path / FOUND_FILE).write_bytes((folder / FOUND_FILE).read_bytes())
    assert np.isnan(open_bank(tmp_path).found_px).all()


def test_what_was_found_is_not_looked_for_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_again(*_: object) -> None:
        raise AssertionError("looked again")

    before = (folder / FOUND_FILE).read_bytes()
    monkeypatch.setattr("models.found.ProcessPoolExecutor", not_again)
    assert find(folder, default_weights()).read_bytes() == before


def test_each_outline_is_of_one_die_and_none_far_away_of_any() -> None:
    true, found = (SQUARE + np.array(at, np.float32)[:, None, None] * (1, 0) for at in ([0, 30, 200], [31, 12, 230, 2]))
    assert sorted(pairs(true, found)) == [(0, 3), (1, 0)]


def beside(bank: TrainingBank, sides: float) -> TrainingBank:
    """The bank as if every die had been found so far beside its upper face."""
    along = bank.quad_px[:, 1] - bank.quad_px[:, 0]
    found_px = np.where((bank.kind == DIE)[:, None, None], bank.quad_px + sides * along[:, None], np.nan)
    return replace(bank, found_px=found_px.astype(np.float32), found_foot_px=bank.foot_px)


def drawn(bank: TrainingBank, kind: type[DieSampler | LeanSampler]) -> list[Sample]:
    sampler = kind(Objects(bank, bank.training_windows()))
    return [sampler.draw(np.random.default_rng(seed)) for seed in range(80)]


def changed(bank: TrainingBank, other: TrainingBank, kind: type[DieSampler | LeanSampler], label: int) -> list[bool]:
    both = zip(drawn(bank, kind), drawn(other, kind), strict=True)
    return [not np.array_equal(one.crop, two.crop) for one, two in both if one.label == two.label == label]


def test_the_move_from_an_outline_found_onto_the_die_is_learnt(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DieSampler, "found_share", 1.0)
    samples = drawn(beside(open_bank(folder), 0.18), DieSampler)
    away = np.array([np.linalg.norm(sample.move[:2]) for sample in samples if sample.label in range(6)])
    assert len(away) > 30
    # A die seen so obliquely that this is not on its upper face any more is cut out as it lies.
    assert (away > 0.08).mean() > 0.9
    assert away.max() < 0.3


def test_outlines_on_other_faces_are_for_leaning_dice_only(folder: Path) -> None:
    bank = beside(open_bank(folder), np.nan)
    near, far = beside(bank, 0.1), beside(bank, 0.5)
    for kind, flat in ((DieSampler, 3), (LeanSampler, 0)):
        assert any(changed(bank, near, kind, flat))
        assert not any(changed(bank, far, kind, flat))
    assert not any(changed(bank, far, DieSampler, UNKNOWN))
    assert any(changed(bank, far, LeanSampler, 1))


def read_as(bank: TrainingBank, value: float, none: float, leaning: float) -> TrainingBank:
    """The bank as if every die had been found at its place, and read with these chances."""
    chances = np.full((len(bank.label), 7), (1 - value - none) / 5, np.float32)
    chances[np.arange(len(chances)), np.clip(bank.label, 1, 6) - 1] = value
    chances[:, CANNOT_TELL_DIE] = none
    found = beside(bank, 0.0)
    return replace(found, found_chances=chances, found_leaning=np.full(len(chances), leaning, np.float32))


@pytest.mark.parametrize(
    ("kind", "value", "none", "leaning", "flat_is_hard", "leaning_is_hard"),
    [
        (DieSampler, 0.99, 0.0, 0.4, False, False),
        (DieSampler, 0.6, 0.1, 0.0, True, False),
        (DieSampler, 0.1, 0.8, 0.0, False, False),
        (LeanSampler, 0.1, 0.1, 0.1, False, True),
        (LeanSampler, 0.1, 0.1, 0.95, True, False),
    ],
)
def test_hard_dice_are_drawn_more_often_but_none_beyond_hope(
    folder: Path,
    kind: type[DieSampler | LeanSampler],
    value: float,
    none: float,
    leaning: float,
    *,
    flat_is_hard: bool,
    leaning_is_hard: bool,
) -> None:
    bank = open_bank(folder)
    dice = np.flatnonzero((bank.kind == DIE) & (bank.visible > 0.95) & (areas(bank.quad_px) < CLOSE_SIDE_PX**2))
    leans, flat = dice[bank.cocked[dice]], dice[~bank.cocked[dice] & (bank.label[dice] == 4)]
    assert min(len(leans), len(flat)) > 3
    hard = read_as(bank, value, none, leaning)
    easy = read_as(bank, 1.0, 0.0, 0.0)
    easy.found_leaning[leans] = 1.0
    for of, is_hard in ((flat, flat_is_hard), (leans, leaning_is_hard)):
        chances, leaning_chances = easy.found_chances.copy(), easy.found_leaning.copy()
        chances[of[0]], leaning_chances[of[0]] = hard.found_chances[of[0]], hard.found_leaning[of[0]]
        one_hard = replace(easy, found_chances=chances, found_leaning=leaning_chances)
        often = how_often(of[0], one_hard, kind) > 1.4 * how_often(of[0], easy, kind)
        assert often == is_hard


def how_often(die: np.int64, bank: TrainingBank, kind: type[DieSampler | LeanSampler]) -> int:
    sampler = kind(Objects(bank, bank.training_windows()))
    rng = np.random.default_rng(1)
    draw = sampler.leaning_die if bank.cocked[die] else sampler.flat_die
    return sum(draw(rng) == die for _ in range(4000))


def test_what_is_found_where_nothing_lies_is_kept_and_learnt_from(folder: Path) -> None:
    bank = open_bank(folder)
    for window, outline in zip(bank.false_window, bank.false_px, strict=True):
        objects = bank.quad_px[bank.first[window] : bank.first[window + 1]]
        assert all(cv2.intersectConvexConvex(outline, each)[0] == 0 for each in objects)
    deceived = replace(
        bank,
        false_window=np.array([0]),
        false_kind=np.array([DIE], np.int8),
        false_px=np.array([SQUARE + 300], np.float32),
        false_known=np.array([0.9], np.float32),
    )
    sampler = DieSampler(Objects(deceived, np.arange(len(bank))))
    drawn = sampler._false_find(np.random.default_rng(1))
    assert drawn is not None
    assert drawn.label == CANNOT_TELL_DIE


def deceived_at(bank: TrainingBank, kind: int, known: list[float]) -> TrainingBank:
    """The bank as if something had been found where nothing lies, and seen there with these chances, in a row."""
    count = len(known)
    places = np.array([[30 + 25 * number, 30] for number in range(count)], np.float32)
    return replace(
        bank,
        false_window=np.zeros(count, np.int64),
        false_kind=np.full(count, kind, np.int8),
        false_px=SQUARE + places[:, None],
        false_known=np.array(known, np.float32),
    )


@pytest.mark.parametrize(("sampler", "kind"), [(DieSampler, DIE), (TileSampler, TILE_UP)])
def test_false_finds_that_deceive_are_drawn_most(
    folder: Path, sampler: type[DieSampler | TileSampler], kind: int
) -> None:
    bank, rng = open_bank(folder), np.random.default_rng(1)

    def deceiving_share(*known: float) -> float:
        drawing = sampler(Objects(deceived_at(bank, kind, list(known)), np.arange(len(bank))))
        drawn = [drawing._false.one(rng) for _ in range(400)]
        return float(np.mean(np.array(known)[drawn] == max(known)))

    assert deceiving_share(0.01, 0.02, 0.05, 0.9) > 0.7
    # None deceives, or none of the networks is trained yet: all alike.
    assert 0.15 < deceiving_share(0.01, 0.02, 0.03, 0.04) < 0.35
    assert len(sampler(Objects(deceived_at(bank, kind, [np.nan] * 3), np.arange(len(bank))))._false) == 3


def test_what_the_networks_see_in_a_false_find_is_kept(tmp_path: Path) -> None:
    make_bank(tmp_path, count=10, seed=3, workers=1, bare=0.0, dice=1.0)
    names = sorted(path for path in tmp_path.glob("*.json") if path.with_suffix(".jpg").exists())
    for path in names:
        # As if nobody had seen the dice: all that is found is false, and looks like dice.
        write_labels(path, replace(read_labels(path), objects=()))
    find(tmp_path, default_weights(), workers=1)
    bank = open_bank(tmp_path)
    dice = bank.false_kind == DIE
    assert dice.sum() > 30
    assert np.isfinite(bank.false_known).all()
    assert np.median(bank.false_known[dice]) > 0.5
    false = Objects(bank, np.arange(len(bank))).false_finds(dice=True)
    assert set(false.deceiving) == set(np.flatnonzero(dice & (bank.false_known >= DECEIVED_FROM)))


def test_false_finds_are_kept_before_any_crop_is_read(tmp_path: Path) -> None:
    make_bank(tmp_path / "bank", count=1, seed=3, workers=1, bare=0.0, dice=1.0)
    for path in default_weights().glob("detector.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    find(tmp_path / "bank", tmp_path, workers=1)
    bank = open_bank(tmp_path / "bank")
    assert len(bank.false_window) > 0
    assert np.isnan(bank.false_known).all()
