"""``houseway cut`` and ``houseway throw``, as a person types them."""

import json

import pytest
from typer.testing import CliRunner, Result

from engine.vocabulary.delivery_order import Turn
from service.cli import app

OK, WRONG = 0, 2


def run(words: str) -> Result:
    return CliRunner().invoke(app, words.split())


def test_cut_draws_the_stacks_with_numbers() -> None:
    result = run("cut cup say --orientation left --orientation bottom")
    assert result.exit_code == OK
    assert result.stdout.splitlines()[0].startswith("Cup Say (Tiger's Head), bottom, left: ")
    assert result.stdout.splitlines()[2:6] == ["  2 2 4 4 6 6 8 8"] * 2 + ["  1 1 3 3 5 5 7 7"] * 2
    assert result.stdout.splitlines()[-1] == "  crown-6.1 Appendix 2: Cup Say Di Chut"


def test_a_name_may_say_the_orientation() -> None:
    assert run("cut cup say di chut").stdout == run("cut cup say --orientation bottom").stdout
    assert run("cut fong may").stdout == run("cut long fong may tau --orientation tail").stdout


def test_cut_shows_what_is_moved_first_and_what_is_not_known() -> None:
    assert run("cut foot say").stdout.splitlines()[-4:] == [
        "    1 1 5 5 5 5 1 1",
        "    2 2 6 6 6 6 2 2",
        "    3 3 7 7 7 7 3 3",
        "    4 4 8 8 8 8 4 4",
    ]
    assert "pictures that show how the eight stacks are moved are lost" in run("cut hong kong bank").stdout


def test_cut_as_json() -> None:
    said = json.loads(run("cut big slice --rulebook nz-1998 --json").stdout)
    assert (said["cut"], said["rule"], said["orientation"]) == ("dai-pin", "nz-1998 Appendix 5", ["right"])
    assert (said["order_rule"], said["rulings"]) == ("crown-6.1 Appendix 2: Dai Pin", [29])
    assert said["order"][0] == [{"stack": stack, "level": 4} for stack in (5, 6, 7, 8)]
    assert said["order_from_the_stacks"] == said["order"]
    assert said["rows"] == ["22221111", "44443333", "66665555", "88887777"]
    assert json.loads(run("cut wui fung bank --json").stdout)["order_from_the_stacks"] is None


def test_cut_without_a_name_lists_those_of_the_book() -> None:
    lines = run("cut --rulebook star-2024").stdout.splitlines()
    assert lines[0].startswith("20 cuts are named (star-2024 Appendix 3); ")
    assert "--orientation" in lines[0]
    assert len(lines) == 21
    assert sum("no rulebook draws" in line for line in lines) == 12
    listed = json.loads(run("cut --rulebook star-2024 --json").stdout)
    assert sum(each["drawn"] for each in listed) == 8
    assert listed[1]["options"] == [["right", "left"], ["top", "bottom"]]


def test_the_help_of_cut_names_every_orientation() -> None:
    words = run("cut --help").stdout.split()
    assert {turn.value for turn in Turn} <= {word.strip(",.") for word in words}


def test_throw_in_words() -> None:
    lines = run("throw 3 5 2 --cut-die 4 --chung 6 --button +2 --rulebook star-2024").stdout.splitlines()
    assert lines == [
        "total      10, with the button +2 12",
        "first box  1, counting box 6 as 1 (star-2024 8.4.1, read under rulings 25 and 26)",
        "tiles to   1 2 3 4 5 6 7 8",
        "cut die    Dai Pin (Big Slice) (star-2024 Appendix 4)",
        "cut        the player-banker decides, else the cut die (star-2024 8.4.3)",
    ]


def test_throw_as_json() -> None:
    said = json.loads(run("throw 3 5 2 --cut-die 4 --rulebook crown-6.1 --json").stdout)
    assert said["shake_again"] is False
    assert (said["bank"], said["chung"], said["total"], said["adjusted"], said["first_box"]) == ("house", 1, 10, 10, 2)
    assert said["boxes"] == [2, 3, 4, 5, 6, 7, 8, 1]
    assert (said["cut_shown"]["cut"], said["cut_decided_by"], said["cut_rule"]) == (
        "dai-pin",
        ["the cut die"],
        "crown-6.1 5.4.1",
    )
    assert (said["big_small"], said["doubt"], said["rule"], said["rulings"]) == ("small", None, "crown-6.1 4.4.2", [25])


def test_throw_where_no_die_decides_the_cut() -> None:
    said = json.loads(run("throw 3 5 2 --chung 6 --button -4 --bank co-bank --rulebook nz-1998 --json").stdout)
    assert (said["bank"], said["button"], said["adjusted"], said["first_box"]) == ("co-bank", -4, 6, 3)
    assert (said["cut_shown"], said["cut_usual"]) == (None, "yat-dong-dong")
    assert said["cut_decided_by"] == ["the player-banker", "the game supervisor"]


def test_throw_of_crown_pai_gow() -> None:
    words = run("throw 6 --cut-die 1 --big-small-die 4 --variant crown-pai-gow --rulebook crown-6.1").stdout
    assert "first box  6" in words
    assert "Big/Small  big" in words
    assert "Big/Small" not in run("throw 6 --cut-die 1 --variant crown-pai-gow --rulebook crown-6.1").stdout


def test_throw_reports_doubts_and_the_dealers_place() -> None:
    words = run("throw 3 3 2 --rulebook uk-poster").stdout
    assert "(8 is the dealer's own place)" in words
    assert "doubtful" in words
    assert "doubtful" not in run("throw 3 3 1 --rulebook uk-poster").stdout
    assert json.loads(run("throw 3 3 2 --rulebook uk-poster --json").stdout)["doubt"].endswith("a banker of 1 holds")


def test_a_leaning_die_is_an_answer_not_a_fault() -> None:
    result = run("throw 3 Cocked 2 --rulebook nz-1998")
    assert (result.exit_code, result.stdout) == (
        OK,
        "a box die is cocked: the dice must be shaken again (nz-1998 9.8)\n",
    )
    said = json.loads(run("throw 3 5 2 --cut-die cocked --rulebook star-2024 --json").stdout)
    assert (said["shake_again"], said["rule"]) == (True, "star-2024 8.3")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("cut kangaroo", "crown-6.1 names no cut 'kangaroo'"),
        ("cut pong yun --rulebook nz-1998", "no rulebook draws how Pong Yun (Buddha's Signal) is delivered"),
        ("cut dai pin --orientation top", "cannot be turned 'top'"),
        ("cut cup say di chut --orientation top", "is turned top or bottom, not both"),
        ("cut dai pin --orientation up", "'up' is not an orientation of a cut; choose one of right, left"),
        (
            "cut cup say Bottom left",
            "'Bottom left' is not part of the cut's name: write --orientation bottom --orientation l",
        ),
        ("cut kangaroo left", "crown-6.1 names no cut 'kangaroo'"),
        ("throw 3 5 2 --rulebook crown-6.1", "for example --cut-die 4 (crown-6.1 2.4.3)"),
        ("cut dai pin --rulebook crown", "did you mean crown-6.1?"),
        ("throw 7 1 1 --cut-die 1 --rulebook crown-6.1", "a die shows 1 to 6, not 7 (crown-6.1 2.4.2)"),
        ("throw 3 5 x --rulebook nz-1998", "'x' is not a die"),
        ("throw 3 5 2 --cut-die 4 --rulebook nz-1998", "this cup has no cut die: leave it out (nz-1998 3.3(b))"),
        (
            "throw 3 5 2 --chung 6 --button +2 --rulebook nz-1998",
            "there is no button +2; there are -4, +4 (nz-1998 9.6",
        ),
        ("throw 3 5 2 --button -4 --rulebook nz-1998", "only a player who banks may nominate one (nz-1998 9.6"),
        (
            "throw 3 5 2 --chung 9 --rulebook nz-1998",
            "the chung lies on box 1 to 8, not 9 (nz-1998 11.2(a))",
        ),
        ("throw 3 5 2 --bank nobody --rulebook nz-1998", "unknown bank 'nobody': house, player or co-bank"),
        ("throw 3 --variant bonanza --rulebook crown-6.1", "it has: crown-pai-gow"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words: str, part: str) -> None:
    result = run(words)
    assert result.exit_code == WRONG
    assert result.stdout == ""
    assert result.stderr.startswith("houseway: ")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "chung", "order"),
    [
        ("--cut-die 4 --rulebook crown-6.1", 8, [6, 5, 4, 3, 2, 1, 8, 7]),
        ("--rulebook nz-1998", 1, [7, 6, 5, 4, 3, 2, 1, 8]),
        ("--rulebook uk-poster", 8, [6, 5, 4, 3, 2, 1, 8, 7]),
        ("--chung 3 --cut-die 4 --rulebook star-2024", 3, [1, 8, 7, 6, 5, 4, 3, 2]),
    ],
)
def test_throw_on_a_felt_numbered_from_the_left(words: str, chung: int, order: list[int]) -> None:
    """Ruling 38, and each book's own words for where the House's chung lies."""
    said = json.loads(run(f"throw 1 1 1 {words} --from-left --json").stdout)
    assert (said["chung"], said["first_box"], said["boxes"]) == (chung, order[0], order)


def test_a_table_of_six_boxes() -> None:
    """crown-6.1 2.2.1, 14.3.2(c)(i): no box is named that the table lacks; 4.4.2 counts eight, which is said."""
    words = "--cut-die 2 --rulebook crown-6.1 --boxes 6 --json"
    told = json.loads(run(f"throw 6 --variant crown-pai-gow --chung 3 {words}").stdout)
    assert (told["first_box"], told["boxes"], told["doubt"]) == (2, [2, 3, 4, 5, 6, 1], None)
    told = json.loads(run(f"throw 3 3 6 {words}").stdout)
    assert (told["first_box"], told["boxes"]) == (4, [4, 5, 6, 1, 2, 3])
    assert "this table has fewer" in told["doubt"]
    assert "knows tables of 8" in run("throw 3 3 2 --rulebook nz-1998 --boxes 6").stderr
