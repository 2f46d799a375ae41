"""The Star's older rules, sections 2 to 5: table, dice, tiles, their value, and who checks them."""

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

BOOK = rulebook("star-classic")
BACKWARDS = ",".join(reversed(FULL.split(",")))

EVENTS = f"""
star-classic 2.2 | house | cut-named | wager-placed box=9 player=Eve amount=100 | refused
star-classic 2.2 | house | cut-named | wager-placed box=0 player=Eve amount=100 | refused
star-classic 2.2 | house | cut-named | wager-placed box=8 player=Eve amount=100 | allowed
star-classic 2.3 | house | dice-shown | dice-shown box_dice=2,4,7 first_box=5 | refused
star-classic 2.3 | house | dice-shown | dice-shown box_dice=2,4 first_box=6 | refused
star-classic 2.3 | house | dice-shown | dice-shown box_dice=2,4,5,1 first_box=4 | refused
star-classic 2.3 | house | dice-shown | dice-shown box_dice=2,4,5 cut_die=1 first_box=3 | refused
star-classic 3.1 | house | tiles-checked | tiles-checked tiles={FULL.removesuffix(",2-1")} by=game_supervisor | refused
star-classic 3.1 | house | tiles-checked | tiles-checked tiles={FULL},2-1 by=game_supervisor | refused
star-classic 3.3.1 | house | player-seated | shuffled | refused
star-classic 3.3.1 | house | bank-offered | shuffled | allowed
star-classic 3.3.2 | house | tiles-checked | tiles-checked tiles={BACKWARDS} by=game_supervisor | refused
star-classic 3.3.2 | house | tiles-checked | tiles-checked tiles={FULL} by=dealer | refused
star-classic 3.3.2 | house | tiles-checked | tiles-checked tiles={FULL} by=casino_supervisor | allowed
star-classic 3.3.2 | house | tiles-checked | shuffled | refused
star-classic 3.5 | house | tiles-checked | tiles-replaced ordered_by=dealer | refused
star-classic 3.5 | house | tiles-checked | tiles-replaced ordered_by=casino_supervisor | allowed
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


@pytest.mark.parametrize("cocked", range(3))
def test_all_three_dice_lie_flat(cocked: int) -> None:
    """star-classic 8.2: else the cup is shaken again."""
    one, two, three = (COCKED if place == cocked else 3 for place in range(3))
    result = BOOK.dice.read(Cup((one, two, three)), Bank.HOUSE)
    assert isinstance(result, ShakeAgain)
    assert (result.cite, result.printed) == ("star-classic 8.2", True)


@pytest.mark.parametrize("value", [-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6])
def test_buttons_run_from_plus_four_to_minus_four(value: int) -> None:
    """star-classic 2.4.2: eight buttons."""
    if abs(value) < 5:
        BOOK.dice.check_button(value, Bank.PLAYER)
        return
    with pytest.raises(DiceError, match=r"star-classic 7\.8"):
        BOOK.dice.check_button(value, Bank.PLAYER)


def test_a_computer_may_check_the_setting() -> None:
    """star-classic 5: of the three ways to lay Teen, High 6, Low 6 and Low 4 one is the House Way: 0 and 8."""
    way, deal = BOOK.house_way(), Deal.parse("6-6 3-3 5-1 2-2")
    correct = [setting.counts for setting in deal.settings if way.judge(deal, setting).correct]
    assert correct == [(0, 8)]


def test_the_low_hand_lies_upright_and_the_high_hand_across() -> None:
    """star-classic 13.1.4: as the dealer sees them, at the House's own place."""
    assert at_places(lay("3-3 2-2", "6-6 5-1"))[0] == ["house: 3-3 2-2 / 6-6 5-1 verified"]
    assert at_places(lay("6-6 5-1", "3-3 2-2"))[0] == ["house: 6-6 5-1 / 3-3 2-2 verified"]
