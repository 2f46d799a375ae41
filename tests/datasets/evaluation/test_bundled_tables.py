"""How well the shipped models read four tables of our own that no model was trained on, on every machine."""

import pytest

from datasets.evaluation.folder_scores import Evaluation, evaluate
from datasets.labels.label_folders import read_folder
from tests.conftest import ROOT
from vision.reader import Reader

TABLES = ROOT / "tests" / "data" / "tables"


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(read_folder(TABLES), Reader.load())


def test_nothing_is_verified_and_wrong(evaluation: Evaluation) -> None:
    silent = evaluation.total.rate("silent")
    assert (silent.count, evaluation.failures) == (0, ())
    assert silent.of > 80


@pytest.mark.parametrize("figure", ["tiles_right", "face_down_right", "dice_right", "roles_right"])
def test_every_tile_and_die_is_read_right(evaluation: Evaluation, figure: str) -> None:
    rate = evaluation.total.rate(figure)
    assert rate.count == rate.of > 0


@pytest.mark.parametrize(
    ("figure", "least"),
    [("tiles_true", 0.98), ("hands_whole", 0.8), ("coverage_tiles", 0.96), ("coverage_dice", 0.65)],
)
def test_hardly_anything_is_left_in_doubt_or_made_up(evaluation: Evaluation, figure: str, least: float) -> None:
    rate = evaluation.total.rate(figure)
    assert rate.count >= least * rate.of > 0
