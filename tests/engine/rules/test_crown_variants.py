"""Crown Melbourne 6.1: Bonanza (13), Crown Pai Gow (14) and tournaments (15), beside what their own tests have.

The paytables and the chances behind them are written down here from the text once more; chances are of 35,960 deals.
"""

from fractions import Fraction
from math import comb

from engine.analysis.side_bets import side_bet
from engine.books.house_ways import get
from engine.round import Table
from engine.settlement.side_wagers.book_rules import Made, SideWagerRules
from engine.settlement.wagers import BONUS, TIE, Offered, TableTerms, Wager
from engine.vocabulary.dice import COCKED, Cup, ShakeAgain, Thrown
from tests.engine.rules.crown import BOOK, HANDS, Bank, began, refused, settled, then

TWO_PAIR_LINES = (
    Made.BOTH_TWO_PAIR, Made.GEE_JUN_AND_TEEN, Made.GEE_JUN_AND_DAY, Made.LUCKY_DUCK, Made.TWO_PAIR, Made.GREAT_PAIR,
    Made.WONG_OR_PAIR,
)  # fmt: skip
PRINTED = {
    # crown-6.1 Table 3
    "bonus-a": {
        Made.GEE_JUN_AND_TEEN: 200, Made.GEE_JUN_AND_DAY: 60, Made.TEEN_AND_DAY: 30, Made.LUCKY_DUCK: 20,
        Made.TWO_PAIR: 12, Made.GREAT_PAIR: 5, Made.ONE_PAIR: 2, Made.WONG: 1,
    },
    # crown-6.1 Table 4, crown-6.1 Table 5, crown-6.1 Table 6, and crown-6.1 Table 7
    "bonus-b": dict(zip(TWO_PAIR_LINES, (250, 100, 50, 20, 10, 4, 2), strict=True)),
    "bonus-c": dict(zip(TWO_PAIR_LINES, (200, 80, 40, 20, 10, 4, 2), strict=True)),
    "bonus-d": dict(zip(TWO_PAIR_LINES, (250, 100, 50, 15, 8, 4, 2), strict=True)),
    "bonus-e": dict(zip(TWO_PAIR_LINES, (500, 100, 50, 15, 8, 3, 2), strict=True)),
    # crown-6.1 Table 8, and crown-6.1 Table 9
    "tie-a": {Made.TIE_WITH_GONG: 25, Made.TIE: 1},
    "tie-b": {Made.LUCKY_DUCK: 3, Made.TWO_PAIR: 2, Made.TIE: 1},
}  # fmt: skip


def side_rules() -> SideWagerRules:
    assert BOOK.side_wagers is not None
    return BOOK.side_wagers


def test_the_paytables() -> None:
    """crown-6.1 Table 3 to Table 9."""
    rules = side_rules()
    tables = {table.name: dict(table.pays) for table in (*rules.bonus.options, *rules.tie.options)}
    assert tables == PRINTED
    assert [table.name for table in rules.tie.options if table.surrender] == ["tie-b"]


def test_the_chances_of_option_a() -> None:
    """crown-6.1 Table 3, counted by hand.

    Two pairs: 16 over 2 = 120, of them one each for the first three lines. Lucky Duck: 2 High Sixes, 2 Low Sixes, 4
    sevens, 4 fours = 64. One pair and two tiles of two other ranks: 16 x 15 over 2 x 4 = 6,720, of them 3 x 420 with
    Gee Jun, Teens or Days. Wong without a pair: Teen or Day with a nine and two more tiles of different ranks.
    """
    two_pairs, great, pairs = comb(16, 2), 3 * comb(15, 2) * 4, 13 * comb(15, 2) * 4
    one_high = 2 * 2 * 2 * comb(13, 2) * 4  # Teen or Day (2 ranks of 2 tiles), a nine (2), two of 13 other ranks
    both_high = 2 * 2 * 2 * 13 * 2  # Teen, Day, a nine, one of 13 other ranks
    bet = side_bet("bonus-a", get("crown-6.1"))
    assert [line.count for line in bet.lines][:-1] == [1, 1, 1, 64, two_pairs - 3, great, pairs, one_high + both_high]
    lost = 35_960 - 184 - great - pairs - one_high - both_high
    won = 200 + 60 + 30 + 64 * 20 + 117 * 12 + great * 5 + pairs * 2 + one_high + both_high
    assert bet.edge == Fraction(lost - won, 35_960)


def test_nothing_is_placed_after_the_call() -> None:
    """crown-6.1 8.4, and crown-6.1 13.3.1: before the deal, and before no more bets are taken."""
    lines = "house-banks; shuffled; stacked; wager-placed box=2 player=Ann amount=1000"
    stacked = began(lines, table=Table(terms=SIDE))
    closed = then(stacked, "bets-closed; dice-shaken by=dealer; dice-shown box_dice=2,4,5 cut_die=4 first_box=3")
    dealt = then(closed, "cut-named cut=Big_Slice by=cut_die; tiles-delivered order=3,4,5,6,7,8,1,2")
    for bet in (BONUS, TIE):
        placed = f"wager-placed box=2 player=Ann amount=1000 bet={bet}"
        assert then(stacked, placed).current.state.wager(2, "Ann", bet)
        assert refused(closed, placed) == refused(dealt, placed) == "crown-6.1 8.4"


SIDE = TableTerms(
    chip=100, side={BONUS: Offered("bonus-a"), TIE: Offered("tie-b", surrender=True), "big-small": Offered()}
)


def test_the_order_of_a_bonanza_round() -> None:
    """crown-6.1 13.9.1(a), crown-6.1 13.9.1(b), and crown-6.1 13.9.1(c).

    All that is lost is removed first, from box to box; then on each box Bonus, Tie or what is surrendered, Pai Gow.
    Box 2 (pair of nines) wins Bonus and Pai Gow; box 3 loses all; box 5 stands off, so that its Tie wins.
    """
    bets = [Wager(box, "Ann", 1_000, bet) for box in (5, 3, 2) for bet in ("pai-gow", TIE, BONUS)]
    done = settled(*bets, terms=SIDE)
    order = [(one.wager.box, one.wager.bet) for one in done.results]
    assert order == [(box, bet) for box in (2, 3, 5) for bet in (BONUS, TIE, "pai-gow")]
    calls = [one.call for one in done.results]
    assert calls == ["won", "lost", "Jung", "lost", "lost", "Che", "lost", "won", "Jowl"]
    # 2 to 1 on the pair, 10.00 less 0.50 commission that chips cannot make, and 1 to 1 on the Tie
    assert [one.paid for one in done.results] == [2_000, 0, 1_000, 0, 0, 0, 0, 1_000, 0]
    taken = [at for at, one in enumerate(done.postings) if one.cite == "crown-6.1 13.9.1(a)"]
    paid = [at for at, one in enumerate(done.postings) if one.cite == "crown-6.1 13.9.1(c)"]
    assert max(taken) < min(paid)


class TestCrownPaiGow:
    DICE = BOOK.dice_of("crown-pai-gow")

    def test_the_box_die_alone_finds_the_box(self) -> None:
        """crown-6.1 14.2.1(a), crown-6.1 14.3.2(c), and crown-6.1 14.3.2(c)(i): counted from the banker's box as 1."""
        for face in range(1, 7):
            house = self.DICE.read(Cup((face,), 1), Bank.HOUSE)
            player = self.DICE.read(Cup((face,), 1), Bank.PLAYER, 6)
            assert isinstance(house, Thrown)
            assert isinstance(player, Thrown)
            assert house.first_box == face
            assert player.first_box == {1: 6, 2: 7, 3: 8, 4: 1, 5: 2, 6: 3}[face]

    def test_big_and_small_by_all_three(self) -> None:
        """crown-6.1 14.2.1(b), and crown-6.1 14.2.1(c): box, cut and Big/Small die together."""
        for cup, says in ((Cup((1,), 4, 6), "big"), (Cup((1,), 3, 6), "small"), (Cup((4,), 4, 4), "triple")):
            thrown = self.DICE.read(cup, Bank.HOUSE)
            assert isinstance(thrown, Thrown)
            assert thrown.big_small is not None
            assert thrown.big_small.value == says

    def test_a_leaning_die(self) -> None:
        """crown-6.1 14.3.2."""
        thrown = self.DICE.read(Cup((1,), 2, COCKED), Bank.HOUSE)
        assert isinstance(thrown, ShakeAgain)
        assert thrown.cite == "crown-6.1 14.3.2"


def test_the_hands_used_here_come_from_one_set() -> None:
    tiles = [tile for hand in HANDS.values() for tile in (*hand.deal.tiles,)]  # type: ignore[union-attr]
    assert all(tiles.count(tile) <= tile.copies for tile in tiles)
