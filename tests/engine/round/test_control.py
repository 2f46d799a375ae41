"""Who decides on a box, and what becomes of a player's other boxes (ruling 32)."""

from __future__ import annotations

import pytest

from engine.books.registry import BOOKS
from engine.errors import IllegalEventError, TableError
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


ANN, BOB, CHO = "player=Ann", "player=Bob", "player=Cho"
CEDED = f"wager-placed box=2 {BOB} amount=5/wager-placed box=2 {CHO} amount=6/control-ceded box=2 {ANN}"
CASES = [
    # Crown 8.8: the highest wager, else its place, else control in the round before
    (
        "crown-6.1",
        f"player-seated box=2 {ANN}/wager-placed box=2 {ANN} amount=5/wager-placed box=2 {BOB} amount=6",
        {2: "Bob"},
    ),
    ("crown-6.1", f"wager-placed box=2 {ANN} amount=5 spot=2/wager-placed box=2 {BOB} amount=5 spot=1", {2: "Bob"}),
    ("crown-6.1", f"wager-placed box=3 {ANN} amount=5/wager-placed box=3 {BOB} amount=5", {3: "Bob"}),
    (
        "crown-6.1",
        f"wager-placed box=2 {ANN} amount=5/wager-changed box=2 {ANN} amount=9/wager-placed box=2 {BOB} amount=8",
        {2: "Ann"},
    ),
    # New Zealand 7.1, Star 9.10, older Star 9.7: the seated player, who may leave it to the highest wager
    *(
        (
            book,
            f"player-seated box=2 {ANN}/wager-placed box=2 {BOB} amount=9/wager-placed box=2 {ANN} amount=5",
            {2: "Ann"},
        )
        for book in ("nz-1998", "star-2024", "star-classic")
    ),
    *(
        (
            book,
            f"player-seated box=2 {ANN}/wager-placed box=2 {ANN} amount=7/{CEDED}",
            {2: "Cho"},
        )
        for book in ("nz-1998", "star-2024", "star-classic")
    ),
    ("nz-1998", f"wager-placed box=2 {BOB} amount=5/wager-placed box=2 {CHO} amount=6", {2: "Cho"}),
    ("nz-1998", f"wager-placed box=2 {BOB} amount=5 spot=3/wager-placed box=2 {CHO} amount=5 spot=1", {2: "Cho"}),
    # a player on several boxes: blind at Crown unless another is there (8.11), the dealer's in New Zealand (7.2)
    ("crown-6.1", f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {ANN} amount=5", {2: "Ann"}),
    (
        "crown-6.1",
        f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {ANN} amount=5/wager-placed box=4 {BOB} amount=1",
        {2: "Ann", 4: "Bob"},
    ),
    (
        "crown-6.1",
        f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {ANN} amount=5/box-chosen box=4 {ANN}",
        {4: "Ann"},
    ),
    (
        "nz-1998",
        f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {ANN} amount=5/wager-placed box=4 {BOB} amount=1",
        {2: "Ann"},
    ),
    # at The Star only beside somebody who controls the box (S 9.14, O 9.11)
    *(
        (
            book,
            f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {BOB} amount=1/wager-placed box=4 {ANN} amount=5",
            {2: "Ann", 4: "Bob"},
        )
        for book in ("star-2024", "star-classic")
    ),
    # under the poster each position is its player's
    ("uk-poster", f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {ANN} amount=5", {2: "Ann", 4: "Ann"}),
]


@pytest.mark.parametrize(("book", "lines", "control"), CASES)
def test_who_decides(book: str, lines: str, control: dict[int, str]) -> None:
    before = Before(check_due=False, control={3: "Bob"})
    assert deciders(placed(book, lines, before).state) == control


def test_a_house_way_place_is_the_dealers() -> None:
    table = Table(house_way_boxes=frozenset({7}))
    both = f"player-seated box=2 {ANN}/wager-placed box=2 {ANN} amount=5/wager-placed box=7 {ANN} amount=5"
    log = placed("star-2024", both, table=table)
    assert deciders(log.state) == {2: "Ann"}
    for line in (
        "stacked",
        "dice-shaken by=dealer",
        "dice-shown box_dice=1,1,1 cut_die=4 first_box=3",
        "cut-named cut=Dai_Pin by=cut_die",
        "tiles-delivered order=3,4,5,6,7,8,1,2",
    ):
        log = log.append(event(line))
    with pytest.raises(IllegalEventError, match=r"only the dealer handles its tiles \(star-2024 12\.8\.1\)"):
        log.append(event("tiles-handled box=7 by=Ann"))
    with pytest.raises(IllegalEventError, match=r"once the other players have set theirs \(star-2024 12\.8\)"):
        log.append(event("hand-set box=7 by=dealer"))
    log.append(event("hand-set box=2 by=Ann")).append(event("hand-set box=7 by=dealer"))


def _dealt_at_crown(wagers: str) -> RoundLog:
    log = placed("crown-6.1", f"shuffled/stacked/{wagers}/bets-closed/dice-shaken by=dealer")
    for line in (
        "dice-shown box_dice=2,4,5 cut_die=4 first_box=3",
        "cut-named cut=Big_Slice by=cut_die",
        "tiles-delivered order=3,4,5,6,7,8,1,2",
    ):
        log = log.append(event(line))
    return log


def test_a_blind_hand_is_opened_by_the_dealer() -> None:
    """Crown 8.11: nobody sees the tiles of the second box before they are settled, and nobody waits for them."""
    log = _dealt_at_crown(f"wager-placed box=2 {ANN} amount=5/wager-placed box=4 {ANN} amount=5")
    with pytest.raises(IllegalEventError, match=r"played blind.*\(crown-6\.1 8\.11\)"):
        log.append(event("tiles-handled box=4 by=Ann"))
    for line in (
        "empty-retrieved boxes=3,5,6,7,8",
        "bank-moved",
        "hand-set box=2 by=Ann",
        "bank-exposed low=6-5,6-1 high=6-6,6-3",
        "hand-exposed box=2 low=5-5,5-5 high=1-1,1-1",
        "hand-matched box=2 outcome=win",
        "hand-exposed box=4 low=2-2,6-4 high=3-3,3-3",
    ):
        log = log.append(event(line))


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


@pytest.mark.parametrize(
    ("book", "most", "rule"), [("crown-6.1", 5, "8.7"), ("nz-1998", 3, "6.5"), ("star-2024", 3, "9.9")]
)
def test_so_many_players_on_a_box(book: str, most: int, rule: str) -> None:
    log = placed(book, "/".join(f"wager-placed box=2 player=P{number} amount=5" for number in range(most)))
    with pytest.raises(IllegalEventError, match=rule.replace(".", r"\.")):
        log.append(event("wager-placed box=2 player=Zoe amount=5"))
