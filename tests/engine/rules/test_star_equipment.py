"""The Star's two books, sections 2 to 5: table, dice, tiles, their value, and who checks them."""

import pytest

from engine.books.registry import rulebook
from engine.errors import DiceError
from engine.game.setting import Deal
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import FULL
from tests.engine.rules.star import check_event
from tests.engine.rules.tables import rows
from tests.vision.test_hand_grouping import at_places, lay

STAR, CLASSIC = rulebook("star-2024"), rulebook("star-classic")
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


@pytest.mark.parametrize("value", range(-6, 7))
def test_buttons_run_from_plus_four_to_minus_four(value: int) -> None:
    """star-2024 2.5.3, star-classic 2.4.2: eight buttons; 0 is not one of them."""
    for book, rule in ((STAR, r"star-2024 8\.2"), (CLASSIC, r"star-classic 7\.8")):
        assert (value in book.dice.buttons.value.values) == (0 < abs(value) < 5)
        if 0 < abs(value) < 5:
            book.dice.check_button(value, Bank.PLAYER)
        elif value:
            with pytest.raises(DiceError, match=rule):
                book.dice.check_button(value, Bank.PLAYER)


def test_the_house_way_is_that_of_appendix_2() -> None:
    """star-2024 4.1: Gee Jun splits with the High 6 and a Low 6 (9 and 9), and not with the Low 6 and a five."""
    way = STAR.house_way()
    split, kept = way.decide(Deal.parse("4-2 2-1 3-3 5-1")).setting, way.decide(Deal.parse("4-2 2-1 5-1 4-1")).setting
    assert split.counts == (9, 9)
    assert str(kept) == "5-1 4-1 / 4-2 2-1"


def test_a_computer_may_check_the_setting() -> None:
    """star-2024 5.1, star-classic 5: of the three ways to lay such tiles one is the House Way: 0 and 8."""
    for book, tiles in ((STAR, "5-5 6-4 3-3 1-1"), (CLASSIC, "6-6 3-3 5-1 2-2")):
        way, deal = book.house_way(), Deal.parse(tiles)
        assert [setting.counts for setting in deal.settings if way.judge(deal, setting).correct] == [(0, 8)]


@pytest.mark.parametrize(("one", "other"), [("5-5 6-4", "3-3 1-1"), ("3-3 2-2", "6-6 5-1")])
def test_the_low_hand_lies_upright_and_the_high_hand_across(one: str, other: str) -> None:
    """star-2024 13.1.4, star-classic 13.1.4: as the dealer sees them, at the House's own place."""
    for low, high in ((one, other), (other, one)):
        assert at_places(lay(low, high))[0] == [f"house: {low} / {high} verified"]
