"""The Star's two books, sections 12 and 13: tiles dealt, taken back, set, conceded, exposed, matched, put away."""

import pytest

from engine.round import Before, Table
from engine.round.state.round_state import HandStage
from engine.vocabulary.facts import Bank, Milestone
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.star import check_event, check_refusal, delivered
from tests.engine.rules.tables import followed, opened, rows

STAR, CLASSIC = "star-2024", "star-classic"

# House: Ann at box 2, Bob at 4 (in 2024 he asks for the House Way), Cho at 5. Dan banks or co-banks at box 3, and asks
# for it in 2024.
EVENTS = """
star-2024 12.1 | house | tiles-delivered | hand-set box=2 by=Ann | refused
star-2024 12.3 | house | empty-retrieved | empty-retrieved boxes=3,6,7 | refused
star-2024 12.3 | house | empty-retrieved | empty-retrieved boxes=2,3,6,7,8 | refused
star-2024 12.3 | house | empty-retrieved | bank-moved | refused
star-2024 12.5 | house | hand-set box=5 | tiles-handled box=2 by=Ann | refused
star-2024 12.5 | house | hand-set box=5 | hand-set box=2 by=Ann | refused
star-2024 12.6 | player | house-way-requested | house-way-requested box=3 by=Ann | refused
star-2024 12.8 | house | house-way-requested | hand-set box=4 by=dealer | refused
star-2024 12.10 | player | bank-moved | tiles-handled box=3 by=Dan | allowed
star-2024 12.11 | house | hand-set box=2 | tiles-handled box=2 by=Bob | refused
star-2024 12.11 | house | hand-set box=2 | hand-set box=2 by=Bob | refused
star-2024 12.9 | player | bank-confirmed | bank-confirmed by=Ann | refused
star-2024 12.9 | player | bank-confirmed | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | refused
star-2024 12.14 | house | hand-matched box=4 | hand-exposed box=5 low=4-1,6-4 high=6-2,6-5 | refused
star-2024 12.14 | house | hand-matched box=2 | hand-matched box=4 outcome=win | refused
star-2024 12.16 | house | settled | tiles-viewed box=6 by=Ann | refused
star-2024 12.16 | house | bank-put-away | tiles-viewed box=6 by=Ann | allowed
star-2024 12.17 | house | hand-set box=2 | hand-conceded box=2 player=Ann | allowed
star-2024 12.17 | house | bank-exposed | hand-conceded box=5 player=Cho | allowed
star-2024 12.17 | house | hand-matched box=2 | hand-conceded box=2 player=Ann | refused
star-2024 12.17 | house | hand-set box=2 | hand-conceded box=2 player=Bob | refused
star-2024 12.19 | house | hand-set box=2 | tiles-laid-open box=2 player=Ann tiles=5-5,5-5,1-1,1-1 | refused
star-2024 13.1.1 | house | bank-set | bank-moved | refused
star-2024 13.1.2 | house | house-way-requested | bank-set by=dealer | refused
star-2024 13.1.2 | house | bank-set | bank-set by=Ann | refused
star-2024 13.1.2 | house | bank-set | bank-exposed low=6-5,6-1 high=6-6,6-3 | refused
star-2024 13.1.3 | house | bank-exposed | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-2024 13.1.3 | house | house-way-confirmed | tiles-handled box=4 by=Bob | refused
star-2024 13.1.5 | house | house-way-confirmed | house-way-confirmed by=dealer | refused
star-2024 13.1.5 | house | house-way-confirmed | house-way-confirmed by=Gaming_Supervisor | allowed
star-2024 13.1.5 | house | house-way-confirmed | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-2024 13.1.6 | house | hand-exposed box=2 | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | refused
star-2024 13.1.7 | house | settled | tiles-put-away box=5 | refused by 13.1.8
star-2024 13.1.8 | house | hand-exposed box=4 | tiles-put-away box=2 | refused
star-2024 13.1.8 | house | settled | bank-put-away | refused
star-2024 13.2.3 | player | bank-set | bank-set by=Dan | allowed
star-2024 13.2.3 | player | house-way-requested | bank-set by=dealer | refused
star-2024 13.2.3 | player | hand-set box=5 | bank-set by=Dan | refused
star-2024 13.2.3 | player | bank-moved | bank-exposed low=6-5,6-1 high=6-6,6-3 | allowed
star-2024 13.2.4 | player | bank-set | bank-moved | refused
star-2024 13.2.5 | player | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-2024 13.2.6 | player | tiles-put-away box=5 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 12.1 | house | tiles-delivered | hand-set box=2 by=Ann | refused
star-classic 12.3 | house | empty-retrieved | empty-retrieved boxes=3,6,7 | refused
star-classic 12.3 | house | empty-retrieved | bank-moved | refused
star-classic 12.5 | house | hand-set box=5 | tiles-handled box=2 by=Ann | refused
star-classic 12.5 | house | hand-set box=5 | hand-set box=2 by=Ann | refused
star-classic 12.5 | player | bank-exposed | tiles-handled box=3 by=Dan | refused
star-classic 12.6 | player | bank-set | house-way-requested box=3 by=Dan | allowed
star-classic 12.6 | player | bank-set | house-way-requested box=3 by=Ann | refused
star-classic 12.6 | player | hand-exposed box=4 | bank-confirmed by=Dan | refused
star-classic 12.7 | house | hand-set box=2 | tiles-handled box=2 by=Bob | refused
star-classic 12.7 | house | hand-set box=2 | hand-set box=2 by=Bob | refused
star-classic 12.11 | house | hand-matched box=4 | hand-exposed box=5 low=4-1,6-4 high=6-2,6-5 | refused
star-classic 12.11 | house | hand-matched box=2 | hand-matched box=4 outcome=win | refused
star-classic 12.13 | house | settled | tiles-viewed box=6 by=Ann | refused
star-classic 12.13 | house | bank-put-away | tiles-viewed box=6 by=Ann | allowed
star-classic 12.14 | house | hand-set box=2 | hand-conceded box=2 player=Ann | allowed
star-classic 12.14 | house | hand-set box=2 | hand-conceded box=2 player=Bob | refused
star-classic 12.14 | house | hand-matched box=2 | hand-conceded box=2 player=Ann | refused
star-classic 12.16 | house | hand-set box=2 | tiles-laid-open box=2 player=Ann tiles=5-5,5-5,1-1,1-1 | refused
star-classic 13.1.1 | house | bank-moved | bank-moved | allowed
star-classic 13.1.2 | house | hand-set box=5 | bank-set by=dealer | refused
star-classic 13.1.2 | house | bank-set | bank-set by=Ann | refused
star-classic 13.1.3 | house | bank-exposed | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.1.5 | house | house-way-confirmed | house-way-confirmed by=dealer | refused
star-classic 13.1.5 | house | house-way-confirmed | house-way-confirmed by=casino_supervisor | allowed
star-classic 13.1.5 | house | house-way-confirmed | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.1.6 | house | hand-exposed box=2 | hand-exposed box=5 low=4-1,6-4 high=6-2,6-5 | refused
star-classic 13.1.8 | house | hand-exposed box=4 | tiles-put-away box=2 | refused
star-classic 13.2.3 | player | bank-set | bank-set by=dealer | refused
star-classic 13.2.3 | player | hand-set box=5 | bank-set by=Dan | refused
star-classic 13.2.4 | player | bank-moved | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | refused
star-classic 13.2.5 | player | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.2.6 | player | tiles-put-away box=5 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.3.3 | co-bank | bank-set | bank-moved | refused
star-classic 13.3.3 | co-bank | bank-moved | bank-exposed low=6-5,6-1 high=6-6,6-3 | refused by 13.3.4
star-classic 13.3.4 | co-bank | bank-set | bank-set by=Dan | refused
star-classic 13.3.4 | co-bank | bank-set | house-way-requested box=3 by=Dan | refused
star-classic 13.3.4 | co-bank | hand-set box=5 | bank-set by=dealer | refused
star-classic 13.3.4 | co-bank | hand-set box=5 | tiles-handled box=3 by=Dan | refused
star-classic 13.3.5 | co-bank | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.3.6 | co-bank | tiles-put-away box=5 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    verdict, _, other = verdict.partition(" by ")
    check_event(f"{rule.split(maxsplit=1)[0]} {other}" if other else rule, bank, before, tried, verdict)


def test_an_asked_hand_is_set_after_the_others_before_the_banks() -> None:
    """star-2024 12.8: Bob turns his tiles first, the dealer sets them once Ann and Cho have set theirs."""
    log = played(STAR, Bank.HOUSE, "hand-set box=2").current.append(event("house-way-requested box=4 by=Bob"))
    check_refusal(log.refusal(event("hand-set box=4 by=dealer")), "star-2024 12.8", "refused")
    log = log.append(event("hand-set box=2 by=Ann"))
    check_refusal(log.refusal(event("hand-set box=4 by=dealer")), "star-2024 12.8", "refused")
    log = log.append(event("hand-set box=5 by=Cho"))
    check_refusal(log.refusal(event("bank-set by=dealer")), "star-2024 13.1.2", "refused")
    log = log.append(event("hand-set box=4 by=dealer"))
    assert log.refusal(event("bank-set by=dealer")) is None


def test_who_touches_what_the_dealer_set_answers_for_it() -> None:
    """star-2024 12.10: the hand is the player's to set again; the bank's waits for it (star-2024 13.1.2)."""
    log = played(STAR, Bank.HOUSE, "bank-set").current
    assert log.state.hands[4] is HandStage.SET  # Bob took up what the dealer had set
    log = played(STAR, Bank.HOUSE, "tiles-handled").current
    assert log.state.hands[4] is HandStage.SET_BY_DEALER
    log = log.append(event("tiles-handled box=4 by=Bob"))
    check_refusal(log.refusal(event("bank-set by=dealer")), "star-2024 13.1.2", "refused")
    check_refusal(log.refusal(event("hand-set box=4 by=dealer")), "star-2024 12.8", "refused")


def test_a_banker_who_touches_the_hand_sets_it_unconfirmed() -> None:
    """star-2024 12.10 and 12.9: only what the dealer set is confirmed."""
    log = played(STAR, Bank.PLAYER, "bank-moved").current
    log = followed(log, "tiles-handled box=3 by=Dan", "bank-set by=Dan", "bank-moved")
    log = log.append(event("bank-exposed low=6-5,6-1 high=6-6,6-3"))
    assert log.refusal(event("bank-confirmed by=Dan")) is not None
    assert log.refusal(event("hand-exposed box=4 low=2-2,6-4 high=3-3,3-3")) is None


def test_every_area_is_dealt_to_and_empty_ones_are_taken_back() -> None:
    """star-2024 12.1 and 12.3: whether or not anybody sits there."""
    log = delivered(STAR, "wager-placed box=2 player=Ann amount=100")
    empty = "empty-retrieved boxes=3,4,5,6,7,8"
    assert log.append(event(empty)).state.retrieved == {3, 4, 5, 6, 7, 8}


def test_the_dealer_sets_the_house_way_area() -> None:
    """star-2024 12.8.1: diagram B; no player handles or sets its tiles."""
    table = Table(house_way_boxes=frozenset({6}))
    wagers = ("wager-placed box=2 player=Ann amount=100", "wager-placed box=6 player=Ann amount=100")
    log = delivered(STAR, *wagers, table=table)
    check_refusal(log.refusal(event("tiles-handled box=6 by=Ann")), "star-2024 12.8.1", "refused")
    check_refusal(log.refusal(event("hand-set box=6 by=Ann")), "star-2024 12.8.1", "refused")
    log = followed(log, "empty-retrieved boxes=3,4,5,7,8", "bank-moved", "hand-set box=2 by=Ann")
    check_refusal(log.refusal(event("bank-set by=dealer")), "star-2024 13.1.2", "refused")
    log = log.append(event("hand-set box=6 by=dealer"))
    assert log.state.hands[6] is HandStage.SET_BY_DEALER


def test_tiles_out_of_play_are_seen_after_the_payouts() -> None:
    """star-2024 12.16: and never handled."""
    log = played(STAR, Bank.HOUSE, "bank-put-away").current
    assert Milestone.SETTLED in log.state.happened
    assert log.refusal(event("tiles-viewed box=6 by=Cho")) is None
    assert log.refusal(event("tiles-handled box=6 by=Cho")) is not None


def test_a_player_too_may_ask_for_the_house_way() -> None:
    """star-classic 1.1: the House way is that of a player's hand too, upon request; star-classic 12.6 is the banker's.

    The dealer sets it once the other players have set theirs, and before the House's (star-classic 13.1.2).
    """
    log = played(CLASSIC, Bank.HOUSE, "hand-set box=4").current.append(event("house-way-requested box=4 by=Bob"))
    by_dealer = event("hand-set box=4 by=dealer")
    check_refusal(log.refusal(by_dealer), "star-classic 1.1", "refused")
    log = log.append(event("hand-set box=5 by=Cho"))
    check_refusal(log.refusal(event("bank-set by=dealer")), "star-classic 13.1.2", "refused")
    log = log.append(by_dealer)
    assert log.state.hands[4] is HandStage.SET_BY_DEALER
    check_refusal(log.refusal(event("tiles-handled box=4 by=Bob")), "star-classic 12.5", "refused")


def test_a_banker_confirms_what_the_dealer_set_for_him() -> None:
    """star-classic 12.6."""
    log = played(CLASSIC, Bank.PLAYER, "bank-set").current
    log = followed(log, "house-way-requested box=3 by=Dan", "bank-set by=dealer", "bank-moved")
    check_refusal(log.refusal(event("bank-confirmed by=Ann")), "star-classic 12.6", "refused")
    log = log.append(event("bank-exposed low=6-5,6-1 high=6-6,6-3"))
    opening = event("hand-exposed box=4 low=2-2,6-4 high=3-3,3-3")
    check_refusal(log.refusal(opening), "star-classic 12.6", "refused")
    assert log.append(event("bank-confirmed by=Dan")).refusal(opening) is None


@pytest.mark.parametrize("book", [STAR, CLASSIC])
def test_players_who_share_the_bank_decide_together(book: str) -> None:
    """star-2024 12.12, star-classic 12.8: either may lay the hand; in 2024 either may ask for the House Way."""
    before = Before(
        commencement=False,
        check_due=False,
        offer_from=3,
        chung=1,
        played={"Dan": frozenset({3}), "Eve": frozenset({3}), "Ann": frozenset({2})},
        control={3: "Dan", 2: "Ann"},
    )
    thrown = ("dice-shaken by=Eve", "dice-shown box_dice=1,1,1 first_box=5")
    cut = "cut-named cut=Foot_Say by=banker"
    log = opened(
        book,
        "bank-offered box=3 player=Dan",
        "bank-accepted box=3 players=Dan,Eve method=player funds=1000",
        "shuffled",
        "stacked",
        "wager-placed box=2 player=Ann amount=100",
        "bank-wagered amount=100",
        *((thrown[0], f"{thrown[1]} cut_die=1", cut) if book == STAR else (cut, *thrown)),
        "tiles-delivered order=5,6,7,8,1,2,3,4",
        "empty-retrieved boxes=1,4,5,6,7,8",
        "hand-set box=2 by=Ann",
        table=Table(shared=True),
        before=before,
    )
    for player in ("Dan", "Eve"):
        assert log.refusal(event(f"bank-set by={player}")) is None
        assert book == CLASSIC or log.refusal(event(f"house-way-requested box=3 by={player}")) is None
    check_refusal(log.refusal(event("bank-set by=Ann")), f"{book} 13.2.3", "refused")
