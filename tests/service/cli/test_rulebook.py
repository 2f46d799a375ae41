"""The commands about the documents, as a person types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner, Result

from engine.books.registry import BOOKS
from service.cli import app

if TYPE_CHECKING:
    from pathlib import Path

OK, WRONG = 0, 2


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["rulebook", *words])


def test_coverage_lists_every_rule() -> None:
    result = run("coverage", "crown-6.1")
    assert result.exit_code == OK
    lines = result.stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        f"{rule.number}  {rule.words}" for rule in BOOKS["crown-6.1"].contents.rules
    ]
    there = lines.index("7.1  Two ranking pairs are two hands")
    assert lines[there + 1].startswith("    engine/books/crown/house_way.toml:")
    assert lines[there + 1].endswith(" two_pairs_are_two_hands")
    assert lines[there + 2].startswith("    tested: tests/engine/")
    outside = lines.index("16.14  A copy of the rules on request")
    assert lines[outside + 1].startswith("    outside: A copy of the document itself")


def test_coverage_as_json() -> None:
    said = json.loads(run("coverage", "uk-poster", "--json").stdout)
    assert said["rulebook"] == "uk-poster"
    first = said["rules"][BOOKS["uk-poster"].contents.numbers.index("point 1")]
    assert (first["number"], first["state"], first["why"]) == ("point 1", "implemented", "")
    assert any(place.endswith(" FULL_SET") for place in first["code"])
    assert all(place.startswith("tests/") for place in first["tests"])


def test_only_what_is_missing() -> None:
    rules = json.loads(run("coverage", "star-2024", "--json").stdout)["rules"]
    missing = json.loads(run("coverage", "star-2024", "--missing", "--json").stdout)["rules"]
    assert missing == [rule for rule in rules if rule["state"] == "open"]


def test_pages_are_written_for_every_book(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pages"
    result = run("pages", str(folder))
    assert result.exit_code == OK
    assert result.stdout.splitlines() == [str(folder / f"{book}.md") for book in BOOKS]
    for book in BOOKS.values():
        assert (folder / f"{book.id}.md").read_text().startswith(f"# {book.source.title}\n")


@pytest.mark.parametrize("words", [("coverage", "crown-6"), ("pages", "/dev/null/pages")])
def test_wrong_input_is_one_line_and_status_2(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == WRONG
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("houseway: ")
