"""The mean of trainings."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the train extra")

from models.export import export  # noqa: E402
from models.soup import SoupError, mean_of  # noqa: E402
from models.train import TrainConfig, train  # noqa: E402
from tests.models.simple_bank import write_simple_bank  # noqa: E402
from vision.networks.model_card import card_path, read_card, sha256_of  # noqa: E402


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bank")
    write_simple_bank(folder, 40, seed=1)
    return folder


@pytest.fixture(autouse=True)
def _little_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.tasks.MEASURED_CROPS", 40)
    monkeypatch.setattr("models.export.CALIBRATION_CROPS", 200)


def trained(bank: Path, out: Path, seed: int, task: str = "lean", begin_with: Path | None = None) -> Path:
    first = str(begin_with) if begin_with is not None else None
    return train(TrainConfig(task, str(bank), str(out), 1.0, seed, 1, steps=8, batch=32, begin_with=first))


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_checkpoints_and_an_exported_network_have_a_mean(bank: Path, tmp_path: Path) -> None:
    first = trained(bank, tmp_path / "first", 1)
    exported = export("lean", first, tmp_path / "first")
    second = trained(bank, tmp_path / "second", 2, begin_with=exported)
    mean = mean_of([exported, second], bank, tmp_path / "mean")
    weights = [torch.load(path, weights_only=True)["average"]["last.weight"] for path in (first, second, mean)]
    assert np.allclose(weights[2], (weights[0] + weights[1]) / 2, atol=1e-6)
    assert not np.allclose(weights[0], weights[1], atol=1e-3)
    card = read_card(card_path(export("lean", mean, tmp_path / "out")))
    assert card.training["mean_of"] == [sha256_of(exported), sha256_of(second)]


def test_normalisations_of_the_mean_are_measured_again(bank: Path, tmp_path: Path) -> None:
    paths = [trained(bank, tmp_path / str(seed), seed) for seed in (1, 2)]
    states = [torch.load(path, weights_only=True)["average"] for path in (*paths, mean_of(paths, bank, tmp_path))]
    before, after = (
        torch.stack([state["trunk.1.1.running_mean"] for state in part]) for part in (states[:2], states[2:])
    )
    assert not torch.allclose(before.mean(0), after[0], atol=1e-4)


def test_what_has_no_mean_is_refused_saying_why(bank: Path, tmp_path: Path) -> None:
    one, other = trained(bank, tmp_path / "a", 1, "dice"), trained(bank, tmp_path / "b", 1)
    with pytest.raises(SoupError, match="two trainings"):
        mean_of([one], bank, tmp_path)
    with pytest.raises(SoupError, match="dice and lean"):
        mean_of([one, other], bank, tmp_path)
    with pytest.raises(SoupError, match="checkpoint last"):
        mean_of([one, tmp_path / "dice.onnx"], bank, tmp_path)
