"""The first box that a throw gives, and the cut that a cut die gives: every throw, under every book and bank."""

from itertools import product

import pytest

from engine.books.registry import BOOKS
from engine.errors import CutError, IllegalEventError, TableError, UnknownRulebookError
from engine.round import Before, RoundLog, Setup, Table
from engine.vocabulary.cuts import Cut
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import GOLDEN, event
from tests.engine.round.test_golden_rounds import EACH, played


def _taken(log: RoundLog, throw: str) -> list[int]:
    """The boxes that are accepted as the first one after a throw."""
    found = []
    for box in range(1, 9):
        try:
            log.append(event(f"{throw} first_box={box}"))
        except IllegalEventError:
            continue
        found.append(box)
    return found


@EACH
def test_just_one_box_is_first(book: str, bank: Bank) -> None:
    log = played(book, bank, "dice-shown").current
    die = " cut_die=1" if book in {"crown-6.1", "star-2024"} else ""
    ways = {sum(dice): dice for dice in product(range(1, 7), repeat=3)}
    assert len(ways) == 16
    state = log.state
    assert state.bank is not None
    for total, dice in ways.items():
        steps = total + (state.button or 0) - 1
        throw = f"dice-shown box_dice={','.join(map(str, dice))}{die}"
        first = (state.bank.box - 1 + steps) % 8 + 1
        # By the poster's own words a total of 8 is the banker, so that each such total counts one place further
        # (rulings 25 and 48).
        also = [first % 8 + 1] if book == "uk-poster" and total in {8, 9, 16, 17} else []
        assert _taken(log, throw) == sorted([first, *also])


def test_a_table_approves_only_cuts_that_its_book_lets_it_choose() -> None:
    """N 1.0 Approved Cut."""
    table = Table(cuts=frozenset({Cut.YAT_DONG_DONG, Cut.CHINA_BANK}))
    with pytest.raises(CutError, match="names no cut 'sydney-tower'"):
        Setup(BOOKS["nz-1998"], Table(cuts=frozenset({Cut.SYDNEY_TOWER})))
    with pytest.raises(TableError, match=r"every cut of the list may be made \(crown-6\.1 Table 1\)"):
        Setup(BOOKS["crown-6.1"], table)


def _tumbled(table: Table) -> RoundLog:
    log = RoundLog.opened(Setup(BOOKS["crown-6.1"], table), Before(check_due=False))
    for line in (
        "house-banks",
        "shuffled",
        "stacked",
        "wager-placed box=2 player=Ann amount=100",
        "bets-closed",
        "dice-shaken by=dealer",
    ):
        log = log.append(event(line))
    return log


def test_crown_pai_gow_has_a_single_box_die() -> None:
    """C 14.2.1(a), 14.3.2(c)."""
    log = _tumbled(Table(variant="crown-pai-gow"))
    for face in range(1, 7):
        assert _taken(log, f"dice-shown box_dice={face} cut_die=1") == [face]
    with pytest.raises(IllegalEventError, match=r"3 box dice were read, not 1 \(crown-6\.1 14\.2\.1\(a\)\)"):
        log.append(event("dice-shown box_dice=2,4,5 cut_die=4 first_box=3"))
    with pytest.raises(IllegalEventError, match=r"is box 4, not 5 \(crown-6\.1 14\.3\.2\(c\), ruling 27\)"):
        log.append(event("dice-shown box_dice=4 cut_die=4 first_box=5"))
    with pytest.raises(UnknownRulebookError, match="nz-1998 has no variants"):
        Setup(BOOKS["nz-1998"], Table(variant="crown-pai-gow"))


def test_fewer_places_are_counted_as_the_house_does() -> None:
    """C 4.4.2 and Table 2 count eight areas; for fewer (2.1) no count is printed."""
    assert _taken(_tumbled(Table(boxes=6)), "dice-shown box_dice=1,2,5 cut_die=1") == [1, 2, 3, 4, 5, 6]


def test_a_button_goes_with_its_banker() -> None:
    """S 8.2: where the House has to bank instead (13.2.2), nothing is added to the dice."""
    log = played("star-2024", Bank.PLAYER, "dice-shaken").current
    for line in (
        "wager-placed box=6 player=Eve amount=9000",
        "bank-fell-back method=house",
        "dice-shaken by=dealer",
    ):
        log = log.append(event(line))
    assert _taken(log, "dice-shown box_dice=2,4,5 cut_die=4") == [3]


def test_the_golden_rounds_have_every_bank() -> None:
    assert {bank for _, bank in GOLDEN} == set(Bank)
