"""``houseway settle`` on the documented examples, compared with numbers worked by hand from the rulebooks.

The working, with the rule beside each number, stands in the examples themselves, in `docs/examples/settle`.
"""

import json
import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine.books.registry import BOOKS
from service.cli import app
from tests.conftest import ROOT

EXAMPLES = ROOT / "docs" / "examples" / "settle"

# By example: for each wager in the order of payment (box, player, call, paid, commission, lost), and all balances.
WORKED: dict[str, tuple[list[tuple[int, str, str, int, int, int]], dict[str, int]]] = {
    "crown-6.1-house": (
        [
            (2, "Ann", "Jung", 10_500, 500, 0),
            (3, "Bob", "Che", 0, 0, 30_000),
            (3, "Dee", "Che", 0, 0, 5_000),
            (5, "Cy", "Jowl", 0, 0, 0),
            (7, "Ann", "Che", 0, 0, 5_000),
            (8, "Eve", "void", 0, 0, 0),
        ],
        {"player Ann": 5_500, "player Bob": -30_000, "player Dee": -5_000, "house float": 29_000, "commission": 500},
    ),
    "crown-6.1-player": (
        [
            (5, "Cy", "Jowl", 0, 0, 0),
            (7, "Ann", "Che", 0, 0, 5_000),
            (2, "Ann", "Jung", 10_500, 500, 0),
            (3, "Bob", "Che", 0, 0, 20_000),
        ],
        {"player Ann": 5_500, "player Bob": -20_000, "player Zed": 13_300, "commission": 1_200},
    ),
    "crown-6.1-co-bank": (
        [(5, "Cy", "Jowl", 0, 0, 0), (2, "Ann", "Jung", 20_000, 1_000, 0), (3, "Bob", "Che", 0, 0, 10_000)],
        {
            "player Ann": 20_000,
            "player Bob": -10_000,
            "player Zed": -5_500,
            "house float": -5_500,
            "commission": 1_000,
        },
    ),
    "crown-6.1-house-zero": ([(2, "Ann", "Jowl", 0, 0, 0)], {}),
    "crown-6.1-bonanza-house": (
        [
            (2, "Ann", "won", 1_000, 0, 0),
            (3, "Bob", "lost", 0, 0, 500),
            (2, "Ann", "won", 10_000, 0, 0),
            (2, "Ann", "Jung", 19_000, 1_000, 0),
            (3, "Bob", "lost", 0, 0, 2_000),
            (3, "Bob", "Che", 0, 0, 10_000),
            (5, "Cy", "won", 2_000, 0, 0),
            (5, "Dee", "surrendered", 0, 0, 2_000),
            (6, "Eve", "won", 3_000, 0, 0),
            (6, "Fay", "surrendered", 0, 0, 1_200),
            (6, "Gus", "surrendered", 0, 0, 1_000),
        ],
        {
            "player Ann": 30_000,
            "player Bob": -12_500,
            "player Cy": 2_000,
            "player Dee": -2_000,
            "player Eve": 3_000,
            "player Fay": -1_200,
            "player Gus": -1_000,
            "house float": -19_300,
            "commission": 1_000,
        },
    ),
    "crown-6.1-bonanza-player": (
        [
            (4, "Zed", "won", 4_000, 0, 0),
            (5, "Cy", "won", 3_000, 0, 0),
            (7, "Eve", "won", 2_000, 0, 0),
            (2, "Ann", "won", 300_000, 0, 0),
            (2, "Ann", "Che", 0, 0, 10_000),
            (3, "Bob", "lost", 0, 0, 1_000),
        ],
        {
            "player Zed": 13_500,
            "player Cy": 3_000,
            "player Eve": 2_000,
            "player Ann": 290_000,
            "player Bob": -1_000,
            "house float": -308_000,
            "commission": 500,
        },
    ),
    "crown-6.1-bonanza-co-bank": (
        [
            (3, "Bob", "lost", 0, 0, 500),
            (4, "Zed", "won", 1_000, 0, 0),
            (5, "Cy", "lost", 0, 0, 1_000),
            (2, "Ann", "won", 10_000, 0, 0),
            (2, "Ann", "Jowl", 0, 0, 0),
            (3, "Bob", "Che", 0, 0, 6_000),
        ],
        {
            "player Ann": 10_000,
            "player Bob": -6_500,
            "player Cy": -1_000,
            "player Zed": 3_900,
            "house float": -6_500,
            "commission": 100,
        },
    ),
    "nz-1998-house": (
        [(2, "Ann", "Jung", 9_500, 500, 0), (3, "Bob", "Che", 0, 0, 20_000), (5, "Cy", "Jowl", 0, 0, 0)],
        {"player Ann": 9_500, "player Bob": -20_000, "house float": 10_000, "commission": 500},
    ),
    "nz-1998-player": (
        [(5, "Cy", "Jowl", 0, 0, 0), (2, "Ann", "Jung", 9_500, 500, 0), (3, "Bob", "Che", 0, 0, 20_000)],
        {"player Ann": 9_500, "player Bob": -20_000, "player Zed": 9_500, "commission": 1_000},
    ),
    "nz-1998-co-bank": (
        [(5, "Cy", "Jowl", 0, 0, 0), (2, "Ann", "Jung", 9_500, 500, 0), (3, "Bob", "Che", 0, 0, 20_000)],
        {"player Ann": 9_500, "player Bob": -20_000, "player Zed": 4_750, "house float": 5_000, "commission": 750},
    ),
    "nz-1998-house-zero": ([(2, "Ann", "Jowl", 0, 0, 0)], {}),
    "star-2024-house": (
        [(2, "Ann", "Jung", 10_500, 500, 0), (3, "Bob", "Che", 0, 0, 15_000), (5, "Cy", "Jowl", 0, 0, 0)],
        {"player Ann": 10_500, "player Bob": -15_000, "house float": 4_000, "commission": 500},
    ),
    "star-2024-player": (
        [(5, "Cy", "Jowl", 0, 0, 0), (2, "Ann", "Jung", 10_500, 500, 0), (3, "Bob", "Che", 0, 0, 20_000)],
        {"player Ann": 10_500, "player Bob": -20_000, "player Zed": 8_600, "commission": 900},
    ),
    "star-classic-house": (
        [
            (2, "Ann", "Jung", 10_500, 500, 0),
            (2, "Eve", "Jung", 1_900, 100, 2_000),
            (3, "Bob", "Che", 0, 0, 20_000),
            (5, "Cy", "Jowl", 0, 0, 0),
        ],
        {"player Ann": 10_500, "player Eve": -100, "player Bob": -20_000, "house float": 9_000, "commission": 600},
    ),
    "star-classic-player": (
        [(5, "Cy", "Jowl", 0, 0, 0), (2, "Ann", "Jung", 10_500, 500, 0), (3, "Bob", "Che", 0, 0, 20_000)],
        {"player Ann": 10_500, "player Bob": -20_000, "player Zed and Yan": 8_600, "commission": 900},
    ),
    "star-classic-co-bank": (
        [(5, "Cy", "Jowl", 0, 0, 0), (2, "Ann", "Jung", 10_500, 500, 0), (3, "Bob", "Che", 0, 0, 20_000)],
        {"player Ann": 10_500, "player Bob": -20_000, "player Zed": 4_300, "house float": 4_500, "commission": 700},
    ),
    "uk-poster-house": (
        [(2, "Ann", "Jung", 10_450, 550, 0), (3, "Bob", "Che", 0, 0, 20_000), (5, "Cy", "Jowl", 0, 0, 0)],
        {"player Ann": 10_450, "player Bob": -20_000, "house float": 9_000, "commission": 550},
    ),
    "uk-poster-player": (
        [
            (5, "Cy", "Jowl", 0, 0, 0),
            (8, "house", "Jung", 10_000, 0, 0),
            (2, "Ann", "Jung", 10_450, 550, 0),
            (3, "Bob", "Che", 0, 0, 20_000),
        ],
        {"player Ann": 10_450, "player Bob": -20_000, "player Zed": -1_000, "house float": 10_000, "commission": 550},
    ),
}
LITERALLY = {"crown-6.1-house-zero": ("Jung", 9_500), "nz-1998-house-zero": ("Che", -10_000)}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["settle", *map(str, words)])


@pytest.mark.parametrize("name", WORKED)
def test_an_example_comes_to_what_was_worked_by_hand(name: str) -> None:
    said = json.loads(run(EXAMPLES / f"{name}.toml", "--json").stdout)
    wagers, balances = WORKED[name]
    keys = ("box", "player", "call", "paid", "commission", "collected")
    assert [tuple(wager[key] for key in keys) for wager in said["wagers"]] == wagers
    assert {account: amount for account, amount in said["balances"].items() if amount} == balances
    assert said["literal_reading_differs"] == (name in LITERALLY)
    assert sum(posting["amount"] for posting in said["postings"]) == 0
    if name in LITERALLY:
        literal = said["literal"]
        assert (literal["wagers"][0]["call"], literal["balances"]["player Ann"]) == LITERALLY[name]


def test_every_book_and_way_of_banking_has_its_example() -> None:
    files = {path.stem for path in EXAMPLES.glob("*.toml")}
    assert files == WORKED.keys()
    methods = {f"{name}-{method.value}" for name, book in BOOKS.items() for method in book.settlement.banks}
    assert methods <= files


@pytest.mark.parametrize("name", WORKED)
def test_json_is_read_alike(name: str, tmp_path: Path) -> None:
    file = tmp_path / "round.json"
    file.write_text(json.dumps(tomllib.loads((EXAMPLES / f"{name}.toml").read_text())))
    assert run(file, "--json").stdout == run(EXAMPLES / f"{name}.toml", "--json").stdout


def test_the_text_for_a_supervisor() -> None:
    lines = run(EXAMPLES / "crown-6.1-player.toml").stdout.splitlines()
    assert (
        lines[0] == "crown-6.1 (6.1): player-bank of Zed; paid counter-clockwise from the chung (crown-6.1 10.3.2(m))"
    )
    assert lines[1].split() == ["box", "5", "Cy", "60.00", "Jowl", "returned", "60.00", "(crown-6.1", "8.15)"]
    assert lines[2].split("low: ")[1] == (
        "5 with the Low 8 against 6 with the eleven: the bank's, higher hand (crown-6.1 8.13.1)"
    )
    assert any(
        line.startswith("bank: losing wagers taken 250.00; winnings paid 110.00; left in the losing wager area 140.00")
        for line in lines
    )
    assert lines[-1].split() == ["commission", "12.00"]


def test_the_text_shows_both_readings() -> None:
    text = run(EXAMPLES / "nz-1998-house-zero.toml").stdout
    ruled, literally = text.split("literal_reading_differs")
    assert "Jowl" in ruled
    assert "Che" in literally


ROUND = """
rulebook = "crown-6.1"
[bank]
method = "house"
hand = "6-5 6-4 5-2 4-1"
[hands]
2 = "6-6 6-3 5-4 2-1"
[[wagers]]
box = 2
player = "Ann"
stake = 1000
"""


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        pytest.param(
            "stake = 1000", "stake = -1000", "round.toml: the stake of Ann's wager on box 2 is -1000", id="negative"
        ),
        pytest.param("stake = 1000", "stake = 10.5", "10.5, not a whole number", id="fraction"),
        pytest.param("stake = 1000", "stake = true", "True, not a whole number", id="truth-value"),
        pytest.param("stake = 1000", 'stake = "1000"', "'1000', not a whole number", id="text"),
        pytest.param("stake = 1000", "", "wagers.0.stake: it is missing", id="no-stake"),
        pytest.param(
            "box = 2", "box = 9", "players' boxes are 1 to 8 (crown-6.1 2.2.1, read under ruling 32)", id="unknown-box"
        ),
        pytest.param("box = 2", "box = 2.0", "wagers.0.box", id="box-fraction"),
        pytest.param("2-1", "5-2", "box 2 holds one 5-2 more", id="tile-taken"),
        pytest.param('"6-6 6-3 5-4 2-1"', '"6-6 6-6 6-6 2-1"', "6-6 is named 3 times", id="tile-three-times"),
        pytest.param(
            '"6-6 6-3 5-4 2-1"', '"6-6 6-3 5-4 7-1"', "round.toml: hands.2: '7-1' is not a tile", id="no-tile"
        ),
        pytest.param("6-5 6-4", "6-5 7-4", "round.toml: bank.hand: '7-4' is not a tile", id="no-tile-of-the-bank"),
        pytest.param('"6-6 6-3 5-4 2-1"', '"6-6 / 6-3 / 5-4"', "write low / high", id="no-lay"),
        pytest.param("crown-6.1", "crown", "did you mean crown-6.1?", id="unknown-book"),
        pytest.param("crown-6.1", "uk-poster", "name the one this table uses", id="no-house-way"),
        pytest.param('method = "house"', 'method = "co"', "bank.method", id="unknown-method"),
        pytest.param("[bank]", "[[bank]]", "bank: a list of banks; a round has only one bank", id="a-list-of-banks"),
        pytest.param('"house"', '"house"\nplayers = ["Zed"]', "The House banks alone", id="two-bankers"),
        pytest.param("[bank]", "tip = 5\n[bank]", "tip: unknown key", id="unknown-key"),
        pytest.param("[bank]", '[table]\ncommission = "six"\n[bank]', "'six' is not a rate", id="no-rate"),
        pytest.param("[bank]", '[table]\ncommission = "6 %"\n[bank]', "(crown-6.1 11.1,", id="rate-too-high"),
        pytest.param("[bank]", "[table]\ncommission = 0.05\n[bank]", "table.commission", id="rate-as-float"),
        pytest.param("[bank]", "[bank", "not TOML", id="not-toml"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, old: str, new: str, part: str) -> None:
    file = tmp_path / "round.toml"
    assert old in ROUND
    file.write_text(ROUND.replace(old, new, 1))
    result = run(file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("houseway: ")
    assert part.lower() in result.stderr.lower()
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            '{"rulebook": "crown-6.1", "bank": {"method": "house"}, "bank": {"method": "house"}}',
            "'bank' is written twice",
        ),
        ("[1, 2]", "keys with values are needed"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
    ids=["a-key-twice", "a-list", "cut-off", "too-deep"],
)
def test_json_that_is_no_round(tmp_path: Path, text: str, part: str) -> None:
    file = tmp_path / "round.json"
    file.write_text(text)
    result = run(file)
    assert result.exit_code == 2
    assert part in result.stderr


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "none.toml"
    assert run(file).stderr == f"houseway: {file}: there is no such file\n"


@pytest.mark.parametrize(("rate", "commission"), [("5 %", 50), ("1/20", 50), ("0.05", 50), ("2.5%", 25), ("0", 0)])
def test_rates_are_exact(tmp_path: Path, rate: str, commission: int) -> None:
    file = tmp_path / "round.toml"
    file.write_text(ROUND.replace("[bank]", f'[table]\ncommission = "{rate}"\n[bank]'))
    assert json.loads(run(file, "--json").stdout)["wagers"][0]["commission"] == commission


def test_the_page_names_every_key_and_shows_every_example() -> None:
    page = (ROOT / "docs" / "settlement.md").read_text()
    keys = {key for path in EXAMPLES.glob("*.toml") for key in re.findall(r"^(\w+) = ", path.read_text(), re.MULTILINE)}
    for key in keys - {str(box) for box in range(1, 9)}:
        assert f"`{key}`" in page, key
    for path in EXAMPLES.glob("*.toml"):
        assert f"docs/examples/settle/{path.name}" in page, path.name


@pytest.mark.parametrize(
    ("book", "rate", "rule"),
    [
        ("crown-6.1", "6 %", "crown-6.1 11.1"),
        ("nz-1998", "4 %", "nz-1998 6.11"),
        ("star-2024", "4 %", "star-2024 14.1"),
        ("star-classic", "6 %", "star-classic 14.1"),
        ("uk-poster", "4 %", "uk-poster point 15"),
    ],
)
def test_a_commission_that_the_book_does_not_charge_is_refused(tmp_path: Path, book: str, rate: str, rule: str) -> None:
    file = tmp_path / "round.toml"
    text = ROUND.replace("crown-6.1", book, 1).replace("[bank]", f'[table]\ncommission = "{rate}"\n[bank]')
    file.write_text(text)
    result = run(file)
    assert result.exit_code == 2
    assert f"({rule}" in result.stderr
