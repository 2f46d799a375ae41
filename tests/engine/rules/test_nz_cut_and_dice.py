"""New Zealand, section 9 and Appendix 5: laja, cut, dice and buttons."""

from itertools import product

import pytest

from engine.books.registry import rulebook
from engine.errors import CutError
from engine.vocabulary.cuts import Chooser, Cut
from engine.vocabulary.dice import COCKED, Cup, ShakeAgain, Thrown
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.nz_uk import check_event, check_refusal
from tests.engine.rules.tables import followed, rows

NZ = rulebook("nz-1998")


@pytest.mark.parametrize(
    ("rule", "bank", "before", "tried", "verdict"),
    rows("""
nz-1998 9.2(a) | house  | laja-done        | laja-done by=dealer asked_by=Bob         | allowed
nz-1998 9.2(a) | house  | stacked          | laja-done by=dealer asked_by=Bob         | refused 9.1
nz-1998 9.2    | house  | laja-done        | laja-done by=Bob asked_by=Bob            | refused
nz-1998 9.2(b) | player | wager-placed box=2 | laja-done by=dealer asked_by=Dan       | allowed
nz-1998 9.2(b) | player | wager-placed box=2 | laja-done by=dealer asked_by=Ann       | refused
nz-1998 9.2(b) | co-bank | wager-placed box=2 | laja-done by=dealer asked_by=Dan      | allowed
nz-1998 9.2(b) | co-bank | wager-placed box=2 | laja-done by=dealer asked_by=Ann      | refused
nz-1998 9.2    | player | cut-named        | laja-done by=dealer asked_by=Dan         | allowed
nz-1998 9.2    | player | button-placed    | laja-done by=dealer asked_by=Dan         | refused
nz-1998 9.3    | house  | bets-closed      | laja-done by=dealer asked_by=Bob         | refused
nz-1998 9.4    | house  | bets-closed      | dice-shaken by=dealer                    | refused
nz-1998 9.4    | house  | dice-shaken      | dice-shaken by=dealer                    | allowed
nz-1998 9.4    | house  | dice-shaken      | dice-shaken by=Ann                       | refused
nz-1998 9.4    | house  | dice-shaken      | cut-named cut=China_Bank by=supervisor   | refused
nz-1998 9.4    | player | dice-shaken by=dealer | dice-shaken by=Dan                  | refused
nz-1998 9.4    | player | dice-shaken by=Dan | dice-shaken by=Dan                     | allowed
nz-1998 9.4    | player | dice-shaken by=Dan | dice-shaken by=Ann                     | refused
nz-1998 9.4    | player | dice-shaken by=Dan | cut-named cut=China_Bank by=banker     | allowed
nz-1998 9.4    | co-bank | cut-named       | dice-shaken by=Dan                       | allowed
nz-1998 9.5    | house  | cut-named        | cut-named cut=China_Bank by=supervisor   | allowed
nz-1998 9.5    | house  | cut-named        | cut-named cut=China_Bank by=banker       | refused
nz-1998 9.5    | house  | cut-named        | cut-named cut=China_Bank by=cut_die      | refused
nz-1998 9.5    | player | cut-named        | cut-named cut=Foot_Say by=banker         | allowed
nz-1998 9.5    | player | cut-named        | cut-named cut=Foot_Say by=supervisor     | allowed
nz-1998 9.5    | player | cut-named        | cut-named cut=Foot_Say by=cut_die        | refused
nz-1998 9.5    | house  | dice-shown       | cut-named cut=China_Bank by=supervisor   | refused
nz-1998 9.6    | house  | dice-shown       | button-placed value=4                    | refused
nz-1998 9.6    | player | cut-named        | button-placed value=4                    | refused
nz-1998 9.6    | player | dice-shown       | button-placed value=4                    | refused
nz-1998 9.6    | player | button-placed    | button-placed value=-4                   | allowed
nz-1998 9.6    | player | button-placed    | button-placed value=3                    | refused
nz-1998 9.6    | co-bank | dice-shown      | button-placed value=4                    | allowed
nz-1998 9.6    | player | tiles-delivered  | button-placed value=4                    | refused
nz-1998 9.8    | house  | dice-shown       | dice-shown box_dice=2,4 cocked=yes       | allowed
nz-1998 9.8    | house  | dice-shown       | dice-shown box_dice=2,4 first_box=6      | refused 3.3(b)
nz-1998 9.9    | house  | dice-shown       | dice-shown box_dice=2,4,5 first_box=3    | allowed
nz-1998 9.9    | house  | dice-shown       | dice-shown box_dice=2,4,5 first_box=7    | refused
"""),
)
def test_from_the_stacks_to_the_dice(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


def test_a_leaning_die() -> None:
    """nz-1998 9.8: nothing is read of such a throw; the cup is shaken again before it is opened again."""
    log = followed(played("nz-1998", Bank.HOUSE, "dice-shown").current, "dice-shown box_dice=2,4 cocked=yes")
    good = event("dice-shown box_dice=2,4,5 first_box=3")
    check_refusal(log.refusal(good), "nz-1998 9.8", "refused")
    check_refusal(followed(log, "dice-shaken by=dealer").refusal(good), "nz-1998 9.8", "allowed")
    result = NZ.dice.read(Cup((6, COCKED, 6)), Bank.HOUSE)
    assert isinstance(result, ShakeAgain)
    assert (result.cite, result.printed) == ("nz-1998 9.8", True)


# Counter-clockwise, the chung's box counting as 1, 9 and 17; a total of 3 is the box after the next.
FROM_BOX_1 = {3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 1, 10: 2, 11: 3, 12: 4, 13: 5, 14: 6, 15: 7, 16: 8, 17: 1, 18: 2}
FROM_BOX_6 = {3: 8, 4: 1, 5: 2, 6: 3, 7: 4, 8: 5, 9: 6, 10: 7, 11: 8, 12: 1, 13: 2, 14: 3, 15: 4, 16: 5, 17: 6, 18: 7}
# With a button, from box 1: the total plus or minus 4, then counted; -1 is box 7 and 0 box 8 (ruling 26).
LESS_4 = {3: 7, 4: 8, 5: 1, 6: 2, 7: 3, 8: 4, 9: 5, 10: 6, 11: 7, 12: 8, 13: 1, 14: 2, 15: 3, 16: 4, 17: 5, 18: 6}
PLUS_4 = {3: 7, 4: 8, 5: 1, 6: 2, 7: 3, 8: 4, 9: 5, 10: 6, 11: 7, 12: 8, 13: 1, 14: 2, 15: 3, 16: 4, 17: 5, 18: 6}


@pytest.mark.parametrize(
    ("bank", "chung", "button", "boxes"),
    [
        pytest.param(Bank.HOUSE, 1, 0, FROM_BOX_1, id="nz-1998 9.9, the House at box 1"),
        pytest.param(Bank.PLAYER, 6, 0, FROM_BOX_6, id="nz-1998 9.9, a player at box 6"),
        pytest.param(Bank.CO_BANK, 1, -4, LESS_4, id="nz-1998 9.6, -4"),
        pytest.param(Bank.PLAYER, 1, 4, PLUS_4, id="nz-1998 9.6, +4"),
    ],
)
def test_the_first_box(bank: Bank, chung: int, button: int, boxes: dict[int, int]) -> None:
    for dice in product(range(1, 7), repeat=3):
        thrown = NZ.dice.read(Cup(dice), bank, chung, button)
        assert isinstance(thrown, Thrown)
        assert thrown.first_box == boxes[sum(dice)], dice


@pytest.mark.parametrize("bank", Bank)
def test_who_decides_the_cut(bank: Bank) -> None:
    """nz-1998 9.5: Yat Dong Dong unless the game supervisor directs another; a player in the bank goes first."""
    choice = NZ.cuts.chooser(bank)
    assert (choice.supervisor, choice.usual is not None and choice.usual.cut) == ("game supervisor", Cut.YAT_DONG_DONG)
    if bank is Bank.HOUSE:
        assert NZ.cuts.decide(Cut.FOOT_SAY, Chooser.SUPERVISOR, bank).cite == "nz-1998 9.5"
        with pytest.raises(CutError, match=r"\(nz-1998 9\.5\)"):
            NZ.cuts.decide(Cut.FOOT_SAY, Chooser.BANKER, bank)
        return
    assert NZ.cuts.decide(Cut.FOOT_SAY, Chooser.BANKER, bank).cite == "nz-1998 9.5"
    with pytest.raises(CutError, match=r"has not declined \(nz-1998 9\.5\)"):
        NZ.cuts.decide(Cut.FOOT_SAY, Chooser.SUPERVISOR, bank)
    assert NZ.cuts.decide(Cut.FOOT_SAY, Chooser.SUPERVISOR, bank, declined=True).cut is Cut.FOOT_SAY


# As printed: the traditional name, right/left (s), top/bottom (l), front/back (d), head/tail (e).
APPENDIX_5 = """
Yat Dong Dong | 1 Stack | s
Cup Say | Tiger | l s
Chee Yee | Chop the Ears | l
Dai Pin | Big Slice | s
Jung Quat | From the Heart | l
Long Tau/Fong May | Dragon Head/Phoenix Tail | s
Wui Fung Bank | Hong Kong Bank |
Foot Say | 4 Across |
Seung Gwai Pak Moon | Ghost Closing the Door |
Pong Yun | Buddha's Signal | s
China Bank | China Bank |
Harbour Bridge | Harbour Bridge |
Bo Bo Go Sing | Boy Walks Up Stairs | s
Gum Un Que | Double Bridge | s d
Ghan Dong Ping Say | Kangaroo Jump | s
Chong Wan Sup Lok | 16 Across | l
Yat Kai Sum May | Chicken 3 Ways | s
Ghan Dong Cup Say | Striped Tiger | s
Arn Lok Peng Sar | Flying Dragon | s e
Girl on the Right and Left | Girl on the Right and Left |
"""
KINDS = {"right": "s", "top": "l", "front": "d", "head": "e"}


def test_the_cuts_of_appendix_5() -> None:
    """nz-1998 Appendix 5: twenty cuts with the options printed there."""
    known = [
        (cut.chinese, cut.english, " ".join(KINDS[option[0].value] for option in cut.options)) for cut in NZ.cuts.named
    ]
    assert known == [(name, english, options) for name, english, options in rows(APPENDIX_5)]
