"""``houseway synth`` and ``houseway train``: their arguments reach the programs that do the work."""

import importlib.util
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli import app

run = CliRunner().invoke


@pytest.mark.slow
def test_tables_are_drawn_with_their_truth(tmp_path: Path) -> None:
    result = run(app, ["synth", "tables", "--count", "1", "--seed", "4", "--workers", "1", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    picture = tmp_path / "round_0000.jpg"
    labels = json.loads(picture.with_suffix(".json").read_text())
    assert picture.is_file()
    assert labels["objects"]


def test_rounds_are_filmed(tmp_path: Path) -> None:
    result = run(app, ["synth", "rounds", "--form", "none", "--seed", "4", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "rounds.jsonl").read_text().splitlines()) == 1


def test_help_is_that_of_the_maker() -> None:
    result = run(app, ["synth", "bank", "--help"])
    assert result.exit_code == 0
    assert "windows to train the detector" in result.output


def test_training_without_torch_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.cli.workshop.find_spec", lambda _: None)
    result = run(app, ["train"])
    assert result.exit_code == 2
    assert "requirements-train.txt" in result.stderr


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize(("asked", "shown"), [(["--help"], "four models"), (["dice", "--help"], "one of the four")])
def test_training_is_handed_on(asked: list[str], shown: str, capfd: pytest.CaptureFixture[str]) -> None:
    result = run(app, ["train", *asked])
    assert result.exit_code == 0
    assert shown in capfd.readouterr().out
