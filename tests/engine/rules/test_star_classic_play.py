"""The Star's older rules, sections 12 and 13: tiles dealt and taken back, set, conceded, exposed, matched, put away."""

from __future__ import annotations

import pytest

from engine.errors import WagerError
from engine.game.ranking import Outcome
from engine.round import Before, RoundLog, Table
from engine.round.state.round_state import HandStage
from engine.settlement.played import BankHolder, Laid
from engine.settlement.wagers import Wager
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.star import check_event, check_refusal, check_settlement_order, settled
from tests.engine.rules.tables import followed, opened, rows

CLASSIC = "star-classic"

# House: Ann at box 2, Bob at 4, Cho at 5. Dan banks or co-banks at box 3.
EVENTS = """
star-classic 12.1 | house | tiles-delivered | hand-set box=2 by=Ann | refused
star-classic 12.3 | house | empty-retrieved | empty-retrieved boxes=3,6,7 | refused
star-classic 12.3 | house | empty-retrieved | empty-retrieved boxes=3,6,7,8 | allowed
star-classic 12.3 | house | empty-retrieved | bank-moved | refused
star-classic 12.4 | house | hand-set box=2 | hand-set box=2 by=Ann | allowed
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
star-classic 13.1.6 | house | hand-exposed box=2 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | allowed
star-classic 13.1.8 | house | hand-exposed box=4 | tiles-put-away box=2 | refused
star-classic 13.1.9 | house | tiles-put-away box=4 | tiles-put-away box=4 | allowed
star-classic 13.2.3 | player | bank-set | bank-set by=Dan | allowed
star-classic 13.2.3 | player | bank-set | bank-set by=dealer | refused
star-classic 13.2.3 | player | hand-set box=5 | bank-set by=Dan | refused
star-classic 13.2.3 | player | bank-exposed | bank-exposed low=6-5,6-1 high=6-6,6-3 | allowed
star-classic 13.2.4 | player | bank-moved | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | refused
star-classic 13.2.5 | player | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.2.5 | player | hand-exposed box=4 | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | allowed
star-classic 13.2.6 | player | tiles-put-away box=5 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.2.9 | player | tiles-put-away box=4 | tiles-put-away box=4 | allowed
star-classic 13.3.3 | co-bank | bank-set | bank-moved | refused
star-classic 13.3.3 | co-bank | bank-moved | bank-moved | allowed
star-classic 13.3.3 | co-bank | bank-moved | bank-exposed low=6-5,6-1 high=6-6,6-3 | refused by 13.3.4
star-classic 13.3.4 | co-bank | bank-set | bank-set by=Dan | refused
star-classic 13.3.4 | co-bank | bank-set | house-way-requested box=3 by=Dan | refused
star-classic 13.3.4 | co-bank | bank-set | bank-set by=dealer | allowed
star-classic 13.3.4 | co-bank | hand-set box=5 | bank-set by=dealer | refused
star-classic 13.3.4 | co-bank | hand-set box=5 | tiles-handled box=3 by=Dan | refused
star-classic 13.3.5 | co-bank | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.3.5 | co-bank | hand-exposed box=4 | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | allowed
star-classic 13.3.6 | co-bank | tiles-put-away box=5 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
star-classic 13.3.8 | co-bank | tiles-put-away box=4 | tiles-put-away box=4 | allowed
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    verdict, _, other = verdict.partition(" by ")
    check_event(f"{CLASSIC} {other}" if other else rule, bank, before, tried, verdict)


@pytest.mark.parametrize(
    ("bank", "rule"),
    [
        (Bank.HOUSE, "star-classic 13.1.8"),
        (Bank.PLAYER, "star-classic 13.2.7"),
        (Bank.CO_BANK, "star-classic 13.3.7"),
    ],
)
def test_every_wager_is_settled_counter_clockwise(bank: Bank, rule: str) -> None:
    check_settlement_order(rule, bank)


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


def _delivered(*wagers: str, table: Table | None = None) -> RoundLog:
    """Box 3 first, Ann in her seat at box 2, the House in the bank."""
    return opened(
        CLASSIC,
        "bank-offered box=2 player=Ann",
        "bank-declined box=2 player=Ann",
        "house-banks",
        "shuffled",
        "stacked",
        *wagers,
        "cut-named cut=Foot_Say by=supervisor",
        "dice-shaken by=dealer",
        "dice-shown box_dice=1,1,1 first_box=3",
        "tiles-delivered order=3,4,5,6,7,8,1,2",
        table=table,
        before=Before(check_due=False, seats={2: "Ann"}),
    )


def test_players_who_share_the_bank_decide_together() -> None:
    """star-classic 12.8: either may lay the hand."""
    before = Before(
        commencement=False,
        check_due=False,
        chung=1,
        played={"Dan": frozenset({3}), "Eve": frozenset({3}), "Ann": frozenset({2})},
        control={3: "Dan", 2: "Ann"},
        offer_from=3,
    )
    log = opened(
        CLASSIC,
        "bank-offered box=3 player=Dan",
        "bank-accepted box=3 players=Dan,Eve method=player funds=1000",
        "shuffled",
        "stacked",
        "wager-placed box=2 player=Ann amount=100",
        "bank-wagered amount=100",
        "cut-named cut=Foot_Say by=banker",
        "dice-shaken by=Eve",
        "dice-shown box_dice=1,1,1 first_box=5",
        "tiles-delivered order=5,6,7,8,1,2,3,4",
        "empty-retrieved boxes=1,4,5,6,7,8",
        "hand-set box=2 by=Ann",
        table=Table(shared=True),
        before=before,
    )
    for player in ("Dan", "Eve"):
        assert log.refusal(event(f"bank-set by={player}")) is None
    check_refusal(log.refusal(event("bank-set by=Ann")), "star-classic 13.2.3", "refused")


def test_a_hand_is_conceded_by_who_wagers_there_alone() -> None:
    """star-classic 12.14: its wager is lost, its tiles are gone, and it cannot come back; star-classic 12.15."""
    two = _delivered("wager-placed box=4 player=Bob amount=100", "wager-placed box=4 player=Cho amount=100")
    check_refusal(two.refusal(event("hand-conceded box=4 player=Bob")), "star-classic 12.14", "refused")
    log = _delivered("wager-placed box=4 player=Bob amount=100").append(event("hand-conceded box=4 player=Bob"))
    assert (log.state.hands[4], log.state.outcomes[4], log.state.away) == (
        HandStage.CONCEDED,
        Outcome.LOSE,
        frozenset({4}),
    )
    check_refusal(log.refusal(event("tiles-handled box=4 by=Bob")), "star-classic 12.14", "refused")
    for by, verdict in (("Bob", "refused"), ("dealer", "refused"), ("game_supervisor", "allowed")):
        check_refusal(log.refusal(event(f"tiles-viewed box=4 by={by}")), "star-classic 12.15", verdict)


def test_a_conceded_wager_is_lost_without_being_compared() -> None:
    """star-classic 12.14: whatever the tiles; and two players on the area cannot concede."""
    bank = BankHolder(Bank.CO_BANK, Laid.parse("6-5 4-1 / 6-4 5-2"), ("Zed",), 5, 9_000)
    better = Laid.parse("6-6 2-1 / 6-3 5-4")
    one = Wager(3, "Bob", 5_000, conceded=True)
    (result,) = settled(CLASSIC, one, hands={3: better}, bank=bank).results
    assert (result.call, result.collected, result.match, result.cite) == ("Che", 5_000, None, "star-classic 12.14")
    with pytest.raises(WagerError, match=r"star-classic 12\.14"):
        settled(CLASSIC, one, Wager(3, "Cho", 5_000), hands={3: better}, bank=bank)


def test_the_only_player_may_lay_his_tiles_open() -> None:
    """star-classic 12.16: when the House banks and nobody else plays."""
    tiles = event("tiles-laid-open box=2 player=Ann tiles=5-5,5-5,1-1,1-1")
    one, other = "wager-placed box=2 player=Ann amount=100", "wager-placed box=4 player=Bob amount=100"
    assert _delivered(one).refusal(tiles) is None
    check_refusal(_delivered(one, other).refusal(tiles), "star-classic 12.16", "refused")


def test_the_dealer_calls_jung_che_or_jowl() -> None:
    """star-classic 12.11: won, lost, stand-off."""
    bank = BankHolder(Bank.HOUSE, Laid.parse("6-5 4-1 / 6-4 5-2"))
    hands = {
        2: Laid.parse("6-6 2-1 / 6-3 5-4"),
        3: Laid.parse("3-1 5-5 / 1-1 2-2"),
        5: Laid.parse("4-3 6-2 / 4-4 5-5"),
    }
    wagers = [Wager(2, "Ann", 100), Wager(3, "Bob", 100), Wager(5, "Cho", 100)]
    assert [each.call for each in settled(CLASSIC, *wagers, hands=hands, bank=bank).results] == ["Jung", "Che", "Jowl"]
