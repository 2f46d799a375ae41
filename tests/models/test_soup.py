"""The mean of trainings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

torch = pytest.importorskip("torch", reason="training needs the train extra")

from models.soup import SoupError, mean_of  # noqa: E402


def _checkpoint(folder: Path, name: str, task: str, weight: float, batches: int) -> Path:
    path = folder / f"{name}.pt"
    average = {"weight": torch.tensor([weight, 1.0]), "batches": torch.tensor(batches)}
    torch.save({"config": {"task": task}, "step": batches, "average": average}, path)
    return path


def test_weights_are_averaged_and_the_rest_is_the_last_ones(tmp_path: Path) -> None:
    paths = [_checkpoint(tmp_path, str(n), "dice", float(n), 10 * n) for n in (1, 2, 6)]
    mean = torch.load(mean_of(paths, tmp_path / "out"), weights_only=True)
    assert mean["average"]["weight"].tolist() == [3.0, 1.0]
    assert (mean["step"], int(mean["average"]["batches"])) == (60, 60)


def test_one_alone_and_strangers_have_no_mean(tmp_path: Path) -> None:
    one, other = _checkpoint(tmp_path, "a", "dice", 1.0, 1), _checkpoint(tmp_path, "b", "lean", 1.0, 1)
    with pytest.raises(SoupError, match="two checkpoints"):
        mean_of([one], tmp_path)
    with pytest.raises(SoupError, match="dice and lean"):
        mean_of([one, other], tmp_path)
