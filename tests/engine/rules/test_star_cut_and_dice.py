"""The Star's two books, sections 7 and 8, Appendices 3 and 4: shuffle, laja, dice, buttons, cut and delivery."""

import pytest

from engine.books.book import Rulebook
from engine.books.registry import rulebook
from engine.errors import CutError, DiceError
from engine.vocabulary.cuts import Chooser, Cut
from engine.vocabulary.delivery_order import Turn
from engine.vocabulary.dice import COCKED, Cup, ShakeAgain, Thrown
from engine.vocabulary.facts import Bank, Milestone
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.star import check_event, check_refusal
from tests.engine.rules.tables import rows

STAR, CLASSIC = rulebook("star-2024"), rulebook("star-classic")
LAJA = "laja-done by={by} asked_by={asked} approved_by=casino_supervisor"

# Until "dice-shown" the cup of the golden rounds is shaken and covered; box 3 is the player/banker Dan's.
EVENTS = """
star-2024 7.1 | house | stacked | shuffled | refused by 15.4
star-2024 7.1 | house | house-banks | stacked | refused by 7.2
star-2024 7.2 | house | shuffled | stacked | refused
star-2024 7.2 | house | stacked | dice-shaken by=dealer | refused
star-2024 7.2 | house | laja-done by=Bob | stacked | refused
star-2024 7.3 | house | laja-done by=Bob | laja-done by=Bob asked_by=Bob | refused
star-2024 7.3 | house | laja-done by=Bob | laja-done by=Bob asked_by=Bob approved_by=dealer | refused
star-2024 7.3 | house | laja-done by=Bob | laja-done by=dealer asked_by=Bob approved_by=casino_supervisor | allowed
star-2024 7.3 | house | laja-done by=Bob | laja-done by=Bob asked_by=Bob approved_by=Gaming_Manager | allowed
star-2024 7.3 | house | laja-done by=Bob | laja-done by=Ann asked_by=Bob approved_by=casino_supervisor | refused
star-2024 7.3 | house | cut-named | laja-done by=dealer asked_by=Bob approved_by=casino_supervisor | refused
star-2024 7.3.1 | house | laja-done by=dealer | laja-done by=Cho asked_by=Cho approved_by=casino_supervisor | refused
star-2024 7.3.1 | house | wager-placed box=2 | laja-done by=dealer asked_by=dealer | refused
star-2024 7.3.2 | house | laja-done by=dealer | laja-done by=dealer asked_by=dealer | allowed
star-2024 8.1 | house | dice-shaken | dice-shaken by=Ann | refused
star-2024 8.1 | player | dice-shaken | dice-shaken by=Ann | refused
star-2024 8.1 | player | dice-shaken | dice-shaken by=dealer | allowed
star-2024 8.2 | player | button-placed | button-placed value=4 | allowed
star-2024 8.2 | player | button-placed | button-placed value=-4 | allowed
star-2024 8.2 | player | button-placed | button-placed value=5 | refused
star-2024 8.2 | player | button-placed | button-placed value=-5 | refused
star-2024 8.2 | player | button-placed | button-placed value=0 | refused
star-2024 8.2 | player | dice-shaken | button-placed value=1 | refused
star-2024 8.2 | player | cut-named | button-placed value=1 | refused
star-2024 8.2 | house | dice-shaken | button-placed value=1 | refused
star-2024 8.3 | house | dice-shaken | dice-shown box_dice=2,4,5 cut_die=4 first_box=3 | refused
star-2024 8.3 | house | dice-shown | dice-shown box_dice=2,4 cocked=yes | allowed
star-2024 8.3 | house | dice-shown | dice-shown box_dice=2,4,5 first_box=3 cocked=yes | refused
star-2024 8.4.1 | house | dice-shown | dice-shown box_dice=2,4,5 cut_die=4 first_box=4 | refused
star-2024 8.4.1 | player | dice-shown | dice-shown box_dice=2,4,5 cut_die=4 first_box=5 | refused
star-2024 8.4.3 | player | dice-shaken | cut-named cut=Cup_Say by=banker | refused
star-2024 8.4.3 | player | cut-named | cut-named cut=Cup_Say by=supervisor | refused
star-2024 8.4.3 | player | cut-named | cut-named cut=Dai_Pin by=cut_die | allowed
star-2024 Appendix 4 | player | cut-named | cut-named cut=Cup_Say by=cut_die | refused
star-2024 8.4.4 | house | dice-shown | cut-named cut=Dai_Pin by=cut_die | refused
star-2024 8.4.5 | house | cut-named | cut-named cut=Dai_Pin by=supervisor | refused
star-2024 8.4.5 | house | cut-named | cut-named cut=Cup_Say by=supervisor accepted_by=dealer | refused
star-2024 8.4.5 | house | cut-named | cut-named cut=Cup_Say by=supervisor accepted_by=casino_supervisor | allowed
star-2024 8.4.5 | house | cut-named | cut-named cut=Two_Towers by=supervisor accepted_by=casino_supervisor | allowed
star-2024 8.4.4 | house | cut-named | cut-named cut=Cup_Say by=banker | refused
star-2024 Appendix 4 | house | cut-named | cut-named cut=Chee_Yee by=cut_die | refused
star-2024 8.4.5 | player | cut-named | cut-named cut=Two_Towers by=banker | refused
star-2024 8.4.5 | player | cut-named | cut-named cut=Two_Towers by=banker accepted_by=dealer | refused
star-2024 8.4.5 | player | cut-named | cut-named cut=Two_Towers by=banker accepted_by=casino_supervisor | allowed
star-2024 8.4.4 | house | cut-named | tiles-delivered order=3,4,5,6,7,8,1,2 | refused
star-2024 8.4.1 | house | dice-shown | tiles-delivered order=3,4,5,6,7,8,1,2 | refused
star-2024 12.1 | house | tiles-delivered | tiles-delivered order=2,3,4,5,6,7,8,1 | refused
star-2024 12.1 | house | tiles-delivered | tiles-delivered order=3,2,1,8,7,6,5,4 | refused
star-2024 12.1 | house | tiles-delivered | tiles-delivered order=4,5 | refused
star-classic 7.1 | house | house-banks | stacked | refused by 7.2
star-classic 7.1 | house | stacked | shuffled | refused by 15.4
star-classic 7.2 | house | shuffled | stacked | refused
star-classic 7.2 | house | stacked | cut-named cut=Foot_Say by=supervisor | refused
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
star-classic 7.7 | co-bank | cut-named | cut-named cut=Foot_Say by=supervisor | allowed
star-classic 7.8 | player | cut-named | button-placed value=4 | refused
star-classic 7.8 | player | button-placed | button-placed value=-4 | allowed
star-classic 7.8 | player | button-placed | button-placed value=5 | refused
star-classic 7.8 | player | button-placed | button-placed value=0 | refused
star-classic 7.8 | player | dice-shaken | button-placed value=1 | refused
star-classic 7.8 | player | tiles-delivered | button-placed value=1 | refused
star-classic 7.8 | house | dice-shaken | button-placed value=1 | refused
star-classic 8.1 | house | cut-named | dice-shaken by=dealer | refused
star-classic 8.1 | player | cut-named | dice-shaken by=Dan | refused
star-classic 8.1 | co-bank | cut-named | dice-shaken by=dealer | refused
star-classic 8.1 | house | dice-shaken | dice-shaken by=Ann | refused
star-classic 8.1 | player | dice-shaken | dice-shaken by=dealer | allowed
star-classic 8.1 | player | dice-shaken | dice-shaken by=Ann | refused
star-classic 8.1 | co-bank | dice-shaken | dice-shaken by=Dan | allowed
star-classic 8.2 | house | dice-shaken | dice-shown box_dice=2,4,5 first_box=3 | refused
star-classic 8.2 | house | dice-shown | dice-shown box_dice=2,4 cocked=yes | allowed
star-classic 8.3.1 | house | dice-shown | dice-shown box_dice=2,4,5 first_box=4 | refused
star-classic 8.3.1 | player | dice-shown | dice-shown box_dice=2,4,5 first_box=5 | refused
star-classic 12.1 | house | tiles-delivered | tiles-delivered order=3,2,1,8,7,6,5,4 | refused
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    """A row may name another rule by which one is refused: 7.1 does not mention late requests."""
    verdict, _, other = verdict.partition(" by ")
    check_event(f"{rule.split(maxsplit=1)[0]} {other}" if other else rule, bank, before, tried, verdict)


def test_a_round_begins_with_a_shuffle() -> None:
    """7.1 of both: before each round; events after a round belong to the next."""
    for book in ("star-2024", "star-classic"):
        over = played(book, Bank.HOUSE).current
        check_refusal(over.refusal(event("stacked")), f"{book} 7.1", "refused")
        check_refusal(over.refusal(event("shuffled")), f"{book} 7.1", "refused")
    begun = played("star-2024", Bank.HOUSE, "stacked").current
    check_refusal(begun.refusal(event("tiles-replaced ordered_by=casino_supervisor")), "star-2024 7.1", "refused")


def test_tiles_shuffled_again_are_stacked_again() -> None:
    """star-2024 7.2, 15.4: a casino supervisor directs it; the cup waits for the stacks."""
    log = played("star-2024", Bank.HOUSE, "dice-shaken").current
    again = log.append(event("shuffled ordered_by=casino_supervisor"))
    check_refusal(again.refusal(event("dice-shaken by=dealer")), "star-2024 7.2", "refused")
    assert again.append(event("stacked")).refusal(event("dice-shaken by=dealer")) is None


# The dice. Counted by hand: the chung's area is 1, 9 and 17, its left neighbour 2, 10 and 18.


@pytest.mark.parametrize(
    ("rule", "bank", "chung", "dice", "button", "first"),
    [
        ("star-2024 8.4.1", Bank.HOUSE, 1, (1, 1, 1), 0, 3),
        ("star-2024 8.4.1", Bank.HOUSE, 1, (2, 3, 3), 0, 8),
        ("star-2024 8.4.1", Bank.HOUSE, 1, (3, 3, 3), 0, 1),  # 9
        ("star-2024 8.4.1", Bank.HOUSE, 1, (5, 6, 6), 0, 1),  # 17
        ("star-2024 8.4.1", Bank.HOUSE, 1, (6, 6, 6), 0, 2),  # 18
        ("star-2024 8.4.1", Bank.HOUSE, 1, (6, 5, 5), 0, 8),  # 16
        ("star-2024 8.4.1", Bank.PLAYER, 5, (1, 1, 2), 0, 8),  # 5 is 1, 6 is 2, 7 is 3, 8 is 4
        ("star-2024 8.4.1", Bank.PLAYER, 5, (1, 2, 2), 0, 1),
        ("star-2024 8.4.1", Bank.PLAYER, 8, (1, 1, 1), 0, 2),
        ("star-2024 8.4.1", Bank.PLAYER, 8, (5, 6, 6), 0, 8),
        ("star-2024 8.2", Bank.PLAYER, 5, (1, 1, 2), 4, 4),  # 8: the area before the chung's
        ("star-2024 8.2", Bank.PLAYER, 5, (1, 1, 2), -3, 5),  # 1
        ("star-2024 8.2", Bank.PLAYER, 1, (6, 6, 6), 4, 6),  # 22: five beyond 17
        ("star-2024 8.2", Bank.PLAYER, 1, (1, 1, 1), -3, 8),  # 0, one back from 1 (ruling 26)
        ("star-2024 8.2", Bank.PLAYER, 1, (1, 1, 1), -4, 7),  # -1
        ("star-2024 8.2", Bank.PLAYER, 4, (1, 1, 1), -4, 2),
    ],
)
def test_the_first_area(rule: str, bank: Bank, chung: int, dice: tuple[int, int, int], button: int, first: int) -> None:
    thrown = STAR.dice.read(Cup(dice, 1), bank, chung, button)
    assert isinstance(thrown, Thrown)
    assert (thrown.first_box, rule) == (first, rule)


def test_the_cut_die_lies_flat_too() -> None:
    """star-2024 8.3: or the cup is shaken again."""
    result = STAR.dice.read(Cup((3, 3, 3), COCKED), Bank.HOUSE)
    assert isinstance(result, ShakeAgain)
    assert (result.cite, result.printed) == ("star-2024 8.3", True)


def test_only_a_player_in_the_bank_steals_the_cut() -> None:
    """star-2024 8.2: and before the dice are disclosed, whether or not a cut is named."""
    with pytest.raises(DiceError, match=r"star-2024 8\.2"):
        STAR.dice.read(Cup((1, 2, 3), 1), Bank.HOUSE, 1, 2)
    buttons = STAR.dice.buttons.value
    assert (buttons.after, buttons.before) == (None, Milestone.DICE_SHOWN)


def test_tiles_go_counter_clockwise_from_the_first_area() -> None:
    """star-2024 8.4.6: a total of 11 with a button of -3 is 8, and the chung lies on area three."""
    thrown = STAR.dice.read(Cup((2, 4, 5), 4), Bank.PLAYER, 3, -3)
    assert isinstance(thrown, Thrown)
    assert thrown.boxes == (2, 3, 4, 5, 6, 7, 8, 1)


# The cuts


@pytest.mark.parametrize(
    ("face", "chinese"),
    [(1, "Long Tau/Fong May"), (2, "Jung Quat"), (3, "Cup Say"), (4, "Dai Pin"), (5, "Wui Fung Bank"), (6, "Chee Yee")],
)
def test_the_cut_die(face: int, chinese: str) -> None:
    """star-2024 Appendix 4; when the House banks (star-2024 8.4.4) or the player declines (star-2024 8.4.3)."""
    cut = STAR.cuts.of_die(face)
    assert cut.chinese == chinese
    assert STAR.cuts.decide(cut.cut, Chooser.CUT_DIE, Bank.HOUSE, die=face).cite == "star-2024 8.4.4"
    declined = STAR.cuts.decide(cut.cut, Chooser.CUT_DIE, Bank.PLAYER, declined=True, die=face)
    assert declined.cite == "star-2024 8.4.3"
    with pytest.raises(CutError, match=r"has not declined \(star-2024 8\.4\.3\)"):
        STAR.cuts.decide(cut.cut, Chooser.CUT_DIE, Bank.PLAYER, die=face)


def test_nobody_chooses_when_the_house_banks() -> None:
    """star-2024 8.4.4 and 8.4.5: the die, unless a casino supervisor accepts another cut (ruling 43)."""
    for by, leave in ((Chooser.BANKER, True), (Chooser.SUPERVISOR, False)):
        with pytest.raises(CutError, match=r"star-2024 8\.4\.4"):
            STAR.cuts.decide(Cut.CUP_SAY, by, Bank.HOUSE, leave=leave)
    assert STAR.cuts.decide(Cut.CUP_SAY, Chooser.SUPERVISOR, Bank.HOUSE, leave=True).cite == "star-2024 8.4.5"
    with pytest.raises(CutError, match=r"crown-6\.1 5\.4\.1"):
        rulebook("crown-6.1").cuts.decide(Cut.CUP_SAY, Chooser.SUPERVISOR, Bank.HOUSE, leave=True)
    accepted = STAR.cuts.decide(Cut.HARBOUR_BRIDGE, Chooser.BANKER, Bank.PLAYER, leave=True)
    assert accepted.cite == "star-2024 8.4.5"
    with pytest.raises(CutError, match=r"the casino supervisor or above may accept it, .*\(star-2024 8\.4\.5\)"):
        STAR.cuts.decide(Cut.HARBOUR_BRIDGE, Chooser.BANKER, Bank.PLAYER)


APPENDIX_3 = """
Yat Dong Dong | right left | One Stack
Cup Say | right left top bottom | Tiger
Chee Yee | top bottom | Chop the Ears
Dai Pin | right left | Big Slice
Jung Quat | top bottom | From the Heart
Long Tau/Fong May | right left | Dragon Head/Phoenix Tail
Wui Fung Bank | | Hong Kong Bank
Foot Say | | Four Across
Sydney Harbour Bridge | | Sydney Harbour Bridge
Ghan Dong Ping Say | right left | Kangaroo Jump
Pong Yun | right left | Buddhas Signal
Bo Bo Go Sing | right left | Boy Walks Up Stairs
Ghan Dong Cup Say | right left | Striped Tiger
Yat Kai Sum May | | Chicken Three Ways
Arn Lok Peng Sar | right left | Flying Dragon
Sydney Tower | | Sydney Tower
China Bank | | China Bank
Chong Wan Sup Lok | | Sixteen Across
Seung Gwai Pak Moon | | Ghost Closing the Door
Gum Un Que | right left front back | Double Bridge
"""


@pytest.mark.parametrize("book", [STAR, CLASSIC], ids=["star-2024", "star-classic"])
def test_the_cuts_and_their_options(book: Rulebook) -> None:
    """Appendix 3 of both, with the options printed there."""
    named = [(cut.chinese, " ".join(t.value for o in cut.options for t in o), cut.english) for cut in book.cuts.named]
    assert named == rows(APPENDIX_3)
    assert all(cut.cite == book.source.at("Appendix 3") for cut in book.cuts.named)


def test_a_cut_has_no_other_options() -> None:
    """star-2024 Appendix 3: Chee Yee is made at the top or bottom, not from the right."""
    with pytest.raises(CutError, match=r"star-2024 Appendix 3"):
        STAR.cuts.get(Cut.CHEE_YEE).turned([Turn.RIGHT])
    with pytest.raises(CutError, match=r"not both"):
        STAR.cuts.get(Cut.CUP_SAY).turned([Turn.RIGHT, Turn.LEFT])
    with pytest.raises(CutError, match=r"star-classic Appendix 3"):
        CLASSIC.cuts.get(Cut.DAI_PIN).turned([Turn.TOP])


# The older rules alone


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
    house = CLASSIC.cuts.chooser(Bank.HOUSE)
    assert (house.who, house.supervisor, house.cite) == ((Chooser.SUPERVISOR,), "game supervisor", "star-classic 7.6")
    choice = CLASSIC.cuts.chooser(bank)
    assert (choice.who, choice.supervisor) == ((Chooser.BANKER, Chooser.SUPERVISOR), "game supervisor")
    assert CLASSIC.cuts.decide(Cut.SYDNEY_TOWER, Chooser.BANKER, bank).cite == "star-classic 7.7"
    assert CLASSIC.cuts.decide(Cut.SYDNEY_TOWER, Chooser.SUPERVISOR, bank, declined=True).cite == "star-classic 7.7"
    with pytest.raises(CutError, match=r"has not declined \(star-classic 7\.7\)"):
        CLASSIC.cuts.decide(Cut.SYDNEY_TOWER, Chooser.SUPERVISOR, bank)


def test_there_is_no_cut_die() -> None:
    """star-classic Appendix 3 has no table of numbers; the cup holds three dice (star-classic 2.3)."""
    with pytest.raises(CutError, match="has no cut die"):
        CLASSIC.cuts.of_die(1)
    with pytest.raises(DiceError, match=r"star-classic 2\.3"):
        CLASSIC.dice.read(Cup((1, 2, 3), 4), Bank.HOUSE)


def test_the_cut_is_stolen_after_the_cut_and_before_the_dice() -> None:
    """star-classic 7.8: unlike 2024, only once the cut is decided; and never for the House."""
    buttons = CLASSIC.dice.buttons.value
    assert (buttons.banks, buttons.after, buttons.before) == (
        frozenset({Bank.PLAYER, Bank.CO_BANK}),
        Milestone.CUT_NAMED,
        Milestone.DICE_SHOWN,
    )
