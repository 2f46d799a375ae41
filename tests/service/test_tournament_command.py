"""``houseway tournament check`` on the documented example and on broken ones."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner, Result

from service.commands.tournament import register
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = ROOT / "docs" / "examples" / "tournament" / "crown-6.1-cup.toml"
PAGE = (ROOT / "docs" / "tournaments.md").read_text()
APP = typer.Typer()
register(APP)


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(APP, ["tournament", "check", *(str(word) for word in words)])


def changed(tmp_path: Path, old: str, new: str) -> Path:
    text = EXAMPLE.read_text()
    assert old in text
    file = tmp_path / "terms.toml"
    file.write_text(text.replace(old, new, 1))
    return file


def test_the_example_is_complete_and_shown_on_the_page() -> None:
    result = run(EXAMPLE)
    assert result.exit_code == 0
    assert result.stdout.strip() in PAGE
    said = json.loads(run(EXAMPLE, "--json").stdout)
    assert (said["complete"], said["asked"], said["findings"]) == (True, 49, [])


def test_the_page_names_every_key() -> None:
    described = tomllib.loads(EXAMPLE.read_text())
    for key in {*described, *described["format"], *described["format"]["stages"][-1]} - {"stages"}:
        assert re.search(rf"`\[?{key}\]?`", PAGE), key


@pytest.mark.parametrize(
    ("old", "new", "rule", "fault"),
    [
        ('"15.4.6(a)" = ', '"15.6" = ', "15.4.6(a)", "missing"),
        ('"15.4.4(c)" = "One', '"15.4.4(c)" = false # "', "15.4.4(c)", "left out, but needed"),
        ("secret = 1 ", "secret = 0 ", "15.4.4(c)", "contradicts the format"),
        ("paid_entry = true", "paid_entry = false", "15.4.1(a)(ii)", "contradicts the format"),
        ('"15.4.2(a)(v)" = false', '"15.4.2(a)(v)" = ""', "15.4.2(a)(v)", "missing"),
    ],
)
def test_what_is_wrong_is_said_with_its_rule(tmp_path: Path, old: str, new: str, rule: str, fault: str) -> None:
    file = changed(tmp_path, old, new)
    result = run(file)
    assert result.exit_code == 1
    assert re.search(rf"^{re.escape(rule)} +{fault}: .*\(crown-6\.1 {re.escape(rule)}\)$", result.stdout, re.MULTILINE)
    said = json.loads(run(file, "--json").stdout)
    assert (rule, fault) in {(one["rule"], one["fault"]) for one in said["findings"]}


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("crown-6.1", "crown", "did you mean crown-6.1?"),
        ('rulebook = "crown-6.1"', 'rulebook = "nz-1998"', "nz-1998 lays down nothing about tournaments"),
        ("hands = 30", "hands = 0", "(crown-6.1 15.4.3(a)(i))"),
        ("hands = 30", "hands = 30.5", "format.stages.2.hands"),
        ("bank = 100000", "bank = true", "format.bank"),
        ("[format]", "[format", "not TOML"),
        ('name = "Autumn', 'prize = 5\nname = "Autumn', "prize: Extra inputs"),
        ('"15.4.2(a)(v)" = false', '"15.4.2(a)(v)" = true', "15.4.2(a)(v)"),
    ],
)
def test_bad_files_in_one_line(tmp_path: Path, old: str, new: str, part: str) -> None:
    result = run(changed(tmp_path, old, new))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("houseway: ")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    result = run(tmp_path / "none.toml")
    assert result.exit_code == 2
    assert "cannot be read" in result.stderr
