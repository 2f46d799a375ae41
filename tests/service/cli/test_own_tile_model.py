"""Commands with a table's settings use the tile model in use there, otherwise the shipped one, and name it."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from engine.vocabulary.play import Lie
from service.cli import app
from service.system.settings import load_config
from service.table.learning.tile_model import Adoption, ModelChoice
from tests.conftest import ROOT
from tests.service.table.learning.tables import WEIGHTS, alike
from tests.vision.learning.strange_table import drawn, setup
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import sha256_of

TABLES = ROOT / "tests/data/tables"
SHIPPED = sha256_of(WEIGHTS / TILE_MODEL)


def run(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Settings of a table that lays the low hand sideways, with a picture of a display."""
    (tmp_path / "camera.json").write_text(json.dumps(setup().bare.calibration()))
    cv2.imwrite(str(tmp_path / "display.png"), drawn(0))
    path = tmp_path / "table.toml"
    path.write_text(
        '[[tables]]\nname = "strange"\ncalibration = "camera.json"\nrulebook = "nz-1998"\nlow_hand = "horizontal"\n'
        '[tables.source]\npath = "."\n[record]\nfolder = "record"\nmin_free_mb = 0\n'
    )
    return path


@pytest.fixture
def own(table: Path) -> str:
    """SHA-256 of a model that was put in use there."""
    choice = ModelChoice(load_config(table).models_folder)
    sha256 = choice.copy(alike(table.parent / "candidate"))
    choice.put((Adoption(sha256=sha256, at=datetime(2026, 3, 1, tzinfo=UTC), by="A. Person", reason="it is better"),))
    return sha256


def test_read_uses_the_model_of_the_table(table: Path, own: str) -> None:
    picture = table.parent / "display.png"
    said = json.loads(run("read", picture, "--config", table, "--json").stdout)
    assert said["versions"]["tiles"] == f"sha256:{own}"
    assert (said["calibrated"], said["rulebook"]) == (True, "nz-1998")
    in_words = run("read", picture, "--config", table).stdout
    assert f"Tile model {own[:12]}, of strange, put in use 2026-03-01 00:00 UTC by A. Person\n" in in_words
    named = json.loads(run("read", picture, "--config", table, "--rulebook", "crown-6.1", "--json").stdout)
    assert named["rulebook"] == "crown-6.1"


def test_read_without_settings_says_that_the_model_is_shipped(table: Path, own: str) -> None:
    assert own != SHIPPED
    picture = table.parent / "display.png"
    assert json.loads(run("read", picture, "--json").stdout)["versions"]["tiles"] == f"sha256:{SHIPPED}"
    assert f"Tile model {SHIPPED[:12]}, as shipped; --config" in run("read", picture).stdout


def test_a_table_without_a_model_of_its_own_is_told_so(table: Path) -> None:
    result = run("read", table.parent / "display.png", "--config", table).stdout
    assert f"Tile model {SHIPPED[:12]}, as shipped; strange has none of its own in use\n" in result


def test_enrol_uses_the_model_and_calibration_of_the_table(table: Path, own: str) -> None:
    picture = table.parent / "display.png"
    with_own = run("enrol", picture, "--config", table, "--out", table.parent / "own.json", "--json")
    assert json.loads(with_own.stdout)["tile_model"] == f"sha256:{own}"
    shipped = run("enrol", picture, "--calibration", table.parent / "camera.json", "--out", table.parent / "b.json")
    assert f"tile model {SHIPPED[:12]}, as shipped" in shipped.stdout
    without = run("enrol", picture, "--out", table.parent / "c.json")
    assert without.exit_code == 2
    assert "--config FILE" in without.stderr


def test_evaluate_uses_the_model_of_the_table(table: Path, own: str) -> None:
    folder = table.parent / "labelled"
    folder.mkdir()
    for suffix in (".jpg", ".json"):
        shutil.copy(TABLES / f"round_0000{suffix}", folder)
    with_own = json.loads(run("evaluate", folder, "--config", table, "--json").stdout)
    assert with_own["versions"]["tiles"] == f"sha256:{own}"
    assert f"Tile model {own[:12]}, of strange" in run("evaluate", folder, "--config", table).stdout
    assert f"Tile model {SHIPPED[:12]}, as shipped" in run("evaluate", folder).stdout


def test_low_hands_lie_as_at_the_table(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[dict[str, object]] = []

    def remember(_: Path | None, **how: object) -> None:
        loaded.append(how)
        raise OSError(5, "only asked how")

    monkeypatch.setattr("vision.reader.Reader.load", remember)
    run("read", table.parent / "display.png", "--config", table)
    run("read", table.parent / "display.png", "--config", table, "--low-hand", "vertical")
    assert [how["low_hand"] for how in loaded] == [Lie.HORIZONTAL, Lie.VERTICAL]


@pytest.mark.parametrize("command", ["read", "enrol", "evaluate"])
def test_a_model_in_use_that_is_gone_is_told(table: Path, own: str, command: str) -> None:
    (load_config(table).models_folder / own[:16] / TILE_MODEL).unlink()
    out = ["--out", table.parent / "own.json"] if command == "enrol" else []
    result = run(
        command, table.parent if command == "evaluate" else table.parent / "display.png", "--config", table, *out
    )
    assert result.exit_code == 2
    assert "houseway models take --previous" in result.stderr
