"""What ``houseway --help`` and ``houseway --version`` say, and how quickly."""

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer.main
from typer._click import Command
from typer.core import TyperGroup
from typer.testing import CliRunner

import service
from service.cli import app, help_text
from service.system.versions import code_state
from tests.conftest import ROOT

HEAVY = ("numpy", "cv2", "scipy", "onnxruntime", "fastapi", "pydantic", "sqlalchemy", "engine.books")


def commands() -> Iterator[tuple[str, Command]]:
    """Every command by its full name, groups among them."""
    yield from _below("", typer.main.get_command(app))


def _below(above: str, command: Command) -> Iterator[tuple[str, Command]]:
    if isinstance(command, TyperGroup):
        for name, one in command.commands.items():
            yield f"{above}{name}", one
            yield from _below(f"{above}{name} ", one)


NAMES = [name for name, _ in commands()]


def _help(*words: str, columns: int = 80) -> str:
    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": str(columns)})
    assert result.exit_code == 0, result.output
    return result.output


def test_help_has_a_section_for_each_kind_of_user() -> None:
    headings = [line for line in _help().splitlines() if line and not line.startswith((" ", "Usage", "Options"))]
    users = ["Start", "Supervisors", "Technicians", "Floors", "Administrators", "Integrators", "Auditors", "Game"]
    users.append("Developers")
    assert [line.partition(" ")[0].rstrip(":") for line in headings] == users


def test_help_names_every_command_once_with_its_whole_sentence() -> None:
    said = " ".join(_help().split())
    for name, command in commands():
        if " " in name:
            continue
        sentence = command.get_short_help_str(1_000)
        assert sentence.endswith((".", "?")), name
        assert len(sentence) <= 80, f"{name}: too long for a list"
        assert said.count(f" {name} {sentence}") == 1, name


@pytest.mark.parametrize("columns", [80, 200])
def test_help_is_never_cut_off_and_fits_the_terminal(columns: int) -> None:
    for words in ((), *(name.split() for name, one in commands() if isinstance(one, TyperGroup))):
        lines = _help(*words, columns=columns).splitlines()
        assert not [line for line in lines if line.endswith("...") and not line.endswith("[ARGS]...")]
        assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_option_is_described_in_plain_text(name: str) -> None:
    said = _help(*name.split())
    assert said.startswith(f"Usage: houseway {name}" if name != "synth" else "Usage:")
    assert not re.search(r"``|\[bold|\x1b", said)
    for parameter in dict(commands())[name].params:
        if parameter.name not in {"help", "context"}:
            assert getattr(parameter, "help", None), f"{name}: {parameter.name}"


def test_help_is_plain_text_without_frames() -> None:
    """In a terminal as in a pipe: no colours, no boxes."""
    said = subprocess.run(
        [sys.executable, "-m", "service", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert said.isascii()


def test_nothing_heavy_is_loaded_to_say_what_there_is() -> None:
    code = f"import sys, service.cli; print([each for each in {HEAVY!r} if each in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n"


def test_version_is_the_one_that_results_carry() -> None:
    result = CliRunner().invoke(app, ["--version"])
    printed = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert result.exit_code == 0
    assert printed["houseway"] == service.__version__
    assert printed["code"] == f"sha256:{code_state().sha256}"


@pytest.mark.parametrize(("path", "known"), [(None, True), ("/nonexistent", False)])
def test_the_commit_is_told_only_where_it_is_known(
    path: str | None, known: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path is not None:
        monkeypatch.setenv("PATH", path)
    elif not (ROOT / ".git").exists():
        pytest.skip("not a repository")
    assert ("commit" in CliRunner().invoke(app, ["--version"]).stdout) is known
    assert bool(help_text.commit_of(ROOT)) is known
