"""The Star's older rules: the wagers of 9.1, matching, payment and commission; the three ways of banking.

Every amount is worked by hand: 14.1 pays 1 to 1 less 5 %, 14.3 collects the nearest lower amount that chips can make.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import WagerError
from engine.settlement.outcome import Why
from engine.settlement.played import BankHolder, Laid
from engine.settlement.result import COMMISSION, FLOAT, LOSING_AREA, ChipAccount, ChipPlace
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from tests.engine.rules.star import settled

if TYPE_CHECKING:
    from engine.settlement.result import Settlement

CLASSIC = "star-classic"


@pytest.mark.parametrize(
    ("player_rule", "banker_rule", "player", "bank", "outcome"),
    [
        # 7 against 5, 9 against 8.
        ("star-classic 9.1.1.1.1", "star-classic 9.1.2.2.1", "6-4 6-1 / 4-4 6-5", "5-3 4-3 / 5-5 6-2", "win"),
        # The same values: 7 with the High 8 against 7 with the eleven, 8 with the Day against 8 with the High 10.
        ("star-classic 9.1.1.1.2", "star-classic 9.1.2.2.2", "4-4 6-3 / 1-1 3-3", "6-5 5-1 / 5-5 6-2", "win"),
        # The other way about.
        ("star-classic 9.1.1.2.1", "star-classic 9.1.2.1.1", "6-5 5-1 / 5-5 6-2", "4-4 6-3 / 1-1 3-3", "lose"),
        # 5 against 6, 7 against 8.
        ("star-classic 9.1.1.2.1", "star-classic 9.1.2.1.1", "6-4 4-1 / 6-4 6-1", "5-5 5-1 / 4-4 5-5", "lose"),
        # Identical: 7 with the eleven, Day Gongs.
        ("star-classic 9.1.1.2.3", "star-classic 9.1.2.1.3", "6-5 5-1 / 1-1 6-2", "6-5 5-1 / 1-1 5-3", "lose"),
        # Same value, high tiles of equal rank: 5 with the Low 10, 5 with the High 4.
        ("star-classic 9.1.1.2.4", "star-classic 9.1.2.1.4", "6-4 4-1 / 3-1 6-5", "6-4 3-2 / 3-1 6-5", "lose"),
        # One hand only.
        ("star-classic 9.1.1.3", "star-classic 9.1.2.3", "6-4 4-1 / 3-3 3-3", "5-5 5-1 / 4-4 5-5", "push"),
        ("star-classic 9.1.1.3", "star-classic 9.1.2.3", "5-5 5-1 / 4-4 5-5", "6-4 4-1 / 3-3 3-3", "push"),
        # One copied, one won: the copy is the bank's (ruling 16).
        ("star-classic 9.1.1.3", "star-classic 9.1.2.3", "6-4 4-1 / 3-3 3-3", "6-4 3-2 / 4-4 5-5", "push"),
    ],
)
def test_matched(player_rule: str, banker_rule: str, player: str, bank: str, outcome: str) -> None:
    """What the player wins the banker loses, and the other way about; also in a co-bank."""
    for method, won in ((Bank.PLAYER, 9_500), (Bank.CO_BANK, 4_800)):
        held = BankHolder(method, Laid.parse(bank), ("Zed",), 3, 10_000)
        done = settled(CLASSIC, Wager(2, "Ann", 10_000), hands={2: Laid.parse(player)}, bank=held)
        (result,) = done.results
        assert result.outcome is not None
        assert result.outcome.value == outcome, (player_rule, banker_rule)
        # The banker wins 100.00 less 5.00; a co-banker 50.00 less 2.50, collected as 2.00 (14.2, 14.3).
        lost = {Bank.PLAYER: -10_000, Bank.CO_BANK: -5_000}[method]
        assert done.bank.net == {"win": lost, "lose": won, "push": 0}[outcome]


def test_why_a_hand_is_the_banks() -> None:
    """star-classic 9.1.1.1.2, 9.1.1.2.4 and 9.1.1.2.1 hand by hand: a higher tile, a copy, a higher hand."""
    held = BankHolder(Bank.HOUSE, Laid.parse("6-4 3-2 / 6-5 5-3"))  # 5 with the Low 10, 9 with the eleven
    reasons = []
    for lay in ("6-4 4-1 / 4-4 6-5", "5-5 2-2 / 3-1 4-1"):  # 5 and 9; 4 and 9 with the High 4
        (result,) = settled(CLASSIC, Wager(2, "Ann", 100), hands={2: Laid.parse(lay)}, bank=held).results
        assert result.match is not None
        reasons += [(each.why, each.to_player, each.cite) for each in (result.match.low, result.match.high)]
    assert reasons == [
        (Why.COPY, False, "star-classic 9.1.1.2.4"),
        (Why.HIGH_TILE, True, "star-classic 9.1.1.1.2"),
        (Why.HIGHER, False, "star-classic 9.1.1.2.1"),
        (Why.HIGH_TILE, True, "star-classic 9.1.1.1.2"),
    ]


@pytest.mark.parametrize(
    ("rule", "player", "outcome", "literally"),
    [
        ("star-classic 9.1.1.2.2", "5-5 6-4 / 3-3 3-3", "push", "lose"),
        ("star-classic 9.1.1.2.2", "5-5 6-4 / 3-1 6-1", "lose", None),
        ("star-classic 9.1.2.1.2", "5-5 6-4 / 1-1 6-2", "push", "lose"),
        ("star-classic 9.1.2.1.2", "5-5 6-1 / 1-1 6-2", "win", None),
    ],
)
def test_zero_against_zero(rule: str, player: str, outcome: str, literally: str | None) -> None:
    """Ruling 15: the zero hand is the bank's and the other still counts; the book's own words lose the whole wager."""
    held = BankHolder(Bank.HOUSE, Laid.parse("6-5 5-4 / 4-4 6-4"))  # 0 and 8
    done = settled(CLASSIC, Wager(2, "Ann", 10_000), hands={2: Laid.parse(player)}, bank=held)
    (result,) = done.results
    assert result.outcome is not None
    assert (result.outcome.value, done.literal_reading_differs) == (outcome, literally is not None), rule
    if done.literal is not None:
        (other,) = done.literal.results
        assert (other.call, other.cite) == ("Che", "star-classic 9.1.1.2.2")


# Complete rounds. Ann wins (8, and a pair), Bob loses (4 and 6), Cho stands off (5 and 8) against 6 and 7.

BANK = Laid.parse("6-5 4-1 / 6-4 5-2")
HANDS = {2: Laid.parse("6-6 2-1 / 6-3 5-4"), 3: Laid.parse("3-1 5-5 / 1-1 2-2"), 5: Laid.parse("4-3 6-2 / 4-4 5-5")}
HOUSE = BankHolder(Bank.HOUSE, BANK)
ZED = BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 30_000)
HALF = BankHolder(Bank.CO_BANK, BANK, ("Zed",), 4, 30_000)


def _player(name: str) -> ChipAccount:
    return ChipAccount(ChipPlace.PLAYER, name)


def _round(bank: BankHolder, ann: int, bob: int, cho: int, chip: int = 100) -> Settlement:
    wagers = [
        Wager(box, name, stake) for box, name, stake in ((3, "Bob", bob), (2, "Ann", ann), (5, "Cho", cho)) if stake
    ]
    return settled(CLASSIC, *wagers, hands=HANDS, bank=bank, terms=TableTerms(chip=chip))


def test_the_house_banks() -> None:
    """star-classic 13.1.7 and 13.1.9: 60.00 lost go into the float, which pays Ann her 95.00; Cho keeps his 40.00."""
    done = _round(HOUSE, 10_000, 6_000, 4_000)
    sums = {account: amount for account, amount in done.balances.items() if amount}
    assert sums == {_player("Ann"): 9_500, _player("Bob"): -6_000, FLOAT: -4_000, COMMISSION: 500}
    by_rule = {str(each.cite): each.amount for each in done.postings if each.account in {FLOAT, _player("Cho")}}
    assert (by_rule["star-classic 13.1.7"], by_rule["star-classic 13.1.9"]) == (6_000, 4_000)


def test_a_player_banks_and_the_losing_wagers_fall_short() -> None:
    """star-classic 13.2.6 and 13.2.8: 60.00 in the losing wager area, 100.00 to pay: 40.00 from the banker's wager.

    Nothing is left of the losing wagers, so no commission is collected of the banker (star-classic 14.2).
    """
    done = _round(ZED, 10_000, 6_000, 4_000)
    bank = done.bank
    assert (bank.taken, bank.paid, bank.remainder, bank.shortfall) == (6_000, 10_000, 0, 4_000)
    assert (bank.commission, bank.handed, bank.returned, bank.net) == (0, 0, 26_000, -4_000)
    assert {each.cite for each in done.postings if each.account == LOSING_AREA and each.amount > 0} == {
        "star-classic 13.2.6"
    }
    short = [each for each in done.postings if each.cite == "star-classic 13.2.8" and "fell short" in each.why]
    assert sum(each.amount for each in short if each.amount > 0) == 4_000
    assert done.balances[_player("Cho")] == 0  # star-classic 13.2.9


def test_a_player_banks_and_wins() -> None:
    """star-classic 13.2.7 and 14.2.1: 165.00 less 60.00 are his 105.00; 5.25 of those are collected as 5.00 (14.3).

    His own 300.00 come back whole (star-classic 14.2.3); Ann has 57.00 of her 60.00 (star-classic 14.1).
    """
    done = _round(ZED, 6_000, 16_500, 4_000)
    bank = done.bank
    assert (bank.remainder, bank.commission, bank.handed, bank.returned) == (10_500, 500, 10_000, 30_000)
    assert (done.balances[_player("Ann")], done.balances[_player("Zed")]) == (5_700, 10_000)
    assert done.balances[COMMISSION] == 800
    assert FLOAT not in done.balances  # the House takes no part (star-classic 11.1.2)


def test_a_co_bank_wins() -> None:
    """star-classic 13.3.6, 13.3.9 and 13.3.10: 165.00 less 60.00 leave 105.00, halves of 52.50.

    Of Zed's half 5 %, 2.625, are collected as 2.00 (star-classic 14.2.2 and 14.3); both have their 300.00 back
    (star-classic 13.3.2 and 14.2.3). Ann is paid from the losing wager area (star-classic 13.3.7), 57.00 of 60.00.
    """
    done = _round(HALF, 6_000, 16_500, 4_000)
    bank = done.bank
    assert (bank.remainder, bank.house_share, bank.shortfall) == (10_500, 5_250, 0)
    assert (bank.commission, bank.handed, bank.returned, bank.net) == (200, 5_050, 30_000, 5_050)
    assert done.balances[FLOAT] == 5_250
    assert done.balances[COMMISSION] == 200 + 300
    assert done.balances[_player("Ann")] == 5_700
    assert done.balances[_player("Cho")] == 0  # star-classic 13.3.8
    put_up = [each for each in done.postings if each.account == FLOAT and each.amount < 0]
    assert [each.amount for each in put_up] == [-30_000]  # an equal amount from the float
    assert {each.cite for each in done.postings if each.account == LOSING_AREA and each.amount > 0} == {
        "star-classic 13.3.6"
    }


def test_a_co_bank_falls_short() -> None:
    """star-classic 13.3.11: 60.00 taken, 100.00 paid: 40.00 from the co-bank's 600.00; the 560.00 left are halved."""
    done = _round(HALF, 10_000, 6_000, 4_000)
    bank = done.bank
    assert (bank.remainder, bank.shortfall, bank.commission) == (0, 4_000, 0)
    assert (bank.returned, bank.net, done.balances[FLOAT]) == (28_000, -2_000, -2_000)
    back = [each for each in done.postings if each.cite == "star-classic 13.3.11" and each.account == FLOAT]
    assert [each.amount for each in back] == [28_000]


@pytest.mark.parametrize(
    ("taken", "paid", "net", "house"),
    [
        (20_000, 0, 9_500, 10_000),  # halves of 100.00; 5.00 of commission on the player's
        (12_000, 0, 5_700, 6_000),  # 60.00; 3.00
        (10_000, 0, 4_800, 5_000),  # 50.00; 2.50 collected as 2.00
        (10_000, 10_000, 0, 0),
        (0, 10_000, -5_000, -5_000),
    ],
)
def test_halves_of_a_co_bank(taken: int, paid: int, net: int, house: int) -> None:
    """star-classic 13.3.9 and 14.2: the House's half goes back before commission, which is the player's alone."""
    done = _round(HALF, paid, taken, 0)
    assert done.bank.net == done.balances[_player("Zed")] == net
    assert done.balances.get(FLOAT, 0) == house


@pytest.mark.parametrize(
    ("chip", "remainder", "commission"),
    [
        (100, 10_500, 500),  # 5.25
        (100, 11_900, 500),  # 5.95: the nearest lower, though 6.00 is nearer
        (250, 14_750, 500),  # 7.375
        (500, 9_500, 0),  # 4.75
        (1, 10_150, 507),
    ],
)
def test_commission_of_a_banker(chip: int, remainder: int, commission: int) -> None:
    """star-classic 14.2 and 14.3: once a round, of what the losing wagers leave, the nearest lower amount in chips."""
    bank = _round(ZED, 0, remainder, 0, chip).bank
    assert (bank.remainder, bank.commission, bank.handed) == (remainder, commission, remainder - commission)


@pytest.mark.parametrize(
    ("chip", "stake", "commission"),
    [
        (100, 10_000, 500),
        (100, 5_000, 200),  # 2.50
        (250, 7_500, 250),  # 3.75
        (500, 19_500, 500),  # 9.75: 5.00 is the nearest lower, though 10.00 is nearer
        (1, 1_990, 99),  # 0.995
    ],
)
def test_commission_of_a_player(chip: int, stake: int, commission: int) -> None:
    """star-classic 14.1 and 14.3: 1 to 1, less 5 %, wager by wager; whoever banks."""
    for bank in (HOUSE, ZED, HALF):
        (result,) = _round(bank, stake, 0, 0, chip).results
        assert (result.winnings, result.commission, result.paid) == (stake, commission, stake - commission)


def test_five_percent_is_fixed() -> None:
    """star-classic 14.1: a table may ask for no other rate."""
    for rate in (0, 1):
        terms = TableTerms(commission=rate)  # type: ignore[arg-type]
        with pytest.raises(WagerError, match=r"star-classic 14\.1"):
            settled(CLASSIC, Wager(2, "Ann", 100), hands=HANDS, bank=HOUSE, terms=terms)


@pytest.mark.parametrize(
    ("bank", "boxes", "rule"),
    [
        (HOUSE, (2, 3, 5, 8), "star-classic 13.1.8"),  # from area one
        (ZED, (5, 8, 2, 3), "star-classic 13.2.7"),  # from the chung on area four
        (HALF, (5, 8, 2, 3), "star-classic 13.3.7"),
    ],
)
def test_the_order_of_payment(bank: BankHolder, boxes: tuple[int, ...], rule: str) -> None:
    """star-classic 13.1.6, 13.2.5 and 13.3.5: hands are opened in the same order, and paid once all are opened."""
    hands = {**HANDS, 8: Laid.parse("4-2 3-2 / 3-3 3-3")}  # 8, and a pair
    wagers = [Wager(box, name, 1_000) for box, name in ((8, "Eve"), (5, "Cho"), (3, "Bob"), (2, "Ann"))]
    done = settled(CLASSIC, *wagers, hands=hands, bank=bank)
    assert (done.boxes, done.order) == (boxes, rule)
    moves = [each.why for each in done.postings if each.amount > 0]
    won = [at for at, why in enumerate(moves) if why.startswith("won")]
    assert max(at for at, why in enumerate(moves) if why.startswith("lost")) < min(won)


def test_a_void_round_gives_everything_back() -> None:
    """star-classic 16.5 and 15.14: no wager wins or loses, and the co-bank's comes back."""
    for bank in (HOUSE, ZED, HALF):
        wagers = [Wager(2, "Ann", 1_000), Wager(3, "Bob", 2_000)]
        done = settled(CLASSIC, *wagers, hands=HANDS, bank=bank, void="dealt wrongly")
        assert [(each.call, each.returned) for each in done.results] == [("void", 1_000), ("void", 2_000)]
        assert set(done.balances.values()) == {0}


def test_a_void_hand_alone() -> None:
    """star-classic 15.3.1 and 16.3.1: that wager goes back; the others are settled."""
    wagers = [Wager(2, "Ann", 1_000, void="called void"), Wager(3, "Bob", 2_000)]
    done = settled(CLASSIC, *wagers, hands=HANDS, bank=HALF)
    assert [(each.call, each.returned, each.collected) for each in done.results] == [
        ("void", 1_000, 0),
        ("Che", 0, 2_000),
    ]


@pytest.mark.parametrize(("method", "rule"), [(Bank.HOUSE, "13.1.5"), (Bank.PLAYER, ""), (Bank.CO_BANK, "13.3.4")])
def test_a_bank_not_set_the_house_way_is_told(method: Bank, rule: str) -> None:
    """star-classic 13.1.5: settled as it lies, and said so; a player sets his own as he likes.

    A co-bank's is set the House Way too (star-classic 13.3.4). Here two ranking pairs are split.
    """
    lay = Laid.parse("3-1 2-2 / 3-1 2-2")
    bank = BankHolder(method, lay) if method is Bank.HOUSE else BankHolder(method, lay, ("Zed",), 4, 30_000)
    done = settled(CLASSIC, Wager(3, "Bob", 1_000), hands={3: Laid.parse("6-4 4-1 / 6-4 6-1")}, bank=bank)
    assert [f"(star-classic {rule}, " in note for note in done.notes] == ([True] if rule else [])
    assert done.results[0].call == "Che"  # 5 and 7 against 8 and 8
