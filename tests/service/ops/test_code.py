"""The program's files against the list of its installation."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from service.ops.code import SEAL, code_state, listing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    for name in ("engine/game/tiles.py", "service/web/page.html", "models/weights/tiles.onnx"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)
    (tmp_path / SEAL).write_text(listing(tmp_path))
    return tmp_path


def test_what_was_installed_is_as_installed(installed: Path) -> None:
    (installed / "engine" / "__pycache__").mkdir()
    (installed / "engine" / "__pycache__" / "tiles.pyc").write_text("made while running")
    state = code_state(installed)
    assert (state.sealed, state.differing) == (True, ())
    subprocess.run(["sha256sum", "--check", "--quiet", SEAL], cwd=installed, check=True)


@pytest.mark.parametrize("name", ["engine/game/tiles.py", "models/weights/tiles.onnx"])
def test_a_changed_file_is_named_and_changes_the_hash(installed: Path, name: str) -> None:
    before = code_state(installed).sha256
    (installed / name).write_text("other")
    state = code_state(installed)
    assert state.differing == (name,)
    assert state.sha256 != before


def test_removed_and_added_files_are_named(installed: Path) -> None:
    (installed / "engine/game/tiles.py").unlink()
    (installed / "engine/game/dice.py").write_text("new")
    assert code_state(installed).differing == ("engine/game/dice.py", "engine/game/tiles.py")


def test_without_a_list_there_is_still_a_hash(installed: Path) -> None:
    before = code_state(installed).sha256
    (installed / SEAL).unlink()
    state = code_state(installed)
    assert (state.sealed, state.sha256) == (False, before)
