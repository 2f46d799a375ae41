"""Crown Pai Gow: a single box die, and its dealing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.books.registry import BOOKS, rulebook
from engine.errors import DealError, DiceError, WagerError
from engine.game.box_order import BoxOrder
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.settle import settle
from engine.settlement.wagers import BIG_SMALL, Offered, TableTerms, Wager
from engine.vocabulary.dice import Cup, Thrown
from engine.vocabulary.facts import Bank
from engine.vocabulary.variants import DealtBoxes

CROWN = rulebook("crown-6.1")
VARIANT = CROWN.variants["crown-pai-gow"]


@pytest.mark.parametrize(
    ("die", "chung", "wagered", "dealt"),
    [
        # crown-6.1 14.3.2(c), 14.3.2(c)(i): counted from the chung's box as 1.
        (1, 1, {2, 3}, DealtBoxes((1, 2, 3, 4, 5, 6, 7, 8), (1, 2, 3), (4, 5, 6, 7, 8), 0)),
        (6, 4, {2}, DealtBoxes((1, 2, 3, 4, 5, 6, 7, 8), (2, 4), (1, 3, 5, 6, 7, 8), 0)),
        (3, 7, {8, 2}, DealtBoxes((1, 2, 3, 4, 5, 6, 7, 8), (2, 7, 8), (1, 3, 4, 5, 6), 0)),
        (2, 8, set(), DealtBoxes((1, 2, 3, 4, 5, 6, 7, 8), (8,), (1, 2, 3, 4, 5, 6, 7), 0)),
    ],
)
def test_who_gets_which_tiles(die: int, chung: int, wagered: set[int], dealt: DealtBoxes) -> None:
    """crown-6.1 14.3.2(c), 14.3.2(c)(i), 14.4.1, 14.4.2: four tiles to every box, those without a wager taken back."""
    assert VARIANT.deal(die, chung, wagered) == dealt
    assert VARIANT.dealt.value == 4


def test_a_table_of_fewer_boxes_leaves_tiles_undealt() -> None:
    """crown-6.1 2.1, 14.4.1: the remaining tiles lie beside the float."""
    assert VARIANT.deal(3, 1, {2}, BoxOrder(6)) == DealtBoxes((3, 4, 5, 6, 1, 2), (1, 2), (3, 4, 5, 6), 2)
    with pytest.raises(DealError, match=r"box 7.*crown-6\.1 14\.4\.1"):
        VARIANT.deal(3, 1, {7}, BoxOrder(6))
    # From the chung on box 3: 3, 4, 5, 6, 1, and 2 is the sixth (14.3.2(c)(i)); eight boxes are not spoken of.
    assert VARIANT.deal(6, 3, {2}, BoxOrder(6)) == DealtBoxes((2, 3, 4, 5, 6, 1), (2, 3), (4, 5, 6, 1), 2)
    assert VARIANT.deal(6, 1, {2}, BoxOrder(5)) == DealtBoxes((1, 2, 3, 4, 5), (1, 2), (3, 4, 5), 3)
    # Numbered from the dealer's left, the sixth from box 3 is 3, 2, 1, 6, 5, 4.
    left = BoxOrder(6, box1_at_dealers_right=False)
    assert VARIANT.deal(6, 3, {2}, left) == DealtBoxes((4, 3, 2, 1, 6, 5), (3, 2), (4, 1, 6, 5), 2)


@given(die=st.integers(1, 6), chung=st.integers(1, 8), wagered=st.sets(st.integers(1, 8)))
def test_every_box_gets_tiles_once(die: int, chung: int, wagered: set[int]) -> None:
    dealt = VARIANT.deal(die, chung, wagered)
    assert sorted(dealt.order) == list(range(1, 9))
    assert sorted((*dealt.in_play, *dealt.taken_back)) == list(range(1, 9))
    assert set(dealt.in_play) == wagered | {chung}
    thrown = VARIANT.dice.read(Cup((die,), 1), Bank.PLAYER, chung)
    assert isinstance(thrown, Thrown)
    assert dealt.order[0] == thrown.first_box


def test_a_round_is_settled_by_the_other_rules() -> None:
    """crown-6.1 14.1, 13.1: the same postings, and a note which box came first."""
    hands = {2: Laid.parse("6-6 2-1 / 6-3 5-4")}
    bank = BankHolder(Bank.HOUSE, Laid.parse("6-5 4-1 / 6-4 5-2"))
    plain = PlayedRound(CROWN, bank, hands, (Wager(2, "Ann", 1_000),), TableTerms())
    varied = settle(PlayedRound(CROWN, bank, hands, plain.wagers, plain.terms, dice=Cup((5,), 2), variant=VARIANT.name))
    assert varied.postings == settle(plain).postings
    assert varied.notes[0].endswith("(crown-6.1 14.1)")
    assert varied.notes[1].startswith("box 5 gets the first tiles (crown-6.1 14.3.2(c)")


def test_settling_says_who_was_dealt_which_tiles() -> None:
    """crown-6.1 14.4.1, 14.4.2; a table may have fewer boxes, 2.1."""
    bank = BankHolder(Bank.HOUSE, Laid.parse("6-5 4-1 / 6-4 5-2"))
    hands = {2: Laid.parse("6-6 2-1 / 6-3 5-4")}
    wagers = Wager(2, "Ann", 1_000), Wager(4, "Bob", 1_000, void="late")
    round_ = PlayedRound(CROWN, bank, hands, wagers, TableTerms(boxes=6), dice=Cup((5,), 2), variant=VARIANT.name)
    assert settle(round_).notes[2:5] == (
        "tiles go to boxes 5 6 1 2 3 4 in turn, to each 4 (crown-6.1 14.4.1)",
        "those of boxes 5 6 3 4 are taken back unseen: no wager lies there (crown-6.1 14.4.2)",
        "8 tiles are not dealt and lie aside (crown-6.1 14.4.1)",
    )
    six = settle(replace(round_, dice=Cup((6,), 2), terms=TableTerms(boxes=5))).notes
    assert six[1].startswith("box 1 gets the first tiles (crown-6.1 14.3.2(c)")
    assert six[2].startswith("tiles go to boxes 1 2 3 4 5 in turn")


@pytest.mark.parametrize(
    ("book", "terms", "wager", "why"),
    [
        ("crown-6.1", TableTerms(boxes=6), Wager(7, "Ann", 100), r"boxes are 1 to 6 \(crown-6\.1 2\.2\.1"),
        ("crown-6.1", TableTerms(boxes=9), Wager(2, "Ann", 100), r"no more than 8 may be \(crown-6\.1 2\.2\.1"),
        ("crown-6.1", TableTerms(boxes=0), Wager(2, "Ann", 100), r"must be 1 or more \(crown-6\.1 2\.1\)"),
        ("nz-1998", TableTerms(boxes=6), Wager(2, "Ann", 100), r"knows tables of 8 \(nz-1998 3\.2\(a\)"),
    ],
)
def test_tables_of_fewer_boxes(book: str, terms: TableTerms, wager: Wager, why: str) -> None:
    round_ = PlayedRound(rulebook(book), BankHolder(Bank.HOUSE), {}, (wager,), terms)
    with pytest.raises(WagerError, match=why):
        settle(round_)


@pytest.mark.parametrize(("cup", "side"), [(Cup((5,), 2, 3), {}), (Cup((5,), 2), {BIG_SMALL: Offered()})])
def test_two_dice_and_a_third_for_big_small(cup: Cup, side: dict[str, Offered]) -> None:
    """crown-6.1 14.3.1."""
    for fits in (True, False):
        offered = side if not fits else ({} if side else {BIG_SMALL: Offered()})
        bank = BankHolder(Bank.HOUSE)
        round_ = PlayedRound(CROWN, bank, {}, (), TableTerms(side=offered), dice=cup, variant=VARIANT.name)
        if fits:
            assert settle(round_).results == ()
            continue
        with pytest.raises(DiceError, match=r"crown-6\.1 14\.3\.1"):
            settle(round_)


def test_only_crown_has_it() -> None:
    assert [name for name, book in BOOKS.items() if book.variants] == ["crown-6.1"]
    assert VARIANT.may_add.cite == "crown-6.1 13.1"
