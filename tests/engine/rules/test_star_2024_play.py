"""The Star 2024, sections 12 and 13: tiles dealt and taken back, set, conceded, exposed, matched and put away."""

from __future__ import annotations

import pytest

from engine.errors import WagerError
from engine.game.ranking import Outcome
from engine.round import Before, RoundLog, Table
from engine.round.state import Lay
from engine.settlement.played import BankHolder, Laid
from engine.settlement.wagers import Wager
from engine.vocabulary.facts import Bank, Milestone
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.star import check_event, check_refusal, check_settlement_order, settled
from tests.engine.rules.tables import followed, opened, rows

STAR = "star-2024"

# House: Ann at box 2, Bob at 4 (he asks for the House Way), Cho at 5. Player: Dan banks at box 3 and asks for it too.
EVENTS = """
star-2024 12.1 | house | tiles-delivered | hand-set box=2 by=Ann | refused
star-2024 12.3 | house | empty-retrieved | empty-retrieved boxes=3,6,7 | refused
star-2024 12.3 | house | empty-retrieved | empty-retrieved boxes=2,3,6,7,8 | refused
star-2024 12.3 | house | empty-retrieved | empty-retrieved boxes=3,6,7,8 | allowed
star-2024 12.3 | house | empty-retrieved | bank-moved | refused
star-2024 12.4 | house | hand-set box=2 | hand-set box=2 by=Ann | allowed
star-2024 12.5 | house | hand-set box=5 | tiles-handled box=2 by=Ann | refused
star-2024 12.5 | house | hand-set box=5 | hand-set box=2 by=Ann | refused
star-2024 12.6 | house | house-way-requested | house-way-requested box=4 by=Bob | allowed
star-2024 12.6 | player | house-way-requested | house-way-requested box=3 by=Dan | allowed
star-2024 12.6 | player | house-way-requested | house-way-requested box=3 by=Ann | refused
star-2024 12.8 | house | house-way-requested | hand-set box=4 by=dealer | refused
star-2024 12.10 | house | tiles-handled | tiles-handled box=4 by=Bob | allowed
star-2024 12.10 | player | bank-moved | tiles-handled box=3 by=Dan | allowed
star-2024 12.11 | house | hand-set box=2 | tiles-handled box=2 by=Bob | refused
star-2024 12.11 | house | hand-set box=2 | hand-set box=2 by=Bob | refused
star-2024 12.9 | player | bank-set | bank-set by=dealer | allowed
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
star-2024 13.1.1 | house | bank-moved | bank-moved | allowed
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
star-2024 13.1.6 | house | hand-exposed box=2 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | allowed
star-2024 13.1.7 | house | settled | tiles-put-away box=5 | refused by 13.1.8
star-2024 13.1.8 | house | hand-exposed box=4 | tiles-put-away box=2 | refused
star-2024 13.1.8 | house | settled | bank-put-away | refused
star-2024 13.1.9 | house | tiles-put-away box=4 | tiles-put-away box=4 | allowed
star-2024 13.2.3 | player | bank-set | bank-set by=Dan | allowed
star-2024 13.2.3 | player | house-way-requested | bank-set by=dealer | refused
star-2024 13.2.3 | player | hand-set box=5 | bank-set by=Dan | refused
star-2024 13.2.3 | player | bank-moved | bank-exposed low=6-5,6-1 high=6-6,6-3 | allowed
star-2024 13.2.4 | player | bank-set | bank-moved | refused
star-2024 13.2.5 | player | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-2024 13.2.5 | player | hand-exposed box=4 | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | allowed
star-2024 13.2.6 | player | tiles-put-away box=5 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-2024 13.2.9 | player | tiles-put-away box=4 | tiles-put-away box=4 | allowed
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    verdict, _, other = verdict.partition(" by ")
    check_event(f"{STAR} {other}" if other else rule, bank, before, tried, verdict)


@pytest.mark.parametrize(
    ("bank", "rule"),
    [
        (Bank.HOUSE, "star-2024 13.1.8"),
        (Bank.PLAYER, "star-2024 13.2.7"),
    ],
)
def test_every_wager_is_settled_counter_clockwise(bank: Bank, rule: str) -> None:
    check_settlement_order(rule, bank)


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
    assert log.state.hands[4] is Lay.SET  # Bob took up what the dealer had set
    log = played(STAR, Bank.HOUSE, "tiles-handled").current
    assert log.state.hands[4] is Lay.SET_BY_DEALER
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


def _delivered(*wagers: str, table: Table | None = None) -> RoundLog:
    """Box 3 first, Ann in her seat at box 2, the House in the bank."""
    return opened(
        STAR,
        "bank-offered box=2 player=Ann",
        "bank-declined box=2 player=Ann",
        "house-banks",
        "shuffled",
        "stacked",
        *wagers,
        "dice-shaken by=dealer",
        "dice-shown box_dice=1,1,1 cut_die=1 first_box=3",
        "cut-named cut=Fong_May by=cut_die",
        "tiles-delivered order=3,4,5,6,7,8,1,2",
        table=table,
        before=Before(check_due=False, seats={2: "Ann"}),
    )


def test_every_area_is_dealt_to_and_empty_ones_are_taken_back() -> None:
    """star-2024 12.1 and 12.3: whether or not anybody sits there."""
    log = _delivered("wager-placed box=2 player=Ann amount=100")
    empty = "empty-retrieved boxes=3,4,5,6,7,8"
    assert log.append(event(empty)).state.retrieved == {3, 4, 5, 6, 7, 8}


def test_the_dealer_sets_the_house_way_area() -> None:
    """star-2024 12.8.1: diagram B; no player handles or sets its tiles."""
    table = Table(house_way_boxes=frozenset({6}))
    wagers = ("wager-placed box=2 player=Ann amount=100", "wager-placed box=6 player=Ann amount=100")
    log = _delivered(*wagers, table=table)
    check_refusal(log.refusal(event("tiles-handled box=6 by=Ann")), "star-2024 12.8.1", "refused")
    check_refusal(log.refusal(event("hand-set box=6 by=Ann")), "star-2024 12.8.1", "refused")
    log = followed(log, "empty-retrieved boxes=3,4,5,7,8", "bank-moved", "hand-set box=2 by=Ann")
    check_refusal(log.refusal(event("bank-set by=dealer")), "star-2024 13.1.2", "refused")
    log = log.append(event("hand-set box=6 by=dealer"))
    assert log.state.hands[6] is Lay.SET_BY_DEALER


def test_players_who_share_the_bank_decide_together() -> None:
    """star-2024 12.12: either may lay the hand or confirm it."""
    before = Before(
        commencement=False,
        check_due=False,
        offer_from=3,
        chung=1,
        played={"Dan": frozenset({3}), "Eve": frozenset({3}), "Ann": frozenset({2})},
        control={3: "Dan", 2: "Ann"},
    )
    log = opened(
        STAR,
        "bank-offered box=3 player=Dan",
        "bank-accepted box=3 players=Dan,Eve method=player funds=1000",
        "shuffled",
        "stacked",
        "wager-placed box=2 player=Ann amount=100",
        "bank-wagered amount=100",
        "dice-shaken by=Eve",
        "dice-shown box_dice=1,1,1 cut_die=1 first_box=5",
        "cut-named cut=Foot_Say by=banker",
        "tiles-delivered order=5,6,7,8,1,2,3,4",
        "empty-retrieved boxes=1,4,5,6,7,8",
        "hand-set box=2 by=Ann",
        table=Table(shared=True),
        before=before,
    )
    for player in ("Dan", "Eve"):
        assert log.refusal(event(f"bank-set by={player}")) is None
        assert log.refusal(event(f"house-way-requested box=3 by={player}")) is None
    check_refusal(log.refusal(event("bank-set by=Ann")), "star-2024 13.2.3", "refused")


def test_a_hand_is_conceded_by_who_wagers_there_alone() -> None:
    """star-2024 12.17: its wager is lost, its tiles are gone, and it cannot come back; star-2024 12.18."""
    two = _delivered("wager-placed box=4 player=Bob amount=100", "wager-placed box=4 player=Cho amount=100")
    check_refusal(two.refusal(event("hand-conceded box=4 player=Bob")), "star-2024 12.17", "refused")
    log = _delivered("wager-placed box=4 player=Bob amount=100").append(event("hand-conceded box=4 player=Bob"))
    assert (log.state.hands[4], log.state.outcomes[4], log.state.away) == (Lay.CONCEDED, Outcome.LOSE, frozenset({4}))
    check_refusal(log.refusal(event("tiles-handled box=4 by=Bob")), "star-2024 12.17", "refused")
    for by, verdict in (("Bob", "refused"), ("dealer", "refused"), ("casino_supervisor", "allowed")):
        check_refusal(log.refusal(event(f"tiles-viewed box=4 by={by}")), "star-2024 12.18", verdict)


def test_a_conceded_wager_is_lost_without_being_compared() -> None:
    """star-2024 12.17: whatever the tiles; and two players on the area cannot concede."""
    bank = BankHolder(Bank.HOUSE, Laid.parse("6-5 4-1 / 6-4 5-2"))
    better = Laid.parse("6-6 2-1 / 6-3 5-4")
    (result,) = settled(STAR, Wager(3, "Bob", 5_000, conceded=True), hands={3: better}, bank=bank).results
    assert (result.call, result.collected, result.match, result.cite) == ("Che", 5_000, None, "star-2024 12.17")
    with pytest.raises(WagerError, match=r"star-2024 12\.17"):
        settled(STAR, Wager(3, "Bob", 5_000, conceded=True), Wager(3, "Cho", 5_000), hands={3: better}, bank=bank)


def test_the_only_player_may_lay_his_tiles_open() -> None:
    """star-2024 12.19: when the House banks and nobody else plays."""
    tiles = event("tiles-laid-open box=2 player=Ann tiles=5-5,5-5,1-1,1-1")
    one, other = "wager-placed box=2 player=Ann amount=100", "wager-placed box=4 player=Bob amount=100"
    assert _delivered(one).refusal(tiles) is None
    check_refusal(_delivered(one, other).refusal(tiles), "star-2024 12.19", "refused")
    assert played(STAR, Bank.PLAYER, "hand-set box=2").current.refusal(tiles) is not None


def test_tiles_out_of_play_are_seen_after_the_payouts() -> None:
    """star-2024 12.16: and never handled."""
    log = played(STAR, Bank.HOUSE, "bank-put-away").current
    assert Milestone.SETTLED in log.state.happened
    assert log.refusal(event("tiles-viewed box=6 by=Cho")) is None
    assert log.refusal(event("tiles-handled box=6 by=Cho")) is not None


def test_the_dealer_calls_jung_che_or_jowl() -> None:
    """star-2024 12.14: won, lost, stand-off."""
    bank = BankHolder(Bank.HOUSE, Laid.parse("6-5 4-1 / 6-4 5-2"))
    hands = {
        2: Laid.parse("6-6 2-1 / 6-3 5-4"),
        3: Laid.parse("3-1 5-5 / 1-1 2-2"),
        5: Laid.parse("4-3 6-2 / 4-4 5-5"),
    }
    wagers = [Wager(2, "Ann", 100), Wager(3, "Bob", 100), Wager(5, "Cho", 100)]
    assert [each.call for each in settled(STAR, *wagers, hands=hands, bank=bank).results] == ["Jung", "Che", "Jowl"]
