"""Crown Melbourne 6.1: tiles (2, 3, Appendix 1), dice of a table (2.4, 4) and cuts (5.4, 6, Appendix 2).

The delivery orders are derived here from the words beside the drawings: which two stacks stand out, what of them goes
first, and on which side it goes on.
"""

import pytest

from engine.errors import CutError, DiceError
from engine.game.hands import Hand
from engine.game.ranking import rank_of
from engine.game.tiles import Kind, Tile
from engine.vocabulary.cuts import Chooser, Cut
from engine.vocabulary.delivery_order import StackPlace, Turn
from engine.vocabulary.dice import COCKED, Cup, ShakeAgain, Thrown
from tests.engine.rules.crown import BOOK, Bank
from tests.engine.rules.tables import rows

PAIRS = """
4-2 2-1 | 6-6 6-6 | 1-1 1-1 | 4-4 4-4 | 3-1 3-1 | 5-5 5-5 | 3-3 3-3 | 2-2 2-2 | 6-5 6-5 | 6-4 6-4 | 6-1 6-1 | 5-1 5-1
| 6-3 5-4 | 6-2 5-3 | 5-2 4-3 | 4-1 3-2 | 6-6 6-3 | 1-1 5-4 | 6-6 6-2 | 1-1 4-4 | 6-6 6-1 | 1-1 5-2
"""


def test_the_twenty_two_ranks_of_hands() -> None:
    """crown-6.1 3.4, crown-6.1 Appendix 1: Pairs, and crown-6.1 Appendix 1: Wongs, Gongs and High Nines."""
    hands = [Hand.parse(part) for part in PAIRS.replace("\n", " ").split("|")]
    assert len(hands) == 22
    ranks = [rank_of(hand) for hand in hands]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == 22
    best_of_points = max(rank_of(Hand(one, other)) for one in Tile for other in Tile if _plain(one, other))
    assert best_of_points < ranks[-1]


def _plain(one: Tile, other: Tile) -> bool:
    if one.kind is other.kind:
        return False
    high = {one.kind, other.kind} & {Kind.TEEN, Kind.DAY}
    return not (high and {one.points, other.points} & {7, 8, 9})


THROWS = """
crown-6.1 2.4 | 3 5 2 | 4 | 10
crown-6.1 2.4.2 | 3 5 7 | 4 | crown-6.1 2.4.2
crown-6.1 2.4.2 | 3 0 2 | 4 | crown-6.1 2.4.2
crown-6.1 2.4.3 | 3 5 | 4 | crown-6.1 2.4.3
crown-6.1 2.4.3 | 3 5 2 |  | crown-6.1 2.4.3
"""


@pytest.mark.parametrize(("rule", "box", "cut", "says"), rows(THROWS))
def test_four_dice(rule: str, box: str, cut: str, says: str) -> None:
    cup = Cup(tuple(map(int, box.split())), int(cut) if cut else None)
    if says.isdigit():
        thrown = BOOK.dice.read(cup, Bank.HOUSE)
        assert isinstance(thrown, Thrown)
        assert thrown.total == int(says)
        return
    with pytest.raises(DiceError) as caught:
        BOOK.dice.read(cup, Bank.HOUSE)
    assert f"({says})" in str(caught.value), rule


@pytest.mark.parametrize("cup", [Cup((COCKED, 5, 2), 4), Cup((3, 5, COCKED), 4), Cup((3, 5, 2), COCKED)])
def test_any_leaning_die_means_another_shake(cup: Cup) -> None:
    """crown-6.1 4.3."""
    thrown = BOOK.dice.read(cup, Bank.HOUSE)
    assert isinstance(thrown, ShakeAgain)
    assert (thrown.cite, thrown.printed) == ("crown-6.1 4.3", True)


def test_no_buttons() -> None:
    """crown-6.1 2.5: none is among the equipment."""
    with pytest.raises(DiceError, match=r"crown-6\.1 2\.5"):
        BOOK.dice.read(Cup((3, 5, 2), 4), Bank.PLAYER, 3, 1)


def test_big_and_small_go_by_the_three_box_dice() -> None:
    """crown-6.1 4.1.1, crown-6.1 1.1 Big/Small: the cut die does not count; 3 and 18 are triples."""
    for dice, says in (
        ((4, 4, 3), "big"),
        ((6, 6, 5), "big"),
        ((5, 4, 1), "small"),
        ((1, 1, 2), "small"),
        ((5, 5, 5), "triple"),
    ):
        for cut in range(1, 7):
            thrown = BOOK.dice.read(Cup(dice, cut), Bank.HOUSE)
            assert isinstance(thrown, Thrown)
            assert thrown.big_small is not None
            assert thrown.big_small.value == says


def test_the_cut_die() -> None:
    """crown-6.1 Table 2, and crown-6.1 5.4.1."""
    named = ["Long Fong May Tau", "Jung Quat", "Cup Say", "Dai Pin", "Wui Fung Bank", "Chee Yee"]
    for face, chinese in enumerate(named, start=1):
        cut = BOOK.cuts.of_die(face)
        assert cut.chinese == chinese
        assert BOOK.cuts.decide(cut.cut, Chooser.CUT_DIE, Bank.HOUSE, die=face).cite == "crown-6.1 5.4.1"
    # Yat Dong Dong and Foot Say are on no face.
    for cut_of_no_face in (Cut.YAT_DONG_DONG, Cut.FOOT_SAY):
        with pytest.raises(CutError):
            BOOK.cuts.decide(cut_of_no_face, Chooser.CUT_DIE, Bank.HOUSE, die=1)


SIDE, LEVEL, END = (Turn.RIGHT, Turn.LEFT), (Turn.TOP, Turn.BOTTOM), (Turn.HEAD, Turn.TAIL)


def test_the_eight_cuts_and_their_options() -> None:
    """crown-6.1 Table 1."""
    listed = {
        ("Yat Dong Dong", "One stack"): {SIDE},
        ("Cup Say", "Tiger's Head"): {LEVEL, SIDE},
        ("Chee Yee", "Chop The Ears"): {LEVEL},
        ("Dai Pin", "Big Slice"): {SIDE},
        ("Jung Quat", "From the Heart"): {LEVEL},
        ("Long Fong May Tau", "Dragon Head Phoenix Tail"): {SIDE, END},  # which end comes first: Appendix 2
        ("Wui Fung Bank", "Hong Kong Bank"): set(),
        ("Foot Say", "Four Across"): set(),
    }
    assert {(cut.chinese, cut.english): set(cut.options) for cut in BOOK.cuts.named} == listed


Groups = list[set[tuple[int, int]]]


def block(stacks: tuple[int, ...], levels: tuple[int, ...]) -> set[tuple[int, int]]:
    return {(stack, level) for stack in stacks for level in levels}


TOP, LOWER = (3, 4), (1, 2)  # of a stack of four, counted from the felt


def two_by_two(pairs: list[tuple[int, int]], first: tuple[int, ...], then: tuple[int, ...]) -> Groups:
    """Two stacks at a time, four tiles of them first and the other four next."""
    return [block(pair, levels) for pair in pairs for levels in (first, then)]


FROM_RIGHT, FROM_LEFT = [(8, 7), (6, 5), (4, 3), (2, 1)], [(1, 2), (3, 4), (5, 6), (7, 8)]
OUTSIDE_IN, INSIDE_OUT = [(1, 8), (2, 7), (3, 6), (4, 5)], [(4, 5), (3, 6), (2, 7), (1, 8)]
# The low block is four stacks of four on the left, the high one two stacks of eight (5 and 6).
HIGH_BLOCK = [block((5, 6), levels) for levels in ((8, 7), (6, 5), (4, 3), (2, 1))]
LOW_BLOCK = [block((1, 2, 3, 4), (level,)) for level in (4, 3, 2, 1)]

DELIVERED = [
    # crown-6.1 Appendix 2: Yat Dong Dong: whole stacks from the right, or from the left
    ("yat dong dong", [], [block((stack,), (1, 2, 3, 4)) for stack in (8, 7, 6, 5, 4, 3, 2, 1)]),
    ("yat dong dong", [Turn.LEFT], [block((stack,), (1, 2, 3, 4)) for stack in (1, 2, 3, 4, 5, 6, 7, 8)]),
    # crown-6.1 Appendix 2: Cup Say
    ("cup say", [], two_by_two(FROM_RIGHT, TOP, LOWER)),
    ("cup say", [Turn.LEFT], two_by_two(FROM_LEFT, TOP, LOWER)),
    # crown-6.1 Appendix 2: Cup Say Di Chut
    ("cup say", [Turn.BOTTOM], two_by_two(FROM_RIGHT, LOWER, TOP)),
    ("cup say", [Turn.BOTTOM, Turn.LEFT], two_by_two(FROM_LEFT, LOWER, TOP)),
    # crown-6.1 Appendix 2: Chee Yee
    ("chee yee", [], two_by_two(OUTSIDE_IN, TOP, LOWER)),
    # crown-6.1 Appendix 2: Chee Yee Di Chut
    ("chee yee", [Turn.BOTTOM], two_by_two(OUTSIDE_IN, LOWER, TOP)),
    # crown-6.1 Appendix 2: Dai Pin: the top tiles of four stacks, then of the next four
    ("dai pin", [], [block(four, (level,)) for level in (4, 3, 2, 1) for four in ((5, 6, 7, 8), (1, 2, 3, 4))]),
    (
        "dai pin",
        [Turn.LEFT],
        [block(four, (level,)) for level in (4, 3, 2, 1) for four in ((1, 2, 3, 4), (5, 6, 7, 8))],
    ),
    # crown-6.1 Appendix 2: Jung Quat
    ("jung quat", [], two_by_two(INSIDE_OUT, TOP, LOWER)),
    # crown-6.1 Appendix 2: Jung Quat Di Chut
    ("jung quat", [Turn.BOTTOM], two_by_two(INSIDE_OUT, LOWER, TOP)),
    # crown-6.1 Appendix 2: Long Tau: the higher block first, by turns
    ("long fong may tau", [Turn.HEAD], [four for two in zip(HIGH_BLOCK, LOW_BLOCK, strict=True) for four in two]),
    # crown-6.1 Appendix 2: Fong May: the lower block first
    ("long fong may tau", [Turn.TAIL], [four for two in zip(LOW_BLOCK, HIGH_BLOCK, strict=True) for four in two]),
    # crown-6.1 Appendix 2: Wui Fung Bank: the two higher stacks down to the felt, then the rest pushed together
    (
        "wui fung bank",
        [],
        [
            *(block((3, 4), levels) for levels in ((10, 9), (8, 7), (6, 5), (4, 3), (2, 1))),
            *(block((2, 5), levels) for levels in ((4, 3), (2, 1))),
            block((1, 6), (2, 1)),
        ],
    ),
    # crown-6.1 Appendix 2: Foot Say: from the top, four across
    ("foot say", [], [block((1, 2, 3, 4), (level,)) for level in (8, 7, 6, 5, 4, 3, 2, 1)]),
]


@pytest.mark.parametrize(("name", "turns", "groups"), DELIVERED)
def test_the_order_of_delivery(name: str, turns: list[Turn], groups: Groups) -> None:
    """crown-6.1 5.4: as Appendix 2 describes.

    crown-6.1 Appendix 2: Yat Dong Dong, crown-6.1 Appendix 2: Cup Say, crown-6.1 Appendix 2: Cup Say Di Chut,
    crown-6.1 Appendix 2: Chee Yee, crown-6.1 Appendix 2: Chee Yee Di Chut, crown-6.1 Appendix 2: Dai Pin,
    crown-6.1 Appendix 2: Jung Quat, crown-6.1 Appendix 2: Jung Quat Di Chut, crown-6.1 Appendix 2: Long Tau,
    crown-6.1 Appendix 2: Fong May, crown-6.1 Appendix 2: Wui Fung Bank, crown-6.1 Appendix 2: Foot Say.
    """
    cut, implied = BOOK.cuts.find(name)
    assert not implied
    order = cut.order(turns)
    assert [{(place.stack, place.level) for place in group} for group in order.groups] == groups


def test_foot_say_puts_the_ends_on_the_middle() -> None:
    """crown-6.1 Appendix 2: Foot Say: the outer stacks go on the third and sixth, those beside them next to these."""
    cut, _ = BOOK.cuts.find("foot say")
    first, *_, last = cut.order().from_the_stacks
    assert set(first) == {StackPlace(1, 4), StackPlace(2, 4), StackPlace(7, 4), StackPlace(8, 4)}
    assert set(last) == {StackPlace(3, 1), StackPlace(4, 1), StackPlace(5, 1), StackPlace(6, 1)}
