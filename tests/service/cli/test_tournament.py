"""``houseway tournament check`` and ``play`` on documented and broken examples."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from service.cli import app
from tests.conftest import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "tournament" / "crown-6.1-cup.toml"
PAGE = (ROOT / "docs" / "tournaments.md").read_text()


def run(*words: str | Path, command: str = "check") -> Result:
    return CliRunner().invoke(app, ["tournament", command, *(str(word) for word in words)])


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
        ('rulebook = "crown-6.1"', 'rulebook = "nz-1998"', "nz-1998 has no rules for tournaments"),
        ("hands = 30", "hands = 0", "(crown-6.1 15.4.3(a)(i))"),
        ("hands = 30", "hands = 30.5", "format.stages.2.hands"),
        ("bank = 100000", "bank = true", "format.bank"),
        ("[format]", "[format", "not TOML"),
        ('name = "Autumn', 'prize = 5\nname = "Autumn', "prize: unknown key"),
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
    assert "there is no such file" in result.stderr


PLAYED = EXAMPLE.with_name("crown-6.1-evening-played.toml")


def played(tmp_path: Path, old: str, new: str) -> Path:
    text = PLAYED.read_text()
    assert old in text
    file = tmp_path / "played.toml"
    file.write_text(text.replace(old, new, 1))
    (tmp_path / "crown-6.1-evening.toml").write_text(PLAYED.with_name("crown-6.1-evening.toml").read_text())
    return file


def test_the_terms_of_the_example_that_was_played_are_complete() -> None:
    assert run(PLAYED.with_name("crown-6.1-evening.toml")).exit_code == 0


def test_the_example_ends_as_its_comments_say() -> None:
    result = run(PLAYED, command="play")
    assert result.exit_code == 0
    said = json.loads(run(PLAYED, "--json", command="play").stdout)
    assert [table["chips"][-1] for table in said["tables"]] == [
        {"Ann": 1_190, "Bob": 1_000, "Cy": 0},
        {"Dee": 895, "Eve": 900, "Fay": 900},
        {"Ann": 1_375, "Bob": 0, "Eve": 1_750, "Fay": 1_375},
    ]
    assert [table["through"] for table in said["tables"]] == [["Ann", "Bob"], ["Eve", "Fay"], []]
    assert [(place["rank"], place["players"]) for place in said["places"]] == [
        (1, ["Eve"]),
        (2, ["Ann", "Fay"]),
        (4, ["Bob"]),
    ]
    assert (said["prizes"], said["refused"]) == ({"Bob": 1_000}, "")
    for words in (
        "Cy is out of chips in hand 1 (crown-6.1 15.4.5(a))",
        "ended early: those who go on are known (crown-6.1 15.4.8(d)(i))",
        "going on: Ann, Bob (crown-6.1 15.4.3(a)(iii))",
        "eliminated, with chips left: Dee (crown-6.1 15.4.5(a))",
        "Ann, Fay are tied for 6000, 3000: the Tournament Director decides, finally (crown-6.1 15.4.8(h))",
    ):
        assert words in result.stdout


def test_the_page_names_every_key_of_the_play() -> None:
    described = tomllib.loads(PLAYED.read_text())
    tables = described["tables"]
    hands = [hand for table in tables for hand in table["hands"]]
    for key in {*described, *(key for one in (*tables, *hands) for key in one), "through", "buy_backs"}:
        assert re.search(rf"`\[*(tables\.)?{key}\]*`", PAGE), key


def test_what_is_refused_is_said_after_what_came_before(tmp_path: Path) -> None:
    file = played(tmp_path, "Eve = 200, Fay = 200", "Eve = 200, Fay = 50")
    result = run(file, command="play")
    assert result.exit_code == 1
    assert "  Cy is out of chips" in result.stdout
    assert result.stdout.rstrip().endswith(
        "REFUSED  heats, table 2, hand 2: Fay wagers 50; 100 is compulsory in heats (crown-6.1 15.4.4(b))"
    )
    assert json.loads(run(file, "--json", command="play").stdout)["places"] == []


def test_a_tie_for_who_goes_on_is_left_to_the_director(tmp_path: Path) -> None:
    tied = played(tmp_path, "net = { Dee = 95, Eve = -100, Fay = -100 }", "net = { Dee = 100, Eve = -100, Fay = -100 }")
    result = run(tied, command="play")
    assert "Dee, Eve, Fay are tied for 2 of the places that go on: the Tournament Director decides" in result.stdout
    assert result.exit_code == 1
    decided = tied.read_text().replace('players = ["Dee", "Eve", "Fay"]', PLAYERS_DECIDED)
    tied.write_text(decided)
    assert "Eve, Fay by decision (crown-6.1 15.4.8(h))" in run(tied, command="play").stdout


PLAYERS_DECIDED = 'players = ["Dee", "Eve", "Fay"]\nthrough = ["Fay", "Eve"]'


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('terms = "crown-6.1-evening.toml"', 'terms = "none.toml"', "none.toml: there is no such file"),
        ("Ann = 200", 'Ann = "all"', "tables.0.hands.0.stakes.Ann"),
        ("prizes", "prices", "prices: unknown key"),
        ("[[tables]]", "[[tables]", "not TOML"),
    ],
)
def test_a_play_that_is_none(tmp_path: Path, old: str, new: str, part: str) -> None:
    result = run(played(tmp_path, old, new), command="play")
    assert (result.exit_code, result.stdout) == (2, "")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1


def test_terms_without_a_format_cannot_be_played(tmp_path: Path) -> None:
    file = played(tmp_path, "barred", "barred")
    terms = tmp_path / "crown-6.1-evening.toml"
    text = terms.read_text()
    terms.write_text(text[: text.index("[format]")] + text[text.index("[terms]") :])
    result = run(file, command="play")
    assert result.exit_code == 2
    assert "no [format]" in result.stderr


def test_terms_that_fall_short_are_told(tmp_path: Path) -> None:
    file = played(tmp_path, "barred", "barred")
    terms = tmp_path / "crown-6.1-evening.toml"
    terms.write_text(re.sub(r'^"15.4.8\(j\)".*$', "", terms.read_text(), flags=re.MULTILINE))
    assert "the terms fall short of 1 rules" in run(file, command="play").stdout
