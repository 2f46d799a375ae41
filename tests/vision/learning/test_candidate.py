"""A candidate from end to end: the crops of a strange table's displays, refined, measured, written or refused."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.game.tiles import Tile
from tests.vision.learning.strange_table import crops_of
from vision.learning.candidate import Candidate, Compared, refine, write_candidate
from vision.learning.comparison import Figures, figures_of
from vision.learning.errors import LearningError
from vision.learning.kept_crops import KeptCrop
from vision.learning.shipped_set import ShippedSet, read_shipped
from vision.networks.classifier import TileClassifier
from vision.networks.model_card import card_path, read_card, sha256_of
from vision.networks.runtime import default_weights

WEIGHTS = default_weights()


@cache
def shipped() -> ShippedSet:
    """Fewer of the shipped crops than a table takes, so that it is quick."""
    found = read_shipped()
    return replace(found, replayed=found.replayed[:200], crops=found.crops[:200], labels=found.labels[:200])


@cache
def candidate() -> Candidate:
    return refine([*crops_of(0), *crops_of(1)], shipped(), WEIGHTS, threads=1)


def _figures(name: TileClassifier, kept: tuple[KeptCrop, ...]) -> Figures:
    labels = np.array([each.face.index for each in kept])
    return figures_of(name(np.stack([each.crop for each in kept])), labels)


@pytest.mark.slow
def test_a_table_is_read_no_worse_once_it_has_learnt(tmp_path: Path) -> None:
    found = candidate()
    write_candidate(found, tmp_path / "new")
    before, after = TileClassifier.load(WEIGHTS, threads=1), TileClassifier.load(tmp_path / "new", threads=1)
    assert found.worse_on == ()
    assert found.gains
    # Another day's display, from which nothing was learnt.
    assert _figures(after, crops_of(2)).better_than(_figures(before, crops_of(2)))


def test_the_card_says_what_it_was_made_of(tmp_path: Path) -> None:
    path = write_candidate(candidate(), tmp_path / "new")
    card = read_card(card_path(path))
    assert card.sha256 == sha256_of(path)
    assert card.training["began_with"] == sha256_of(WEIGHTS / "tiles.onnx")
    assert card.data["kept_crops"] == len(crops_of(0)) + len(crops_of(1))
    assert card.measured["shipped_before_crops"] == card.measured["shipped_after_crops"] == 200
    assert {"kept_after_right", "held_out_after_wrong", "shipped_after_surely_wrong"} <= card.measured.keys()


def test_poisoned_labels_are_left_out() -> None:
    wrong = [replace(each, face=Tile.DAY if each.face is not Tile.DAY else Tile.TEEN) for each in crops_of(2)[:6]]
    found = refine([*crops_of(0), *crops_of(1), *wrong], shipped(), WEIGHTS, threads=1)
    assert set(map(id, wrong)) <= set(map(id, found.left_out))
    assert found.card.data["left_out"] == len(found.left_out)
    assert found.model == candidate().model


def test_too_few_crops_are_refused() -> None:
    with pytest.raises(LearningError, match="32 are needed"):
        refine(crops_of(0)[:10], shipped(), WEIGHTS, threads=1)
    with pytest.raises(LearningError, match="0 crops"):
        refine([], shipped(), WEIGHTS, threads=1)


def test_nothing_new_is_refused(tmp_path: Path) -> None:
    write_candidate(candidate(), tmp_path / "new")
    with pytest.raises(LearningError, match="nothing was kept that the model in use has not learnt from"):
        refine([*crops_of(1), *crops_of(0)], shipped(), WEIGHTS, tmp_path / "new", threads=1)


def test_a_worse_candidate_is_not_written(tmp_path: Path) -> None:
    good = Figures(800, right=790, sure=766, wrong=5, surely_wrong=1)
    sets = {**candidate().sets, "shipped": Compared(good, replace(good, right=789))}
    with pytest.raises(LearningError, match="worse on shipped"):
        write_candidate(replace(candidate(), sets=sets), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_a_candidate_never_takes_anothers_folder(tmp_path: Path) -> None:
    write_candidate(candidate(), tmp_path / "new")
    before = sorted((file.name, file.read_bytes()) for file in (tmp_path / "new").iterdir())
    with pytest.raises(LearningError, match="is there already"):
        write_candidate(candidate(), tmp_path / "new")
    assert sorted((file.name, file.read_bytes()) for file in (tmp_path / "new").iterdir()) == before


def test_a_killed_writing_leaves_no_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(handle: int) -> None:
        del handle
        raise KeyboardInterrupt

    monkeypatch.setattr("vision.learning.candidate.os.fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        write_candidate(candidate(), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "worse"),
    [({}, False), ({"right": 9}, True), ({"wrong": 2}, True), ({"surely_wrong": 1}, True), ({"sure": 0}, False)],
)
def test_fewer_right_or_more_wrong_is_worse(change: dict[str, int], worse: bool) -> None:  # noqa: FBT001
    before = Figures(crops=12, right=10, sure=8, wrong=1, surely_wrong=0)
    assert replace(before, **change).worse_than(before) is worse
