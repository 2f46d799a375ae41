"""The commands about the game, as a person types them."""

import csv
import io
import json
import re
import subprocess
import sys
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.analysis.edge import rate as parsed
from engine.books.registry import VERSIONS
from engine.game.setting import Deal, Setting
from service.cli import app
from service.cli.common import commission_notes
from tests.conftest import ROOT

OK, WRONG = 0, 2


@cache  # what is counted is counted once
def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def test_set_names_hands_rule_and_refusals() -> None:
    result = run("set", "6-6", "63", "4-5", "2-1", "--rulebook", "crown-6.1")
    assert result.exit_code == OK
    low, high, rule, *refused = result.stdout.splitlines()[1:]
    assert low.split() == ["low", "6-6", "2-1", "8", "with", "the", "Teen"]
    assert high.split() == ["high", "6-3", "5-4", "pair", "of", "nines"]
    assert rule.strip().startswith("rule  crown-6.1 7.3: A pair is kept")
    assert len(refused) == 2
    assert all("it splits a pair that is kept (crown-6.1 7.3)" in line for line in refused)


def test_set_as_json() -> None:
    result = run("set", "6-6", "6-5", "6-1", "5-2", "--rulebook", "crown-6.1", "--json")
    said = json.loads(result.stdout)
    assert (said["low"], said["high"], said["rule"]) == (["6-5", "6-1"], ["6-6", "5-2"], "crown-6.1 7.4.1")
    assert said["alike"] == [{"low": ["6-5", "5-2"], "high": ["6-6", "6-1"]}]
    assert [refused["low"] for refused in said["refused"]] == [["6-6", "6-5"]]
    assert said["explanation"].startswith("Set low 6-5 6-1 (8 with the eleven), high 6-6 5-2 (Teen High Nine).")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        pytest.param("set 6-6 6-3 5-4 --rulebook crown-6.1", "four tiles, not 3", id="three-tiles"),
        pytest.param("set 6-6 6-3 5-4 2-1 1-1 --rulebook crown-6.1", "four tiles, not 5", id="five-tiles"),
        pytest.param("set 6-6 6-6 6-6 2-1 --rulebook crown-6.1", "named 3 times", id="three-of-a-face"),
        pytest.param("set 6-6 7-3 5-4 2-1 --rulebook crown-6.1", "'7-3' is not a tile", id="bad-name"),
        pytest.param("set 6-6 6-3 5-4 2-1 --rulebook crown", "did you mean crown-6.1?", id="unknown-book"),
        pytest.param("set 6-6 6-3 5-4 2-1 --rulebook uk-poster", "prints no House Way", id="uk-poster"),
        pytest.param("set 6-6 6-3 5-4 2-1 --rulebook no.py", "there is no such file", id="missing-file"),
        pytest.param("house-way export --rulebook crown", "known: crown-6.1", id="export-unknown-book"),
        pytest.param("house-way diff crown-6.1 star", "known: crown-6.1", id="diff-unknown-book"),
        pytest.param("edge --rulebook star", "known: crown-6.1", id="edge-unknown-book"),
        pytest.param("edge --rulebook crown-6.1 --bet big", "no bet is called 'big'", id="unknown-bet"),
        pytest.param("edge --rulebook nz-1998 --bet tie-a", "nz-1998 does not offer tie-a", id="bet-not-offered"),
        pytest.param("edge --rulebook crown-6.1 --commission five", "'five' is no rate", id="no-rate"),
        pytest.param("edge --rulebook crown-6.1 --commission 5", "write 5% for five", id="rate-of-all"),
        pytest.param("edge --rulebook crown-6.1 --player-way best", "maximise-low, max", id="unknown-player-way"),
        pytest.param("edge --rulebook crown-6.1 --bet tie-a --commission 4%", "without commission", id="bet-level"),
        pytest.param("edge --rulebook crown-6.1 --bet tie-a --banking", "by the house", id="bet-banking"),
        pytest.param(
            "edge --rulebook crown-6.1 --bet bonus-a --player-way nz-1998", "does not depend", id="bet-player-way"
        ),
        pytest.param("house-way diff crown-6.1 nz-1998 --commission x", "'x' is no rate", id="diff-no-rate"),
        pytest.param("house-way check crown", "did you mean crown-6.1?", id="check-unknown-book"),
        pytest.param("house-way check no.py", "there is no such file", id="check-missing-file"),
        pytest.param("house-way export --rulebook uk-poster --card card.html", "prints no House Way", id="card-uk"),
        pytest.param(
            "house-way export --rulebook crown-6.1 --card /no/such/folder/card.html",
            "cannot be written",
            id="card-folder",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words: str, part: str) -> None:
    result = run(*words.split())
    assert result.exit_code == WRONG
    assert result.stdout == ""
    assert result.stderr.startswith("houseway: ")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("words", ["set 6-6 6-3 5-4 2-1", "throw 3 5 2", "irregularity", "house-way export"])
def test_a_missing_rulebook_is_answered_with_those_there_are(words: str) -> None:
    result = run(*words.split())
    assert (result.exit_code, result.stdout) == (WRONG, "")
    assert f"Missing option '--rulebook'. Known: {', '.join(VERSIONS)}\n" in result.stderr


def test_export_is_plain_csv_of_every_hand() -> None:
    result = run("house-way", "export", "--rulebook", "star-2024")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["hand", "low", "high", "rule"]
    assert len({row["hand"] for row in rows}) == len(rows) == 8130
    for row in rows:
        assert Setting.parse(f"{row['low']} / {row['high']}").deal == Deal.parse(row["hand"])
        assert row["rule"].startswith("star-2024 Appendix 2: ")
    by_hand = {row["hand"]: row for row in rows}
    assert by_hand["6-6 6-3 5-4 2-1"] == {
        "hand": "6-6 6-3 5-4 2-1", "low": "6-6 2-1", "high": "6-3 5-4", "rule": "star-2024 Appendix 2: 3",
    }  # fmt: skip
    assert result.stdout.count('"') == 0


def test_diff_in_words_and_in_json() -> None:
    text = run("house-way", "diff", "crown-6.1", "star-2024").stdout
    assert text.startswith("crown-6.1 and star-2024 set 156 of 35,960 deals differently: 15 kinds of hand, 48 by face.")
    said = json.loads(run("house-way", "diff", "crown-6.1", "star-2024", "--json").stdout)
    assert (said["kinds"], said["deals"], said["of_deals"], len(said["hands"])) == (15, 156, 35960, 48)
    assert sum(hand["deals"] for hand in said["hands"]) == 156
    assert said["edge_first"] == pytest.approx(0.0238844, abs=1e-7)


def test_edge_in_words_and_in_json() -> None:
    text = run("edge", "--rulebook", "crown-6.1").stdout
    assert "2.388435%" in text
    said = json.loads(run("edge", "--rulebook", "crown-6.1", "--json").stdout)
    assert list(said) == ["player_wins", "pushes", "player_loses", "total", "edge", "banker_edge"]
    assert said["player_wins"] + said["pushes"] + said["player_loses"] == said["total"] == 736_281_000


def test_diff_by_the_rules_that_part_the_hands() -> None:
    text = run("house-way", "diff", "crown-6.1", "star-2024").stdout
    summary, _, first, *rest = text.split("\n\n")
    assert "  the House alone changes to star-2024  2.369541 %: the House loses 0.018894 %\n" in summary
    assert first.splitlines()[0] == (
        "crown-6.1 7.5.4 against star-2024 Appendix 2: 7 line 6: 32 deals, 2 kinds, in all the House loses 0.003483 %"
    )
    assert (
        "  High 8, High 6, five, Gee Jun: dealt 16 of 35,960, such as 4-4 3-3 4-1 4-2; the House loses 4.42 %" in first
    )
    said = json.loads(run("house-way", "diff", "crown-6.1", "star-2024", "--json").stdout)
    assert len(said["groups"]) == 1 + len(rest)
    assert sum(group["deals"] for group in said["groups"]) == 156
    gained = said["edge_house_second_player_first"] - said["edge_first"]
    assert sum(group["adds_to_edge"] for group in said["groups"]) == pytest.approx(gained)
    assert sum(hand["adds_to_edge"] for hand in said["hands"]) == pytest.approx(gained)
    assert said["commission"] == "1/20"
    at_3 = json.loads(run("house-way", "diff", "crown-6.1", "star-2024", "--commission", "3%", "--json").stdout)
    assert at_3["edge_first"] == pytest.approx(0.0179692, abs=1e-7)


@pytest.mark.parametrize(
    ("other", "options", "last"),
    [
        ("star-2024", [], "High 6, nine, five, Gee Jun: dealt 16 of 35,960: the House loses 10.74 % each time"),
        ("nz-1998", ["--commission", "7%"], None),
        ("crown-6.1", [], "crown-6.1 and crown-6.1 set all 35,960 deals the same way."),
    ],
)
def test_diff_begins_with_a_summary_of_at_most_ten_lines(other: str, options: list[str], last: str | None) -> None:
    text = run("house-way", "diff", "crown-6.1", other, *options).stdout
    summary = text.split("\n\n")[0].splitlines()
    assert len(summary) <= 10
    assert not re.search(r"(gains|loses) -", text)
    if last is not None:
        assert last in [line.strip() for line in summary]


def test_edge_against_another_way_and_at_another_commission() -> None:
    said = json.loads(run("edge", "--rulebook", "crown-6.1", "--commission", "4%", "--json").stdout)
    assert list(said) == ["player_wins", "pushes", "player_loses", "total", "edge", "banker_edge"]
    assert (round(said["edge"], 9), round(said["banker_edge"], 9)) == (0.020926774, 0.003097708)
    said = json.loads(run("edge", "--rulebook", "crown-6.1", "--player-way", "best-reply", "--json").stdout)
    assert (said["player_wins"], said["player_loses"], said["player_way"]) == (218_987_048, 219_083_892, "best-reply")
    other = json.loads(run("edge", "--rulebook", "crown-6.1", "--player-way", "nz-1998", "--json").stdout)
    assert other["total"] == 736_281_000
    assert other["edge"] != said["edge"]
    text = run("edge", "--rulebook", "crown-6.1", "--player-way", "maximise-low", "--commission", "1/25").stdout
    assert "the House sets its House Way, the player maximise-low" in text
    assert "at 4 % commission" in text


def test_edge_when_a_player_banks() -> None:
    text = run("edge", "--rulebook", "crown-6.1", "--banking").stdout
    rows = {words[0]: words[1:] for line in text.splitlines() if (words := line.split()) and "-bank" in words[0]}
    assert rows["player-bank"] == ["2.388435%", "0.614625%", "3.003060%"]
    assert rows["co-bank"] == ["2.388435%", "0.307313%", "2.695748%"]
    assert "One opponent with one wager." in text
    said = json.loads(run("edge", "--rulebook", "crown-6.1", "--banking", "--json").stdout)
    banking = said["banking"]
    assert banking["commission"] == "1/20"
    assert banking["player"]["banker_edge"] == said["banker_edge"]
    assert banking["player"]["house_keeps"] == pytest.approx(said["edge"] + said["banker_edge"])
    assert banking["co_bank"]["house_keeps"] == pytest.approx(said["edge"] + said["banker_edge"] / 2)
    assert banking["player"]["banker_edge_without_commission"] == pytest.approx(-0.009096462)
    assert len(banking["assumed"]) == 5


def test_a_tie_against_a_player_who_sets_otherwise() -> None:
    said = json.loads(
        run("edge", "--rulebook", "crown-6.1", "--bet", "tie-a", "--player-way", "maximise-low", "--json").stdout
    )
    assert [line["count"] for line in said["lines"]] == [1_164_012, 256_046_360, 479_070_628]


def test_check_of_a_printed_way() -> None:
    result = run("house-way", "check", "crown-6.1")
    assert result.exit_code == OK
    head = "crown-6.1 (Crown Melbourne, Pai Gow Rules, 6.1): 31 rules, 35,960 of 35,960 deals decided"
    assert result.stdout == f"{head}; no faults, no notes\n"
    result = run("house-way", "check", "star-classic", "--json")
    said = json.loads(result.stdout)
    assert result.exit_code == OK
    assert (said["faults"], said["notes"], [finding["code"] for finding in said["findings"]]) == (0, 0, [])
    assert sum(one["decides"] for one in said["rules"]) == said["of_deals"] == 35_960


FAULTY = """
from engine.house_way import HouseWay, Source, rule
from engine.house_way.terms import undominated
from engine.game.tiles import Kind

GUIDE = Source("{id}", "Example Casino, Pai Gow House Way", revision="2026-02")

@rule(cite=GUIDE.at("1"), refusal="it is worse in one hand and no better in the other")
def never_the_worse_one(deal, settings):
    '''Never a setting that another one beats in one hand and equals in the other.'''
    return undominated(settings)

@rule(cite=GUIDE.at("2"), refusal="no")
def low_hand(deal, settings):
    '''Without a Teen, the best low hand.'''
    if deal.kinds[0] is Kind.TEEN:
        return None
    best = max(setting.ranks for setting in settings)
    return tuple(setting for setting in settings if setting.ranks == best)

HOUSE_WAY = HouseWay(source=GUIDE, rules=(never_the_worse_one, low_hand))
"""


def test_check_of_a_faulty_file(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(FAULTY.format(id="example-2026"))
    result = run("house-way", "check", str(path))
    assert result.exit_code == 1
    head, *lines = result.stdout.splitlines()
    assert head.startswith("example-2026 (Example Casino, Pai Gow House Way, 2026-02): 2 rules, ")
    assert lines[0].startswith("fault  undecided: ")
    assert re.fullmatch(r" {9}6-6( \d-\d){3}: .+ or .+", lines[1])
    assert re.fullmatch(r" {9}and [\d,]+ more by face; --json names them all", lines[4])
    assert [line.split(":")[0] for line in lines if line.startswith("note")] == ["note   source", "note   remedy"]
    said = json.loads(run("house-way", "check", str(path), "--json").stdout)
    undecided = [finding for finding in said["findings"] if finding["code"] == "undecided"]
    assert all(finding["kind"] == "fault" for finding in undecided)
    assert all(hand.startswith("6-6 ") for finding in undecided for hand in finding["hands"])
    assert sum(finding["deals"] for finding in undecided) + sum(one["decides"] for one in said["rules"]) == 35_960


def test_check_of_a_file_that_bears_the_id_of_another_book(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(FAULTY.format(id="nz-1998"))
    assert "fault  id: the id nz-1998 is another rulebook's" in run("house-way", "check", str(path)).stdout
    printed = str(ROOT / "engine" / "books" / "nz" / "house_way.py")
    assert run("house-way", "check", printed).exit_code == OK


def test_card_is_written(tmp_path: Path) -> None:
    out = tmp_path / "card.html"
    result = run("house-way", "export", "--rulebook", "nz-1998", "--card", str(out))
    assert result.exit_code == OK
    assert result.stdout == f"{out}: 20 rules and 3,620 kinds of deal; print it on A4\n"
    assert out.read_text().startswith("<!doctype html>")


def test_side_bet_in_words_and_in_json() -> None:
    assert "house edge 9.6051%" in run("edge", "--rulebook", "crown-6.1", "--bet", "bonus-a").stdout
    said = json.loads(run("edge", "--rulebook", "crown-6.1", "--bet", "tie-b", "--json").stdout)
    assert [line["count"] for line in said["lines"]] == [1_310_400, 2_457_000, 293_831_960, 438_681_640]
    assert said["edge_with_surrender"] < said["edge"]
    assert "surrenders at best" in run("edge", "--rulebook", "crown-6.1", "--bet", "tie-b").stdout


def test_set_imports_one_book_and_no_numpy() -> None:
    program = (
        "import sys; from service.cli import app; app(standalone_mode=False); "
        "print([m for m in sys.modules if m == 'numpy' or m.count('.') == 2 and m.startswith('engine.books.')])"
    )
    words = [sys.executable, "-c", program, "set", "6-6", "6-3", "5-4", "2-1", "--rulebook", "crown-6.1"]
    loaded = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
    assert "engine.books.crown" in loaded
    assert not [name for name in ("numpy", "books.nz", "books.star", "books.uk") if name in loaded]


def test_the_commands_load_no_picture_code() -> None:
    program = "import sys, service.cli; print([m for m in ('numpy', 'cv2', 'engine') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("book", "rate", "rules"),
    [
        ("crown-6.1", "5%", []),
        ("crown-6.1", "4%", []),  # 11.2: the House may collect less
        ("crown-6.1", "6%", ["crown-6.1 11.1"]),
        ("nz-1998", "4%", ["nz-1998 6.11"]),
        ("star-2024", "4%", ["star-2024 14.1"]),
        ("star-classic", "1/10", ["star-classic 14.1"]),
    ],
)
def test_a_commission_not_in_the_book_is_called_a_what_if(book: str, rate: str, rules: list[str]) -> None:
    notes = commission_notes(parsed(rate), date(2026, 1, 1), book)
    assert len(notes) == len(rules)
    for note, rule in zip(notes, rules, strict=True):
        assert note.startswith(f"only a what-if under {book}: ")
        assert f"({rule}" in note


def test_the_edge_says_it_too() -> None:
    text = run("edge", "--rulebook", "nz-1998", "--commission", "4%").stdout
    assert text.splitlines()[-1].startswith("  note: only a what-if under nz-1998: the commission is 5 %, not 4 %")


def test_a_difference_says_it_of_either_book() -> None:
    both = commission_notes(parsed("6%"), date(2026, 1, 1), "star-2024", "crown-6.1", "own-way")
    assert [note.split()[4] for note in both] == ["star-2024:", "crown-6.1:"]
    text = run("house-way", "diff", "star-2024", "crown-6.1", "--commission", "4%").stdout
    assert [line for line in text.splitlines() if line.startswith("note: ")] == [
        "note: only a what-if under star-2024: the commission is 5 %, not 4 % (star-2024 14.1, read under ruling 22)"
    ]
