"""The commands about the game, as a person types them."""

import csv
import io
import json
import resource
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner, Result

from engine.setting import Deal, Setting
from service.commands import edge, game, house_way

APP = typer.Typer()
for commands in (game, house_way, edge):
    commands.register(APP)
OK, WRONG = 0, 2


def run(*words: str) -> Result:
    return CliRunner().invoke(APP, words)


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
    ],
)
def test_what_is_wrong_is_said_in_one_line(words: str, part: str) -> None:
    result = run(*words.split())
    assert result.exit_code == WRONG
    assert result.stdout == ""
    assert result.stderr.startswith("houseway: ")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1


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


def test_side_bet_in_words_and_in_json() -> None:
    assert "house edge 9.6051%" in run("edge", "--rulebook", "crown-6.1", "--bet", "bonus-a").stdout
    said = json.loads(run("edge", "--rulebook", "crown-6.1", "--bet", "tie-b", "--json").stdout)
    assert [line["count"] for line in said["lines"]] == [1_310_400, 2_457_000, 293_831_960, 438_681_640]
    assert said["edge_with_surrender"] < said["edge"]
    assert "surrenders at best" in run("edge", "--rulebook", "crown-6.1", "--bet", "tie-b").stdout


def test_set_answers_within_a_second_start_up_included() -> None:
    program = "from service.commands import app; app()"
    words = [sys.executable, "-c", program, "set", "6-6", "6-3", "5-4", "2-1", "--rulebook", "crown-6.1"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time, not the clock: the command waits for nothing, and a busy machine must not fail the test.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1.0


def test_the_commands_load_no_picture_code() -> None:
    program = "import sys, service.commands; print([m for m in ('numpy', 'cv2', 'engine') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
