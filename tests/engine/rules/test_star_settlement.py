"""The Star's two books: the wagers of section 9, matching, payment and commission; a co-bank in the older one alone.

Every amount is worked by hand: 14.1 pays 1 to 1 less 5 %, 14.3 collects the nearest lower amount that chips can make.
Where the two number a rule differently, `CITES` has both: the rules of 2024 first, then the older ones.
"""

import pytest

from engine.errors import WagerError
from engine.settlement.outcome import Why
from engine.settlement.played import BankHolder, Laid
from engine.settlement.result import COMMISSION, FLOAT, LOSING_AREA, ChipAccount, ChipPlace, Settlement
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from tests.engine.rules.star import settled

STAR, CLASSIC = "star-2024", "star-classic"
CITES = {  # star-2024 9.2.1.1 to 9.2.3, star-classic 9.1.1.1.1 to 9.1.1.3
    "win": ("star-2024 9.2.1.1", "star-classic 9.1.1.1.1"),
    "higher tile": ("star-2024 9.2.1.2", "star-classic 9.1.1.1.2"),
    "lose": ("star-2024 9.2.2.1", "star-classic 9.1.1.2.1"),
    "zero": ("star-2024 9.2.2.2", "star-classic 9.1.1.2.2"),
    "copy": ("star-2024 9.2.2.4", "star-classic 9.1.1.2.4"),
    "push": ("star-2024 9.2.3", "star-classic 9.1.1.3"),
}
both_books = pytest.mark.parametrize("book", [STAR, CLASSIC])


def cite(book: str, what: str) -> str:
    return CITES[what][book == CLASSIC]


@both_books
@pytest.mark.parametrize(
    ("rules", "player", "bank", "outcome"),
    [
        # The player's rules in both books, then the banker's.
        # 7 and Low 10, 9 and Low 8: against 6 with the Low 6, 8 with the High 10.
        (
            "star-2024 9.2.1.1, 9.3.2.1; star-classic 9.1.1.1.1, 9.1.2.2.1",
            "6-4 6-1 / 4-4 6-5",
            "5-1 5-5 / 5-5 6-2",
            "win",
        ),
        # The same values: 8 with the Teen against 8 with the Day, 9 with the High 8 against 9 with the eleven.
        (
            "star-2024 9.2.1.2, 9.3.2.2; star-classic 9.1.1.1.2, 9.1.2.2.2",
            "6-6 2-1 / 4-4 6-5",
            "1-1 4-2 / 6-5 5-3",
            "win",
        ),
        # 7 with the High 8 against 7 with the eleven, 8 with the Day against 8 with the High 10.
        (
            "star-2024 9.2.1.2, 9.3.2.2; star-classic 9.1.1.1.2, 9.1.2.2.2",
            "4-4 6-3 / 1-1 3-3",
            "6-5 5-1 / 5-5 6-2",
            "win",
        ),
        # The other way about: the bank's tiles rank higher.
        (
            "star-2024 9.2.2.1, 9.3.1.1; star-classic 9.1.1.2.1, 9.1.2.1.1",
            "1-1 4-2 / 6-5 5-3",
            "6-6 2-1 / 4-4 6-5",
            "lose",
        ),
        # 5 against 6 with the High 10, 7 against 8.
        (
            "star-2024 9.2.2.1, 9.3.1.1; star-classic 9.1.1.2.1, 9.1.2.1.1",
            "6-4 4-1 / 6-4 6-1",
            "5-5 5-1 / 4-4 5-5",
            "lose",
        ),
        # Identical: 7 with the eleven (11 and 6), and Teen Wongs or Day Gongs.
        (
            "star-2024 9.2.2.3, 9.3.1.3; star-classic 9.1.1.2.3, 9.1.2.1.3",
            "6-5 5-1 / 6-6 6-3",
            "6-5 5-1 / 6-6 5-4",
            "lose",
        ),
        (
            "star-2024 9.2.2.3, 9.3.1.3; star-classic 9.1.1.2.3, 9.1.2.1.3",
            "6-5 5-1 / 1-1 6-2",
            "6-5 5-1 / 1-1 5-3",
            "lose",
        ),
        # Same value, high tiles of equal rank: 5 with the Low 10, 9 with the High 4 and a five.
        (
            "star-2024 9.2.2.4, 9.3.1.4; star-classic 9.1.1.2.4, 9.1.2.1.4",
            "6-4 4-1 / 3-1 6-5",
            "6-4 3-2 / 3-1 6-5",
            "lose",
        ),
        # One hand only: 5 against 6, a pair against 8; and the other way about.
        ("star-2024 9.2.3, 9.3.3; star-classic 9.1.1.3, 9.1.2.3", "6-4 4-1 / 3-3 3-3", "5-5 5-1 / 4-4 5-5", "push"),
        ("star-2024 9.2.3, 9.3.3; star-classic 9.1.1.3, 9.1.2.3", "5-5 5-1 / 4-4 5-5", "6-4 4-1 / 3-3 3-3", "push"),
        # One copied (5 with the Low 10), one won: the copy is the bank's (ruling 16).
        ("star-2024 9.2.3, 9.3.3; star-classic 9.1.1.3, 9.1.2.3", "6-4 4-1 / 3-3 3-3", "6-4 3-2 / 4-4 5-5", "push"),
    ],
)
def test_matched(book: str, rules: str, player: str, bank: str, outcome: str) -> None:
    """What the player wins the banker loses, and the other way about; of a stand-off nobody has anything."""
    # The banker wins 100.00 less 5.00; a co-banker 50.00 less 2.50, collected as 2.00 (14.2, 14.3).
    comes_to = {Bank.PLAYER: {"win": -10_000, "lose": 9_500, "push": 0}}
    if book == CLASSIC:
        comes_to[Bank.CO_BANK] = {"win": -5_000, "lose": 4_800, "push": 0}
    for method, net in comes_to.items():
        held = BankHolder(method, Laid.parse(bank), ("Zed",), 3, 10_000)
        done = settled(book, Wager(2, "Ann", 10_000), hands={2: Laid.parse(player)}, bank=held)
        (result,) = done.results
        assert result.outcome is not None
        assert (result.outcome.value, result.cite) == (outcome, cite(book, outcome)), rules
        assert done.bank.net == net[outcome]


@both_books
def test_why_a_hand_is_the_banks(book: str) -> None:
    """Hand by hand: a higher tile, a copy, a higher hand."""
    held = BankHolder(Bank.HOUSE, Laid.parse("6-4 3-2 / 6-5 5-3"))  # 5 with the Low 10, 9 with the eleven
    reasons = []
    for lay in ("6-4 4-1 / 4-4 6-5", "5-5 2-2 / 3-1 4-1"):  # 5 and 9; 4 and 9 with the High 4
        (result,) = settled(book, Wager(2, "Ann", 100), hands={2: Laid.parse(lay)}, bank=held).results
        assert result.match is not None
        reasons += [(each.why, each.to_player, each.cite) for each in (result.match.low, result.match.high)]
    assert reasons == [
        (Why.COPY, False, cite(book, "copy")),
        (Why.HIGH_TILE, True, cite(book, "higher tile")),
        (Why.HIGHER, False, cite(book, "lose")),
        (Why.HIGH_TILE, True, cite(book, "higher tile")),
    ]


@both_books
@pytest.mark.parametrize(
    ("player", "outcome", "literally"),
    [
        # 0 with the High 10 against the bank's 0 with the eleven: the bank's low hand, whatever the tiles.
        ("5-5 6-4 / 3-3 3-3", "push", "lose"),  # a pair is above the bank's 8
        ("5-5 6-4 / 3-1 6-1", "lose", None),  # 1 is below it
        ("5-5 6-4 / 1-1 6-2", "push", "lose"),  # a Gong
        ("5-5 6-1 / 1-1 6-2", "win", None),  # 7: no zero against it
    ],
)
def test_zero_against_zero(book: str, player: str, outcome: str, literally: str | None) -> None:
    """Ruling 15: the zero hand is the bank's and the other still counts; the book's own words lose the whole wager.

    star-2024 9.2.2.2, 9.3.1.2; star-classic 9.1.1.2.2, 9.1.2.1.2.
    """
    held = BankHolder(Bank.PLAYER, Laid.parse("6-5 5-4 / 4-4 6-4"), ("Zed",), 3, 10_000)  # 0 and 8
    done = settled(book, Wager(2, "Ann", 10_000), hands={2: Laid.parse(player)}, bank=held)
    (result,) = done.results
    assert result.outcome is not None
    assert (result.outcome.value, done.literal_reading_differs) == (outcome, literally is not None)
    if done.literal is not None:
        (other,) = done.literal.results
        assert (other.call, other.cite, other.collected) == ("Che", cite(book, "zero"), 10_000)


# Complete rounds. Ann wins (8, and a pair), Bob loses (4 and 6), Cho stands off (5 and 8) against 6 and 7.

BANK = Laid.parse("6-5 4-1 / 6-4 5-2")
HANDS = {2: Laid.parse("6-6 2-1 / 6-3 5-4"), 3: Laid.parse("3-1 5-5 / 1-1 2-2"), 5: Laid.parse("4-3 6-2 / 4-4 5-5")}
HOUSE = BankHolder(Bank.HOUSE, BANK)
ZED = BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 30_000)
HALF = BankHolder(Bank.CO_BANK, BANK, ("Zed",), 4, 30_000)
each_bank = pytest.mark.parametrize(
    ("book", "bank"), [(STAR, HOUSE), (STAR, ZED), (CLASSIC, HOUSE), (CLASSIC, ZED), (CLASSIC, HALF)]
)


def _player(name: str) -> ChipAccount:
    return ChipAccount(ChipPlace.PLAYER, name)


def _round(book: str, bank: BankHolder, ann: int, bob: int, cho: int, chip: int = 100) -> Settlement:
    wagers = [
        Wager(box, name, stake) for box, name, stake in ((3, "Bob", bob), (2, "Ann", ann), (5, "Cho", cho)) if stake
    ]
    return settled(book, *wagers, hands=HANDS, bank=bank, terms=TableTerms(chip=chip))


@both_books
def test_the_house_banks(book: str) -> None:
    """star-2024 13.1.7, 13.1.9; star-classic 13.1.7, 13.1.9.

    60.00 lost go into the float, which pays Ann her 95.00; Cho keeps his 40.00.
    """
    done = _round(book, HOUSE, 10_000, 6_000, 4_000)
    sums = {account: amount for account, amount in done.balances.items() if amount}
    assert sums == {_player("Ann"): 9_500, _player("Bob"): -6_000, FLOAT: -4_000, COMMISSION: 500}
    by_rule = {str(each.cite): each.amount for each in done.postings if each.account in {FLOAT, _player("Cho")}}
    assert (by_rule[f"{book} 13.1.7"], by_rule[f"{book} 13.1.9"]) == (6_000, 4_000)
    assert (done.bank.taken, done.bank.paid, done.bank.net) == (6_000, 10_000, -4_000)


@both_books
def test_a_player_banks_and_the_losing_wagers_fall_short(book: str) -> None:
    """star-2024 13.2.6, 13.2.8, 13.2.9, 14.2; star-classic 13.2.6, 13.2.8, 13.2.9, 14.2.

    60.00 in the losing wager area, 100.00 to pay: 40.00 from the banker's wager. Nothing is left of the losing wagers,
    so no commission is collected of the banker.
    """
    done = _round(book, ZED, 10_000, 6_000, 4_000)
    bank = done.bank
    assert (bank.taken, bank.paid, bank.remainder, bank.shortfall) == (6_000, 10_000, 0, 4_000)
    assert (bank.commission, bank.handed, bank.returned, bank.net) == (0, 0, 26_000, -4_000)
    assert {each.cite for each in done.postings if each.account == LOSING_AREA and each.amount > 0} == {
        f"{book} 13.2.6"
    }
    short = [each for each in done.postings if each.cite == f"{book} 13.2.8" and "fell short" in each.why]
    assert sum(each.amount for each in short if each.amount > 0) == 4_000
    assert (done.balances[_player("Zed")], done.balances[_player("Cho")]) == (-4_000, 0)


@both_books
def test_a_player_banks_and_wins(book: str) -> None:
    """star-2024 13.2.7, 14.2.1, 14.2.2; star-classic 13.2.7, 14.2.1, 14.2.3.

    165.00 less 60.00 are his 105.00; 5 % of those, 5.25, are collected as 5.00 (14.3). His own 300.00 come back whole;
    Ann has 57.00 of her 60.00 (14.1).
    """
    done = _round(book, ZED, 6_000, 16_500, 4_000)
    bank = done.bank
    assert (bank.remainder, bank.commission, bank.handed, bank.returned) == (10_500, 500, 10_000, 30_000)
    assert (bank.net, done.balances[_player("Ann")], done.balances[_player("Zed")]) == (10_000, 5_700, 10_000)
    assert done.balances[COMMISSION] == 500 + 300
    assert FLOAT not in done.balances  # the House takes no part (11.1.2 in both)


def test_a_co_bank_wins() -> None:
    """star-classic 13.3.6, 13.3.8, 13.3.9, 13.3.10: 165.00 less 60.00 leave 105.00, halves of 52.50.

    Of Zed's half 5 %, 2.625, are collected as 2.00 (star-classic 14.2.2 and 14.3); both have their 300.00 back
    (star-classic 13.3.2 and 14.2.3). Ann is paid from the losing wager area (star-classic 13.3.7), 57.00 of 60.00.
    """
    done = _round(CLASSIC, HALF, 6_000, 16_500, 4_000)
    bank = done.bank
    assert (bank.remainder, bank.house_share, bank.shortfall) == (10_500, 5_250, 0)
    assert (bank.commission, bank.handed, bank.returned, bank.net) == (200, 5_050, 30_000, 5_050)
    assert (done.balances[FLOAT], done.balances[COMMISSION]) == (5_250, 200 + 300)
    assert (done.balances[_player("Ann")], done.balances[_player("Cho")]) == (5_700, 0)
    put_up = [each for each in done.postings if each.account == FLOAT and each.amount < 0]
    assert [each.amount for each in put_up] == [-30_000]  # an equal amount from the float
    assert {each.cite for each in done.postings if each.account == LOSING_AREA and each.amount > 0} == {
        "star-classic 13.3.6"
    }


def test_a_co_bank_falls_short() -> None:
    """star-classic 13.3.11: 60.00 taken, 100.00 paid: 40.00 from the co-bank's 600.00; the 560.00 left are halved."""
    done = _round(CLASSIC, HALF, 10_000, 6_000, 4_000)
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
    done = _round(CLASSIC, HALF, paid, taken, 0)
    assert done.bank.net == done.balances[_player("Zed")] == net
    assert done.balances.get(FLOAT, 0) == house


@both_books
@pytest.mark.parametrize(
    ("chip", "remainder", "commission"),
    [
        (100, 10_000, 500),
        (100, 10_500, 500),  # 5.25
        (100, 11_900, 500),  # 5.95: the nearest lower, though 6.00 is nearer
        (100, 12_000, 600),
        (250, 14_750, 500),  # 7.375
        (500, 9_500, 0),  # 4.75
        (5, 10_150, 505),  # 5.075
        (1, 10_150, 507),
    ],
)
def test_commission_of_a_banker(book: str, chip: int, remainder: int, commission: int) -> None:
    """star-2024 14.2, 14.3; star-classic 14.2, 14.3: once a round, of what the losing wagers leave."""
    bank = _round(book, ZED, 0, remainder, 0, chip).bank
    assert (bank.remainder, bank.commission, bank.handed) == (remainder, commission, remainder - commission)


@each_bank
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
def test_commission_of_a_player(book: str, bank: BankHolder, chip: int, stake: int, commission: int) -> None:
    """star-2024 14.1, 14.3; star-classic 14.1, 14.3: 1 to 1, less 5 %, wager by wager; whoever banks."""
    (result,) = _round(book, bank, stake, 0, 0, chip).results
    assert (result.winnings, result.commission, result.paid) == (stake, commission, stake - commission)
    assert result.returned == stake


@both_books
def test_each_wager_pays_its_own_commission(book: str) -> None:
    """star-2024 14.1: two wagers of 15.00 on one winning hand: 0.75 each, collected as nothing; together 1.50."""
    wagers = [Wager(2, "Ann", 1_500), Wager(2, "Bob", 1_500)]
    done = settled(book, *wagers, hands=HANDS, bank=HOUSE)
    assert [each.commission for each in done.results] == [0, 0]


@both_books
@pytest.mark.parametrize("rate", [0, 1])
def test_five_percent_is_fixed(book: str, rate: int) -> None:
    """star-2024 14.1; star-classic 14.1: a table may ask for no other rate."""
    terms = TableTerms(commission=rate)  # type: ignore[arg-type]
    with pytest.raises(WagerError, match=rf"{book} 14\.1"):
        settled(book, Wager(2, "Ann", 100), hands=HANDS, bank=HOUSE, terms=terms)


@each_bank
def test_the_order_of_payment(book: str, bank: BankHolder) -> None:
    """star-2024 13.1.6, 13.1.8, 13.2.5, 13.2.7; star-classic 13.1.6, 13.1.8, 13.2.5, 13.2.7, 13.3.5, 13.3.7.

    Hands are opened in the same order, from area one or from the chung on area four, and paid once all are opened.
    """
    boxes, rule = {
        Bank.HOUSE: ((2, 3, 5, 8), "13.1.8"),
        Bank.PLAYER: ((5, 8, 2, 3), "13.2.7"),
        Bank.CO_BANK: ((5, 8, 2, 3), "13.3.7"),
    }[bank.method]
    hands = {**HANDS, 8: Laid.parse("4-2 3-2 / 3-3 3-3")}  # 8, and a pair
    wagers = [Wager(box, name, 1_000) for box, name in ((8, "Eve"), (5, "Cho"), (3, "Bob"), (2, "Ann"))]
    done = settled(book, *wagers, hands=hands, bank=bank)
    assert (done.boxes, done.order) == (boxes, f"{book} {rule}")
    moves = [each.why for each in done.postings if each.amount > 0 and "wager on box" not in each.why]
    lost = max(at for at, why in enumerate(moves) if why.startswith("lost"))
    assert lost < min(at for at, why in enumerate(moves) if why.startswith("won"))
    paid = [int(why.split("box ")[1][0]) for why in moves if why.startswith("won")]
    assert list(dict.fromkeys(paid)) == [box for box in boxes if box in {2, 8}]


@each_bank
def test_a_void_round_gives_everything_back(book: str, bank: BankHolder) -> None:
    """star-2024 15.3.2, 15.17.2, 16.6; star-classic 15.14, 16.5: no wager wins or loses, and the bank's comes back."""
    wagers = [Wager(2, "Ann", 1_000), Wager(3, "Bob", 2_000)]
    done = settled(book, *wagers, hands=HANDS, bank=bank, void="a tile is missing")
    assert [(each.call, each.returned) for each in done.results] == [("void", 1_000), ("void", 2_000)]
    assert set(done.balances.values()) == {0}


@pytest.mark.parametrize(("book", "bank"), [(STAR, ZED), (CLASSIC, HALF)])
def test_a_void_hand_alone(book: str, bank: BankHolder) -> None:
    """star-2024 15.3.1, 15.21.2, 16.4.1; star-classic 15.3.1, 16.3.1: that wager goes back; the others are settled."""
    wagers = [Wager(2, "Ann", 1_000, void="called void"), Wager(3, "Bob", 2_000)]
    done = settled(book, *wagers, hands=HANDS, bank=bank)
    assert [(each.call, each.returned, each.collected) for each in done.results] == [
        ("void", 1_000, 0),
        ("Che", 0, 2_000),
    ]
    assert done.bank.taken == 2_000


@each_bank
def test_a_bank_not_set_the_house_way_is_reported(book: str, bank: BankHolder) -> None:
    """star-2024 13.1.5; star-classic 13.1.5, 13.3.4: settled as it lies (two pairs split), and said so.

    A player sets his own as he likes.
    """
    lay = Laid.parse("3-1 2-2 / 3-1 2-2")
    held = BankHolder(bank.method, lay, bank.players, bank.box, bank.wager)
    done = settled(book, Wager(3, "Bob", 1_000), hands={3: Laid.parse("6-4 4-1 / 6-4 6-1")}, bank=held)
    rule = {Bank.HOUSE: "13.1.5", Bank.PLAYER: "", Bank.CO_BANK: "13.3.4"}[bank.method]
    assert [f"({book} {rule}, " in note for note in done.notes] == ([True] if rule else [])
    assert done.results[0].call == "Che"  # 5 and 7 against 8 and 8
