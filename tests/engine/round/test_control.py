"""Who decides on a box, and what becomes of a player's other boxes (ruling 32)."""

import pytest

from engine.books.registry import BOOKS
from engine.errors import TableError
from engine.round import RoundLog, Session, Setup, Table
from engine.round.before_deal.control import deciders
from engine.round.state.house_table import Before
from tests.engine.round.golden import event

BEGIN = {
    "crown-6.1": ["house-banks"],
    "nz-1998": ["house-banks", "shuffled"],
    "star-2024": ["house-banks", "shuffled"],
    "star-classic": ["house-banks", "shuffled"],
    "uk-poster": ["house-banks"],
}
UNCHECKED = Before(check_due=False)


def placed(book: str, lines: str, before: Before = UNCHECKED, table: Table | None = None) -> RoundLog:
    """A round that the House banks, with these events after the shuffle."""
    log = RoundLog.opened(Setup(BOOKS[book], table or Table()), before)
    for line in [*BEGIN[book], *(part.strip() for part in lines.split("/"))]:
        log = log.append(event(line))
    return log


ANN, BOB = "player=Ann", "player=Bob"
# Beside the cases of each book in tests/engine/rules: at Crown the seat counts for nothing (8.8.1), a wager as it lies
# at the close, and the box that the player chose (8.11); under the poster each position is its player's.
CASES = [
    (
        "crown-6.1",
        f"player-seated box=2 {ANN}/wager-placed box=2 {ANN} amount=5/wager-placed box=2 {BOB} amount=6",
        {2: "Bob"},
    ),
    (
        "crown-6.1",
        f"wager-placed box=2 {ANN} amount=5/wager-changed box=2 {ANN} amount=9/wager-placed box=2 {BOB} amount=8",
        {2: "Ann"},
    ),
    (
        "crown-6.1",
        f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {ANN} amount=5/box-chosen box=4 {ANN}",
        {4: "Ann"},
    ),
    ("uk-poster", f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {ANN} amount=5", {2: "Ann", 4: "Ann"}),
]


@pytest.mark.parametrize(("book", "lines", "control"), CASES)
def test_who_decides(book: str, lines: str, control: dict[int, str]) -> None:
    before = Before(check_due=False, control={3: "Bob"})
    assert deciders(placed(book, lines, before).state) == control


@pytest.mark.parametrize(
    ("book", "table", "message"),
    [
        ("crown-6.1", Table(boxes=9), r"boxes cannot be 9: .* 1 to 8 \(crown-6\.1 2\.2\.1\)"),
        ("nz-1998", Table(boxes=7), r"boxes cannot be 7: .* 8 to 8 \(nz-1998 3\.2\(a\)\)"),
        ("crown-6.1", Table(players_a_box=6), r"players a box .* 1 to 5 \(crown-6\.1 8\.7\)"),
        ("nz-1998", Table(players_a_box=4), r"1 to 3 \(nz-1998 6\.5\)"),
        ("crown-6.1", Table(banks=4), r"1 to 3 \(crown-6\.1 10\.3\.2\(f\)\)"),
        ("nz-1998", Table(banks=2), r"1 to 1 \(nz-1998 5\.4\)"),
        ("crown-6.1", Table(bank_minimum=-1), r"at least 0 \(crown-6\.1 10\.3\.2\(c\)\)"),
        ("uk-poster", Table(shared=True), r"nobody shares a bank \(uk-poster point 24\)"),
        ("nz-1998", Table(house_way_boxes=frozenset({3})), "knows no House Way places"),
        ("star-2024", Table(house_way_boxes=frozenset({9})), "among boxes 1 to 8"),
    ],
)
def test_a_table_keeps_to_its_book(book: str, table: Table, message: str) -> None:
    with pytest.raises(TableError, match=message):
        Session.opened(BOOKS[book], table)
