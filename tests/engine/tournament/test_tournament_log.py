"""A tournament replayed: chips, who goes on, places and prizes, and what is refused where."""

from dataclasses import replace

import pytest

from engine.books.registry import rulebook
from engine.tournament.replay import HandPlayed, TablePlayed, TournamentLog, replay
from engine.tournament.requirements import Format, TournamentRules, TournamentStage
from engine.tournament.table_play import Awards, Stake, Standing


def _rules() -> TournamentRules:
    rules = rulebook("crown-6.1").tournament
    assert rules is not None
    return rules


RULES = _rules()
HEAT, FINAL = TournamentStage("heat", hands=2, through=1, least=100), TournamentStage("final", hands=1)
CUP = Format(bank=1_000, fewest=2, most=6, stages=(HEAT, FINAL))


def hand(net: dict[str, int], *players: str, stake: int = 100) -> HandPlayed:
    return HandPlayed({player: Stake(stake) for player in players}, net)


AB = hand({"Ann": 95}, "Ann", "Bob")
CD = hand({"Dee": 95}, "Cy", "Dee")
HEATS = (TablePlayed("heat", ("Ann", "Bob"), (AB, AB)), TablePlayed("heat", ("Cy", "Dee"), (CD, CD)))
LAST = TablePlayed("final", ("Ann", "Dee"), (hand({"Dee": -500}, "Ann", "Dee", stake=500),))
LOG = TournamentLog(("Ann", "Bob", "Cy", "Dee"), (*HEATS, LAST), (60, 40))


def heat(*changed: TablePlayed, then: tuple[TablePlayed, ...] = ()) -> TournamentLog:
    return replace(LOG, tables=(*changed, *then))


def test_from_the_heats_to_the_prizes() -> None:
    done = replay(LOG, CUP, RULES)
    assert done.refused == ""
    assert [(table.number, table.through) for table in done.tables] == [(1, ("Ann",)), (2, ("Dee",)), (1, ())]
    assert [state.chips["Ann"] for state in done.tables[0].states] == [1_000, 1_095, 1_190]
    assert done.tables[2].states[0].chips == {"Ann": 1_190, "Dee": 1_190}  # carried
    assert done.places == (Standing(1, ("Ann",), 1_190), Standing(2, ("Dee",), 690))
    assert done.awards == Awards((("Ann", 60), ("Dee", 40)), ())


def test_a_stage_begun_afresh() -> None:
    done = replay(LOG, replace(CUP, stages=(HEAT, replace(FINAL, afresh=True))), RULES)
    assert done.tables[2].states[0].chips == {"Ann": 1_000, "Dee": 1_000}


def test_several_tables_in_the_last_stage_are_placed_together() -> None:
    finals = tuple(TablePlayed("final", (player,), (hand({player: net}, player),)) for player, net in
                   (("Ann", -100), ("Dee", 95)))  # fmt: skip
    assert replay(heat(*HEATS, *finals), CUP, RULES).places == (
        Standing(1, ("Dee",), 1_285),
        Standing(2, ("Ann",), 1_090),
    )


def test_nobody_is_placed_before_the_end() -> None:
    done = replay(heat(*HEATS, replace(LAST, hands=())), CUP, RULES)
    assert (done.places, done.awards, done.refused) == ((), None, "")


TIED = TablePlayed("heat", ("Ann", "Bob"), (hand({}, "Ann", "Bob"),) * 2)


def test_a_tie_waits_for_the_tournament_director() -> None:
    """crown-6.1 15.4.8(h): until the decision nobody goes on, afterwards who was chosen does."""
    (table,) = replay(heat(TIED), CUP, RULES).tables
    assert table.progress is not None
    assert (table.progress.tied, table.through) == (("Ann", "Bob"), ())
    assert "Ann did not go on from heat" in replay(heat(TIED, HEATS[1], LAST), CUP, RULES).refused
    decided = replay(heat(replace(TIED, through=("Ann",)), HEATS[1], LAST), CUP, RULES)
    assert (decided.tables[0].through, decided.refused) == (("Ann",), "")


def test_a_clear_leader_goes_on_while_others_are_tied() -> None:
    """crown-6.1 15.4.3(a)(iii): Ann leads; only the second place of the heat waits for the decision (15.4.8(h))."""
    cup = replace(CUP, stages=(replace(HEAT, through=2), FINAL))
    three = ("Ann", "Bob", "Cy")
    table = TablePlayed("heat", three, (hand({"Ann": 95}, *three), hand({}, *three)))
    final = TablePlayed("final", ("Ann",), ())
    for through in ((), ("Ann",)):
        done = replay(heat(replace(table, through=through), final), cup, RULES)
        assert done.tables[0].progress is not None
        assert (done.tables[0].progress.tied, done.tables[0].progress.spots) == (("Bob", "Cy"), 1)
        assert (done.tables[0].through, done.refused) == (("Ann",), "")
    with_bob = replay(heat(table, replace(final, players=("Ann", "Bob"))), cup, RULES)
    assert "Bob did not go on from heat" in with_bob.refused
    decided = replay(heat(replace(table, through=("Ann", "Bob"))), cup, RULES)
    assert decided.tables[0].through == ("Ann", "Bob")


BROKE = TablePlayed("heat", ("Ann", "Bob"), (hand({"Bob": -1_000}, "Ann", "Bob", stake=1_000),))


def test_play_ends_early_once_those_who_go_on_are_known() -> None:
    """crown-6.1 15.4.8(d)(i)."""
    assert replay(heat(BROKE), CUP, RULES).tables[0].through == ("Ann",)
    assert replay(heat(BROKE), replace(CUP, buy_back=True), RULES).tables[0].through == ()  # Bob may come back


def test_buying_back() -> None:
    """crown-6.1 15.4.3(a)(iv)."""
    back = HandPlayed({"Ann": Stake(100), "Bob": Stake(500)}, {"Bob": 475}, {"Bob": 500})
    log = heat(replace(BROKE, hands=(*BROKE.hands, back)))
    assert replay(log, replace(CUP, buy_back=True), RULES).tables[0].last.chips == {"Ann": 1_000, "Bob": 975}
    assert replay(log, CUP, RULES).refused.endswith("hand 2: Bob buys back, which the format does not allow "
                                                    "(crown-6.1 15.4.3(a)(iv))")  # fmt: skip


@pytest.mark.parametrize(
    ("log", "kept", "why", "rule"),
    [
        (replace(LOG, players=("Ann",)), 0, "1 players entered", "15.4.1(a)(iii)"),
        (heat(replace(HEATS[0], players=("Ann", "Zed"))), 0, "heat, table 1: Zed did not enter", "15.4.1(a)(iii)"),
        (heat(replace(HEATS[0], stage="semi")), 0, "no stage 'semi'; it has heat, final", "15.4.3(a)(i)"),
        (heat(HEATS[0], HEATS[0]), 1, "heat, table 2: Ann sits at another table", "15.4.3(a)(i)"),
        (heat(*HEATS, LAST, HEATS[0]), 3, "final is played already", "15.4.3(a)(i)"),
        (heat(LAST), 0, "final, table 1: Ann did not go on from heat", "15.4.3(a)(iii)"),
        (heat(*HEATS, replace(LAST, players=("Ann", "Cy"))), 2, "Cy did not go on from heat", "15.4.3(a)(iii)"),
        (heat(replace(HEATS[0], hands=(AB,)), LAST), 1, "Ann did not go on", "15.4.3(a)(iii)"),
        (heat(replace(HEATS[0], hands=(AB, AB, AB))), 1, "hand 3: heat is over", "15.4.3(a)(i)"),
        (heat(replace(HEATS[0], through=("Bob",))), 1, "Bob went on; by chips Ann may", "15.4.3(a)(iii)"),
        (heat(replace(TIED, through=("Ann", "Bob"))), 1, "by chips nobody and 1 of Ann, Bob may", "15.4.3(a)(iii)"),
        (heat(replace(HEATS[0], hands=(AB,), through=("Ann",))), 1, "1 of 2 hands are played", "15.4.3(a)(iii)"),
        (heat(*HEATS, replace(LAST, through=("Ann",))), 3, "final is the last stage", "15.4.3(a)(iii)"),
        (heat(replace(HEATS[0], hands=(hand({}, "Ann"),))), 1, "table 1, hand 1: Bob wagers 0", "15.4.4(b)"),
        (heat(replace(HEATS[0], hands=(hand({}, "Ann", "Bob", stake=2_000),))), 1, "has 1000", "15.4.3(b)"),
    ],
)
def test_what_is_refused_and_where(log: TournamentLog, kept: int, why: str, rule: str) -> None:
    done = replay(log, CUP, RULES)
    assert why in done.refused
    assert done.refused.endswith(f"(crown-6.1 {rule})")
    assert len(done.tables) == kept
    assert (done.places, done.awards) == ((), None)


def test_what_came_before_a_refusal_stands() -> None:
    bad = replace(HEATS[0], hands=(AB, hand({}, "Ann")))
    (table,) = replay(heat(bad), CUP, RULES).tables
    assert [state.chips["Ann"] for state in table.states] == [1_000, 1_095]
