"""The Star's older rules, sections 7 and 8, Appendix 3: shuffle, laja, cut, buttons, dice and delivery."""

from __future__ import annotations

import pytest

from engine.books.registry import rulebook
from engine.errors import CutError, DiceError
from engine.vocabulary.cuts import Chooser, Cut
from engine.vocabulary.delivery_order import Turn
from engine.vocabulary.dice import Cup, Thrown
from engine.vocabulary.facts import Bank, Milestone
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.star import check_event, check_refusal
from tests.engine.rules.tables import rows
from tests.engine.rules.test_star_2024_cut_and_dice import APPENDIX_3

BOOK = rulebook("star-classic")
LAJA = "laja-done by={by} asked_by={asked} approved_by=casino_supervisor"

EVENTS = """
star-classic 7.1 | house | house-banks | stacked | refused by 7.2
star-classic 7.1 | house | stacked | shuffled | refused by 15.4
star-classic 7.2 | house | shuffled | stacked | refused
star-classic 7.2 | house | stacked | cut-named cut=Foot_Say by=supervisor | refused
star-classic 7.2 | house | stacked | stacked | allowed
star-classic 7.3 | house | cut-named | laja-done by=Bob asked_by=Bob | refused
star-classic 7.3 | house | cut-named | laja-done by=Bob asked_by=Bob approved_by=dealer | refused
star-classic 7.3 | house | cut-named | laja-done by=Bob asked_by=Bob approved_by=game_supervisor | allowed
star-classic 7.3 | house | cut-named | laja-done by=dealer asked_by=Bob approved_by=casino_supervisor | allowed
star-classic 7.3 | house | dice-shaken | laja-done by=Bob asked_by=Bob approved_by=casino_supervisor | refused
star-classic 7.4 | house | cut-named | cut-named cut=Sydney_Tower by=supervisor | allowed
star-classic 7.4 | house | cut-named | cut-named cut=Gum_Un_Que by=supervisor | allowed
star-classic 7.5 | house | cut-named | cut-named cut=Two_Stacks by=supervisor | refused
star-classic 7.5 | house | cut-named | cut-named cut=Two_Stacks by=supervisor accepted_by=dealer | refused
star-classic 7.5 | house | cut-named | cut-named cut=Two_Stacks by=supervisor accepted_by=casino_supervisor | allowed
star-classic 7.5 | player | cut-named | cut-named cut=Two_Stacks by=banker accepted_by=casino_supervisor | allowed
star-classic 7.6 | house | cut-named | cut-named cut=Foot_Say by=banker | refused
star-classic 7.6 | house | cut-named | cut-named cut=Foot_Say by=cut_die | refused
star-classic 7.7 | player | cut-named | cut-named cut=Foot_Say by=cut_die | refused
star-classic 7.7 | player | cut-named | cut-named cut=Foot_Say by=supervisor | allowed
star-classic 7.7 | co-bank | cut-named | cut-named cut=Foot_Say by=banker | allowed
star-classic 7.7 | co-bank | cut-named | cut-named cut=Foot_Say by=supervisor | allowed
star-classic 7.8 | player | cut-named | button-placed value=4 | refused
star-classic 7.8 | player | button-placed | button-placed value=-4 | allowed
star-classic 7.8 | player | button-placed | button-placed value=5 | refused
star-classic 7.8 | player | button-placed | button-placed value=0 | refused
star-classic 7.8 | player | dice-shaken | button-placed value=1 | refused
star-classic 7.8 | player | tiles-delivered | button-placed value=1 | refused
star-classic 7.8 | house | dice-shaken | button-placed value=1 | refused
star-classic 8.1 | house | cut-named | dice-shaken by=dealer | refused
star-classic 8.1 | house | dice-shaken | dice-shaken by=dealer | allowed
star-classic 8.1 | player | cut-named | dice-shaken by=Dan | refused
star-classic 8.1 | co-bank | cut-named | dice-shaken by=dealer | refused
star-classic 8.1 | house | dice-shaken | dice-shaken by=Ann | refused
star-classic 8.1 | player | dice-shaken | dice-shaken by=Dan | allowed
star-classic 8.1 | player | dice-shaken | dice-shaken by=dealer | allowed
star-classic 8.1 | player | dice-shaken | dice-shaken by=Ann | refused
star-classic 8.1 | co-bank | dice-shaken | dice-shaken by=Dan | allowed
star-classic 8.2 | house | dice-shaken | dice-shown box_dice=2,4,5 first_box=3 | refused
star-classic 8.2 | house | dice-shown | dice-shown box_dice=2,4 cocked=yes | allowed
star-classic 8.3.1 | house | dice-shown | dice-shown box_dice=2,4,5 first_box=3 | allowed
star-classic 8.3.1 | house | dice-shown | dice-shown box_dice=2,4,5 first_box=4 | refused
star-classic 8.3.1 | player | dice-shown | dice-shown box_dice=2,4,5 first_box=1 | allowed
star-classic 8.3.1 | player | dice-shown | dice-shown box_dice=2,4,5 first_box=5 | refused
star-classic 8.3.1 | co-bank | dice-shown | dice-shown box_dice=2,4,5 first_box=5 | allowed
star-classic 12.1 | house | tiles-delivered | tiles-delivered order=3,4,5,6,7,8,1,2 | allowed
star-classic 12.1 | house | tiles-delivered | tiles-delivered order=3,2,1,8,7,6,5,4 | refused
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    """A row may name another rule by which one is refused: 7.1 does not mention late requests."""
    verdict, _, other = verdict.partition(" by ")
    check_event(f"star-classic {other}" if other else rule, bank, before, tried, verdict)


def test_a_round_begins_with_a_shuffle() -> None:
    """star-classic 7.1: before each round; events after a round belong to the next."""
    over = played("star-classic", Bank.HOUSE).current
    check_refusal(over.refusal(event("stacked")), "star-classic 7.1", "refused")
    check_refusal(over.refusal(event("shuffled")), "star-classic 7.1", "refused")


def test_after_a_players_laja_only_the_bank_mixes_once() -> None:
    """star-classic 7.3.1 and 7.3.2: the bank may perform its own, and no other, before the cut is determined."""
    log = played("star-classic", Bank.PLAYER, "cut-named").current.append(event(LAJA.format(by="Ann", asked="Ann")))
    for by in ("Bob", "Ann"):
        other = event(LAJA.format(by=by, asked=by))
        check_refusal(log.refusal(other), "star-classic 7.3.1", "refused")
    banks = event("laja-done by=Dan asked_by=Dan")
    log = log.append(banks)
    check_refusal(log.refusal(banks), "star-classic 7.3.1", "refused")
    check_refusal(log.refusal(event("shuffled")), "star-classic 15.4", "refused")
    assert log.refusal(event("cut-named cut=Foot_Say by=banker")) is None


@pytest.mark.parametrize("bank", [Bank.PLAYER, Bank.CO_BANK])
def test_who_decides_the_cut(bank: Bank) -> None:
    """star-classic 7.6: the game supervisor for the House; star-classic 7.7: the player, else the game supervisor."""
    house = BOOK.cuts.chooser(Bank.HOUSE)
    assert (house.who, house.supervisor, house.cite) == ((Chooser.SUPERVISOR,), "game supervisor", "star-classic 7.6")
    choice = BOOK.cuts.chooser(bank)
    assert (choice.who, choice.supervisor) == ((Chooser.BANKER, Chooser.SUPERVISOR), "game supervisor")
    assert BOOK.cuts.decide(Cut.SYDNEY_TOWER, Chooser.BANKER, bank).cite == "star-classic 7.7"
    assert BOOK.cuts.decide(Cut.SYDNEY_TOWER, Chooser.SUPERVISOR, bank, declined=True).cite == "star-classic 7.7"
    with pytest.raises(CutError, match=r"has not declined \(star-classic 7\.7\)"):
        BOOK.cuts.decide(Cut.SYDNEY_TOWER, Chooser.SUPERVISOR, bank)


def test_there_is_no_cut_die() -> None:
    """star-classic Appendix 3 has no table of numbers; the cup holds three dice (star-classic 2.3)."""
    with pytest.raises(CutError, match="has no cut die"):
        BOOK.cuts.of_die(1)
    with pytest.raises(DiceError, match=r"star-classic 2\.3"):
        BOOK.dice.read(Cup((1, 2, 3), 4), Bank.HOUSE)


def test_the_cuts_and_their_options() -> None:
    """star-classic Appendix 3 is that of 2024; head or tail is in the Dragon Head/Phoenix Tail's name."""
    named = [(cut.chinese, " ".join(t.value for o in cut.options for t in o), cut.english) for cut in BOOK.cuts.named]
    assert named == rows(APPENDIX_3)
    assert all(cut.cite == "star-classic Appendix 3" for cut in BOOK.cuts.named)
    with pytest.raises(CutError, match=r"star-classic Appendix 3"):
        BOOK.cuts.get(Cut.DAI_PIN).turned([Turn.TOP])


@pytest.mark.parametrize(
    ("rule", "bank", "chung", "dice", "button", "first"),
    [
        ("star-classic 8.3.1", Bank.HOUSE, 1, (1, 1, 1), 0, 3),
        ("star-classic 8.3.1", Bank.HOUSE, 1, (3, 3, 3), 0, 1),
        ("star-classic 8.3.1", Bank.HOUSE, 1, (5, 6, 6), 0, 1),
        ("star-classic 8.3.1", Bank.HOUSE, 1, (6, 6, 6), 0, 2),
        ("star-classic 8.3.1", Bank.PLAYER, 6, (1, 1, 1), 0, 8),  # 6 is 1, 7 is 2, 8 is 3
        ("star-classic 8.3.1", Bank.CO_BANK, 6, (1, 1, 2), 0, 1),
        ("star-classic 7.8", Bank.PLAYER, 6, (1, 1, 1), 4, 4),  # 7: 8 is 3, 1 is 4, 2 is 5, 3 is 6, 4 is 7
        ("star-classic 7.8", Bank.PLAYER, 6, (1, 1, 1), -2, 6),
        ("star-classic 7.8", Bank.CO_BANK, 6, (1, 1, 1), -4, 4),  # -1: 5 is 0, 4 is -1 (ruling 26)
        ("star-classic 7.8", Bank.PLAYER, 2, (6, 6, 6), 1, 4),  # 19: 2 is 17, 3 is 18
    ],
)
def test_the_first_area(rule: str, bank: Bank, chung: int, dice: tuple[int, int, int], button: int, first: int) -> None:
    thrown = BOOK.dice.read(Cup(dice), bank, chung, button)
    assert isinstance(thrown, Thrown)
    assert (thrown.first_box, rule) == (first, rule)


def test_the_cut_is_stolen_after_the_cut_and_before_the_dice() -> None:
    """star-classic 7.8: unlike 2024, only once the cut is decided; and never for the House."""
    buttons = BOOK.dice.buttons.value
    assert (buttons.banks, buttons.after, buttons.before) == (
        frozenset({Bank.PLAYER, Bank.CO_BANK}),
        Milestone.CUT_NAMED,
        Milestone.DICE_SHOWN,
    )
