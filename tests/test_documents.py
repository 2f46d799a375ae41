"""What the documents say exists, exists."""

from __future__ import annotations

import hashlib
import re
import tomllib
from typing import TYPE_CHECKING

import pytest
import typer.main
from typer.core import TyperGroup

from engine.books.house_ways import get, known_ids
from service import __version__
from service.app import create_app
from service.cli import app
from tests.conftest import ROOT
from tests.service.stand_ins import FakeReader, config

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text()
SOURCES = (ROOT / "docs" / "sources.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
LOCKS = sorted(ROOT.glob("requirements*"))


def _commands() -> dict[str, set[str]]:
    """Every command of ``houseway`` and its options."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    found = {}
    for name, command in group.commands.items():
        below = (
            {f"{name} {each}": one for each, one in command.commands.items()} if isinstance(command, TyperGroup) else {}
        )
        for full_name, one in (below or {name: command}).items():
            found[full_name] = {option for parameter in one.params for option in parameter.opts}
    return found


def _written() -> dict[str, set[str]]:
    """The commands of the README's table, and the options written there."""
    rows = re.findall(r"^\| `houseway ([^`]+)` \|", README, re.MULTILINE)
    names = {row: max((name for name in _commands() if f"{row} ".startswith(f"{name} ")), key=len) for row in rows}
    return {name: set(re.findall(r"--[a-z-]+", row)) for row, name in names.items()}


def test_every_command_is_written_down_and_every_written_one_exists() -> None:
    assert _written().keys() == _commands().keys()


@pytest.mark.parametrize("command", sorted(_written()))
def test_written_options_exist(command: str) -> None:
    assert _written()[command] <= _commands()[command]


def test_written_requests_exist() -> None:
    """Of the table in the README; a path may be written below another, or cut off behind it."""
    paths = create_app(config(), reader=FakeReader(), watch=False).openapi()["paths"]
    written = {
        (method.lower(), path)
        for method, cell in re.findall(r"^\| `(GET|POST) ([^|]+)` \|", README, re.MULTILINE)
        for path in re.findall(r"/[a-z0-9/.{}_-]+", cell)
    }
    known = {(method, path) for path, methods in paths.items() for method in methods}
    assert written == known


def test_make_targets_written_down_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    written = {
        name for path in DOCUMENTS for name in re.findall(r"make ([a-z]+)(?:`|$)", path.read_text(), re.MULTILINE)
    }
    assert {"run", "test"} <= written
    assert written <= targets


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_named_in_documents_exist(path: Path) -> None:
    """Anything in back quotes with a folder of ours before it."""
    folders = "engine|calibration|vision|datasets|models|service|docs|config|tests|benchmarks"
    for named in re.findall(rf"`((?:{folders})/[A-Za-z0-9_./-]*)`", path.read_text()):
        assert (ROOT / named).exists(), named


def test_decisions_are_numbered_without_repeats() -> None:
    numbers = [path.name[:4] for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))]
    assert all(re.fullmatch(r"\d{4}", number) for number in numbers)
    assert len(numbers) == len(set(numbers))
    assert numbers[0] == "0001"


@pytest.mark.parametrize("rulebook", known_ids())
def test_rulebooks_are_sourced(rulebook: str) -> None:
    (row,) = (line for line in SOURCES.splitlines() if line.startswith(f"| `{rulebook}` "))
    assert get(rulebook).source.sha256 in row


def test_sources_are_the_texts_we_have(shared: Path) -> None:
    texts = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (shared / "rulebooks").glob("*.txt")}
    assert set(re.findall(r"`([0-9a-f]{64})`", SOURCES)) == texts


def test_one_version() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == __version__


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_lock_files_name_no_place(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"https?://|file://|--(extra-)?index-url |--find-links |--trusted-host", text)
    if path.suffix == ".lock":
        pins = re.findall(r"^[a-z0-9._-]+==\S+(?: ; .+)? \\$", text, re.MULTILINE)
        assert len(pins) == len(re.findall(r"^[a-z0-9._-]+==", text, re.MULTILINE)) > 20
        assert text.count("--hash=sha256:") > len(pins)


def test_locks_hold_what_the_project_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[<>=!~\[; ]", each)[0].lower() for each in requirements}

    run = set(re.findall(r"^([a-z0-9._-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    dev = set(re.findall(r"^([a-z0-9._-]+)==", (ROOT / "requirements-dev.lock").read_text(), re.MULTILINE))
    assert names(project["dependencies"]) <= run
    assert run | names(project["optional-dependencies"]["dev"]) <= dev
    assert "torch" not in dev
