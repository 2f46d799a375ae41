"""The Star 2024, sections 2 to 5 and Appendix 1: table, dice, tiles, their ranking, and who checks them."""

from __future__ import annotations

import pytest

from engine.books.registry import rulebook
from engine.errors import DiceError
from engine.game.setting import Deal
from engine.vocabulary.dice import COCKED, Cup, ShakeAgain
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import FULL
from tests.engine.rules.star import check_event
from tests.engine.rules.tables import rows
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


@pytest.mark.parametrize("cocked", range(4))
def test_all_four_dice_lie_flat(cocked: int) -> None:
    """star-2024 8.3: the cut die as well as the three box dice; else the cup is shaken again."""
    faces = [COCKED if place == cocked else 3 for place in range(4)]
    result = BOOK.dice.read(Cup((faces[0], faces[1], faces[2]), faces[3]), Bank.HOUSE)
    assert isinstance(result, ShakeAgain)
    assert (result.cite, result.printed) == ("star-2024 8.3", True)


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
