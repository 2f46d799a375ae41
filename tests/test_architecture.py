"""The shape of the project: who imports whom, whose names are taken, what starts quickly."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
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


def room_of(module: str) -> str:
    """The room of a module of the service: the folder directly under ``service``."""
    return ".".join(module.split(".")[:2])


def test_the_service_has_few_rooms_and_few_imports_between_them() -> None:
    graph = grimp.build_graph("service", cache_dir=None)
    rooms = {room_of(module) for module in graph.modules} - {"service", "service.__main__", "service.sample"}
    between = {
        (room_of(module), room_of(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    arrows = {(source, target) for source, target in between if source != target and {source, target} <= rooms}
    assert len(rooms) <= 12, sorted(rooms)
    assert len(arrows) <= 40, sorted(arrows)


def test_no_two_modules_of_the_service_have_one_name() -> None:
    """Routes are named by their subject, as the module that the routes are about may be."""
    names = Counter(
        file.stem for file in (ROOT / "service").rglob("*.py") if file.stem != "__init__" and "routes" not in file.parts
    )
    assert not [name for name, times in names.items() if times > 1]


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
    assert not seldom & loaded_with("service.web.app", "service.cli.run", "service.table.learning.table_learning")


def test_the_capture_process_loads_no_more_than_it_needs() -> None:
    loaded = loaded_with("vision.capture.child", "vision.capture.sources")
    assert not {"service", "engine", "onnxruntime", "scipy", "vision.reader", "vision.networks"} & loaded


def imports_of_onnxruntime() -> list[str]:
    """Modules of ours that import it."""
    files = [file for name in (*OURS, "benchmarks") for file in sorted((ROOT / name).rglob("*.py"))]
    found = [file for file in files if re.search(r"^(import|from) onnxruntime", file.read_text("utf-8"), re.MULTILINE)]
    return [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in found]


@pytest.mark.parametrize("module", imports_of_onnxruntime())
def test_onnxruntime_reports_nothing_to_its_maker(module: str, tmp_path: Path) -> None:
    """It would leave an identifier of this machine in the home folder and send events to a server."""
    unset = ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "CI", "GITHUB_ACTIONS", "TF_BUILD")
    environment = {name: value for name, value in os.environ.items() if name not in unset} | {"HOME": str(tmp_path)}
    code = f"import importlib, sys\ntry: importlib.import_module({module!r})\nexcept ImportError: sys.exit(75)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=False)
    assert not list(tmp_path.rglob("deviceid"))
    if done.returncode == 75:
        pytest.skip("needs the packages for training")
    assert done.returncode == 0


def test_pairs_are_found_as_the_whole_of_scipy_finds_them() -> None:
    """The one function of it is loaded alone; the package itself would be the way back (vision/assignment.py)."""
    code = "import sys; from vision.assignment import cheapest_pairs; sys.exit('scipy.optimize' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


DATED = {"engine.books.registry": {"rulebook": 2}, "engine.books.house_ways": {"get": 2, "way_under": 3}}
"""By module, what finds rules, and how many arguments it takes with the day."""


@pytest.mark.parametrize("folder", ["service", "rereading"])
def test_whoever_applies_rules_names_the_day(folder: str) -> None:
    """`BOOKS` has the books as first issued, which only the coverage of the printed documents is about."""
    for file in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        arguments: dict[str, int] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in DATED:
                assert "compliance" in file.parts or "BOOKS" not in {each.name for each in node.names}, file
                known = DATED[node.module]
                arguments |= {each.asname or each.name: known[each.name] for each in node.names if each.name in known}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in arguments:
                given = {each.arg for each in node.keywords}
                assert len(node.args) >= arguments[node.func.id] or given & {"on", "version"}, (file, node.lineno)


def test_the_rules_do_not_ask_what_day_it_is() -> None:
    for file in (ROOT / "engine").rglob("*.py"):
        called = {node.attr for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Attribute)}
        assert not called & {"now", "utcnow", "today"}, file
