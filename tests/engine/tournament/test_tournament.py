"""Tournaments: what the terms must hold, and the play of a table, chip by chip."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.books.registry import BOOKS, rulebook
from engine.errors import EngineError, TournamentError
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.settle import settle
from engine.settlement.wagers import TableTerms, Wager
from engine.tournament.requirements import Aspect, ClauseFault, Format, TournamentRules, TournamentStage, check_terms
from engine.tournament.table_play import (
    Progress,
    Stake,
    Standing,
    TournamentTable,
    award,
    check_entries,
    may_end,
    play,
    progress,
    seat,
    standing,
)
from engine.vocabulary.facts import Bank


def _rules() -> TournamentRules:
    rules = rulebook("crown-6.1").tournament
    assert rules is not None
    return rules


RULES = _rules()
NUMBERS = [demand.cite.section for demand in RULES.demands]
COMPLETE: Mapping[str, str | bool] = dict.fromkeys(NUMBERS, "As agreed.")
HEAT = TournamentStage("heat", hands=3, through=2, least=100)
FINAL = TournamentStage("final", hands=2, secret=1, afresh=True)
CUP = Format(bank=1_000, fewest=2, most=6, stages=(HEAT, FINAL), paid_entry=True)


class TestTerms:
    def test_every_part_of_the_rule_is_asked_for(self) -> None:
        """crown-6.1 15.2.1, 15.4: each rule below 15.4 that has no parts of its own, as the contents list them."""
        contents = BOOKS["crown-6.1"].contents
        below = [number for number in contents.with_parts(["15.4"]) if number not in contents.parts]
        assert below == NUMBERS

    def test_only_what_the_text_leaves_open_may_be_left_out(self) -> None:
        """The words "if", "where" and "as applicable" of crown-6.1 15.4.1(a)(ii) to 15.4.8(d)(ii)."""
        assert {demand.cite.section for demand in RULES.demands if demand.unless} == {
            "15.4.1(a)(ii)",
            "15.4.2(a)(iii)",
            "15.4.2(a)(iv)",
            "15.4.2(a)(v)",
            "15.4.2(b)(iii)",
            "15.4.3(a)(iii)",
            "15.4.3(a)(iv)",
            "15.4.3(a)(v)",
            "15.4.3(c)",
            "15.4.4(b)",
            "15.4.4(c)",
            "15.4.8(d)(ii)",
        }

    def test_a_complete_document(self) -> None:
        assert check_terms(COMPLETE, RULES) == ()

    def test_an_empty_one(self) -> None:
        assert [one.rule for one in check_terms({}, RULES)] == NUMBERS

    @pytest.mark.parametrize("number", NUMBERS)
    @pytest.mark.parametrize("given", [None, "", "  ", False])
    def test_each_clause_is_missed(self, number: str, given: str | bool | None) -> None:  # noqa: FBT001
        """crown-6.1 15.4.1 to 15.4.8."""
        clauses = {key: value for key, value in COMPLETE.items() if key != number}
        if given is not None:
            clauses[number] = given
        found = check_terms(clauses, RULES)
        demand = RULES.demands[NUMBERS.index(number)]
        if given is False and demand.unless:
            assert found == ()
            return
        (one,) = found
        assert (one.rule, one.cite) == (number, f"crown-6.1 {number}")
        assert one.fault is (ClauseFault.NEEDED if given is False else ClauseFault.MISSING)

    def test_a_clause_that_no_rule_asks_for(self) -> None:
        (one,) = check_terms({**COMPLETE, "15.5": "Coats are checked."}, RULES)
        assert (one.rule, one.fault) == ("15.5", ClauseFault.UNKNOWN)

    @pytest.mark.parametrize("aspect", Aspect)
    def test_the_format_is_held_against_the_clauses(self, aspect: Aspect) -> None:
        """A clause is needed if the format has the feature, and contradicts a format without it."""
        demand = next(one for one in RULES.demands if one.aspect is aspect)
        number = demand.cite.section
        plain = Format(1_000, 2, 6, (TournamentStage("only", 3),))
        having = {
            Aspect.PAID_ENTRY: replace(plain, paid_entry=True),
            Aspect.SPECIAL_EVENT: replace(plain, special_event=True),
            Aspect.STAGES: replace(plain, stages=(HEAT, FINAL)),
            Aspect.BUY_BACK: replace(plain, buy_back=True),
            Aspect.LEAST_WAGER: replace(plain, stages=(TournamentStage("only", 3, least=5),)),
            Aspect.SECRET_WAGERS: replace(plain, stages=(TournamentStage("only", 3, secret=1),)),
            Aspect.CHIPS_FOR_CASH: replace(plain, chips_for_cash=True),
        }[aspect]
        left_out = {**COMPLETE, number: False}
        of = {(one.rule, one.fault) for one in check_terms(left_out, RULES, having)}
        assert (number, ClauseFault.NEEDED) in of
        assert number not in {one.rule for one in check_terms(COMPLETE, RULES, having)}
        assert (number, ClauseFault.CONTRADICTS) in {
            (one.rule, one.fault) for one in check_terms(COMPLETE, RULES, plain)
        }
        assert number not in {one.rule for one in check_terms(left_out, RULES, plain)}

    @pytest.mark.parametrize(
        ("wrong", "rule"),
        [
            (replace(CUP, bank=0), "15.4.3(b)"),
            (replace(CUP, fewest=7), "15.4.1(a)(iii)"),
            (replace(CUP, fewest=0), "15.4.1(a)(iii)"),
            (replace(CUP, stages=()), "15.4.3(a)(i)"),
            (replace(CUP, stages=(replace(HEAT, hands=0), FINAL)), "15.4.3(a)(i)"),
            (replace(CUP, stages=(HEAT,)), "15.4.3(a)(iii)"),
            (replace(CUP, stages=(FINAL, FINAL)), "15.4.3(a)(iii)"),
            (replace(CUP, stages=(replace(HEAT, through=0), FINAL)), "15.4.3(a)(iii)"),
            (replace(CUP, stages=(replace(HEAT, least=-1), FINAL)), "15.4.4(b)"),
            (replace(CUP, stages=(replace(HEAT, least=1_001), FINAL)), "15.4.4(b)"),
            (replace(CUP, stages=(HEAT, replace(FINAL, least=1_001))), "15.4.4(b)"),
            (replace(CUP, stages=(HEAT, replace(FINAL, secret=-1))), "15.4.4(c)"),
        ],
    )
    def test_a_format_nobody_could_play(self, wrong: Format, rule: str) -> None:
        with pytest.raises(EngineError, match=re.escape(f"(crown-6.1 {rule})")):
            check_terms(COMPLETE, RULES, wrong)

    def test_who_brings_more_than_the_bank_may_have_to_wager_more(self) -> None:
        """crown-6.1 15.4.4(b): chips are carried into a stage that does not start afresh."""
        replace(CUP, stages=(HEAT, replace(FINAL, least=1_001, afresh=False))).check(RULES)

    def test_only_crown_knows_tournaments(self) -> None:
        assert [name for name, book in BOOKS.items() if book.tournament] == ["crown-6.1"]


def heat(**chips: int) -> TournamentTable:
    """The state of a heat, players without chips out in the first hand."""
    return TournamentTable(HEAT, chips, 1, {}, {player: 1 for player, held in chips.items() if not held})


class TestPlay:
    def test_all_start_with_the_same_bank(self) -> None:
        """crown-6.1 15.4.3(b)."""
        assert seat(["Ann", "Bob"], 0, CUP, RULES).chips == {"Ann": 1_000, "Bob": 1_000}
        assert seat(["Ann", "Bob"], 1, CUP, RULES).chips == {"Ann": 1_000, "Bob": 1_000}  # afresh
        carried = replace(CUP, stages=(HEAT, replace(FINAL, afresh=False)))
        brought = {"Ann": 1_700, "Bob": 300, "Cy": 0}
        assert seat(["Ann", "Bob"], 1, carried, RULES, brought).chips == {"Ann": 1_700, "Bob": 300}
        with pytest.raises(TournamentError, match=r"Cy brings no chips.*15\.4\.3\(a\)\(iii\)"):
            seat(["Ann", "Cy"], 1, carried, RULES, brought)

    def test_who_may_enter(self) -> None:
        """crown-6.1 15.4.1(a)(iii)."""
        check_entries(["Ann", "Bob"], CUP, RULES)
        for players in (["Ann"], ["Ann", "Ann"], list("ABCDEFG")):
            with pytest.raises(TournamentError, match=r"15\.4\.1\(a\)\(iii\)"):
                check_entries(players, CUP, RULES)

    @pytest.mark.parametrize(("players", "stage"), [([], 0), (["Ann", "Ann"], 0), (["Ann"], 2), (["Ann"], -1)])
    def test_tables_that_cannot_be(self, players: list[str], stage: int) -> None:
        with pytest.raises(TournamentError, match=r"15\.4\.3\(a\)\(i\)"):
            seat(players, stage, CUP, RULES)

    def test_hands_are_those_of_settled_rounds(self) -> None:
        """Jung pays 190.00 of 200.00 (11.1), Che takes 100.00."""
        hands = {2: Laid.parse("6-6 2-1 / 6-3 5-4"), 3: Laid.parse("3-1 5-5 / 1-1 2-2")}
        bank = BankHolder(Bank.HOUSE, Laid.parse("6-5 4-1 / 6-4 5-2"))
        wagers = Wager(2, "Ann", 200), Wager(3, "Bob", 100)
        done = settle(PlayedRound(rulebook("crown-6.1"), bank, hands, wagers, TableTerms()))
        net = {one.wager.player: one.paid - one.collected for one in done.results}
        assert net == {"Ann": 190, "Bob": -100}
        after = play(seat(["Ann", "Bob"], 0, CUP, RULES), {"Ann": Stake(200), "Bob": Stake(100)}, net, RULES)
        assert after.chips == {"Ann": 1_190, "Bob": 900}

    def test_who_has_no_chips_is_out(self) -> None:
        """crown-6.1 15.4.5(a)."""
        table = seat(["Ann", "Bob"], 0, CUP, RULES)
        after = play(table, {"Ann": Stake(1_000), "Bob": Stake(100)}, {"Ann": -1_000}, RULES)
        assert (after.playing, after.out, table.out) == (("Bob",), {"Ann": 1}, {})
        with pytest.raises(TournamentError, match=r"Ann is not, or no more.*15\.4\.5\(a\)"):
            play(after, {"Ann": Stake(1), "Bob": Stake(100)}, {}, RULES)

    @pytest.mark.parametrize(
        ("stakes", "net", "rule"),
        [
            ({"Ann": Stake(99), "Bob": Stake(100)}, {}, "15.4.4(b)"),
            ({"Bob": Stake(100)}, {}, "15.4.4(b)"),
            ({"Ann": Stake(-5), "Bob": Stake(100)}, {}, "15.4.4(b)"),
            ({"Ann": Stake(1_001), "Bob": Stake(100)}, {}, "15.4.3(b)"),
            ({"Ann": Stake(100, secret=True), "Bob": Stake(100)}, {}, "15.4.4(c)"),
            ({"Ann": Stake(100), "Bob": Stake(100)}, {"Ann": -101}, "15.4.3(b)"),
            ({"Ann": Stake(100), "Bob": Stake(100), "Cy": Stake(100)}, {}, "15.4.5(a)"),
            ({"Ann": Stake(100), "Bob": Stake(100)}, {"Cy": 5}, "15.4.5(a)"),
            # Paid 1 to 1, less at most 5 %, or lost whole, or stood off: nothing else comes of a hand.
            *(({"Ann": Stake(100), "Bob": Stake(100)}, {"Ann": net}, "11.1") for net in (101, 94, 50, 1, -1, -50, -99)),
        ],
    )
    def test_refused_with_the_rule(self, stakes: dict[str, Stake], net: dict[str, int], rule: str) -> None:
        with pytest.raises(EngineError, match=re.escape(f"(crown-6.1 {rule}")):
            play(seat(["Ann", "Bob"], 0, CUP, RULES), stakes, net, RULES)

    def test_a_result_that_a_hand_gives(self) -> None:
        """crown-6.1 11.1, 11.2: commission may be anything up to 5 %; of 130 that is 6.50, taken as 6."""
        for stake, net in [(100, 95), (100, 100), (100, 97), (100, 0), (100, -100), (130, 124)]:
            play(seat(["Ann"], 0, CUP, RULES), {"Ann": Stake(stake)}, {"Ann": net}, RULES)
        with pytest.raises(TournamentError, match=r"\+123 of a wager of 130; a hand gives -130, 0 or 124 to 130"):
            play(seat(["Ann"], 0, CUP, RULES), {"Ann": Stake(130)}, {"Ann": 123}, RULES)
        bonanza = seat(["Ann"], 0, replace(CUP, side_wagers=True), RULES)
        assert play(bonanza, {"Ann": Stake(100)}, {"Ann": 5_000}, RULES).chips == {"Ann": 6_000}
        free = replace(CUP, stages=(replace(CUP.stages[0], least=None), *CUP.stages[1:]), side_wagers=True)
        with pytest.raises(TournamentError, match="nothing without a wager"):
            play(seat(["Ann"], 0, free, RULES), {}, {"Ann": 5}, RULES)

    def test_the_last_chips_are_wagered_though_they_are_too_few(self) -> None:
        """crown-6.1 15.4.4(b): what is compulsory cannot be more than a player has."""
        assert play(heat(Ann=60), {"Ann": Stake(60)}, {"Ann": -60}, RULES).playing == ()
        with pytest.raises(TournamentError, match="60 is compulsory"):
            play(heat(Ann=60), {"Ann": Stake(50)}, {}, RULES)

    def test_secret_wagers_are_counted(self) -> None:
        """crown-6.1 15.4.4(c): one in the final."""
        table = seat(["Ann", "Bob"], 1, CUP, RULES)
        after = play(table, {"Ann": Stake(5, secret=True), "Bob": Stake(5)}, {}, RULES)
        play(after, {"Ann": Stake(5), "Bob": Stake(5, secret=True)}, {}, RULES)
        with pytest.raises(TournamentError, match=r"15\.4\.4\(c\)"):
            play(after, {"Ann": Stake(5, secret=True)}, {}, RULES)

    def test_a_stage_ends_with_its_hands(self) -> None:
        """crown-6.1 15.4.3(a)(i)."""
        with pytest.raises(TournamentError, match=r"its 3 hands are played.*15\.4\.3\(a\)\(i\)"):
            play(replace(heat(Ann=60), played=3), {"Ann": Stake(60)}, {}, RULES)

    @given(st.lists(st.tuples(st.integers(0, 400), st.integers(-400, 400)), min_size=3, max_size=3))
    @settings(max_examples=200)
    def test_chips_are_what_was_won_and_lost(self, hands: list[tuple[int, int]]) -> None:
        table, total = seat(["Ann"], 0, CUP, RULES), 1_000
        for stake, net in hands:
            before = table
            try:
                table = play(table, {"Ann": Stake(stake)}, {"Ann": net}, RULES)
            except TournamentError:
                given = net in {0, -stake} or stake - stake // 20 <= net <= stake
                assert stake < min(100, total) or stake > total or not given or total == 0
                assert table is before
                continue
            total += net
            assert table.chips == {"Ann": total}
            assert ("Ann" in table.out) == (total == 0)


class TestPlaces:
    def test_by_chips(self) -> None:
        """crown-6.1 15.4.6(a): equal chips are one place."""
        assert standing(heat(Ann=500, Bob=900, Cy=500, Dee=100)) == (
            Standing(1, ("Bob",), 900),
            Standing(2, ("Ann", "Cy"), 500),
            Standing(4, ("Dee",), 100),
        )

    def test_those_out_share_a_place_unless_the_terms_rank_them(self) -> None:
        table = replace(heat(Ann=500, Bob=0, Cy=0, Dee=0), out={"Bob": 1, "Cy": 3, "Dee": 1})
        assert standing(table)[1] == Standing(2, ("Bob", "Cy", "Dee"), 0)
        assert standing(table, later_is_better=True)[1:] == (Standing(2, ("Cy",), 0), Standing(3, ("Bob", "Dee"), 0))

    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            (heat(Ann=5, Bob=9, Cy=3), Progress(("Bob", "Ann"), (), 0, ("Cy",))),
            (heat(Ann=5, Bob=9, Cy=5), Progress(("Bob",), ("Ann", "Cy"), 1, ())),
            (heat(Ann=5, Bob=5, Cy=5, Dee=1), Progress((), ("Ann", "Bob", "Cy"), 2, ("Dee",))),
            (heat(Ann=5, Bob=5, Cy=1), Progress(("Ann", "Bob"), (), 0, ("Cy",))),
            (heat(Ann=5, Bob=0, Cy=0), Progress(("Ann",), (), 0, ("Bob", "Cy"))),
        ],
    )
    def test_who_goes_on(self, table: TournamentTable, expected: Progress) -> None:
        """crown-6.1 15.4.3(a)(iii): two of each table; a tie is reported, 15.4.8(h)."""
        assert progress(table) == expected

    def test_nobody_goes_on_from_the_last_stage(self) -> None:
        assert progress(seat(["Ann", "Bob"], 1, CUP, RULES)) == Progress((), (), 0, ("Ann", "Bob"))

    def test_play_may_end_once_those_who_go_on_are_known(self) -> None:
        """crown-6.1 15.4.8(d)(i)."""
        assert may_end(heat(Ann=5, Bob=9, Cy=0))
        assert not may_end(heat(Ann=5, Bob=9, Cy=1))
        assert may_end(replace(heat(Ann=5, Bob=9, Cy=1), played=3))
        assert not may_end(replace(heat(Ann=5, Bob=0), stage=FINAL))

    def test_prizes(self) -> None:
        """crown-6.1 15.4.7(b)."""
        places = standing(heat(Ann=5, Bob=9, Cy=3, Dee=1))
        assert award(places, [60, 30, 10]).prizes == (("Bob", 60), ("Ann", 30), ("Cy", 10))
        assert award(places[:1], [60, 30]).prizes == (("Bob", 60),)

    def test_tied_prizes_are_not_divided(self) -> None:
        """crown-6.1 15.4.8(h): the Tournament Director's; equal prizes need no decision."""
        places = standing(heat(Ann=5, Bob=9, Cy=5, Dee=1))
        assert award(places, [60, 30, 10]) == award(places, [60, 30, 10, 0][:3])
        assert award(places, [60, 30, 10]).tied == ((("Ann", "Cy"), (30, 10)),)
        assert award(places, [60, 30]).tied == ((("Ann", "Cy"), (30,)),)
        assert award(places, [60, 20, 20, 5]).prizes == (("Bob", 60), ("Ann", 20), ("Cy", 20), ("Dee", 5))

    def test_employees_win_nothing(self) -> None:
        """crown-6.1 15.4.2(a)(v): the next eligible place-getter stands in."""
        places = standing(heat(Ann=5, Bob=9, Cy=5, Dee=1))
        assert award(places, [60, 30, 10], {"Bob"}).tied == ((("Ann", "Cy"), (60, 30)),)
        assert award(places, [60, 30, 10], {"Cy"}).prizes == (("Bob", 60), ("Ann", 30), ("Dee", 10))
