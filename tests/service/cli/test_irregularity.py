"""``houseway irregularity``, as a person types it."""

import json

import pytest
from typer.testing import CliRunner, Result

from engine.books.registry import BOOKS
from engine.vocabulary.irregularities import Irregularity
from service.cli import app


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["irregularity", *words])


def test_without_a_kind_all_are_listed_and_silence_is_marked() -> None:
    lines = run("--rulebook", "uk-poster").stdout.splitlines()
    assert len(lines) == 1 + len(Irregularity)
    by_kind = {line.split()[0]: line for line in lines[1:]}
    assert by_kind["cocked-die"].endswith("(the book is silent)")
    assert not by_kind["wrong-deal"].endswith("(the book is silent)")


@pytest.mark.parametrize("book", BOOKS)
def test_each_listed_kind_can_be_asked_for(book: str) -> None:
    listed = json.loads(run("--rulebook", book, "--json").stdout)
    assert listed["rulebook"] == book
    assert listed["rulebook_version"] == BOOKS[book].version
    for each in listed["irregularities"]:
        said = json.loads(run(each["irregularity"], "--rulebook", book, "--json").stdout)
        assert said["irregularity"] == each["irregularity"]
        assert said["silent"] is each["silent"]
        assert said["happened"] == each["happened"]
        assert said["reached"] is None
        assert all(option["rules"][0].startswith(f"{book} ") for option in said["options"])


def test_a_finding_in_words() -> None:
    words = ("not-house-way", "--rulebook", "nz-1998", "--whose", "house", "--moment", "first-hand-exposed")
    assert run(*words).stdout == (
        "nz-1998: a hand is not set the House Way (the House hand)\n"
        "  must  dealer: Leave it: the House hand stands as laid (nz-1998 12.8(b)).\n"
        "        wagers: results stand as they are\n"
    )


def test_a_finding_as_json() -> None:
    asked = ("wrong-deal", "--rulebook", "star-2024", "--moment", "dice-shown", "--moment", "tiles-delivered", "--json")
    said = json.loads(run(*asked).stdout)
    assert said["reached"] == ["shuffled", "stacked", "bets-closed", "cut-named", "dice-shown", "tiles-delivered"]
    assert [option["effect"] for option in said["options"]] == ["none", "round-void"]
    first, second = said["options"]
    assert first == {
        "duty": "must",
        "by": "dealer",
        "decided_by": [
            "casino supervisor",
            "Gaming Supervisor",
            "Assistant Gaming Manager",
            "Gaming Manager",
            "casino operator",
            "The Star",
            "House",
            "dealer",
        ],
        "text": "Reconstruct the deal now, before a player has handled tiles (star-2024 15.11).",
        "effect": "none",
        "wagers": "no wager is touched",
        "rules": ["star-2024 15.11"],
        "rulings": [],
        "whose": [],
        "banks": [],
        "given": [],
        "where": "",
        "after": None,
        "before": "tiles-handled",
    }
    assert second["where"] == "it cannot be reconstructed"


def test_a_silent_book_says_so() -> None:
    said = run("hands-mixed", "--rulebook", "crown-6.1").stdout
    assert "The rulebook does not say what to do: the supervisor decides." in said
    assert "TG Area Manager (or above): Decide; the decision is final (crown-6.1 16.10)." in said


@pytest.mark.parametrize(
    ("words", "part"),
    [
        pytest.param("wrong-dael --rulebook nz-1998", "did you mean wrong-deal?", id="kind"),
        pytest.param("wrong-deal --rulebook nz-1999", "did you mean nz-1998?", id="book"),
        pytest.param("wrong-deal --rulebook nz-1998 --moment never", "no milestone is called 'never'", id="moment"),
        pytest.param("wrong-deal --rulebook nz-1998 --whose mine", "known: house, co-bank", id="whose"),
        pytest.param("wrong-deal --rulebook nz-1998 --on 1998-01-31", "in force on 1998-01-31", id="before-it"),
        pytest.param("wrong-deal --rulebook nz-1998 --bank mine", "known: house, player, co-bank", id="bank"),
        pytest.param("wrong-deal --rulebook star-2024 --bank co-bank", "nobody banks as co-bank", id="no-such-bank"),
        pytest.param(
            "not-house-way --rulebook star-2024 --whose co-bank", "nobody banks as co-bank", id="no-such-hand"
        ),
        pytest.param("dispute --rulebook nz-1998 --whose house --bank player", "house is no hand", id="other-bank"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words: str, part: str) -> None:
    result = run(*words.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("houseway: ")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1
