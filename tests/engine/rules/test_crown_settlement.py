"""Crown Melbourne 6.1: matching (8.12 to 8.15), limits (9) and money (10.3, 11), worked by hand from the text.

Against the bank's 6 and 7 box 2 wins, box 3 loses and box 5 stands off. Money is in cents, the smallest chip 1.00.
"""

from fractions import Fraction

import pytest

from engine.books.registry import BOOKS
from engine.errors import WagerError
from engine.game.ranking import Outcome
from engine.game.setting import Setting
from engine.settlement.outcome import match_hands
from engine.settlement.played import Laid
from engine.settlement.result import COMMISSION, FLOAT, ChipAccount, ChipPlace
from engine.settlement.wagers import TableTerms, Wager
from tests.engine.rules.crown import BOOK, Bank, settled
from tests.engine.rules.tables import rows

WIN, PUSH, LOSE = Outcome.WIN, Outcome.PUSH, Outcome.LOSE
PLAYER, CO_BANK = Bank.PLAYER, Bank.CO_BANK

# The rule, the player's hands (low / high), the bank's, and how a wager ends; behind the arrow by the letter.
MATCHED = """
crown-6.1 8.14.1 | 3-1 3-2 / 6-6 6-3 | 6-5 4-1 / 6-4 5-2 | win
crown-6.1 8.13.1 | 5-5 3-2 / 3-3 6-4 | 6-5 4-1 / 6-4 5-2 | lose
crown-6.1 8.15 | 5-5 3-2 / 4-4 6-5 | 6-5 4-1 / 6-4 5-2 | push
crown-6.1 8.15 | 3-3 5-5 / 6-3 5-3 | 6-5 4-1 / 6-4 5-2 | push
crown-6.1 8.14.2 | 3-3 5-5 / 3-3 6-5 | 6-5 4-1 / 6-4 5-2 | win
crown-6.1 8.12.1 | 5-5 5-1 / 6-6 4-1 | 4-4 5-3 / 1-1 3-2 | push
crown-6.1 8.12 | 6-5 3-2 / 6-3 5-4 | 6-5 4-1 / 6-4 5-2 | push
crown-6.1 8.12 | 6-5 3-2 / 3-3 6-4 | 6-5 4-1 / 6-4 5-2 | lose
crown-6.1 8.12.1 | 6-5 3-2 / 6-6 6-3 | 6-5 4-1 / 6-6 5-4 | lose
crown-6.1 8.13.3 | 6-5 3-2 / 6-4 4-3 | 6-5 4-1 / 6-4 5-2 | lose
crown-6.1 8.13.2 | 5-5 6-4 / 6-1 4-2 | 6-5 5-4 / 4-4 6-5 | lose
crown-6.1 8.13.2 | 5-5 6-4 / 2-2 2-2 | 6-5 5-4 / 4-4 6-5 | push -> win
crown-6.1 8.13.2 | 6-5 5-4 / 2-2 2-2 | 5-5 6-4 / 4-4 6-5 | push
crown-6.1 8.13.2 | 5-5 6-4 / 2-2 2-2 | 6-5 4-1 / 4-4 6-5 | push
"""


@pytest.mark.parametrize(("rule", "player", "bank", "ends"), rows(MATCHED))
def test_matching(rule: str, player: str, bank: str, ends: str) -> None:
    """crown-6.1 1.1 Matching: high with high, low with low; rulings 15 to 17."""
    assert rule.startswith("crown-6.1 8.")
    found = match_hands(Setting.parse(player), Setting.parse(bank), BOOK.settlement.matching)
    ruled, *literal = ends.split(" -> ")
    assert found.outcome.value == ruled
    assert found.literal.value == (literal or [ruled])[0]


@pytest.mark.parametrize(
    ("stake", "chip", "rate", "commission", "paid"),
    [
        # crown-6.1 11.1: 1 to 1, less 5 %
        (10_000, 100, None, 500, 9_500),
        # crown-6.1 11.2: the House may collect less, 4 % here and nothing there
        (10_000, 100, Fraction(4, 100), 400, 9_600),
        (10_000, 100, Fraction(0), 0, 10_000),
        # crown-6.1 11.3: 3.75 in chips of 1.00 is 3.00, in chips of 2.50 is 2.50, in chips of 5.00 nothing
        (7_500, 100, None, 300, 7_200),
        (7_500, 250, None, 250, 7_250),
        (7_500, 500, None, 0, 7_500),
        # crown-6.1 9.2.3 and 11.3: 123.00 is paid as 125.00 in chips of 2.50, less 6.15 as 5.00
        (12_300, 250, None, 500, 12_000),
        # 3 % of 75.00 is 2.25
        (7_500, 100, Fraction(3, 100), 200, 7_300),
    ],
)
def test_commission(stake: int, chip: int, rate: Fraction | None, commission: int, paid: int) -> None:
    """crown-6.1 11.1, crown-6.1 11.2, crown-6.1 11.3, and crown-6.1 9.2.3."""
    (result,) = settled(Wager(2, "Ann", stake), terms=TableTerms(chip=chip, commission=rate)).results
    assert (result.commission, result.paid, result.returned) == (commission, paid, stake)


def test_no_more_than_five_per_cent() -> None:
    """crown-6.1 11.1, crown-6.1 11.2."""
    with pytest.raises(WagerError, match=r"crown-6\.1 11\.2"):
        settled(Wager(2, "Ann", 10_000), terms=TableTerms(commission=Fraction(6, 100)))


class TestLimits:
    SIGN = TableTerms(chip=100, minimum=1_000, maximum=10_000)

    @pytest.mark.parametrize(
        ("bank", "stake", "lost", "rule"),
        [
            (Bank.HOUSE, 500, 500, "crown-6.1 9.2.1"),  # collected, though under the minimum
            (Bank.HOUSE, 15_000, 10_000, "crown-6.1 9.2.2"),  # collected to the maximum
            (CO_BANK, 15_000, 10_000, "crown-6.1 9.2.2"),  # 9.5 frees play under 10.3.2 alone
            (PLAYER, 15_000, 15_000, ""),  # crown-6.1 9.5: no maximum
            (PLAYER, 500, 500, "crown-6.1 9.2.1"),  # crown-6.1 9.4: the minimum still applies
        ],
    )
    def test_beyond_the_sign(self, bank: Bank, stake: int, lost: int, rule: str) -> None:
        """crown-6.1 9.2.1, crown-6.1 9.2.2, crown-6.1 9.4, and crown-6.1 9.5."""
        (result,) = settled(Wager(3, "Bob", stake), bank=bank, terms=self.SIGN).results
        assert (result.collected, result.returned) == (lost, stake - lost)
        assert any(rule in note for note in result.notes) is bool(rule)

    def test_a_winning_wager_over_the_maximum_wins_the_maximum(self) -> None:
        """crown-6.1 9.2.2: 100.00 of 150.00, less 5.00."""
        (result,) = settled(Wager(2, "Ann", 15_000), terms=self.SIGN).results
        assert (result.paid, result.returned) == (9_500, 15_000)

    def test_personal_limits(self) -> None:
        """crown-6.1 9.3: a maximum of 200.00 and a minimum of 2.00 of one's own."""
        high = settled(Wager(3, "Bob", 15_000, maximum=20_000), terms=self.SIGN).results[0]
        low = settled(Wager(3, "Bob", 300, minimum=200), terms=self.SIGN).results[0]
        assert (high.collected, low.collected) == (15_000, 300)
        assert not any("9.2" in note for one in (high, low) for note in one.notes)

    def test_with_a_maximum_of_ones_own_alone_on_the_area(self) -> None:
        """crown-6.1 9.3.1: somebody else's wager is not for that area, unless it was returned."""
        own, other = Wager(3, "Bob", 15_000, maximum=20_000), Wager(3, "Cy", 1_000)
        with pytest.raises(WagerError, match=r"crown-6\.1 9\.3\.1"):
            settled(own, other, terms=self.SIGN)
        settled(own, Wager(3, "Cy", 1_000, void="not for this area"), terms=self.SIGN)

    def test_five_on_an_area(self) -> None:
        """crown-6.1 8.7: a sixth wager is returned, or the round is refused."""
        six = [Wager(3, f"P{number}", 1_000) for number in range(6)]
        assert len(settled(*six[:5]).results) == 5
        with pytest.raises(WagerError, match=r"crown-6\.1 8\.7"):
            settled(*six)
        assert settled(*six[:5], Wager(3, "P6", 1_000, void="the sixth")).bank.taken == 5_000


def moved(done: object) -> list[tuple[str, int, str]]:
    return [(str(one.account), one.amount, one.cite.section) for one in done.postings]  # type: ignore[attr-defined]


class TestHouseBanks:
    def test_every_chip(self) -> None:
        """crown-6.1 10.3.1(d), crown-6.1 10.3.1(e), crown-6.1 10.3.1(f), and crown-6.1 10.2.9."""
        done = settled(Wager(2, "Ann", 10_000), Wager(3, "Bob", 4_000), Wager(5, "Cy", 6_000))
        lines = moved(done)
        taken, stays = (str(FLOAT), 4_000, "10.3.1(d)"), ("player Cy", 6_000, "10.3.1(f)")
        paid, stake = ("player Ann", 9_500, "10.3.1(e)"), ("player Ann", 10_000, "10.3.1(e)")
        for line in (taken, stays, paid, stake, ("commission", 500, "11.1")):
            assert lines.count(line) == 1
        assert lines.index(taken) < lines.index(paid)
        assert (done.balances[FLOAT], done.balances[COMMISSION]) == (4_000 - 10_000, 500)
        assert [one.call for one in done.results] == ["Jung", "Che", "Jowl"]

    def test_from_right_to_left(self) -> None:
        """crown-6.1 10.3.1(c)(ii), and crown-6.1 10.3.1(e): boxes 2, 3, 5 in whatever order they were written."""
        wagers = [Wager(box, "Ann", 1_000) for box in (5, 2, 3)]
        assert [one.wager.box for one in settled(*wagers).results] == [2, 3, 5]

    def test_conceded(self) -> None:
        """crown-6.1 10.2.10: a winning hand given up loses; with another player on the box nobody gives up."""
        (result,) = settled(Wager(2, "Ann", 1_000, conceded=True)).results
        assert (result.call, result.collected, result.match) == ("Che", 1_000, None)
        with pytest.raises(WagerError, match=r"crown-6\.1 10\.2\.10"):
            settled(Wager(2, "Ann", 1_000, conceded=True), Wager(2, "Bob", 1_000))

    def test_void(self) -> None:
        """crown-6.1 12.2.1(a), and crown-6.1 16.5: what is void goes back."""
        (result,) = settled(Wager(3, "Bob", 1_000, void="two tiles shown")).results
        assert (result.outcome, result.returned, result.collected) == (None, 1_000, 0)

    def test_players_set_as_they_like(self) -> None:
        """crown-6.1 10.2.2, ruling 18: the higher two tiles are the high hand, however they lie."""
        turned = Laid.parse("6-3 5-4 / 6-6 2-1")
        (result,) = settled(Wager(2, "Ann", 1_000), hands={2: turned}).results
        assert result.call == "Jung"


class TestPlayerBank:
    def test_a_bank_that_wins(self) -> None:
        """crown-6.1 10.3.2(l), crown-6.1 10.3.2(m), and crown-6.1 10.3.2(o).

        Bob's 250.00 lie in the losing area; Ann's 100.00 come out of it, 5.00 of them the commission. Of the 150.00
        left 7.50 is commission, 7.00 in chips: Zed has 143.00 and his 410.00 again.
        """
        wagers = Wager(2, "Ann", 10_000), Wager(3, "Bob", 25_000), Wager(5, "Cy", 6_000)
        done = settled(*wagers, bank=PLAYER, put_up=41_000)
        bank = done.bank
        assert (bank.taken, bank.paid, bank.remainder, bank.shortfall) == (25_000, 10_000, 15_000, 0)
        assert (bank.commission, bank.handed, bank.returned, bank.net) == (700, 14_300, 41_000, 14_300)
        lines = moved(done)
        for line in (
            ("losing wager area", 25_000, "10.3.2(l)"),
            ("losing wager area", -9_500, "10.3.2(m)"),
            ("player Ann", 9_500, "10.3.2(m)"),
            ("player Cy", 6_000, "10.3.2(o)"),
            ("commission", 700, "10.3.2(m)"),
            ("player Zed", 14_300, "10.3.2(m)"),
        ):
            assert line in lines
        assert FLOAT not in done.balances or done.balances[FLOAT] == 0

    def test_counter_clockwise_from_the_chung(self) -> None:
        """crown-6.1 10.3.2(k), and crown-6.1 10.3.2(m): from box 4 on to 5, then 2 and 3."""
        wagers = [Wager(box, "Ann", 1_000) for box in (2, 3, 5)]
        assert [one.wager.box for one in settled(*wagers, bank=PLAYER).results] == [5, 2, 3]

    def test_a_bank_that_loses(self) -> None:
        """crown-6.1 10.3.2(n): 80.00 of Ann's 300.00 come from the losing area, 220.00 from Zed's wager of 400.00."""
        done = settled(Wager(2, "Ann", 30_000), Wager(3, "Bob", 8_000), bank=PLAYER, put_up=40_000)
        bank = done.bank
        assert (bank.remainder, bank.shortfall, bank.commission, bank.handed) == (0, 22_000, 0, 0)
        assert (bank.returned, bank.net) == (18_000, -22_000)
        from_wager = sum(amount for who, amount, rule in moved(done) if (who, rule) == ("bank wager", "10.3.2(n)"))
        assert from_wager == -22_000 - 18_000  # what was paid of it, and what Zed has again
        assert done.balances[ChipAccount(ChipPlace.PLAYER, "Ann")] == 28_500

    def test_it_covers_all_wagers(self) -> None:
        """crown-6.1 10.3.2(h): 380.00 and not a chip less."""
        wagers = Wager(2, "Ann", 30_000), Wager(3, "Bob", 8_000)
        settled(*wagers, bank=PLAYER, put_up=38_000)
        with pytest.raises(WagerError, match=r"crown-6\.1 10\.3\.2\(h\)"):
            settled(*wagers, bank=PLAYER, put_up=37_900)

    def test_nobody_else_on_the_bankers_area(self) -> None:
        """crown-6.1 8.10."""
        with pytest.raises(WagerError, match=r"crown-6\.1 8\.10"):
            settled(Wager(4, "Ann", 1_000), bank=PLAYER)


class TestCoBank:
    def test_a_bank_that_wins(self) -> None:
        """crown-6.1 10.3.3(b), crown-6.1 10.3.3(f), crown-6.1 10.3.3(g), crown-6.1 10.3.3(h), and crown-6.1 10.3.3(j).

        150.00 are left: 75.00 to the float, 75.00 to Zed less 3.75 commission, 3.00 in chips.
        """
        wagers = Wager(2, "Ann", 10_000), Wager(3, "Bob", 25_000), Wager(5, "Cy", 6_000)
        done = settled(*wagers, bank=CO_BANK, put_up=20_500)
        bank = done.bank
        assert (bank.remainder, bank.house_share, bank.commission, bank.handed) == (15_000, 7_500, 300, 7_200)
        assert (bank.returned, bank.net) == (20_500, 7_200)
        lines = moved(done)
        for line in (
            (str(FLOAT), -20_500, "10.3.3(a)"),  # as much as Zed (10.3.3(b))
            ("bank wager", 20_500, "10.3.3(a)"),
            ("losing wager area", 25_000, "10.3.3(f)"),
            ("player Ann", 9_500, "10.3.3(g)"),
            ("player Cy", 6_000, "10.3.3(j)"),
            (str(FLOAT), 7_500, "10.3.3(h)"),
            (str(FLOAT), 20_500, "10.3.3(h)"),
            ("commission", 300, "10.3.3(h)"),
            ("player Zed", 7_200, "10.3.3(h)"),
        ):
            assert line in lines
        assert lines.count(("bank wager", 20_500, "10.3.3(a)")) == 2
        assert (done.balances[FLOAT], done.balances[COMMISSION]) == (7_500, 500 + 300)

    def test_a_bank_that_loses(self) -> None:
        """crown-6.1 10.3.3(i): 220.00 are missing from 400.00; of the 180.00 left each has 90.00."""
        done = settled(Wager(2, "Ann", 30_000), Wager(3, "Bob", 8_000), bank=CO_BANK, put_up=20_000)
        bank = done.bank
        assert (bank.shortfall, bank.returned, bank.commission, bank.net) == (22_000, 9_000, 0, -11_000)
        assert done.balances[FLOAT] == -11_000
        assert (str(FLOAT), 9_000, "10.3.3(i)") in moved(done)

    def test_counter_clockwise_from_the_chung(self) -> None:
        """crown-6.1 10.3.3(e), and crown-6.1 10.3.3(g)."""
        wagers = [Wager(box, "Ann", 1_000) for box in (2, 3, 5)]
        assert [one.wager.box for one in settled(*wagers, bank=CO_BANK).results] == [5, 2, 3]

    def test_it_covers_half(self) -> None:
        """crown-6.1 10.3.3(a): 190.00 of 380.00."""
        wagers = Wager(2, "Ann", 30_000), Wager(3, "Bob", 8_000)
        settled(*wagers, bank=CO_BANK, put_up=19_000)
        with pytest.raises(WagerError, match=r"crown-6\.1 10\.3\.3\(a\)"):
            settled(*wagers, bank=CO_BANK, put_up=18_900)

    def test_an_odd_chip_is_the_players(self) -> None:
        """crown-6.1 10.3.3(h) in chips (9.2.3 under ruling 22): of 25.00 left 13.00 and 12.00."""
        bank = settled(Wager(3, "Bob", 2_500), bank=CO_BANK).bank
        assert (bank.handed, bank.house_share) == (1_300, 1_200)


def test_only_crowns_co_bank_cites_its_own_commission() -> None:
    """crown-6.1 10.3.3(h): the other books have one rule of the banker's commission for every bank."""
    own = [name for name, book in BOOKS.items() for bank in book.settlement.banks.values() if bank.commission]
    assert own == ["crown-6.1"]
