"""Settling rounds: limits, chips, commission, banks, and everything that is refused with its rule.

Every amount is worked by hand from the text; the rule is beside it. Complete rounds of each book and way of banking
are in `docs/examples/settle` and are checked against hand-worked numbers in `tests/service/test_settle_command.py`.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from engine.books.house_ways import get
from engine.books.registry import BOOKS, rulebook
from engine.errors import DealError, EngineError, UnknownRulebookError, WagerError
from engine.game.setting import Deal
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.result import Settlement
from engine.settlement.settle import settle
from engine.settlement.wagers import HOUSE, TableTerms, Unpayable, Wager
from engine.vocabulary.facts import Bank
from tests.engine.settlement.layout import left_on_layout

BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 with the eleven, 7 with the Low 10
WINS = Laid.parse("6-6 2-1 / 6-3 5-4")  # 8 and a pair of nines
LOSES = Laid.parse("3-1 5-5 / 1-1 2-2")  # 4 and 6
STANDS_OFF = Laid.parse("4-3 6-2 / 4-4 5-5")  # 5 and 8
HANDS = {2: WINS, 3: LOSES, 5: STANDS_OFF}
HELD_BY_HOUSE = BankHolder(Bank.HOUSE, BANK)
ALL = [(name, method) for name, book in BOOKS.items() for method in book.settlement.banks]


def bank_of(method: Bank, wager: int = 10_000_000) -> BankHolder:
    return HELD_BY_HOUSE if method is Bank.HOUSE else BankHolder(method, BANK, ("Zed",), 4, wager)


def played(
    book: str,
    *wagers: Wager,
    bank: BankHolder = HELD_BY_HOUSE,
    terms: TableTerms = TableTerms(chip=100),  # noqa: B008  frozen
    hands: Mapping[int, Deal | Laid] = HANDS,
) -> PlayedRound:
    return PlayedRound(rulebook(book), bank, hands, wagers, terms)


def settled(book: str, *wagers: Wager, **more: object) -> Settlement:
    return settle(played(book, *wagers, **more))  # type: ignore[arg-type]


class TestCommission:
    @pytest.mark.parametrize(
        ("book", "rate", "rule"),
        [
            pytest.param("crown-6.1", Fraction(51, 1000), "crown-6.1 11.1", id="crown-more"),
            pytest.param("crown-6.1", Fraction(-1, 100), "crown-6.1 11.1", id="crown-negative"),
            pytest.param("crown-6.1", 0.04, "crown-6.1 11.1", id="a-float"),
            pytest.param("nz-1998", Fraction(4, 100), "nz-1998 6.11", id="nz-less"),
            pytest.param("star-2024", Fraction(4, 100), "star-2024 14.1", id="star-less"),
            pytest.param("star-classic", Fraction(0), "star-classic 14.1", id="classic-none"),
            pytest.param("uk-poster", Fraction(4, 100), "uk-poster point 15", id="uk-less"),
        ],
    )
    def test_other_rates_are_refused(self, book: str, rate: Fraction, rule: str) -> None:
        with pytest.raises(WagerError, match=rule):
            settled(book, Wager(2, "Ann", 10_000), terms=TableTerms(commission=rate))


class TestLimits:
    MIN_MAX = TableTerms(chip=100, minimum=4_000, maximum=10_000)
    OVER, UNDER = Wager(3, "Bob", 16_000), Wager(3, "Bob", 2_000)

    @pytest.mark.parametrize(
        ("book", "method", "over", "under"),
        [
            pytest.param("crown-6.1", Bank.HOUSE, 10_000, 2_000, id="crown-house"),  # 9.2.2, 9.2.1
            pytest.param("crown-6.1", Bank.PLAYER, 16_000, 2_000, id="crown-player"),  # 9.5, 9.2.1
            pytest.param("crown-6.1", Bank.CO_BANK, 10_000, 2_000, id="crown-co-bank"),  # 9.2.2; 9.5 frees 10.3.2 only
            pytest.param("nz-1998", Bank.HOUSE, "6.6", "2.0", id="nz-house"),  # ruling 23
            pytest.param("nz-1998", Bank.PLAYER, 16_000, "6.8", id="nz-player"),
            pytest.param("nz-1998", Bank.CO_BANK, "6.6", "2.0", id="nz-co-bank"),
            pytest.param("star-2024", Bank.HOUSE, 10_000, 2_000, id="star-house"),  # 10.3
            pytest.param("star-2024", Bank.PLAYER, 16_000, 2_000, id="star-player"),  # 10.2
            pytest.param("star-classic", Bank.HOUSE, 16_000, 2_000, id="classic-house"),  # 10.3
            pytest.param("star-classic", Bank.PLAYER, 16_000, "10.2", id="classic-player"),
            pytest.param("star-classic", Bank.CO_BANK, 10_000, 2_000, id="classic-co-bank"),  # 11.1.3, 10.3
            pytest.param("uk-poster", Bank.HOUSE, 16_000, 2_000, id="uk-house"),
            pytest.param("uk-poster", Bank.PLAYER, 16_000, 2_000, id="uk-player"),
        ],
    )
    def test_over_and_under(self, book: str, method: Bank, over: int | str, under: int | str) -> None:
        for wager, expected in ((self.OVER, over), (self.UNDER, under)):
            if isinstance(expected, str):
                with pytest.raises(WagerError, match=rf"\({book} {expected}[,)]"):
                    settled(book, wager, bank=bank_of(method), terms=self.MIN_MAX)
                continue
            (result,) = settled(book, wager, bank=bank_of(method), terms=self.MIN_MAX).results
            assert (result.collected, result.returned) == (expected, wager.stake - expected)
            if expected != wager.stake:
                assert "over the maximum 10000: 6000 is not in play" in result.reasons[-1]

    def test_all_methods_are_covered(self) -> None:
        for name, method in ALL:
            rules = rulebook(name).wagers
            assert {method} <= rules.over.keys() & rules.under.keys()

    def test_exactly_at_the_limits(self) -> None:
        wagers = Wager(3, "Bob", 10_000), Wager(5, "Cy", 4_000)
        for result in settled("nz-1998", *wagers, terms=self.MIN_MAX).results:
            assert result.in_play == result.wager.stake

    def test_all_wagers_on_a_box_together(self) -> None:
        terms = TableTerms(chip=100, box_maximum=12_000)
        wagers = Wager(3, "Bob", 8_000), Wager(3, "Dee", 4_000)
        assert settled("nz-1998", *wagers, terms=terms).bank.taken == 12_000
        with pytest.raises(WagerError, match=r"box 3 holds 14000.*\(nz-1998 6\.6\)"):
            settled("nz-1998", wagers[0], replace(wagers[1], stake=6_000), terms=terms)
        with pytest.raises(WagerError, match="leave out the box maximum"):
            settled("crown-6.1", *wagers, terms=terms)

    @pytest.mark.parametrize(
        ("book", "method", "in_play", "rule"),
        [
            pytest.param("crown-6.1", Bank.HOUSE, (8_000, 2_000, 0), "crown-6.1 9.2.2", id="crown"),
            pytest.param("star-2024", Bank.HOUSE, (8_000, 2_000, 0), "star-2024 10.3", id="star"),
            pytest.param("star-classic", Bank.CO_BANK, (8_000, 2_000, 0), "star-classic 11.1.3", id="classic-co-bank"),
            # The excess stands (10.3), or no maximum applies (10.2).
            pytest.param("star-classic", Bank.HOUSE, (8_000, 4_000, 3_000), "star-classic 10.3", id="classic-house"),
            pytest.param("star-2024", Bank.PLAYER, (8_000, 4_000, 3_000), "star-2024 10.2", id="star-player"),
        ],
    )
    def test_limits_for_each_playing_area(self, book: str, method: Bank, in_play: tuple[int, ...], rule: str) -> None:
        """star-2024 10.1, star-classic 10.1, ruling 40: together, the wager placed last is cut first."""
        terms = replace(self.MIN_MAX, limits_per_box=True)
        placed = Wager(3, "Bob", 8_000), Wager(3, "Dee", 4_000), Wager(3, "Abe", 3_000)
        done = settled(book, *placed, bank=bank_of(method), terms=terms)
        by_player = {one.wager.player: one for one in done.results}
        assert tuple(by_player[one.player].in_play for one in placed) == in_play
        assert left_on_layout(done) == []
        if not in_play[-1]:
            abe = by_player["Abe"]
            assert (abe.outcome, abe.returned, abe.cite) == (None, 3_000, rule)
            assert "3000 is not in play" in abe.reasons[-1]
        # Each for itself, the second and third are below nothing and above nothing.
        alone = settled(book, *placed, bank=bank_of(method), terms=replace(self.MIN_MAX, minimum=None))
        assert [one.in_play for one in alone.results] == [one.wager.stake for one in alone.results]

    def test_wagers_of_a_box_reach_the_minimum_together(self) -> None:
        """star-classic 10.2, ruling 40: with a player-banker a wager below the minimum is refused."""
        terms = replace(self.MIN_MAX, limits_per_box=True)
        two = Wager(3, "Bob", 2_000), Wager(3, "Dee", 2_000)
        bank = bank_of(Bank.PLAYER)
        assert [one.in_play for one in settled("star-classic", *two, bank=bank, terms=terms).results] == [2_000, 2_000]
        for wagers, limits in ((two[:1], terms), (two, self.MIN_MAX)):
            with pytest.raises(WagerError, match=r"under the minimum 4000.*\(star-classic 10\.2\)"):
                settled("star-classic", *wagers, bank=bank, terms=limits)

    @pytest.mark.parametrize("book", ["nz-1998", "uk-poster"])
    def test_other_books_limit_each_wager(self, book: str) -> None:
        """nz-1998 6.6 has its own box maximum; at the poster's positions only one player wagers."""
        with pytest.raises(WagerError, match="limits hold for each wager"):
            settled(book, Wager(2, "Ann", 5_000), terms=replace(self.MIN_MAX, limits_per_box=True))


class TestBanks:
    def test_a_half_that_chips_cannot_make_is_reported(self) -> None:
        done = settled("star-classic", Wager(3, "Bob", 2_500), bank=bank_of(Bank.CO_BANK))
        assert (done.bank.handed, done.bank.house_share) == (1_250, 1_250)  # 13.3.9: equally
        assert any("chips of 100 cannot make" in note for note in done.notes)

    def test_commission_that_is_never_rounded(self) -> None:
        """N 6.14: 5 % of half of 0.20 is half a cent; no rule rounds it, so it is left and said."""
        terms = TableTerms(chip=1)
        done = settled("nz-1998", Wager(3, "Bob", 20), bank=bank_of(Bank.CO_BANK), terms=terms)
        assert (done.bank.handed, done.bank.commission) == (10, 0)
        assert any("part of the smallest unit" in note for note in done.notes)

    def test_a_misset_house_hand_is_settled_as_set_and_reported(self) -> None:
        wrong = BankHolder(Bank.HOUSE, Laid.parse("6-4 4-1 / 6-5 5-2"))  # 5 and 8; the House Way is 6 and 7
        done = settled("crown-6.1", Wager(5, "Cy", 1_000), bank=wrong, hands={5: Laid.parse("4-3 6-2 / 4-4 5-5")})
        assert "not the House Way" in done.notes[0]
        assert settled("crown-6.1", Wager(5, "Cy", 1_000)).notes == ()


class TestVoidAndConceded:
    @pytest.mark.parametrize("book", BOOKS)
    def test_a_void_wager_is_returned(self, book: str) -> None:
        (result,) = settled(book, Wager(3, "Bob", 5_000, void="two tiles were shown"), hands={}).results
        assert (result.call, result.outcome, result.returned, result.collected) == ("void", None, 5_000, 0)
        assert result.cite == rulebook(book).wagers.returned

    @pytest.mark.parametrize(("book", "method"), ALL)
    def test_a_void_round_moves_nothing(self, book: str, method: Bank) -> None:
        """C 16.5: all wagers are refunded; no hand is needed."""
        wagers = Wager(2, "Ann", 4_000), Wager(3, "Bob", 2_000)
        round_ = replace(played(book, *wagers, bank=bank_of(method), hands={}), void="tiles dealt wrongly")
        assert set(settle(round_).balances.values()) == {0}

    @pytest.mark.parametrize(
        ("book", "rule"),
        [("crown-6.1", "10.2.10"), ("nz-1998", "10.13"), ("star-2024", "12.17"), ("star-classic", "12.14")],
    )
    def test_conceding_loses_without_opening(self, book: str, rule: str) -> None:
        given_up = Wager(2, "Ann", 2_000, conceded=True)
        (result,) = settled(book, given_up, hands={}).results
        assert (result.call, result.collected, result.cite, result.match) == ("Che", 2_000, f"{book} {rule}", None)
        with pytest.raises(WagerError, match=rf"alone on a box.*\({book} {rule}\)"):
            settled(book, given_up, Wager(2, "Bob", 2_000))

    def test_the_poster_knows_no_conceding(self) -> None:
        with pytest.raises(WagerError, match="knows no conceding"):
            settled("uk-poster", Wager(2, "Ann", 2_000, conceded=True))


ANN = Wager(2, "Ann", 2_000)
PLAYER_BANK = bank_of(Bank.PLAYER)


@pytest.mark.parametrize(
    ("book", "wagers", "bank", "rule"),
    [
        pytest.param("crown-6.1", [replace(ANN, stake=-1)], HELD_BY_HOUSE, "crown-6.1 8.1", id="negative"),
        pytest.param("nz-1998", [replace(ANN, stake=0)], HELD_BY_HOUSE, "nz-1998 6.3", id="nothing"),
        pytest.param("crown-6.1", [replace(ANN, box=9)], HELD_BY_HOUSE, "crown-6.1 2.2.1", id="box-9"),
        pytest.param("crown-6.1", [replace(ANN, box=0)], HELD_BY_HOUSE, "crown-6.1 2.2.1", id="box-0"),
        pytest.param("crown-6.1", [replace(ANN, box=True)], HELD_BY_HOUSE, "crown-6.1 2.2.1", id="box-true"),
        pytest.param("uk-poster", [replace(ANN, box=8)], PLAYER_BANK, "uk-poster point 3", id="uk-box-8"),
        pytest.param("crown-6.1", [replace(ANN, box=1)], HELD_BY_HOUSE, r"crown-6.1 10.3.1\(a\)", id="crown-house-box"),
        pytest.param("nz-1998", [replace(ANN, box=1)], HELD_BY_HOUSE, r"nz-1998 11.1\(b\)", id="nz-house-box"),
        pytest.param("nz-1998", [replace(ANN, box=4)], PLAYER_BANK, "nz-1998 6.5", id="nz-banker-box"),
        pytest.param("nz-1998", [replace(ANN, player="Zed")], PLAYER_BANK, "nz-1998 6.1", id="against-himself"),
        pytest.param("crown-6.1", [replace(ANN, player="Zed", box=4)], PLAYER_BANK, "crown-6.1 1.1", id="on-his-box"),
        pytest.param("crown-6.1", [replace(ANN, player=" ")], HELD_BY_HOUSE, "crown-6.1 1.1", id="nobodys"),
        pytest.param("crown-6.1", [ANN, ANN], HELD_BY_HOUSE, "crown-6.1 8.1", id="twice"),
        pytest.param("crown-6.1", [replace(ANN, token=True)], HELD_BY_HOUSE, "crown-6.1 8.1", id="token"),
        pytest.param("crown-6.1", [replace(ANN, player=HOUSE)], PLAYER_BANK, "crown-6.1 1.1", id="house-wagers"),
        pytest.param("uk-poster", [replace(ANN, player=HOUSE)], PLAYER_BANK, "uk-poster point 28", id="dealer-box"),
        pytest.param(
            "uk-poster", [Wager(8, HOUSE, 2_000)], HELD_BY_HOUSE, "uk-poster point 28", id="dealer-against-house"
        ),
        pytest.param("uk-poster", [replace(ANN, maximum=100)], HELD_BY_HOUSE, "knows none", id="uk-personal"),
        pytest.param("nz-1998", [replace(ANN, minimum=100)], HELD_BY_HOUSE, "nz-1998 6.6", id="nz-personal-minimum"),
        pytest.param(
            "crown-6.1", [replace(ANN, minimum=300, maximum=200)], HELD_BY_HOUSE, "crown-6.1 9.3", id="limits-crossed"
        ),
        pytest.param(
            "star-2024", [ANN], bank_of(Bank.CO_BANK), "star-2024 11.1, read under ruling 24", id="star-2024-co-bank"
        ),
        pytest.param(
            "crown-6.1", [ANN], replace(HELD_BY_HOUSE, players=("Zed",)), "crown-6.1 10.3.1", id="two-bankers"
        ),
        pytest.param("crown-6.1", [ANN], replace(HELD_BY_HOUSE, wager=500), "crown-6.1 10.3.1", id="house-wager"),
        pytest.param("star-2024", [ANN], replace(HELD_BY_HOUSE, box=3), "star-2024 6.10", id="house-chung-elsewhere"),
        pytest.param(
            "uk-poster", [ANN], replace(PLAYER_BANK, players=("Zed", "Yan")), "point 24", id="uk-two-banks"
        ),
        pytest.param(
            "crown-6.1", [ANN], replace(PLAYER_BANK, players=("Zed", "Zed")), "crown-6.1 10.3.2", id="same-banker-twice"
        ),
        pytest.param("crown-6.1", [ANN], replace(PLAYER_BANK, box=None), "crown-6.1 2.2.1", id="banker-without-box"),
        pytest.param("crown-6.1", [ANN], replace(PLAYER_BANK, box=9), "crown-6.1 2.2.1", id="banker-on-box-9"),
        pytest.param("crown-6.1", [ANN], replace(PLAYER_BANK, wager=-5), "crown-6.1 8.1", id="banker-wager-negative"),
        pytest.param("nz-1998", [ANN], replace(PLAYER_BANK, wager=5_050), "nz-1998 6.3", id="banker-wager-no-chips"),
    ],
)  # fmt: skip
def test_refused_with_the_rule(book: str, wagers: list[Wager], bank: BankHolder, rule: str) -> None:
    with pytest.raises(WagerError, match=rule):
        settled(book, *wagers, bank=bank)


@pytest.mark.parametrize(
    "terms",
    [
        TableTerms(chip=0),
        TableTerms(chip=-1),
        TableTerms(minimum=0),
        TableTerms(maximum=-5),
        TableTerms(minimum=200, maximum=100),
        TableTerms(chip=True),
    ],
)
@pytest.mark.parametrize("bank", [HELD_BY_HOUSE, PLAYER_BANK], ids=["house", "player"])
def test_table_terms_that_are_none(terms: TableTerms, bank: BankHolder) -> None:
    with pytest.raises(WagerError, match=r"\(crown-6\.1 8\.1\)"):
        settled("crown-6.1", ANN, bank=bank, terms=terms)


@pytest.mark.parametrize(
    ("hands", "bank", "part"),
    [
        pytest.param({2: WINS, 3: WINS}, BANK, "box 3 holds one 6-3 more than the set of 32 tiles", id="tile-twice"),
        pytest.param({2: BANK}, Deal.parse("6-5 6-4 5-2 3-2"), "box 2 holds one 5-2 more", id="bank-tile-twice"),
        pytest.param({3: LOSES}, BANK, "box 2 has a wager but no hand", id="hand-missing"),
        pytest.param({2: WINS}, None, "the bank has no hand", id="bank-hand-missing"),
        pytest.param({2: WINS, 9: LOSES}, BANK, "there is no box 9", id="box-9"),
        pytest.param({2: WINS, 1: LOSES}, BANK, "box 1 holds the chung", id="chung-box"),
    ],
)
def test_hands_that_one_set_cannot_give(hands: Mapping[int, Deal | Laid], bank: Deal | Laid | None, part: str) -> None:
    with pytest.raises(DealError, match=part):
        settled("crown-6.1", ANN, bank=BankHolder(Bank.HOUSE, bank), hands=hands)


def test_a_hand_on_a_box_without_a_wager_counts_for_the_set_only() -> None:
    assert [result.wager.box for result in settled("crown-6.1", ANN).results] == [2]


def test_four_tiles_are_set_the_house_way() -> None:
    """C 7.3: nines are kept beside a Teen and a Gee Jun tile, so box 2 plays 8 and the pair."""
    hands = {2: Deal.parse("6-6 6-3 5-4 2-1")}
    assert settled("crown-6.1", ANN, hands=hands).results[0].reasons == settled("crown-6.1", ANN).results[0].reasons


def test_the_poster_wants_a_house_way_named_for_four_tiles() -> None:
    round_ = played("uk-poster", ANN, hands={2: Deal.parse("6-6 6-3 5-4 2-1")})
    with pytest.raises(UnknownRulebookError, match="name the one this table uses"):
        settle(round_)
    assert settle(replace(round_, house_way=get("nz-1998"))).results[0].call == "Jung"


@pytest.mark.parametrize(("book", "method"), ALL)
def test_everything_is_cited(book: str, method: Bank) -> None:
    wagers = Wager(2, "Ann", 4_000), Wager(3, "Bob", 2_000), Wager(5, "Cy", 2_000)
    done = settled(book, *wagers, bank=bank_of(method))
    cites = {posting.cite for posting in done.postings} | {result.cite for result in done.results} | {done.order}
    assert {cite.rulebook for cite in cites} == {book}
    assert not left_on_layout(done)
    if rulebook(book).wagers.unpayable.value is not Unpayable.PAID_UP:
        assert all(result.winnings <= result.in_play for result in done.results)


def test_all_refusals_are_engine_errors() -> None:
    assert issubclass(WagerError, EngineError)


@pytest.mark.parametrize(("book", "rule"), [("nz-1998", "2.0"), ("uk-poster", "preamble")])
def test_a_round_void_for_a_fire_is_no_misdeal(book: str, rule: str) -> None:
    """nz-1998 12.13 and uk-poster point 22 are about tiles dealt wrongly; neither prints a rule on a disruption."""
    done = settle(replace(played(book, Wager(2, "Ann", 2_000)), void="a fire"))
    assert [(one.call, one.cite) for one in done.results] == [("void", f"{book} {rule}")]
