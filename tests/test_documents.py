"""Commands, requests, files, links and settings that the documents name exist."""

import hashlib
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.main
from typer._click import Command
from typer.core import TyperGroup
from typer.testing import CliRunner

from engine.books.house_ways import get, known_ids
from service.cli import app
from service.system.settings import sections
from tests.conftest import ROOT

LARGEST = 300_000
"""Bytes of a picture in the README."""
README = (ROOT / "README.md").read_text()
SOURCES = (ROOT / "docs" / "sources.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = {ROOT / "docs" / "reference" / f"{name}.md" for name in ("commands", "settings", "requests", "metrics")}
"""Written when the site is built; ``tests/test_reference.py`` looks at them."""
LOCKS = sorted(ROOT.glob("requirements*"))

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


@cache
def _commands() -> dict[str, set[str]]:
    """Every command of ``houseway`` and its options."""
    return dict(_in_group("", typer.main.get_command(app)))


def _in_group(above: str, command: Command) -> Iterator[tuple[str, set[str]]]:
    if not isinstance(command, TyperGroup):
        yield above.strip(), {option for parameter in command.params for option in parameter.opts}
        return
    for name, one in command.commands.items():
        yield from _in_group(f"{above} {name}", one)


def _command_of(words: str) -> str | None:
    return max((name for name in _commands() if f"{words} ".startswith(f"{name} ")), key=len, default=None)


def test_the_readme_is_short_and_has_pictures() -> None:
    assert len(README.splitlines()) <= 90
    pictures = re.findall(r"!\[[^\]]{20,}\]\((docs/images/[a-z.]+)\)", README)
    assert len(pictures) == 3
    assert all((ROOT / picture).stat().st_size <= LARGEST for picture in pictures)


@every_document
def test_commands_and_options_exist(path: Path) -> None:
    """In back quotes, and at the beginning of a line of a block."""
    text = path.read_text().replace("\\\n", " ")
    written = re.findall(r"(?:`|^(?:\$ |sudo .*/)?(?:\.venv/bin/)?)houseway ([a-z][^`\n|#]*)", text, re.MULTILINE)
    for words in written:
        command = _command_of(words.strip())
        group = words.split()[0]
        assert command or any(name.startswith(f"{group} ") for name in _commands()), words
        options = set(re.findall(r"(?<!\S)\[?(--[a-z-]+)", words))
        assert options <= (_commands()[command] | {"--help"} if command else set()), words


_LOOKED_UP = {"set", "throw", "cut", "irregularity"}


_WRITTEN = re.compile(r"(?:`|^(?:\$ )?\s*(?:\.venv/bin/)?)houseway ([a-z][^`\n|#]*)", re.MULTILINE)


def _look_ups() -> list[str]:
    """What the documents look up in a rulebook, without placeholders and files of one's own."""
    written = (" ".join(words.split()) for path in DOCUMENTS for words in _WRITTEN.findall(path.read_text()))
    known = (each for each in written if each.split()[0] in _LOOKED_UP)
    return sorted({each for each in known if len(each.split()) > 1 and not re.search(r"[A-Z]{3}|\.toml|--\w+$", each)})


@pytest.mark.parametrize("command", _look_ups())
def test_what_the_documents_look_up_is_found(command: str) -> None:
    result = CliRunner().invoke(app, command.split())
    assert result.exit_code == 0, result.output


@every_document
def test_make_targets_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", path.read_text(), re.MULTILINE)) <= targets


@every_document
def test_files_and_modules_exist(path: Path) -> None:
    """Anything in back quotes with a folder of ours before it, and every Python module that is run or imported."""
    text = path.read_text()
    folders = "engine|calibration|vision|datasets|models|rereading|service|docs|config|tests|benchmarks|examples|deploy"
    for named in re.findall(rf"`((?:{folders})/[A-Za-z0-9_./@-]*)`", text):
        assert (ROOT / named).exists(), named
    modules = re.findall(
        r"python -m ([a-z_.]+)|^from ((?:engine|vision|service|rereading)[a-z_.]*) import", text, re.MULTILINE
    )
    for module in map("".join, modules):
        file = ROOT / module.replace(".", "/")
        assert file.is_dir() or file.with_suffix(".py").exists(), module
    for script in re.findall(r"python (benchmarks/[a-z_]+\.py)", text):
        assert (ROOT / script).exists(), script


@every_document
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)", path.read_text()):
        there = (path.parent / link).resolve()
        assert link.startswith("https://") or there in GENERATED or there.exists(), link


def _settings_keys(section: str) -> set[str]:
    """The keys of a section of the settings, such as ``page`` or ``page.shifts``."""
    found = {
        field.alias or key
        for path, kind in sections()
        if ".".join(path) == section
        for key, field in kind.model_fields.items()
    }
    assert found, section
    return found


@every_document
def test_settings_keys_exist(path: Path) -> None:
    """In blocks of TOML, also keys that are commented out there."""
    for block in re.findall(r"^```toml\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL):
        section = ""
        for line in block.splitlines():
            if heading := re.match(r"\[+([a-z_.]+)\]", line):
                section = heading[1]
            elif key := re.match(r"(?:# )?([a-z_]+) = ", line):
                assert key[1] in _settings_keys(section), line


def test_the_house_way_of_your_own_has_no_fault(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "house-way-of-your-own.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "own.py").write_text(code)
    result = CliRunner().invoke(app, ["house-way", "check", str(tmp_path / "own.py")])
    assert (result.exit_code, "4 rules, 35,960 of 35,960 deals decided" in result.stdout) == (0, True)


@pytest.mark.parametrize("rulebook", known_ids())
def test_every_house_way_names_its_source(rulebook: str) -> None:
    (row,) = (line for line in SOURCES.splitlines() if line.startswith(f"| `{rulebook}` "))
    assert get(rulebook).source.sha256 in row


def test_sources_are_the_texts_at_hand(shared: Path) -> None:
    texts = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (shared / "rulebooks").glob("*.txt")}
    assert set(re.findall(r"`([0-9a-f]{64})`", SOURCES)) == texts


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_lock_files_name_no_index_and_hash_every_package(path: Path) -> None:
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
