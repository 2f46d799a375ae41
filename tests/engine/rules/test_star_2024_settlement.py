"""The Star 2024, the wagers of section 9 (their parts printed as 9.2.x and 9.3.x), matching, payment and commission.

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

STAR = "star-2024"


def _match(player: str, bank: str) -> tuple[str, str, int]:
    """How the player's wager of 100.00 ends, by which rule, and what the banker's wager of 100.00 comes to."""
    held = BankHolder(Bank.PLAYER, Laid.parse(bank), ("Zed",), 3, 10_000)
    done = settled(STAR, Wager(2, "Ann", 10_000), hands={2: Laid.parse(player)}, bank=held)
    (result,) = done.results
    assert result.outcome is not None
    return result.outcome.value, result.cite, done.bank.net


@pytest.mark.parametrize(
    ("player_rule", "banker_rule", "player", "bank", "outcome"),
    [
        # 7 and Low 10, 9 and Low 8: against 6 with the Low 6, 8 with the High 10.
        ("star-2024 9.2.1.1", "star-2024 9.3.2.1", "6-4 6-1 / 4-4 6-5", "5-1 5-5 / 5-5 6-2", "win"),
        # The same values: 8 with the Teen against 8 with the Day, 9 with the High 8 against 9 with the eleven.
        ("star-2024 9.2.1.2", "star-2024 9.3.2.2", "6-6 2-1 / 4-4 6-5", "1-1 4-2 / 6-5 5-3", "win"),
        # The other way about: the bank's tiles rank higher.
        ("star-2024 9.2.2.1", "star-2024 9.3.1.1", "1-1 4-2 / 6-5 5-3", "6-6 2-1 / 4-4 6-5", "lose"),
        # 5 against 6 with the High 10, 7 against 8.
        ("star-2024 9.2.2.1", "star-2024 9.3.1.1", "6-4 4-1 / 6-4 6-1", "5-5 5-1 / 4-4 5-5", "lose"),
        # Identical: 7 with the eleven (11 and 6), and Teen Wongs.
        ("star-2024 9.2.2.3", "star-2024 9.3.1.3", "6-5 5-1 / 6-6 6-3", "6-5 5-1 / 6-6 5-4", "lose"),
        # Same value, high tiles of equal rank: 5 with the Low 10, 9 with the High 4 and a five.
        ("star-2024 9.2.2.4", "star-2024 9.3.1.4", "6-4 4-1 / 3-1 6-5", "6-4 3-2 / 3-1 6-5", "lose"),
        # One hand only: 5 against 6, a pair against 8; and the other way about.
        ("star-2024 9.2.3", "star-2024 9.3.3", "6-4 4-1 / 3-3 3-3", "5-5 5-1 / 4-4 5-5", "push"),
        ("star-2024 9.2.3", "star-2024 9.3.3", "5-5 5-1 / 4-4 5-5", "6-4 4-1 / 3-3 3-3", "push"),
        # One copied (5 with the Low 10), one won: the copy is the bank's (ruling 16).
        ("star-2024 9.2.3", "star-2024 9.3.3", "6-4 4-1 / 3-3 3-3", "6-4 3-2 / 4-4 5-5", "push"),
    ],
)
def test_matched(player_rule: str, banker_rule: str, player: str, bank: str, outcome: str) -> None:
    """What the player wins the banker loses, and the other way about; of a stand-off nobody has anything."""
    ended, cite, net = _match(player, bank)
    assert ended == outcome, (player_rule, banker_rule)
    # Ann pays no commission where she loses; the banker 5.00 of 100.00 where he wins (14.2).
    assert net == {"win": -10_000, "lose": 9_500, "push": 0}[outcome]
    assert cite == {"win": "star-2024 9.2.1.1", "lose": "star-2024 9.2.2.1", "push": "star-2024 9.2.3"}[outcome]


def test_why_a_hand_is_the_banks() -> None:
    """star-2024 9.2.1.2, 9.2.2.4 and 9.2.2.1 hand by hand: a higher tile, a copy, a higher hand."""
    held = BankHolder(Bank.HOUSE, Laid.parse("6-4 3-2 / 6-5 5-3"))  # 5 with the Low 10, 9 with the eleven
    reasons = []
    for lay in ("6-4 4-1 / 4-4 6-5", "5-5 2-2 / 3-1 4-1"):  # 5 and 9; 4 and 9 with the High 4
        (result,) = settled(STAR, Wager(2, "Ann", 100), hands={2: Laid.parse(lay)}, bank=held).results
        assert result.match is not None
        reasons += [(each.why, each.to_player, each.cite) for each in (result.match.low, result.match.high)]
    assert reasons == [
        (Why.COPY, False, "star-2024 9.2.2.4"),
        (Why.HIGH_TILE, True, "star-2024 9.2.1.2"),
        (Why.HIGHER, False, "star-2024 9.2.2.1"),
        (Why.HIGH_TILE, True, "star-2024 9.2.1.2"),
    ]


@pytest.mark.parametrize(
    ("rule", "player", "outcome", "literally"),
    [
        # 0 with the High 10 against the bank's 0 with the eleven: the bank's low hand, whatever the tiles.
        ("star-2024 9.2.2.2", "5-5 6-4 / 3-3 3-3", "push", "lose"),  # a pair is above the bank's 8
        ("star-2024 9.2.2.2", "5-5 6-4 / 3-1 6-1", "lose", None),  # 1 is below it
        ("star-2024 9.3.1.2", "5-5 6-4 / 1-1 6-2", "push", "lose"),  # a Gong
        ("star-2024 9.3.1.2", "5-5 6-1 / 1-1 6-2", "win", None),  # 7: no zero against it
    ],
)
def test_zero_against_zero(rule: str, player: str, outcome: str, literally: str | None) -> None:
    """Ruling 15: the zero hand is the bank's and the other still counts; the book's own words lose the whole wager."""
    held = BankHolder(Bank.PLAYER, Laid.parse("6-5 5-4 / 4-4 6-4"), ("Zed",), 3, 10_000)  # 0 and 8
    done = settled(STAR, Wager(2, "Ann", 10_000), hands={2: Laid.parse(player)}, bank=held)
    (result,) = done.results
    assert result.outcome is not None
    assert (result.outcome.value, done.literal_reading_differs) == (outcome, literally is not None), rule
    if done.literal is not None:
        (other,) = done.literal.results
        assert (other.call, other.cite, other.collected) == ("Che", "star-2024 9.2.2.2", 10_000)


# Complete rounds. Ann wins (8, and a pair), Bob loses (4 and 6), Cho stands off (5 and 8) against 6 and 7.

BANK = Laid.parse("6-5 4-1 / 6-4 5-2")
HANDS = {2: Laid.parse("6-6 2-1 / 6-3 5-4"), 3: Laid.parse("3-1 5-5 / 1-1 2-2"), 5: Laid.parse("4-3 6-2 / 4-4 5-5")}
HOUSE = BankHolder(Bank.HOUSE, BANK)
ZED = BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 30_000)


def _player(name: str) -> ChipAccount:
    return ChipAccount(ChipPlace.PLAYER, name)


def _round(bank: BankHolder, ann: int, bob: int, cho: int, chip: int = 100) -> Settlement:
    wagers = [
        Wager(box, name, stake) for box, name, stake in ((3, "Bob", bob), (2, "Ann", ann), (5, "Cho", cho)) if stake
    ]
    return settled(STAR, *wagers, hands=HANDS, bank=bank, terms=TableTerms(chip=chip))


def test_the_house_banks() -> None:
    """star-2024 13.1.7 and 13.1.9: 60.00 lost go into the float, which pays Ann her 95.00; Cho keeps his 40.00."""
    done = _round(HOUSE, 10_000, 6_000, 4_000)
    assert done.balances == {
        _player("Ann"): 9_500,
        ChipAccount(ChipPlace.BOX, "2"): 0,
        _player("Bob"): -6_000,
        ChipAccount(ChipPlace.BOX, "3"): 0,
        _player("Cho"): 0,
        ChipAccount(ChipPlace.BOX, "5"): 0,
        FLOAT: -4_000,
        COMMISSION: 500,
    }
    by_rule = {str(each.cite): each.amount for each in done.postings if each.account in {FLOAT, _player("Cho")}}
    assert by_rule["star-2024 13.1.7"] == 6_000
    assert by_rule["star-2024 13.1.9"] == 4_000
    assert (done.bank.taken, done.bank.paid, done.bank.net) == (6_000, 10_000, -4_000)


def test_a_player_banks_and_the_losing_wagers_fall_short() -> None:
    """star-2024 13.2.6 and 13.2.8: 60.00 in the losing wager area, 100.00 to pay: 40.00 from the banker's wager.

    Nothing is left of the losing wagers, so no commission is collected of the banker (star-2024 14.2).
    """
    done = _round(ZED, 10_000, 6_000, 4_000)
    bank = done.bank
    assert (bank.taken, bank.paid, bank.remainder, bank.shortfall) == (6_000, 10_000, 0, 4_000)
    assert (bank.commission, bank.handed, bank.returned, bank.net) == (0, 0, 26_000, -4_000)
    cites = {each.cite for each in done.postings if each.account == LOSING_AREA and each.amount > 0}
    assert cites == {"star-2024 13.2.6"}
    short = [each for each in done.postings if each.cite == "star-2024 13.2.8" and "fell short" in each.why]
    assert sum(each.amount for each in short if each.amount > 0) == 4_000
    assert done.balances[_player("Zed")] == -4_000
    assert done.balances[_player("Cho")] == 0  # star-2024 13.2.9


def test_a_player_banks_and_wins() -> None:
    """star-2024 13.2.7 and 14.2.1: 165.00 less 60.00 are his 105.00; 5 % of those, 5.25, are collected as 5.00 (14.3).

    His own 300.00 come back whole (star-2024 14.2.2); Ann has 57.00 of her 60.00 (star-2024 14.1).
    """
    done = _round(ZED, 6_000, 16_500, 4_000)
    bank = done.bank
    assert (bank.remainder, bank.commission, bank.handed, bank.returned, bank.net) == (
        10_500,
        500,
        10_000,
        30_000,
        10_000,
    )
    assert done.balances[_player("Ann")] == 5_700
    assert done.balances[COMMISSION] == 500 + 300
    assert done.balances[_player("Zed")] == 10_000
    assert FLOAT not in done.balances  # the House takes no part (star-2024 11.1.2)


@pytest.mark.parametrize(
    ("chip", "remainder", "commission"),
    [
        (100, 10_000, 500),
        (100, 10_500, 500),  # 5.25
        (100, 11_900, 500),  # 5.95: the nearest lower, though 6.00 is nearer
        (100, 12_000, 600),
        (250, 10_000, 500),
        (250, 14_750, 500),  # 7.375
        (500, 9_500, 0),  # 4.75
        (5, 10_150, 505),  # 5.075
        (1, 10_150, 507),
    ],
)
def test_commission_of_a_banker(chip: int, remainder: int, commission: int) -> None:
    """star-2024 14.2 and 14.3: once a round, of what the losing wagers leave, the nearest lower amount in chips."""
    bank = _round(ZED, 0, remainder, 0, chip).bank
    assert (bank.remainder, bank.commission, bank.handed) == (remainder, commission, remainder - commission)


@pytest.mark.parametrize(
    ("chip", "stake", "commission"),
    [
        (100, 10_000, 500),
        (100, 5_000, 200),  # 2.50
        (100, 1_900, 0),  # 0.95
        (250, 7_500, 250),  # 3.75
        (250, 10_000, 500),
        (500, 19_500, 500),  # 9.75: 5.00 is the nearest lower, though 10.00 is nearer
        (1, 1_990, 99),  # 0.995
    ],
)
def test_commission_of_a_player(chip: int, stake: int, commission: int) -> None:
    """star-2024 14.1 and 14.3: 1 to 1, less 5 %, wager by wager; whoever banks."""
    for bank in (HOUSE, ZED):
        (result,) = _round(bank, stake, 0, 0, chip).results
        assert (result.winnings, result.commission, result.paid) == (stake, commission, stake - commission)
        assert result.returned == stake


def test_each_wager_pays_its_own_commission() -> None:
    """star-2024 14.1: two wagers of 15.00 on one winning hand: 0.75 each, collected as nothing; together 1.50."""
    wagers = [Wager(2, "Ann", 1_500), Wager(2, "Bob", 1_500)]
    done = settled(STAR, *wagers, hands=HANDS, bank=HOUSE)
    assert [each.commission for each in done.results] == [0, 0]


def test_five_percent_is_fixed() -> None:
    """star-2024 14.1: a table may ask for no other rate."""
    for rate in (0, 1):
        with pytest.raises(WagerError, match=r"star-2024 14\.1"):
            settled(STAR, Wager(2, "Ann", 100), hands=HANDS, bank=HOUSE, terms=TableTerms(commission=rate))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bank", "boxes", "rule"),
    [
        (HOUSE, (2, 3, 5, 8), "star-2024 13.1.8"),  # from area one
        (ZED, (5, 8, 2, 3), "star-2024 13.2.7"),  # from the chung on area four
    ],
)
def test_the_order_of_payment(bank: BankHolder, boxes: tuple[int, ...], rule: str) -> None:
    """star-2024 13.1.6 and 13.2.5: hands are opened in the same order, and paid once all are opened."""
    hands = {**HANDS, 8: Laid.parse("4-2 3-2 / 3-3 3-3")}  # 8, and a pair
    wagers = [Wager(box, name, 1_000) for box, name in ((8, "Eve"), (5, "Cho"), (3, "Bob"), (2, "Ann"))]
    done = settled(STAR, *wagers, hands=hands, bank=bank)
    assert (done.boxes, done.order) == (boxes, rule)
    moves = [each.why for each in done.postings if each.amount > 0 and "wager on box" not in each.why]
    lost = max(at for at, why in enumerate(moves) if why.startswith("lost"))
    won = [at for at, why in enumerate(moves) if why.startswith("won")]
    assert lost < min(won)
    paid = [why for why in moves if why.startswith("won")]
    assert [int(why.split("box ")[1][0]) for why in paid] == [box for box in boxes if box in {2, 8}]


def test_a_void_round_gives_everything_back() -> None:
    """star-2024 15.17.2 and 16.6: no wager wins or loses; star-2024 15.3.2 too."""
    for bank in (HOUSE, ZED):
        wagers = [Wager(2, "Ann", 1_000), Wager(3, "Bob", 2_000)]
        done = settled(STAR, *wagers, hands=HANDS, bank=bank, void="a tile is missing")
        assert [(each.call, each.returned) for each in done.results] == [("void", 1_000), ("void", 2_000)]
        assert set(done.balances.values()) == {0}


def test_a_void_hand_alone() -> None:
    """star-2024 15.3.1, 15.21.2 and 16.4.1: that wager goes back; the others are settled."""
    wagers = [Wager(2, "Ann", 1_000, void="called void"), Wager(3, "Bob", 2_000)]
    done = settled(STAR, *wagers, hands=HANDS, bank=ZED)
    assert [(each.call, each.returned, each.collected) for each in done.results] == [
        ("void", 1_000, 0),
        ("Che", 0, 2_000),
    ]
    assert done.bank.taken == 2_000


@pytest.mark.parametrize(("method", "rule"), [(Bank.HOUSE, "13.1.5"), (Bank.PLAYER, "")])
def test_a_bank_not_set_the_house_way_is_told(method: Bank, rule: str) -> None:
    """star-2024 13.1.5: settled as it lies (two pairs split), and said so; a player sets his own as he likes."""
    lay = Laid.parse("3-1 2-2 / 3-1 2-2")
    bank = BankHolder(method, lay) if method is Bank.HOUSE else BankHolder(method, lay, ("Zed",), 4, 30_000)
    done = settled(STAR, Wager(3, "Bob", 1_000), hands={3: Laid.parse("6-4 4-1 / 6-4 6-1")}, bank=bank)
    assert [f"(star-2024 {rule}, " in note for note in done.notes] == ([True] if rule else [])
    assert done.results[0].call == "Che"  # 5 and 7 against 8 and 8
