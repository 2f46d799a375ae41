"""The program's files against the list of its installation."""

import subprocess
from pathlib import Path

import pytest

from service.system.versions import SEAL, code_state, installed, listing

FILES = (
    *("engine/game/tiles.py", "service/web/page.html", "models/weights/tiles.onnx"),
    *("engine/game/__pycache__/tiles.cpython-313.pyc", ".venv/lib/python3.13/site-packages/numpy/core.so"),
)


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / SEAL).write_text(listing(tmp_path) + installed(tmp_path))
    return tmp_path


def test_what_was_installed_is_as_installed(installation: Path) -> None:
    state = code_state(installation)
    assert (state.sealed, state.differing) == (True, ())
    subprocess.run(["sha256sum", "--check", "--quiet", SEAL], cwd=installation, check=True)


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_named_and_changes_a_hash(installation: Path, name: str) -> None:
    before = code_state(installation)
    (installation / name).write_text("other")
    state = code_state(installation)
    assert state.differing == (name,)
    of_program = name in FILES[:3]
    assert (state.sha256 != before.sha256, state.libraries != before.libraries) == (of_program, not of_program)


def test_a_compiled_file_that_was_slipped_in_is_named(installation: Path) -> None:
    name = "service/web/__pycache__/page.cpython-313.pyc"
    (installation / name).parent.mkdir()
    (installation / name).write_text("Python would run this")
    assert code_state(installation).differing == (name,)


def test_removed_and_added_files_are_named(installation: Path) -> None:
    (installation / "engine/game/tiles.py").unlink()
    (installation / "engine/game/dice.py").write_text("new")
    assert code_state(installation).differing == ("engine/game/dice.py", "engine/game/tiles.py")


def test_without_a_list_there_is_still_a_hash(installation: Path) -> None:
    before = code_state(installation).sha256
    (installation / SEAL).unlink()
    state = code_state(installation)
    assert (state.sealed, state.sha256) == (False, before)
