"""``houseway rulebook``, and the pages made of the same."""

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from engine.books.registry import BOOKS
from service.cli import app
from service.cli.compliance.coverage_page import write_pages

OK, WRONG = 0, 2


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["rulebook", *words])


def test_coverage_lists_every_rule() -> None:
    result = run("crown-6.1")
    assert result.exit_code == OK
    lines = result.stdout.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        f"{rule.number}  {rule.words}" for rule in BOOKS["crown-6.1"].contents.rules
    ]
    there = lines.index("7.1  Two ranking pairs are two hands")
    assert lines[there + 1] == "    decided by: camera, command"
    assert lines[there + 2].startswith("    engine/books/crown/house_way.toml:")
    assert lines[there + 2].endswith(" two_pairs_are_two_hands")
    assert lines[there + 3].startswith("    tested: tests/engine/")
    outside = lines.index("16.14  A copy of the rules on request")
    assert lines[outside + 1] == "    decided by: nobody"
    assert lines[outside + 2].startswith("    outside: A copy of the document itself")


def test_coverage_as_json() -> None:
    said = json.loads(run("uk-poster", "--json").stdout)
    assert said["rulebook"] == "uk-poster"
    first = said["rules"][BOOKS["uk-poster"].contents.numbers.index("point 1")]
    assert (first["number"], first["state"], first["why"]) == ("point 1", "implemented", "")
    assert any(place.endswith(" FULL_SET") for place in first["code"])
    assert all(place.startswith("tests/") for place in first["tests"])


def test_only_what_is_missing() -> None:
    rules = json.loads(run("star-2024", "--json").stdout)["rules"]
    missing = json.loads(run("star-2024", "--missing", "--json").stdout)["rules"]
    assert missing == [rule for rule in rules if rule["state"] == "open"]


def test_pages_are_written_for_every_book(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pages"
    assert write_pages(folder) == [folder / f"{book}.md" for book in BOOKS]
    for book in BOOKS.values():
        assert (folder / f"{book.id}.md").read_text().startswith(f"# {book.source.title}\n")


def test_an_unknown_rulebook_is_one_line_and_status_2() -> None:
    result = run("crown-6")
    assert (result.exit_code, result.stdout) == (WRONG, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("houseway: ")
