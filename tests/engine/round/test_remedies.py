"""Irregularities: which remedy is accepted when and from whom, and its effects."""

import pytest

from engine.books.registry import BOOKS
from engine.errors import IllegalEventError
from engine.round import RoundLog, Setup, Table
from engine.round.remedies.decided import may_decide
from engine.round.state.round_state import HandStage
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect
from tests.engine.round.golden import event
from tests.engine.round.test_bank_goes_round import after, conceded, fresh, opened, refused
from tests.engine.round.test_golden_rounds import played

WRONG_DEAL = "irregularity-decided irregularity=wrong-deal remedy={remedy} rule={rule} decided_by={by}"
NOT_HOUSE_WAY = (
    "irregularity-decided irregularity=not-house-way remedy=as-set-now rule={rule} decided_by={by} box={box}"
)
COMMUNICATING = "irregularity-decided irregularity=communicating"
PUT_AWAY = "tiles-put-away box=2"


def test_every_option_of_every_book_is_for_somebody() -> None:
    """A title, the dealer, or a player; each word of the texts for who decides is understood."""
    for book in BOOKS.values():
        state = played(book.id, Bank.PLAYER, "hand-set box=2").current.state
        who = [title for titles in book.play.ranks for title in titles] + ["dealer", "Dan", "Ann"]
        rules = book.irregularities
        for kind in Irregularity:
            for option in rules.said.get(kind) or rules.silent[kind]:
                assert any(may_decide(state, option, one, 2) for one in who), option


def test_who_stands_above_the_dealer_may_act_for_him() -> None:
    """crown-6.1 1.2: a TG Higher Duties Dealer or above may exercise any power of the Dealer; a player may not."""
    log = played("crown-6.1", Bank.HOUSE, "hand-set box=2").current
    for title in ("dealer", "TG_Higher_Duties_Dealer", "TG_Area_Manager"):
        assert log.refusal(event(WRONG_DEAL.format(remedy="round-void", rule="crown-6.1_12.7", by=title))) is None
    assert log.refusal(event(WRONG_DEAL.format(remedy="round-void", rule="crown-6.1_12.7", by="Ann"))) is not None


def test_a_void_round_gives_every_wager_back() -> None:
    """C 16.5: Ann's 5000, Bob's 3000 and Cho's 2000 go back, and Dan's 10000."""
    log = played("crown-6.1", Bank.PLAYER, "bank-exposed").current
    log = log.append(event(WRONG_DEAL.format(remedy="round-void", rule="crown-6.1_12.7", by="dealer")))
    assert [(one.outcome, one.returned) for one in log.settlement.results] == [(None, 3000), (None, 2000), (None, 5000)]
    assert log.settlement.bank.returned == 10000
    assert not any(log.settlement.balances.values())
    with pytest.raises(IllegalEventError, match="the round is over"):
        log.append(event("bank-put-away"))


def test_a_hand_that_lies_the_house_way_is_not_set_right() -> None:
    """C 12.5: 6-5 6-1 / 6-6 6-3 is the House Way of the golden round's bank."""
    log = played("crown-6.1", Bank.HOUSE, "bank-put-away").current
    wrong = NOT_HOUSE_WAY.format(rule="crown-6.1_12.5", by="TG_Higher_Duties_Dealer", box=1)
    assert refused(log, wrong) == "12.5"  # an open hand is written as it lies then
    assert "is set the House Way" in str(log.refusal(event(f"{wrong} low=6-5,6-1 high=6-6,6-3")))
    assert "is not the House Way" in str(log.refusal(event(f"{wrong} low=6-5,6-3 high=6-6,6-1")))


def test_a_hand_set_on_request_is_the_dealers() -> None:
    """C 12.5 speaks of hands set by the dealer: Cho asked him to, Ann set her own."""
    log = played("crown-6.1", Bank.HOUSE, "settled").current
    ann = NOT_HOUSE_WAY.format(rule="crown-6.1_12.5", by="TG_Area_Manager", box=2)
    assert refused(log, f"{ann} low=1-1,1-1 high=5-5,5-5") == "10.2.5"
    cho = NOT_HOUSE_WAY.format(rule="crown-6.1_12.5", by="TG_Area_Manager", box=5)
    assert refused(log, f"{cho} low=4-1,6-4 high=6-2,6-5") != "10.2.5"


def test_a_corrected_hand_is_settled_again() -> None:
    """Cho's 4-1 6-4 / 6-2 6-5 is set right after the settlement, which is then to be made again (C 12.5).

    The House Way is 6-5 4-1 / 6-4 6-2, 6 and 8, against the bank's 8 and Teen Wong: it loses all the same.
    """
    log = played("crown-6.1", Bank.HOUSE, "tiles-put-away box=2").current
    assert Milestone.SETTLED in log.state.happened
    lay = "low=6-5,4-1 high=6-4,6-2"
    cho = NOT_HOUSE_WAY.format(rule="crown-6.1_12.5", by="TG_Area_Manager", box=5)
    assert refused(log, cho.replace("TG_Area_Manager", "dealer") + " " + lay) == "12.5"
    log = log.append(event(f"{cho} {lay}"))
    assert Milestone.SETTLED not in log.state.happened
    assert log.state.hands[5] is HandStage.EXPOSED
    assert refused(log, "bank-put-away") == "10.3.1(e)"
    assert refused(log, "hand-matched box=5 outcome=push") == "8.13.1"
    log = log.append(event("hand-matched box=5 outcome=lose"))
    assert (
        Milestone.ROUND_OVER
        in log.append(log.due).append(event("bank-put-away")).append(event(PUT_AWAY)).state.happened
    )


def test_tiles_mixed_again_are_stacked_cut_and_dealt_again() -> None:
    """S 15.4: the supervisor may have them shuffled again; wagers stay."""
    log = played("star-2024", Bank.HOUSE, "bank-exposed").current
    mix = "irregularity-decided irregularity=tile-tracking remedy=mixed-again rule=star-2024_15.4 decided_by={by}"
    assert refused(log, mix.format(by="dealer")) == "15.4"
    assert refused(log, mix.format(by="Ann")) == "15.4"
    again = log.append(event(mix.format(by="casino_supervisor")))
    assert again.state.happened == {Milestone.BETS_CLOSED}
    assert again.state.wagers == log.state.wagers
    assert refused(again, "tiles-delivered order=3,4,5,6,7,8,1,2") == "7.2"
    for line in ("shuffled", "stacked", "dice-shaken by=dealer", "dice-shown box_dice=2,4,5 cut_die=4 first_box=3"):
        again = again.append(event(line))
    assert again.state.first_box == 3


def test_a_box_goes_out_by_dice_and_comes_back() -> None:
    """S 15.9: 3, 4 and 5 are 12, which counts to box 4; from the next round on nobody wagers there."""
    out = f"{COMMUNICATING} remedy=box-out rule=star-2024_15.9.2 decided_by={{by}} box={{box}}"
    session = opened("star-2024")
    house = after(session, "bank-offered box=2 player=Ann", "bank-declined box=2 player=Ann")
    house = after(house, "bank-offered box=4 player=Bob", "bank-declined box=4 player=Bob")
    house = after(house, "bank-offered box=6 player=Cho", "bank-declined box=6 player=Cho", "house-banks")
    names = dict(zip(range(2, 9), ("Ann", "Bea", "Bob", "Dan", "Cho", "Eve", "Fay"), strict=True))
    for line in ("shuffled", *(f"wager-placed box={box} player={name} amount=20" for box, name in names.items())):
        # Not while a box is empty: all areas are in play (15.9.1).
        assert refused(house.current, out.format(by="casino_supervisor", box=4) + " dice=3,4,5") == "15.9.2"
        house = after(house, line)
    log = house.current
    assert refused(log, out.format(by="dealer", box=4) + " dice=3,4,5") == "15.9.2"
    assert refused(log, out.format(by="casino_supervisor", box=5) + " dice=3,4,5") == "15.9.3"
    assert refused(log, out.format(by="casino_supervisor", box=1) + " dice=3,3,3") == "15.9.4"
    ended = conceded(after(house, out.format(by="casino_supervisor", box=4) + " dice=3,4,5"), names, placed=True)
    log = fresh(ended)
    assert log.state.out == {4}
    for box, name in [(2, "Ann"), (3, "Bea"), (5, "Dan"), (6, "Cho"), (7, "Eve"), (8, "Fay")]:
        if box == 5:  # who cannot wager there cannot bank there
            assert refused(log, "bank-offered box=4 player=Bob") == "6.1"
        log = log.append(event(f"bank-offered box={box} player={name}"))
        log = log.append(event(f"bank-declined box={box} player={name}"))
    log = log.append(event("house-banks")).append(event("shuffled"))
    assert refused(log, "wager-placed box=4 player=Bob amount=20") == "15.9.3"
    back = f"{COMMUNICATING} remedy=box-back rule=star-2024_15.9.5 decided_by=casino_supervisor"
    assert refused(log, f"{back} box=5") == "15.9.5"
    log = log.append(event(f"{back} box=4"))
    assert log.append(event("wager-placed box=4 player=Bob amount=20")).state.total == 20


def test_what_is_left_to_be_decided_is_recorded() -> None:
    log = RoundLog.opened(Setup(BOOKS["nz-1998"], Table()))
    dispute = "irregularity-decided irregularity=dispute remedy=as-decided rule=nz-1998_2.0 decided_by=game_supervisor"
    assert refused(log, dispute) == "2.0"
    assert refused(log, f"{dispute} decision=as-decided") == "2.0"
    assert log.append(event(f"{dispute} decision=none")).state == log.state
    assert log.append(event(f"{dispute} decision=round-void")).state.void == "nz-1998 2.0"


def test_no_book_is_asked_for_what_it_does_not_have() -> None:
    log = played("uk-poster", Bank.HOUSE, "bank-exposed").current
    tracking = "irregularity-decided irregularity=tile-tracking remedy=mixed-again rule=star-2024_15.4"
    assert refused(log, f"{tracking} decided_by=management") == "preamble"
    unknown = (
        "irregularity-decided irregularity=dispute remedy=none rule=uk-poster_preamble decided_by=management box=9"
    )
    assert refused(log, unknown) == "point 3"
    assert {effect for effect in Effect if effect.value} == set(Effect)


def test_wagers_of_who_has_none_cannot_go_back() -> None:
    """crown-6.1 16.2.1; by whom and to whom they do: test_worked_irregularities."""
    log = played("crown-6.1", Bank.HOUSE, "bank-exposed").current
    void = "irregularity-decided irregularity=rule-broken remedy=wager-returned rule=crown-6.1_16.2.1 "
    assert refused(log, f"{void}decided_by=TG_Area_Manager player=Bob") == "16.2.1"
    assert refused(log, f"{void}decided_by=TG_Assistant_Casino_Manager player=Dan") == "16.2.1"


@pytest.mark.parametrize("rule", ["crown-6.1 12.2.1", "nz-1998 12.3(a)", "star-2024 15.3.1", "star-classic 15.3.1"])
def test_a_hand_is_called_void_until_its_player_has_viewed_it(rule: str) -> None:
    """crown-6.1 12.2.1, nz-1998 12.3(a), star-2024 15.3.1, star-classic 15.3.1: "before viewing", not before handling.

    As the command answers: taking tiles up is not yet looking at them.
    """
    book = rule.split(maxsplit=1)[0]
    log = played(book, Bank.HOUSE, "hand-set box=2").current
    void = event(
        "irregularity-decided irregularity=dealer-exposes remedy=hand-void "
        f"rule={rule.replace(' ', '_')} decided_by=Bob box=4"
    )
    assert log.refusal(void) is None
    handled = log.append(event("tiles-handled box=4 by=Bob"))
    assert handled.refusal(void) is None
    seen = handled.append(event("hand-set box=4 by=Bob"))
    assert "no hand-void" in str(seen.refusal(void))
    advice = BOOKS[book].irregularities
    for moment, may in ((Milestone.TILES_HANDLED, True), (Milestone.TILES_VIEWED, False)):
        options = advice.remedies(Irregularity.DEALER_EXPOSES, Whose.PLAYER, [moment]).options
        assert (Effect.HAND_VOID in {each.effect for each in options}) is may
