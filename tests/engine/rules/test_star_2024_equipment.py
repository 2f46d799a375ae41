"""The Star 2024, sections 2 to 5 and Appendix 1: table, dice, tiles, their ranking, and who checks them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.books.registry import rulebook
from engine.errors import DiceError
from engine.game.hands import Hand
from engine.game.ranking import outranks, rank_of
from engine.game.setting import Deal
from engine.game.tiles import FULL_SET, Kind
from engine.vocabulary.dice import COCKED, Cup, ShakeAgain
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import FULL, event
from tests.engine.rules.star import check_event, check_refusal
from tests.engine.rules.tables import opened, rows
from tests.vision.test_hand_grouping import at_places, lay

BOOK = rulebook("star-2024")
BACKWARDS = ",".join(reversed(FULL.split(",")))

EVENTS = f"""
star-2024 2.2 | house | dice-shaken | wager-placed box=9 player=Eve amount=100 | refused
star-2024 2.2 | house | dice-shaken | wager-placed box=0 player=Eve amount=100 | refused
star-2024 2.2 | house | dice-shaken | wager-placed box=8 player=Eve amount=100 | allowed
star-2024 2.3 | house | dice-shown | dice-shown box_dice=2,4,7 cut_die=4 first_box=5 | refused
star-2024 2.3 | house | dice-shown | dice-shown box_dice=0,4,5 cut_die=4 first_box=1 | refused
star-2024 2.3 | house | dice-shown | dice-shown box_dice=2,4,5 cut_die=8 first_box=3 | refused
star-2024 2.4 | house | dice-shown | dice-shown box_dice=2,4,5 first_box=3 | refused
star-2024 2.4 | player | dice-shown | dice-shown box_dice=2,4,5 first_box=2 | refused
star-2024 2.5.1 | house | dice-shown | dice-shown box_dice=2,4 cut_die=4 first_box=6 | refused
star-2024 2.5.1 | house | dice-shown | dice-shown box_dice=2,4,5,1 cut_die=4 first_box=4 | refused
star-2024 3.1 | house | tiles-checked | tiles-checked tiles={FULL.removesuffix(",2-1")} by=casino_supervisor | refused
star-2024 3.1 | house | tiles-checked | tiles-checked tiles={FULL},2-1 by=casino_supervisor | refused
star-2024 3.3.1 | house | tiles-checked | tiles-checked tiles={BACKWARDS} by=casino_supervisor | refused
star-2024 3.3.1 | house | tiles-checked | tiles-checked tiles={FULL} by=dealer | refused
star-2024 3.3.1 | house | tiles-checked | tiles-checked tiles={FULL} by=Gaming_Supervisor | allowed
star-2024 3.3.1 | house | tiles-checked | shuffled | refused
star-2024 3.3.2 | house | player-seated | shuffled | refused
star-2024 3.3.2 | house | bank-offered | shuffled | allowed
star-2024 3.5 | house | tiles-checked | tiles-replaced ordered_by=dealer | refused
star-2024 3.5 | house | tiles-checked | tiles-replaced ordered_by=casino_supervisor | allowed
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


def test_tiles_are_checked_again_whenever_they_are_replaced() -> None:
    """star-2024 3.3 and 3.4: one by one, the whole set, before another tile of it is shuffled."""
    log = opened("star-2024", "player-seated box=2 player=Ann")
    assert log.refusal(event("shuffled")) is None
    log = log.append(event("tiles-replaced ordered_by=casino_supervisor"))
    check_refusal(log.refusal(event("shuffled")), "star-2024 3.3.1", "refused")
    log = log.append(event(f"tiles-checked tiles={FULL} by=casino_supervisor"))
    assert log.refusal(event("shuffled")) is None


@pytest.mark.parametrize("cocked", range(4))
def test_all_four_dice_lie_flat(cocked: int) -> None:
    """star-2024 8.3: the cut die as well as the three box dice; else the cup is shaken again."""
    faces = [COCKED if place == cocked else 3 for place in range(4)]
    said = BOOK.dice.read(Cup((faces[0], faces[1], faces[2]), faces[3]), Bank.HOUSE)
    assert isinstance(said, ShakeAgain)
    assert (said.cite, said.printed) == ("star-2024 8.3", True)


@pytest.mark.parametrize("value", range(-6, 7))
def test_buttons_run_from_plus_four_to_minus_four(value: int) -> None:
    """star-2024 2.5.3: eight buttons; 0 is not one of them."""
    if 0 < abs(value) < 5:
        BOOK.dice.check_button(value, Bank.PLAYER)
        assert value in BOOK.dice.buttons.value.values
    elif value:
        with pytest.raises(DiceError, match=r"star-2024 8\.2"):
            BOOK.dice.check_button(value, Bank.PLAYER)
    else:
        assert value not in BOOK.dice.buttons.value.values


# Ranking


@pytest.mark.parametrize(
    ("rule", "hand", "points"),
    [
        ("star-2024 3.2.1", "6-6 6-4", 2),  # 12 and 10 are 22
        ("star-2024 3.2.1", "5-5 6-4", 0),  # 20
        ("star-2024 3.2.1", "6-5 6-1", 8),  # 18
        ("star-2024 3.2.1", "1-1 3-1", 6),  # 2 and 4
        ("star-2024 3.2.1", "5-4 6-5", 0),  # 9 and 11
        ("star-2024 3.2.2", "4-2 6-3", 5),  # 12 or 15
        ("star-2024 3.2.2", "2-1 6-3", 5),
        ("star-2024 3.2.2", "2-1 6-1", 3),  # 10 or 13
        ("star-2024 3.2.2", "4-2 5-5", 6),  # 13 or 16
        ("star-2024 3.2.2", "2-1 6-6", 8),  # 15 or 18
        ("star-2024 3.2.2", "4-2 3-3", 9),  # 9 or 12
    ],
)
def test_the_value_of_a_hand(rule: str, hand: str, points: int) -> None:
    assert Hand.parse(hand).points == points, rule


PAIRS = """4-2 2-1, 6-6 6-6, 1-1 1-1, 4-4 4-4, 3-1 3-1, 5-5 5-5, 3-3 3-3, 2-2 2-2, 6-5 6-5, 6-4 6-4, 6-1 6-1, 5-1 5-1,
6-3 5-4, 6-2 5-3, 5-2 4-3, 4-1 3-2, 6-6 5-4, 1-1 6-3, 6-6 6-2, 1-1 4-4, 6-6 5-2, 1-1 6-1, 4-4 6-5"""


def test_pairs_then_wongs_gongs_and_high_nines_then_points() -> None:
    """star-2024 Appendix 1: Pairs, and star-2024 Appendix 1: Wongs, Gongs and High Nines, in the printed order.

    The last is nine points, below Day High Nine (star-2024 3.2.1).
    """
    hands = [Hand.parse(text) for text in PAIRS.replace("\n", " ").split(", ")]
    assert len(hands) == 16 + 6 + 1
    assert all(outranks(higher, lower) for higher, lower in pairwise(hands))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("6-6 6-3", "6-6 5-4"),
        ("1-1 4-4", "1-1 5-3"),
        ("6-6 6-1", "6-6 4-3"),
    ],
)
def test_any_nine_eight_or_seven_serves(one: str, other: str) -> None:
    """The note to star-2024 Appendix 1: Wongs, Gongs and High Nines: they are copies of each other."""
    assert rank_of(Hand.parse(one)) == rank_of(Hand.parse(other))


@pytest.mark.parametrize(
    ("higher", "lower", "points"),
    [
        ("6-6 4-1", "1-1 3-2", 7),  # Teen, Day
        ("1-1 3-2", "4-4 6-3", 7),  # Day, High 8
        ("4-4 6-3", "3-1 2-1", 7),  # High 8, High 4
        ("3-1 2-1", "5-5 6-1", 7),  # High 4, High 10
        ("5-5 6-1", "3-3 6-5", 7),  # High 10, High 6
        ("3-3 6-5", "2-2 4-2", 7),  # High 6, Low 4
        ("2-2 4-2", "6-5 5-1", 7),  # Low 4, eleven
        ("6-5 5-1", "6-4 6-1", 7),  # eleven, Low 10
        ("6-4 5-1", "6-1 6-3", 6),  # Low 10, High 7
        ("6-1 6-2", "5-1 5-4", 5),  # High 7, Low 6
        ("5-1 6-2", "6-3 4-1", 4),  # Low 6, nine
        ("5-4 3-2", "5-3 2-1", 4),  # nine, Low 8
        ("6-2 4-1", "5-2 2-1", 3),  # Low 8, Low 7; no Low 7 and no five lead hands of the same points
    ],
)
def test_single_tiles_in_order_of_rank(higher: str, lower: str, points: int) -> None:
    """star-2024 3.2: individual tiles too (their pictures are lost, ruling 37), with Gee Jun below them all."""
    one, other = Hand.parse(higher), Hand.parse(lower)
    assert (one.points, other.points) == (points, points)
    assert outranks(one, other)


def test_the_set_is_that_of_appendix_1() -> None:
    """star-2024 3.1: thirty-two tiles, sixteen pairs."""
    assert len(FULL_SET) == 32
    assert [kind for kind in Kind for _ in range(2)] == [tile.kind for tile in sorted(FULL_SET, key=lambda t: t.index)]


# The House Way, and how its hands lie


def test_the_house_way_is_that_of_appendix_2() -> None:
    """star-2024 4.1: Gee Jun splits with the High 6 and a Low 6 (9 and 9), and not with the Low 6 and a five."""
    way = BOOK.house_way()
    split, kept = way.decide(Deal.parse("4-2 2-1 3-3 5-1")).setting, way.decide(Deal.parse("4-2 2-1 5-1 4-1")).setting
    assert split.counts == (9, 9)
    assert str(kept) == "5-1 4-1 / 4-2 2-1"


def test_a_computer_may_check_the_setting() -> None:
    """star-2024 5.1: of the three ways to lay High 10, Low 10, Day and High 6 one is the House Way: 0 and 8."""
    way, deal = BOOK.house_way(), Deal.parse("5-5 6-4 3-3 1-1")
    assert [way.judge(deal, setting).correct for setting in deal.settings if setting.counts == (0, 8)] == [True]
    assert sum(way.judge(deal, setting).correct for setting in deal.settings) == 1


def test_the_low_hand_lies_upright_and_the_high_hand_across() -> None:
    """star-2024 13.1.4: as the dealer sees them, at the House's own place."""
    assert at_places(lay("5-5 6-4", "3-3 1-1"))[0] == ["house: 5-5 6-4 / 3-3 1-1 verified"]
    assert at_places(lay("3-3 1-1", "5-5 6-4"))[0] == ["house: 3-3 1-1 / 5-5 6-4 verified"]
