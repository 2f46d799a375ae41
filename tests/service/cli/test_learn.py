"""Learning by the command line, from the displays of a strange table to a model in use and back."""

import json
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from service.cli import app
from tests.vision.learning.strange_table import crops_of, drawn, setup
from vision.learning.kept_crops import CropFolder, KeptCrop
from vision.learning.shipped_set import ShippedSet, read_shipped
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import sha256_of

OK, WORSE, REFUSED = 0, 1, 2
_ALL = read_shipped


@cache
def _fewer() -> ShippedSet:
    found = _ALL()
    return replace(found, replayed=found.replayed[:200], crops=found.crops[:200], labels=found.labels[:200])


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.learning.shipped_set.read_shipped", _fewer)
    monkeypatch.setattr("service.table.learning.adoption.read_shipped", _fewer)


def run(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Settings of the strange table, and pictures of two displays."""
    (tmp_path / "camera.json").write_text(json.dumps(setup().bare.calibration()))
    for day in range(2):
        cv2.imwrite(str(tmp_path / f"day{day}.png"), drawn(day))
        os.utime(tmp_path / f"day{day}.png", (1.77e9 + 86_400 * day,) * 2)
    path = tmp_path / "table.toml"
    path.write_text(
        '[[tables]]\nname = "strange"\ncalibration = "camera.json"\n[tables.source]\npath = "."\n'
        '[record]\nfolder = "record"\n'
        "min_free_mb = 0\n[models]\nshadow_hours = 0\n"
    )
    return path


def _kept(folder: Path, *crops: KeptCrop) -> Path:
    CropFolder(folder).keep(crops)
    return folder


@pytest.mark.slow
def test_from_displays_to_a_model_in_use_and_back(table: Path) -> None:
    crops, candidate = table.parent / "record" / "crops", table.parent / "candidate"
    for day in range(2):
        result = run("collect", "--config", table, "--display", table.parent / f"day{day}.png")
        assert result.exit_code == OK, result.output
        assert f"kept {len(crops_of(day))} new crops" in result.stdout
    again = run("collect", "--config", table, "--display", table.parent / "day0.png")
    assert "kept 0 new crops" in again.stdout
    trained = run("train", "tiles", "--with", crops, "--out", candidate, "--config", table, "--json")
    assert trained.exit_code == OK, trained.output
    report = json.loads(trained.stdout)
    assert report["worse_on"] == []
    assert report["candidate"]["sha256"] == sha256_of(candidate / TILE_MODEL)
    short = report["candidate"]["sha256"][:12]
    taken = run("models", "take", candidate, "--reason", "it reads the new set", "--config", table)
    assert taken.exit_code == OK, taken.output
    assert f"in use     {short}" in run("models", "list", "--config", table).stdout
    nothing = run("train", "tiles", "--with", crops, "--out", table.parent / "next", "--config", table)
    assert nothing.exit_code == REFUSED
    assert "nothing was kept" in nothing.stderr
    assert run("models", "take", "--previous", "--reason", "it was a test", "--config", table).exit_code == OK
    assert f"in use     {short}" not in run("models", "list", "--config", table).stdout
    proven = run("record", "verify", "--config", table)
    assert proven.exit_code == OK, proven.output


def test_a_crop_put_aside_waits_for_a_person(table: Path) -> None:
    folder = CropFolder(table.parent / "mine")
    folder.keep(crops_of(0)[:2], aside=True)
    first, second = (file.stem for file in folder.aside())
    assert first in run("collect", folder.path, "--config", table, "--list").stdout
    assert run("collect", folder.path, "--config", table, "--accept", first).exit_code == OK
    assert run("collect", folder.path, "--config", table, "--drop", second).exit_code == OK
    assert [each.origin.accepted_by is not None for each in folder.read()] == [True]
    unknown = run("collect", folder.path, "--config", table, "--accept", second)
    assert unknown.exit_code == REFUSED
    assert "there is no" in unknown.stderr


def test_wrong_faces_that_a_person_accepted_gain_nothing(table: Path) -> None:
    said = [*crops_of(0), *crops_of(1)]
    faces = [each.face for each in said]
    wrong = [
        replace(each, face=face, origin=each.origin.model_copy(update={"accepted_by": "A. Person"}))
        for each, face in zip(said, [*faces[7:], *faces[:7]], strict=True)
    ]
    result = run("train", "tiles", "--with", _kept(table.parent / "wrong", *wrong), "--out", table.parent / "new")
    assert result.exit_code in {WORSE, REFUSED}
    assert not (table.parent / "new").exists()


def test_what_cannot_be_refined_is_refused(table: Path) -> None:
    few = _kept(table.parent / "few", *crops_of(0)[:5])
    for words, why in (
        (("--with", few, "--out", table.parent / "new"), "32 are needed"),
        (("--with", table.parent / "none", "--out", table.parent / "new"), "no such folder"),
        (("--with", few, "--out", few), "already exists"),
        (("--with", few), "--out FOLDER"),
    ):
        result = run("train", "tiles", *words)
        assert result.exit_code == REFUSED
        assert why in result.stderr
    assert not (table.parent / "new").exists()
    result = run("train", "dice", "--with", few, "--out", table.parent / "new")
    assert result.exit_code == REFUSED


def test_a_table_without_calibration_is_told(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(
        '[[tables]]\nname = "one"\n[tables.source]\npath = "."\n[record]\nfolder = "record"\n'
    )
    result = run("collect", "--config", tmp_path / "table.toml")
    assert result.exit_code == REFUSED
    assert "give the table's calibration in the settings" in result.stderr


def test_a_folder_that_is_no_candidate_is_refused(table: Path) -> None:
    result = run("models", "take", table.parent, "--reason", "why not", "--config", table)
    assert result.exit_code == REFUSED
    assert "is missing" in result.stderr
    back = run("models", "take", "--previous", "--reason", "why not", "--config", table)
    assert back.exit_code == REFUSED
    assert "shipped model is in use" in back.stderr
    neither = run("models", "take", "--reason", "why not", "--config", table)
    assert "either the folder of a candidate or --previous" in neither.stderr
