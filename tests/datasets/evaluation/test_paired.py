"""Two programs compared object by object."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from datasets.evaluation.paired import Paired, paired
from datasets.evaluation.scoring import Score


def evaluated(path: Path, tiles: str, *, silent: int = 0) -> Path:
    errors = [{"silent": True}] * silent + [{"silent": False}]
    path.write_text(json.dumps({"trials": {"one.jpg": {"tiles_right": tiles}}, "errors": errors}))
    return path


def compared(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "datasets.evaluation.paired", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("lost", "won", "chance"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (10, 10, 1.0), (15, 5, 0.0414)],
)
def test_the_exact_test_of_mcnemar(lost: int, won: int, chance: float) -> None:
    assert Paired(100, 100, 200, lost, won).chance == pytest.approx(chance, abs=1e-4)


def test_pictures_are_compared_by_name() -> None:
    before = {"a": {"dice_right": "10"}, "b": {"tiles_right": "11"}}
    after = {"b": {"tiles_right": "01"}, "a": {"dice_right": "11"}}
    assert paired(before, after) == {"tiles_right": Paired(2, 1, 2, 1, 0), "dice_right": Paired(1, 2, 2, 0, 1)}


@pytest.mark.parametrize("after", [{}, {"a": {"dice_right": "1"}}, {"a": {}}, {"a": {"dice_right": "11"}, "b": {}}])
def test_only_the_same_labels_can_be_compared(after: dict[str, dict[str, str]]) -> None:
    with pytest.raises(ValueError, match="not of the same"):
        paired({"a": {"dice_right": "10"}}, after)


def test_the_exit_status_names_the_outcome(tmp_path: Path) -> None:
    before = evaluated(tmp_path / "before.json", "1" * 20)
    chance = evaluated(tmp_path / "chance.json", "1" * 15 + "0" * 5)
    worse = evaluated(tmp_path / "worse.json", "1" * 14 + "0" * 6)
    silent = evaluated(tmp_path / "silent.json", "1" * 20, silent=1)
    (tmp_path / "other.json").write_text("[]")
    assert compared(before, chance).returncode == 0
    assert compared(before, worse).returncode == 1
    assert compared(before, silent).returncode == 1
    refused = compared(before, tmp_path / "other.json")
    assert (refused.returncode, "other.json: is not the JSON" in refused.stderr) == (2, True)


def test_pictures_of_one_name_are_all_counted() -> None:
    first, second = (
        Score(trials={"a.jpg": {"dice_right": [True]}}),
        Score(trials={"a.jpg": {"dice_right": [False, True]}}),
    )
    total = Score.total([first, second])
    assert {name: list(did) for name, did in total.trials["a.jpg"].items()} == {"dice_right": [True, False, True]}
