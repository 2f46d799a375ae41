"""``houseway demo``: one bundled picture, read and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from service.cli import app
from tests.service.stand_ins import HOUSE_WRONG, FakeReader
from vision.capture.images import load_image
from vision.networks.runtime import default_weights
from vision.reader import Reader

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(not (default_weights() / "detector.onnx").is_file(), reason="the models have not been trained yet")
def test_the_reading_is_told_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["demo"])
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "WRONG" in said
    assert "crown-6.1 7.5.4" in said
    assert str(tmp_path / "houseway-demo.png") in done.output
    assert "houseway read YOUR.jpg" in said
    assert "make run" in said
    assert load_image(tmp_path / "houseway-demo.png").shape[1] == 1920


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "load", lambda *_, **__: FakeReader([HOUSE_WRONG]))


@pytest.mark.usefixtures("_quick")
def test_no_file_is_replaced_unasked(tmp_path: Path) -> None:
    out = tmp_path / "mine.png"
    out.write_bytes(b"mine")
    refused = CliRunner().invoke(app, ["demo", "--out", str(out)])
    assert (refused.exit_code, out.read_bytes()) == (2, b"mine")
    assert "already exists" in refused.stderr
    assert "--overwrite" in refused.stderr
    assert CliRunner().invoke(app, ["demo", "--out", str(out), "--overwrite"]).exit_code == 0
    assert load_image(out).shape[1] == 1920


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize(
    ("name", "said"), [("demo.gif", "ends in .png or .jpg"), ("no/such/folder/demo.png", "No such file or directory")]
)
def test_where_the_picture_cannot_be_saved(tmp_path: Path, name: str, said: str) -> None:
    refused = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / name)])
    assert (refused.exit_code, said in refused.stderr) == (2, True)
