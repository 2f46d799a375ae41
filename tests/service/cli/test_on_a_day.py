"""Commands that show the rules of a day: an amendment can be checked before it is in force."""

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli import app
from tests.engine.house_way.files import HEAD, LAST

DAY, BEFORE = "2099-03-01", "2099-02-28"
NINES = '\n[[rule]]\nnumber = "1"\nname = "nines"\npair = "nines"\nset = "{0}"\n{1}\n'
DEAL = "6-6 6-3 5-4 2-1"


def run(*words: str) -> str:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "own.toml"
    split, keep = NINES.format("split the pair", f"until = {DAY}"), NINES.format("keep the pair", f"from = {DAY}")
    path.write_text(HEAD + split + keep + LAST)
    return str(path)


@pytest.mark.parametrize(("on", "rule"), [([], "split"), (["--on", BEFORE], "split"), (["--on", DAY], "keep")])
def test_tiles_are_set_by_the_rules_of_a_day(own: str, on: list[str], rule: str) -> None:
    found = json.loads(run("set", *DEAL.split(), "--rulebook", own, "--json", *on))
    assert found["text"] == f"Pair of nines: {rule} the pair."


def test_export_and_card_of_a_day(own: str, tmp_path: Path) -> None:
    for day, low in ((BEFORE, "6-3 2-1"), (DAY, "6-6 2-1")):
        rows = csv.DictReader(io.StringIO(run("house-way", "export", "--rulebook", own, "--on", day)))
        assert next(row["low"] for row in rows if row["hand"] == DEAL) == low
    card = tmp_path / "card.html"
    run("house-way", "export", "--rulebook", own, "--card", str(card), "--on", DAY)
    assert f"2026-03, amended {DAY}" in card.read_text()


def test_difference_and_edge_on_a_day(own: str) -> None:
    for words in (("house-way", "diff", "crown-6.1", own), ("edge", "--rulebook", own)):
        assert run(*words, "--on", BEFORE) != run(*words, "--on", DAY)


def test_the_check_names_every_version(own: str) -> None:
    result = CliRunner().invoke(app, ("house-way", "check", own)).stdout
    assert f": 3 rules, 35,960 of 35,960 deals decided; and 3 rules from {DAY} on, 35,960 of " in result
    found = json.loads(CliRunner().invoke(app, ("house-way", "check", own, "--json")).stdout)
    (later,) = found["later"]
    assert later["from"] == DAY
    assert sum(rule["decides"] for rule in later["rules"]) == 35_960


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("set 6-6 6-3 5-4 2-1 --rulebook star-2024 --on 2024-08-15", "no version of star-2024 was in force"),
        ("edge --rulebook uk-poster --house-way star-2024 --on 2024-08-15", "no version of star-2024 was in force"),
        ("house-way diff crown-6.1 star-2024 --on 2024-08-15", "no version of star-2024 was in force"),
        ("cut --rulebook star-2024 --on 2024-08-15", "no version of star-2024 was in force"),
        ("house-way export --rulebook crown-6.1 --on 2027-02-30", "'2027-02-30' is not a day"),
    ],
)
def test_days_that_are_refused(words: str, message: str) -> None:
    result = CliRunner().invoke(app, words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
