"""The shape of the project: who imports whom, whose names are taken, what starts quickly."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

from tests.conftest import ROOT

OURS = ("engine", "calibration", "vision", "datasets", "models", "service", "rereading")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_imports_keep_their_contracts() -> None:
    """As ``make contracts``; what is broken is printed."""
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_folder_of_ours_is_under_contract() -> None:
    assert tuple(PYPROJECT["tool"]["importlinter"]["root_packages"]) == OURS


@pytest.mark.parametrize("name", OURS)
def test_no_installed_distribution_provides_a_name_of_ours(name: str) -> None:
    assert set(packages_distributions().get(name, ())) <= {"houseway"}


@pytest.mark.parametrize("module", ["torch", "numpy", "cv2", "onnxruntime", "fastapi", "pydantic", "scipy"])
def test_the_command_line_starts_without(module: str) -> None:
    code = f"import sys, service.cli; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def loaded_with(*modules: str) -> set[str]:
    """What is loaded once these are imported in a process of their own."""
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_table_runs_without_what_it_seldom_needs() -> None:
    """Each of them takes megabytes and tenths of a second of every start, and is imported where it is wanted."""
    seldom = {"torch", "models", "datasets", "rereading", "scipy.linalg", "scipy.optimize", "scipy.special"}
    seldom |= {"alembic", "webauthn", "weasyprint", "zxcvbn", "aiohttp", "obstore", "joserfc", "authlib"}
    assert not seldom & loaded_with("service.app", "service.cli.run", "service.learning.table_learning")


def test_the_capture_process_loads_no_more_than_it_needs() -> None:
    loaded = loaded_with("vision.capture.child", "vision.capture.sources")
    assert not {"service", "engine", "onnxruntime", "scipy", "vision.reader", "vision.networks"} & loaded


def test_pairs_are_found_as_the_whole_of_scipy_finds_them() -> None:
    """The one function of it is loaded alone; the package itself would be the way back (vision/assignment.py)."""
    code = "import sys; from vision.assignment import cheapest_pairs; sys.exit('scipy.optimize' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
