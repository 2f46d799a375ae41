"""Bonus, Tie and Big/Small: placement, outcomes, and that all chips are accounted for.

Every expectation is read off the text by hand; the rule is beside it. Complete rounds are in `docs/examples/settle`.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.books.registry import BOOKS, rulebook
from engine.errors import DealError, DiceError, EngineError, UnknownRulebookError, WagerError
from engine.game.setting import Deal
from engine.game.tiles import FULL_SET
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.result import COMMISSION, FLOAT, ChipAccount, ChipPlace, Result, Settlement
from engine.settlement.settle import settle
from engine.settlement.side_wagers.book_rules import Made, dealt_lines
from engine.settlement.side_wagers.side_checks import check_surrender, entitled, who_decides
from engine.settlement.wagers import BIG, BIG_SMALL, BONUS, MAIN, SMALL, TIE, Offered, TableTerms, Wager
from engine.vocabulary.dice import COCKED, Cup
from engine.vocabulary.facts import Bank, Milestone
from tests.amount import amount
from tests.engine.settlement.layout import left_on_layout

CROWN = rulebook("crown-6.1")
BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 with the eleven, 7 with the Low 10
TWO_PAIR_BANK = Laid.parse("6-5 6-5 / 6-4 6-4")
HANDS: Mapping[int, Deal | Laid] = {2: Laid.parse("6-6 2-1 / 6-3 5-4")}  # 8, a pair of nines
CUP = Cup((6, 4, 2), 3)
OFFERED = {BONUS: Offered("bonus-a"), TIE: Offered("tie-b", surrender=True), BIG_SMALL: Offered()}
TERMS = TableTerms(chip=100, side=OFFERED)
ANN = Wager(2, "Ann", 1_000)


def bank_of(method: Bank, hand: Deal | Laid | None = BANK) -> BankHolder:
    return BankHolder(method, hand) if method is Bank.HOUSE else BankHolder(method, hand, ("Zed",), 4, 1_000_000)


def settled(
    *wagers: Wager,
    method: Bank = Bank.HOUSE,
    hand: Deal | Laid | None = BANK,
    hands: Mapping[int, Deal | Laid] = HANDS,
    terms: TableTerms = TERMS,
    dice: Cup | None = CUP,
    variant: str | None = None,
) -> Settlement:
    played = PlayedRound(CROWN, bank_of(method, hand), hands, wagers, terms, dice=dice, variant=variant)
    return settle(played)


def offering(offer: str, option: str = "", *, with_main: bool = False, surrender: bool = False) -> TableTerms:
    return TableTerms(chip=100, side={offer: Offered(option, with_main=with_main, surrender=surrender)})


def ended(result: Result) -> tuple[str, int, int]:
    return result.call, result.paid, result.collected


class TestBonus:
    @pytest.mark.parametrize(
        ("hand", "bank", "pays"),
        [
            # crown-6.1 Table 3 to Table 7: odds of options A to E, -1 where it loses.
            pytest.param("4-2 2-1 6-6 6-6", BANK, (200, 100, 80, 100, 100), id="gee-jun-and-teen"),
            pytest.param("4-2 2-1 1-1 1-1", BANK, (60, 50, 40, 50, 50), id="gee-jun-and-day"),
            pytest.param("6-6 6-6 1-1 1-1", BANK, (30, 10, 10, 8, 8), id="teen-and-day"),
            pytest.param("3-3 5-1 6-1 3-1", BANK, (20, 20, 20, 15, 15), id="lucky-duck"),
            pytest.param("3-3 5-1 4-3 2-2", BANK, (20, 20, 20, 15, 15), id="lucky-duck-of-the-others"),
            pytest.param("3-3 5-1 4-3 3-2", BANK, (-1, -1, -1, -1, -1), id="no-four-no-duck"),
            pytest.param("3-3 3-3 5-1 5-1", BANK, (12, 10, 10, 8, 8), id="two-pair"),
            pytest.param("3-3 3-3 5-1 5-1", TWO_PAIR_BANK, (12, 250, 200, 250, 500), id="both-two-pair"),
            pytest.param("4-2 2-1 6-6 6-6", TWO_PAIR_BANK, (200, 250, 200, 250, 500), id="both-and-gee-jun"),
            pytest.param("4-2 2-1 3-3 6-2", BANK, (5, 4, 4, 4, 3), id="gee-jun-pair"),
            pytest.param("6-6 6-6 6-3 6-2", BANK, (5, 4, 4, 4, 3), id="teen-pair-and-a-wong"),  # 13.4.3(a)
            pytest.param("6-6 6-3 5-4 2-1", BANK, (2, 2, 2, 2, 2), id="pair-and-wong"),  # 13.4.3(a)
            pytest.param("6-6 6-3 2-1 3-3", BANK, (1, 2, 2, 2, 2), id="wong"),
            pytest.param("1-1 5-4 2-1 3-3", TWO_PAIR_BANK, (1, 2, 2, 2, 2), id="day-wong"),
            pytest.param("6-6 6-2 2-1 3-3", BANK, (-1, -1, -1, -1, -1), id="gong-is-nothing"),
        ],
    )
    def test_what_each_option_pays(self, hand: str, bank: Laid, pays: tuple[int, ...]) -> None:
        """crown-6.1 13.2.1, 13.4, 13.4.1 to 13.4.3, 13.4.3(a); ruling 20."""
        for letter, odds in zip("abcde", pays, strict=True):
            done = settled(
                replace(ANN, bet=BONUS),
                ANN,
                hand=bank,
                hands={2: Deal.parse(hand)},
                terms=offering(BONUS, f"bonus-{letter}"),
            )
            (result,) = (one for one in done.results if one.wager.bet == BONUS)
            assert ended(result) == (("won", 1_000 * odds, 0) if odds > 0 else ("lost", 0, 1_000)), letter
            assert result.commission == 0

    @pytest.mark.parametrize(
        ("laid", "alone", "beside"),
        [
            ("5-1 5-1 / 3-3 3-3", 12, 12),  # crown-6.1 13.4.1(a)(i): as it asks
            ("3-3 5-1 / 3-3 5-1", 2, 12),  # split: 13.4.3 still finds a pair; 13.4.4 with a main wager
            ("3-1 6-1 / 3-3 5-1", 20, 20),  # crown-6.1 13.4.1(a)(ii): 4 and 7 low, the sixes high
            ("3-3 3-1 / 5-1 6-1", -1, 20),  # split: neither pair nor Wong
            ("6-6 2-1 / 6-3 5-4", 2, 2),  # 13.4.3: any two tiles
        ],
    )
    def test_without_a_main_wager_the_setting_counts(self, laid: str, alone: int, beside: int) -> None:
        """crown-6.1 13.4.1(a), 13.4.3, 13.4.4."""
        bonus, terms = replace(ANN, bet=BONUS), offering(BONUS, "bonus-a")
        for wagers, odds in (((bonus,), alone), ((bonus, ANN), beside), ((bonus, replace(ANN, player="Bob")), alone)):
            result = settled(*wagers, hands={2: Laid.parse(laid)}, terms=terms).results[0]
            assert ended(result) == (("won", 1_000 * odds, 0) if odds > 0 else ("lost", 0, 1_000))

    def test_a_void_main_wager_is_none(self) -> None:
        split = {2: Laid.parse("3-3 3-1 / 5-1 6-1")}
        done = settled(replace(ANN, bet=BONUS), replace(ANN, void="returned"), hands=split)
        assert ended(done.results[0]) == ("lost", 0, 1_000)

    def test_the_house_way_sets_a_lone_bonus_as_it_must_be(self) -> None:
        """crown-6.1 13.4.1(a): every Lucky Duck and every two pairs."""
        top = {Made.TWO_PAIR, Made.LUCKY_DUCK}
        deals = [deal for deal in CROWN.house_way().table if dealt_lines(deal) & top]
        assert sum(deal.ways for deal in deals) == 120 + 64
        for deal in deals:
            result = settled(
                replace(ANN, bet=BONUS), hands={2: deal}, hand=None, terms=offering(BONUS, "bonus-a")
            ).results[0]
            assert result.paid >= 12_000

    def test_the_bank_need_not_show_its_hand(self) -> None:
        """crown-6.1 13.8.1; but against two pairs options B to E ask for it."""
        bonus = replace(ANN, bet=BONUS)
        done = settled(bonus, hand=None)
        assert "crown-6.1 13.8.1" in done.notes[0]
        assert settled(bonus, ANN).notes == ()
        with pytest.raises(DealError, match="the bank has no hand"):
            settled(bonus, hand=None, hands={2: Laid.parse("5-1 5-1 / 3-3 3-3")}, terms=offering(BONUS, "bonus-b"))

    def test_the_dealers_two_pair_when_a_player_banks(self) -> None:
        """Ruling 20: the bank's hand, flagged; crown-6.1 13.6.1: the banker's own has nothing to face."""
        hands, terms = {2: Laid.parse("5-1 5-1 / 3-3 3-3")}, offering(BONUS, "bonus-e")
        bonus, banker = replace(ANN, bet=BONUS), Wager(4, "Zed", 1_000, BONUS)
        for method in (Bank.PLAYER, Bank.CO_BANK):
            own, other = settled(bonus, banker, method=method, hand=TWO_PAIR_BANK, hands=hands, terms=terms).results
            assert (own.wager.player, own.paid, other.paid) == ("Zed", 8_000, 500_000)
            assert any("ruling 20" in note for note in own.notes)
            assert any("ruling 20" in note for note in other.notes)
        (result,) = settled(bonus, hand=TWO_PAIR_BANK, hands=hands, terms=terms).results
        assert not any("ruling 20" in note for note in result.notes)


class TestTie:
    @pytest.mark.parametrize(
        ("laid", "bank", "tie_a", "tie_b"),
        [
            # crown-6.1 13.2.2, 13.2.3, 13.5, 13.5.1(a), 13.5.1(b), Table 8, Table 9
            pytest.param("6-6 2-1 / 6-3 5-4", BANK, -1, -1, id="both-higher"),
            pytest.param("3-1 5-5 / 1-1 2-2", BANK, -1, -1, id="both-lower"),
            pytest.param("4-3 6-2 / 4-4 5-5", BANK, 1, 1, id="high-higher"),
            pytest.param("3-3 3-1 / 5-1 6-1", BANK, -1, 3, id="lucky-duck-that-loses"),
            pytest.param("5-1 5-1 / 3-3 3-3", BANK, -1, 2, id="two-pair-that-wins"),
            pytest.param("5-4 4-1 / 5-3 5-2", Laid.parse("3-1 6-3 / 6-5 6-1"), 1, 1, id="low-higher"),
            pytest.param("1-1 6-2 / 5-5 5-5", Laid.parse("6-5 4-1 / 6-6 6-6"), 25, 1, id="low-a-gong"),
            pytest.param("1-1 5-4 / 5-5 5-5", Laid.parse("6-5 4-1 / 6-6 6-6"), 25, 1, id="low-a-wong"),
            pytest.param("3-3 3-3 / 5-5 5-5", Laid.parse("6-5 4-1 / 6-6 6-6"), 25, 2, id="low-a-pair"),
            pytest.param("1-1 6-1 / 5-5 5-5", Laid.parse("6-5 4-1 / 6-6 6-6"), 1, 1, id="high-nine-is-no-gong"),
        ],
    )
    def test_what_each_option_pays(self, laid: str, bank: Laid, tie_a: int, tie_b: int) -> None:
        for option, odds in (("tie-a", tie_a), ("tie-b", tie_b)):
            done = settled(replace(ANN, bet=TIE), hand=bank, hands={2: Laid.parse(laid)}, terms=offering(TIE, option))
            assert ended(done.results[0]) == (("won", 1_000 * odds, 0) if odds > 0 else ("lost", 0, 1_000)), option

    def test_one_setting_decides_both(self) -> None:
        """crown-6.1 13.5.2, 13.5.2(a), 13.5.2(b): as laid, or the House Way where four tiles are given."""
        wagers = replace(ANN, bet=TIE), ANN
        deal, laid = Deal.parse("6-6 6-3 5-4 2-1"), Laid.parse("6-6 2-1 / 6-3 5-4")
        for hand, rule in ((deal, "13.5.2(b)"), (laid, "13.5.2(a)")):
            tie, main = settled(*wagers, hands={2: hand}).results
            assert (tie.call, main.call) == ("lost", "Jung")
            assert tie.reasons[-1].endswith(f"(crown-6.1 {rule})")

    def test_when_it_may_be_surrendered(self) -> None:
        """crown-6.1 13.2.4, 13.5.3(a)(i)."""
        assert CROWN.side_wagers is not None
        side, dealt, shown = CROWN.side_wagers, Milestone.TILES_DELIVERED, Milestone.BANK_EXPOSED
        check_surrender([dealt], side.tie)
        with pytest.raises(WagerError, match=r"crown-6\.1 13\.5\.3\(a\)\(i\)"):
            check_surrender([Milestone.STACKED], side.tie)
        with pytest.raises(WagerError, match=r"crown-6\.1 13\.2\.4"):
            check_surrender([dealt, shown], side.tie)

    def test_it_needs_no_main_wager(self) -> None:
        """crown-6.1 13.3.2(b) to 13.3.2(d)."""
        for bet, rule in ((BONUS, "13.3.2(b)"), (TIE, "13.3.2(c)")):
            for beside in ((), (ANN,)):
                result = settled(replace(ANN, bet=bet), *beside).results[0]
                assert any(rule in note for note in result.notes) == (not beside)

    def test_zero_against_zero_by_the_letter(self) -> None:
        """Ruling 15: what the main wager does, the Tie follows."""
        bank, hands = Laid.parse("6-4 5-5 / 6-5 6-1"), {2: Laid.parse("3-3 3-1 / 6-6 6-6")}
        done = settled(replace(ANN, bet=TIE), ANN, hand=bank, hands=hands)
        assert [one.call for one in done.results] == ["won", "Jowl"]
        assert done.literal is not None
        assert [one.call for one in done.literal.results] == ["lost", "Jung"]

    @pytest.mark.parametrize(("stake", "lost"), [(2_000, 1_000), (2_500, 1_200), (100, 0), (150, 50)])
    def test_surrender_costs_half(self, stake: int, lost: int) -> None:
        """crown-6.1 13.2.4, 13.5.3(a)(i), 13.5.3(a)(iii); 9.2.3 in chips of 1.00. No hand is needed."""
        tie = Wager(2, "Ann", stake, TIE, surrendered=True)
        done = settled(tie, hands={}, hand=None)
        assert ended(done.results[0]) == ("surrendered", 0, lost)
        assert done.results[0].returned == stake - lost
        assert done.balances.get(FLOAT, 0) == lost

    def test_the_part_of_a_wager_over_the_maximum_is_not_halved(self) -> None:
        terms = TableTerms(chip=100, side={TIE: Offered("tie-b", maximum=1_000, surrender=True)})
        (result,) = settled(Wager(2, "Ann", 4_000, TIE, surrendered=True), terms=terms).results
        assert (result.in_play, result.collected, result.returned) == (1_000, 500, 3_500)

    def test_another_player_on_the_box_may_surrender(self) -> None:
        """crown-6.1 13.5.3(a)(iv)."""
        first, other = Wager(2, "Ann", 1_000, TIE), Wager(2, "Bob", 1_000, TIE, surrendered=True)
        assert [one.call for one in settled(first, other).results] == ["lost", "surrendered"]


class TestBigSmall:
    @pytest.mark.parametrize(
        ("dice", "wins"),
        [((6, 4, 1), BIG), ((6, 6, 5), BIG), ((1, 1, 2), SMALL), ((5, 4, 1), SMALL), ((3, 3, 3), ""), ((6, 6, 6), "")],
    )
    def test_as_the_dice_say(self, dice: tuple[int, int, int], wins: str) -> None:
        """crown-6.1 1.1 Big/Small, 4.4.1, 11.4."""
        for bet in (BIG, SMALL):
            result = settled(replace(ANN, bet=bet), ANN, dice=Cup(dice, 3)).results[0]
            assert ended(result) == (("won", 1_000, 0) if bet == wins else ("lost", 0, 1_000))

    def test_the_three_dice_of_crown_pai_gow(self) -> None:
        """crown-6.1 14.1, 14.2.1(a) to 14.2.1(c), 14.3.1, ruling 21: box, cut and Big/Small die together."""
        for cup, call in ((Cup((6,), 4, 1), "won"), (Cup((6,), 3, 1), "lost"), (Cup((4,), 4, 4), "lost")):
            done = settled(replace(ANN, bet=BIG), ANN, dice=cup, variant="crown-pai-gow")
            assert done.results[0].call == call

    @pytest.mark.parametrize(
        ("dice", "variant", "says"),
        [
            (None, None, "crown-6.1 4.4.1"),
            (Cup((6, COCKED, 2), 3), None, "crown-6.1 4.3"),
            (Cup((6, 4), 3), None, "crown-6.1 2.4.3"),
            (Cup((6, 4, 7), 3), None, "crown-6.1 2.4.2"),
            (Cup((6,), 3), "crown-pai-gow", r"3 dice are thrown where Big/Small is offered.*crown-6\.1 14\.3\.1"),
            (Cup((6,), 3, COCKED), "crown-pai-gow", "crown-6.1 14.3.2"),
        ],
    )
    def test_dice_that_say_nothing(self, dice: Cup | None, variant: str | None, says: str) -> None:
        with pytest.raises(DiceError, match=says):
            settled(replace(ANN, bet=BIG), ANN, dice=dice, variant=variant)

    def test_no_dice_are_needed_without_such_a_wager(self) -> None:
        assert settled(ANN, dice=None).results[0].call == "Jung"
        assert settled(ANN, replace(ANN, bet=BIG, void="withdrawn"), dice=None).results[1].call == "Jung"

    def test_a_variant_nobody_knows(self) -> None:
        with pytest.raises(UnknownRulebookError, match="crown-pai-gow"):
            settled(ANN, variant="macau")

    def test_it_is_settled_before_the_tiles(self) -> None:
        """crown-6.1 4.4.1, 13.9.1(a) to 13.9.1(c): dice, then what is lost, then Bonus, Tie and main box by box."""
        wagers = [Wager(box, "Ann", 1_000, bet) for box in (2, 3) for bet in (MAIN, TIE, BONUS, BIG)]
        hands = {2: Laid.parse("3-3 3-1 / 5-1 6-1"), 3: Laid.parse("5-5 5-5 / 6-6 6-6")}
        done = settled(*wagers, hands=hands)
        order = [(one.wager.box, one.wager.bet) for one in done.results]
        assert order == [(2, BIG), (3, BIG), (2, BONUS), (2, TIE), (2, MAIN), (3, BONUS), (3, TIE), (3, MAIN)]
        assert done.boxes == (2, 3)
        paid = [one.why for one in done.postings if one.account == FLOAT and one.amount < 0]
        assert paid[:4] == [
            "won big wager on box 2",
            "won big wager on box 3",
            "won bonus wager on box 2",
            "won tie wager on box 2",
        ]
        whys = [one.why for one in done.postings]
        assert (
            whys.index("won big wager on box 3") < whys.index("lost on box 2") < whys.index("won bonus wager on box 2")
        )


NOBODY = "return it"


class TestWhoMay:
    @pytest.mark.parametrize(
        ("method", "bet", "rule"),
        [
            # A player at box 2; crown-6.1 13.3.1, 13.3.2, 13.3.2(a) to 13.3.2(d): each alone.
            (Bank.HOUSE, MAIN, None),
            (Bank.HOUSE, BONUS, None),
            (Bank.HOUSE, TIE, None),
            (Bank.PLAYER, MAIN, None),
            (Bank.PLAYER, BONUS, None),
            (Bank.PLAYER, TIE, "crown-6.1 13.6.4"),
            (Bank.CO_BANK, MAIN, None),
            (Bank.CO_BANK, BONUS, None),
            (Bank.CO_BANK, TIE, None),  # crown-6.1 13.6.5
        ],
    )
    def test_players(self, method: Bank, bet: str, rule: str | None) -> None:
        """crown-6.1 13.3.2(a) to 13.3.2(d), 13.6.4, 13.6.5."""
        wager = replace(ANN, bet=bet)
        if rule is None:
            assert settled(wager, method=method).results[0].outcome is not None
            return
        with pytest.raises(WagerError, match=rule):
            settled(wager, method=method)
        assert settled(replace(wager, void=NOBODY), method=method).results[0].returned == 1_000

    @pytest.mark.parametrize("method", [Bank.PLAYER, Bank.CO_BANK])
    @pytest.mark.parametrize(
        ("box", "bet", "rule"),
        [
            (4, BONUS, None),  # crown-6.1 13.6.1
            (2, BONUS, None),
            (4, TIE, r"crown-6.1 13\.6\.3"),
            (2, TIE, r"crown-6.1 13\.6\.3"),
            (4, MAIN, r"crown-6.1 1\.1"),
            (2, MAIN, r"crown-6.1 1\.1"),
            (4, BIG, r"crown-6.1 8\.10"),
            (2, BIG, None),  # crown-6.1 8.16.3
        ],
    )
    def test_the_banker(self, method: Bank, box: int, bet: str, rule: str | None) -> None:
        wagers = Wager(box, "Zed", 1_000, bet), ANN
        if rule is None:
            assert {one.wager.player for one in settled(*wagers, method=method).results if one.outcome} == {
                "Ann",
                "Zed",
            }
            return
        with pytest.raises(WagerError, match=rule):
            settled(*wagers, method=method)

    @pytest.mark.parametrize("bet", [BONUS, BIG])
    def test_nobody_else_on_the_bankers_box(self, bet: str) -> None:
        for method, rule in ((Bank.PLAYER, r"8\.10"), (Bank.CO_BANK, r"8\.10"), (Bank.HOUSE, r"10\.3\.1\(a\)")):
            with pytest.raises(WagerError, match=rule):
                settled(Wager(1 if method is Bank.HOUSE else 4, "Ann", 1_000, bet), ANN, method=method)

    def test_a_main_wager_beside_a_bonus_where_a_notice_asks_for_it(self) -> None:
        """crown-6.1 13.3.3: on the same box, the player's own, valid."""
        terms, bonus = offering(BONUS, "bonus-a", with_main=True), replace(ANN, bet=BONUS)
        assert len(settled(bonus, ANN, terms=terms).results) == 2
        for beside in ((), (replace(ANN, player="Bob"),), (replace(ANN, void=NOBODY),), (replace(ANN, box=3),)):
            with pytest.raises(WagerError, match=r"crown-6\.1 13\.3\.3"):
                settled(bonus, *beside, terms=terms, hands={2: HANDS[2], 3: Laid.parse("3-1 5-5 / 1-1 2-2")})
        banker = Wager(4, "Zed", 1_000, BONUS)
        assert settled(banker, method=Bank.PLAYER, terms=terms).results[0].call == "lost"

    def test_big_and_small_lie_beside_a_pai_gow_wager(self) -> None:
        """crown-6.1 8.16.1: of anybody, on that box, valid; a Bonus or Tie only gives a first right to it (8.16.2)."""
        big = replace(ANN, bet=BIG)
        for one in (ANN, replace(ANN, player="Bob")):
            assert settled(big, one).results[0].call == "won"
        others = ((), (replace(ANN, void=NOBODY),), *((replace(ANN, bet=each),) for each in (SMALL, BONUS, TIE)))
        for none in others:
            with pytest.raises(WagerError, match=r"crown-6\.1 8\.16\.1"):
                settled(big, *none)

    def test_who_is_entitled_first(self) -> None:
        """crown-6.1 8.16.2, 8.16.3."""
        lying = [Wager(2, "Bob", 500, TIE), replace(ANN, void=NOBODY), Wager(2, "Cy", 500)]
        assert entitled(lying, ("Ann", "Bob", "Cy", "Dee")) == (("Bob", "Cy"), ("Ann", "Dee"))
        assert entitled(lying[:2], ("Ann", "Bob")) == ((), ())  # 8.16.1: a Tie is no Pai Gow wager

    @pytest.mark.parametrize(
        ("lying", "players", "rules"),
        [
            ([("Ann", TIE, 900), ("Bob", MAIN, 100), ("Cy", BONUS, 950)], ("Bob",), ["13.7.1"]),
            ([("Ann", TIE, 100), ("Cy", BONUS, 950)], ("Ann",), ["13.7.2"]),
            ([("Cy", BONUS, 950)], ("Cy",), ["13.7.3"]),
            ([("Ann", MAIN, 200), ("Bob", MAIN, 100), ("Cy", TIE, 900)], ("Ann",), ["13.7.1", "8.8.1"]),
            ([("Ann", MAIN, 100), ("Bob", MAIN, 100)], ("Ann", "Bob"), ["13.7.1", "8.8.1"]),
            ([("Ann", BIG, 100)], (), []),
        ],
    )
    def test_who_decides_about_the_tiles(
        self, lying: list[tuple[str, str, int]], players: tuple[str, ...], rules: list[str]
    ) -> None:
        """crown-6.1 13.7.1 to 13.7.3, 8.8.1."""
        assert CROWN.side_wagers is not None
        found, cites = who_decides([Wager(2, player, stake, bet) for player, bet, stake in lying], CROWN.side_wagers)
        assert (found, [cite.section for cite in cites]) == (players, rules)

    def test_a_note_says_who_decides_where_kinds_of_wager_share_a_box(self) -> None:
        done = settled(replace(ANN, bet=BONUS), Wager(2, "Bob", 100))
        assert done.notes == ("box 2: Bob decides about the tiles (crown-6.1 13.7.1)",)
        assert settled(replace(ANN, bet=BONUS), ANN).notes == ()


class TestRefused:
    @pytest.mark.parametrize(
        ("terms", "says"),
        [
            (offering(BONUS, "bonus-f"), "bonus-a, bonus-b, bonus-c, bonus-d, bonus-e"),
            (offering(BONUS), "bonus-a"),
            (offering(TIE, "bonus-a"), "tie-a, tie-b"),
            (offering(BIG_SMALL, "bonus-a"), "none"),
            (offering("insurance"), "bonus, tie, big-small"),
            (offering(TIE, "tie-a", surrender=True), r"tie-b prints it \(crown-6\.1 13\.2\.4\)"),
            (offering(BONUS, "bonus-a", surrender=True), r"13\.2\.4"),
            (offering(TIE, "tie-b", with_main=True), r"13\.3\.3"),
            (TableTerms(side={TIE: Offered("tie-b", minimum=5, maximum=4)}), "above the maximum"),
            (TableTerms(side={TIE: Offered("tie-b", minimum=-5)}), "1 or more"),
        ],
    )
    def test_offers(self, terms: TableTerms, says: str) -> None:
        with pytest.raises(WagerError, match=says):
            settled(ANN, terms=terms)

    @pytest.mark.parametrize("book", [name for name in BOOKS if name != "crown-6.1"])
    def test_other_books_have_none(self, book: str) -> None:
        for wager, terms in ((ANN, offering(TIE, "tie-b")), (replace(ANN, bet=TIE), TableTerms())):
            with pytest.raises(WagerError, match=f"{book} "):
                settle(PlayedRound(rulebook(book), bank_of(Bank.HOUSE), HANDS, (wager,), terms))

    @pytest.mark.parametrize(
        ("wagers", "terms", "says"),
        [
            ([replace(ANN, bet=TIE)], offering(BONUS, "bonus-a"), "settled here: pai-gow, bonus"),
            ([replace(ANN, bet=BIG), ANN], offering(BONUS, "bonus-a"), "settled here: pai-gow, bonus"),
            ([replace(ANN, surrendered=True)], TERMS, r"13\.2\.4"),
            ([replace(ANN, bet=BONUS, surrendered=True)], TERMS, r"13\.2\.4"),
            ([replace(ANN, bet=TIE, surrendered=True)], offering(TIE, "tie-b"), r"13\.2\.4"),
            ([replace(ANN, bet=TIE, surrendered=True, conceded=True)], TERMS, "both surrendered and conceded"),
            ([replace(ANN, bet=BIG, conceded=True), ANN], TERMS, "the dice decide it"),
            ([replace(ANN, conceded=True), replace(ANN, bet=TIE)], TERMS, r"mark it conceded too .*13\.5\.2"),
            ([replace(ANN, bet=BONUS, conceded=True)], TERMS, r"only a Pai Gow wager is conceded.*13\.4\.2.*ruling 41"),
            ([ANN, replace(ANN, bet=BONUS, conceded=True)], TERMS, r"only a Pai Gow wager is conceded"),
            ([replace(ANN, bet=BONUS), replace(ANN, bet=BONUS)], TERMS, "there twice"),
            ([replace(ANN, bet=BONUS, stake=-1)], TERMS, r"8\.1"),
        ],
    )
    def test_wagers(self, wagers: list[Wager], terms: TableTerms, says: str) -> None:
        with pytest.raises(WagerError, match=says):
            settled(*wagers, terms=terms)

    def test_conceding_gives_up_pai_gow_and_tie_but_not_the_bonus(self) -> None:
        """crown-6.1 10.2.10 and 13.4.2: a Bonus is paid "regardless" if the tiles dealt qualify (ruling 41)."""
        wagers = [replace(ANN, bet=bet, conceded=bet != BONUS) for bet in (MAIN, BONUS, TIE)]
        for hand, bonus in (("2-1 4-2 / 6-6 6-6", ("won", 200_000, 0)), ("6-5 5-1 / 4-4 3-1", ("lost", 0, 1_000))):
            done = settled(*wagers, hands={2: Laid.parse(hand)})
            assert [ended(one) for one in done.results] == [bonus, ("lost", 0, 1_000), ("Che", 0, 1_000)]
            assert any("the tiles dealt decide" in note and "ruling 41" in note for note in done.results[0].notes)

    def test_a_conceded_hand_that_nobody_saw_is_decided_by_a_person(self) -> None:
        """Ruling 41: a Bonus is never lost silently."""
        main, bonus = replace(ANN, conceded=True), replace(ANN, bet=BONUS)
        with pytest.raises(DealError, match=r"what a person decided if nobody saw them .*13\.4\.2.*ruling 41"):
            settled(main, bonus, hands={})
        back, lost = replace(bonus, void="nobody saw the tiles"), replace(bonus, conceded=True)
        assert [ended(one) for one in settled(main, back, hands={}).results] == [("void", 0, 0), ("Che", 0, 1_000)]
        done = settled(main, lost, hands={})
        assert [ended(one) for one in done.results] == [("lost", 0, 1_000), ("Che", 0, 1_000)]
        assert done.results[0].cite == "crown-6.1 13.4.2"
        assert any("a person decided that it is lost" in note and "ruling 41" in note for note in done.results[0].notes)


class TestLimits:
    def test_each_bet_has_its_own(self) -> None:
        """crown-6.1 9.2.1, 9.2.2; 9.5 where a player banks alone."""
        terms = TableTerms(chip=100, maximum=500, side={BONUS: Offered("bonus-a", maximum=2_000, minimum=300)})
        wagers = Wager(2, "Ann", 3_000, BONUS), Wager(2, "Ann", 3_000)
        for method, in_play in ((Bank.HOUSE, [2_000, 500]), (Bank.PLAYER, [3_000, 3_000])):
            assert [one.in_play for one in settled(*wagers, method=method, terms=terms).results] == in_play
        (small,) = settled(Wager(2, "Ann", 200, BONUS), terms=terms).results
        assert (small.paid, small.notes[0]) == (400, "under the minimum 300, and stands (crown-6.1 9.2.1)")

    def test_what_chips_cannot_pay(self) -> None:
        """crown-6.1 9.2.3: 2 to 1 of 1.70 is 3.40, in chips of 1.00 4.00."""
        (result,) = settled(Wager(2, "Ann", 170, BONUS)).results
        assert result.paid == 400
        assert any("9.2.3" in note for note in result.notes)

    def test_the_bank_covers_main_wagers_only(self) -> None:
        """crown-6.1 13.6.2."""
        bank = BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 1_000)
        wagers = (ANN, replace(ANN, bet=BONUS, stake=50_000))
        done = settle(PlayedRound(CROWN, bank, HANDS, wagers, TERMS))
        assert done.balances[FLOAT] == -100_000
        assert [one.cite for one in done.postings if one.account == FLOAT] == ["crown-6.1 13.6.2"]
        assert (done.bank.net, done.bank.side_paid) == (-1_000, 100_000)


@st.composite
def rounds(draw: st.DrawFn, method: Bank, *, legal: bool) -> PlayedRound:
    """Rounds with every kind of wager: those the book allows, or any."""
    deck = list(FULL_SET)
    Random(draw(st.integers(0, 2**32))).shuffle(deck)  # noqa: S311  much quicker than drawing a permutation
    deals = [Deal.of(deck[at : at + 4]) for at in range(0, 32, 4)]
    chip = draw(st.sampled_from([1, 100, 250]))
    chung = 1 if method is Bank.HOUSE else draw(st.integers(1, 8))
    side = {
        BONUS: Offered(
            f"bonus-{draw(st.sampled_from('abcde'))}",
            maximum=draw(st.none() | st.just(5_000)),
            with_main=draw(st.booleans()),
        ),
        TIE: Offered("tie-b", surrender=True) if draw(st.booleans()) else Offered("tie-a"),
        BIG_SMALL: Offered(),
    }
    bets = st.sampled_from([MAIN, BONUS, TIE, BIG, SMALL])
    lies = st.tuples(st.integers(1, 8), st.sampled_from(["Ann", "Bob", "Zed"]), bets)
    lay = draw(st.lists(lies, unique=True, min_size=4, max_size=16))
    wagers = tuple(
        Wager(
            box,
            player,
            draw(st.integers(chip, 9_999)),
            bet,
            void=draw(st.sampled_from(["", "", "", "void"])),
            surrendered=bet == TIE and side[TIE].surrender and draw(st.booleans()),
        )
        for box, player, bet in lay
    )
    variant = draw(st.sampled_from([None, "crown-pai-gow"]))
    dice = [draw(st.integers(1, 6)) for _ in range(4)]
    return PlayedRound(
        book=CROWN,
        bank=replace(bank_of(method, deals[0]), box=None if method is Bank.HOUSE else chung),
        hands=dict(zip([box for box in range(1, 9) if box != chung], deals[1:], strict=True)),
        wagers=tuple(_allowed(wagers, method, chung, with_main=side[BONUS].with_main)) if legal else wagers,
        terms=TableTerms(chip=chip, side=side),
        dice=Cup(tuple(dice[:3]), dice[3]) if variant is None else Cup((dice[0],), dice[1], dice[2]),
        variant=variant,
    )


def _allowed(wagers: tuple[Wager, ...], method: Bank, chung: int, *, with_main: bool) -> list[Wager]:
    """Of these wagers those that may lie: crown-6.1 8.10, 8.16.1, 8.16.2, 10.3.1(a), 13.3.3, 13.6.1, 13.6.3, 13.6.4."""
    zed_banks = method is not Bank.HOUSE
    own = [one for one in wagers if zed_banks and (one.player, one.box, one.bet) == ("Zed", chung, BONUS)]
    others = [one for one in wagers if one.box != chung and not (zed_banks and one.player == "Zed")]
    if method is Bank.PLAYER:
        others = [one for one in others if one.bet != TIE]
    mains = {(one.player, one.box) for one in others if one.bet == MAIN and not one.void}
    if with_main:
        others = [one for one in others if one.bet != BONUS or (one.player, one.box) in mains]
    taken = {one.box for one in others if one.bet == MAIN and not one.void}
    return own + [one for one in others if one.bet not in (BIG, SMALL) or one.box in taken]


@pytest.mark.parametrize("method", Bank)
@given(data=st.data())
@settings(max_examples=amount(60, 300), deadline=None)
def test_what_is_allowed_is_settled_and_no_chip_goes_astray(method: Bank, data: st.DataObject) -> None:
    """crown-6.1 13.6.2, 13.9.1(a) to 13.9.1(c)."""
    played = data.draw(rounds(method, legal=True))
    done = settle(played)
    for reading in (done, *([] if done.literal is None else [done.literal])):
        _check(reading, played)


@pytest.mark.parametrize("method", Bank)
@given(data=st.data())
@settings(max_examples=amount(30, 100), deadline=None)
def test_whatever_lies_there_is_settled_or_refused_with_a_rule(method: Bank, data: st.DataObject) -> None:
    played = data.draw(rounds(method, legal=False))
    try:
        done = settle(played)
    except EngineError as error:
        assert "crown-6.1 " in str(error)  # noqa: PT017  refusals are half of what is tested
        return
    _check(done, played)


def _check(done: Settlement, played: PlayedRound) -> None:
    balances, chip = done.balances, played.terms.chip
    assert sum(balances.values()) == 0
    assert not left_on_layout(done)
    main = [one for one in done.results if one.wager.bet == MAIN]
    side = [one for one in done.results if one.wager.bet != MAIN]
    for one in done.results:
        assert one.collected + one.returned == one.wager.stake
        assert 0 <= one.collected <= one.in_play <= one.wager.stake
    for one in side:
        assert one.commission == 0
        assert one.winnings % chip == 0
        if one.call == "surrendered":
            assert 0 <= one.in_play - 2 * one.collected < 2 * chip
    for player in ("Ann", "Bob", "Zed"):
        own = sum(one.paid - one.collected for one in done.results if one.wager.player == player)
        banks = done.bank.net if player in played.bank.players else 0
        assert balances.get(ChipAccount(ChipPlace.PLAYER, player), 0) == own + banks
    assert done.bank.side_taken == sum(one.collected for one in side)
    assert done.bank.side_paid == sum(one.winnings for one in side)
    of_side = done.bank.side_taken - done.bank.side_paid
    of_bank = {
        Bank.HOUSE: done.bank.net,
        Bank.PLAYER: 0,
        Bank.CO_BANK: sum(one.collected - one.winnings for one in main) - done.bank.net - done.bank.commission,
    }[played.bank.method]
    assert balances.get(FLOAT, 0) == of_side + of_bank
    assert balances.get(COMMISSION, 0) == done.bank.commission + sum(one.commission for one in main)
