"""The mean of trainings."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs the train extra")

from models.network import LeanNet  # noqa: E402
from models.soup import SoupError, mean_of  # noqa: E402


def _checkpoint(folder: Path, name: str, task: str, value: float, step: int) -> Path:
    path = folder / f"{name}.pt"
    average = {
        key: torch.full_like(tensor, value) if tensor.is_floating_point() else tensor
        for key, tensor in LeanNet().state_dict().items()
    }
    torch.save({"config": {"task": task}, "step": step, "average": average}, path)
    return path


def test_weights_and_statistics_are_averaged(tmp_path: Path) -> None:
    paths = [_checkpoint(tmp_path, str(n), "lean", float(n), 10 * n) for n in (1, 2, 6)]
    mean = torch.load(mean_of(paths, tmp_path / "out"), weights_only=True)
    floats = {name: tensor for name, tensor in mean["average"].items() if tensor.is_floating_point()}
    assert any("running_mean" in name for name in floats)
    assert all(torch.allclose(tensor, torch.tensor(3.0)) for tensor in floats.values())
    assert mean["step"] == 60


def test_one_checkpoint_and_different_networks_have_no_mean(tmp_path: Path) -> None:
    one, other = _checkpoint(tmp_path, "a", "dice", 1.0, 1), _checkpoint(tmp_path, "b", "lean", 1.0, 1)
    with pytest.raises(SoupError, match="two checkpoints"):
        mean_of([one], tmp_path)
    with pytest.raises(SoupError, match="dice and lean"):
        mean_of([one, other], tmp_path)
