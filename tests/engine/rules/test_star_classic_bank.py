"""The Star's older rules, sections 6 and 11, rules 9.12, 9.13, 13.2.1, 13.2.2, 13.3.1: the bank."""

import pytest

from engine.books.registry import rulebook
from engine.errors import DiceError
from engine.round import Before, RoundLog
from engine.settlement.played import Laid
from engine.vocabulary.dice import Cup, Thrown
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.round.test_bank_goes_round import banked, fresh, refused
from tests.engine.round.test_bank_goes_round import opened as opened_table
from tests.engine.rules.star import check_event, check_refusal
from tests.engine.rules.tables import opened, rows

CLASSIC = "star-classic"
BOOK = rulebook(CLASSIC)
BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 and 7
LOSES = Laid.parse("3-1 5-5 / 1-1 2-2")  # 4 and 6

EVENTS = """
star-classic 6.3 | player | bank-accepted | bank-accepted box=3 players=Eve method=player funds=50000 | refused
star-classic 6.3 | player | bank-accepted | bank-accepted box=4 players=Dan method=player funds=50000 | refused
star-classic 6.7 | co-bank | bank-accepted | bank-accepted box=3 players=Dan method=co-bank funds=5000 | refused
star-classic 6.9 | house | cut-named | wager-placed box=1 player=Eve amount=100 | refused
star-classic 6.9 | player | cut-named | wager-placed box=1 player=Eve amount=100 | allowed
star-classic 9.12 | player | bank-wagered | bank-wagered amount=50001 | refused
star-classic 9.12 | player | bank-wagered | bank-wagered amount=50000 | allowed
star-classic 9.13 | player | cut-named | wager-placed box=3 player=Eve amount=100 | refused
star-classic 9.13 | co-bank | cut-named | wager-placed box=3 player=Eve amount=100 | refused
star-classic 1.1 | co-bank | cut-named | wager-placed box=6 player=Dan amount=100 | refused
star-classic 11.1 | house | cut-named | bank-wagered amount=5000 | refused
star-classic 11.1.2 | player | bank-accepted | bank-accepted box=3 players=Dan method=player funds=9000 | allowed
star-classic 13.2.2 | player | bank-wagered | cut-named cut=Foot_Say by=banker | refused
star-classic 13.2.2 | player | bank-wagered | bank-fell-back method=co-bank | allowed
star-classic 13.2.2 | player | bank-wagered | bank-fell-back method=house | allowed
star-classic 13.2.2 | player | cut-named | bank-fell-back method=co-bank | refused
star-classic 13.3.1 | co-bank | bank-wagered | cut-named cut=Foot_Say by=banker | refused
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


@pytest.mark.parametrize(
    ("title", "verdict"), [("dealer", "refused"), ("game_supervisor", "allowed"), ("casino_supervisor", "allowed")]
)
def test_who_may_approve_a_co_bank(title: str, verdict: str) -> None:
    """star-classic 6.7: a casino supervisor; a game supervisor is one (star-classic 1.1)."""
    line = f"bank-accepted box=3 players=Dan method=co-bank funds=5000 approved_by={title}"
    check_event("star-classic 6.7", "co-bank", "bank-accepted", line, verdict)


# Round after round: Ann at box 2, Bob at 4, Cho at 6; the House has banked first


def test_the_offer_begins_with_area_one() -> None:
    """star-classic 6.1: and goes on counter-clockwise from the last player's bank; never 6.2 of the rules of 2024."""
    log = opened(CLASSIC, "player-seated box=1 player=Gus", "player-seated box=2 player=Ann")
    check_refusal(log.refusal(event("bank-offered box=2 player=Ann")), "star-classic 6.1", "refused")
    assert log.refusal(event("bank-offered box=1 player=Gus")) is None
    table = opened_table(CLASSIC)
    assert refused(fresh(table), "bank-offered box=4 player=Bob") == "6.1"
    assert fresh(table).before.offer_from == 1  # after the House's bank too; with area two in 2024
    table = banked(banked(table, 2), 2, going_on=True)
    assert refused(fresh(table), "bank-offered box=6 player=Cho") == "6.1"
    assert fresh(table).refusal(event("bank-offered box=4 player=Bob")) is None


TWO_ON_TWO = Before(
    commencement=False,
    check_due=False,
    offer_from=1,
    chung=1,
    played={"Ann": frozenset({2}), "Bob": frozenset({4}), "Fay": frozenset({2})},
    control={2: "Ann", 4: "Bob"},
)


@pytest.mark.parametrize(
    ("rule", "offer"),
    [
        ("star-classic 6.3", "bank-offered box=2 player=Fay"),  # Ann controls area two
        ("star-classic 6.4", "bank-offered box=2 player=Gus"),  # he did not play
    ],
)
def test_to_whom_the_bank_is_not_offered(rule: str, offer: str) -> None:
    log = opened(CLASSIC, before=TWO_ON_TWO)
    check_refusal(log.refusal(event(offer)), rule, "refused")
    # Declined by whoever controls it, an area's turn is over: nobody else there has the option (6.3).
    log = log.append(event("bank-offered box=2 player=Ann")).append(event("bank-declined box=2 player=Ann"))
    assert log.refusal(event(offer)) is not None
    assert log.refusal(event("bank-offered box=4 player=Bob")) is None


@pytest.mark.parametrize("bank", [Bank.PLAYER, Bank.CO_BANK])
def test_the_chung(bank: Bank) -> None:
    """star-classic 6.9: the House's on area one; star-classic 13.2.1: a player's on his own, wherever."""
    cup = Cup((1, 1, 1))
    for chung in range(2, 9):
        with pytest.raises(DiceError, match=r"star-classic 6\.9"):
            BOOK.dice.read(cup, Bank.HOUSE, chung)
        read = BOOK.dice.read(cup, bank, chung)
        assert isinstance(read, Thrown)
        assert read.chung == chung
    with pytest.raises(DiceError, match=r"star-classic 13\.[23]\.[15]"):
        BOOK.dice.read(cup, bank)


# Ways of banking


def _banked(method: str, amount: int, *more: str) -> RoundLog:
    """Ann banks; 61 lie against her."""
    return opened(
        CLASSIC,
        "bank-offered box=2 player=Ann",
        f"bank-accepted box=2 players=Ann method={method} funds=100 approved_by=casino_supervisor",
        "shuffled",
        "stacked",
        "wager-placed box=4 player=Bob amount=61",
        f"bank-wagered amount={amount}",
        *more,
        before=TWO_ON_TWO,
    )


def test_a_bank_that_does_not_cover_the_wagers() -> None:
    """star-classic 13.2.2: she co-banks (as printed) or the House banks (6.8, ruling 37)."""
    cut = event("cut-named cut=Foot_Say by=banker")
    check_refusal(_banked("player", 60).refusal(cut), "star-classic 13.2.2", "refused")
    assert _banked("player", 61).refusal(cut) is None
    fell = _banked("player", 60, "bank-fell-back method=co-bank")
    assert (fell.state.method, fell.state.held.box, fell.state.held.players) == (Bank.CO_BANK, 2, ("Ann",))
    assert fell.refusal(cut) is None
    house = _banked("player", 60, "bank-fell-back method=house").state.held
    assert (house.method, house.box, house.players) == (Bank.HOUSE, 1, ())


@pytest.mark.parametrize(("amount", "verdict"), [(30, "refused"), (31, "allowed")])
def test_a_co_banker_matches_half_the_wagers(amount: int, verdict: str) -> None:
    """star-classic 13.3.1 and 11.1.3: half of 61 is 30.5; 30 do not match it."""
    cut = event("cut-named cut=Foot_Say by=banker")
    check_refusal(_banked("co-bank", amount).refusal(cut), "star-classic 13.3.1", verdict)


def test_funds_for_half_the_wagers_when_they_lie_already() -> None:
    """star-classic 13.3.1: funds match half of what is wagered when co-banking is requested."""
    log = opened(
        CLASSIC,
        "shuffled",
        "wager-placed box=4 player=Bob amount=61",
        "bank-offered box=2 player=Ann",
        before=TWO_ON_TWO,
    )
    line = "bank-accepted box=2 players=Ann method={method} funds={funds} approved_by=casino_supervisor"
    for method, least in (("co-bank", 31), ("player", 61)):
        assert log.refusal(event(line.format(method=method, funds=least))) is None
        check_refusal(log.refusal(event(line.format(method=method, funds=least - 1))), "star-classic 9.12", "refused")
