"""``houseway enrol``: a set laid out in the order of rank is enrolled and recognised again; another set is not."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from service.cli import app
from vision.enrolment.enrolment_file import load_enrolment
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import sha256_of
from vision.networks.runtime import default_weights

OK, FOUND, WRONG = 0, 1, 2


def enrol(picture: Path, *words: object) -> Result:
    calibration = picture.with_suffix(".json")
    return CliRunner().invoke(app, ["enrol", str(picture), "--calibration", str(calibration), *map(str, words)])


@pytest.fixture(scope="module")
def own(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("enrolment") / "own.json"
    result = enrol(shared / "frames" / "dev_04_display.jpg", "--out", path)
    assert result.exit_code == OK, result.stderr
    assert "32 of 32" in result.stdout
    return path


def test_the_set_that_was_enrolled_is_recognised(shared: Path, own: Path) -> None:
    assert len(load_enrolment(own).tiles) == 32
    result = enrol(shared / "frames" / "dev_04_display.jpg", "--check", own, "--json")
    assert result.exit_code == OK
    report = json.loads(result.stdout)
    assert report.pop("tile_model") == f"sha256:{sha256_of(default_weights() / TILE_MODEL)}"
    assert report == {"enrolment": None, "reason": None, "faults": []}


def test_another_set_is_foreign_tile_by_tile(shared: Path, own: Path) -> None:
    result = enrol(shared / "frames2" / "x20_display_big.jpg", "--check", own, "--json")
    faults = json.loads(result.stdout)["faults"]
    assert result.exit_code == FOUND
    assert [fault for fault in faults if fault["code"] != "foreign_tile"] == []
    assert len(faults) > 20


def test_a_table_in_play_is_no_display(shared: Path, own: Path, tmp_path: Path) -> None:
    picture = shared / "frames" / "dev_00_round.jpg"
    refused = enrol(picture, "--out", tmp_path / "none.json", "--json")
    assert refused.exit_code == FOUND
    assert json.loads(refused.stdout)["enrolment"] is None
    assert not (tmp_path / "none.json").exists()
    assert enrol(picture, "--out", tmp_path / "none.json", "--check", own).exit_code == WRONG
