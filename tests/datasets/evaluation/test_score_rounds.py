"""Scoring rounds over time: errors are counted by kind."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.table.places import HOUSE
from datasets.evaluation.ground_truth_visibility import FINDINGS
from datasets.evaluation.rates import upper_bound
from datasets.evaluation.round_scores import RoundScore, score
from datasets.evaluation.score_rounds import main, table
from datasets.evaluation.watching import Watched, watch
from datasets.simulator.readings import ErrorRates
from datasets.simulator.script import Options, Script, script
from datasets.simulator.staging.procedure import OF_MARKERS, PROCEDURE_MISTAKES
from datasets.simulator.timeline import Disturbance
from engine.vocabulary.play import Lie
from vision.findings import Code, Finding

pytestmark = pytest.mark.exhaustive

RATE = 5.0
Rounds = list[tuple[float, Watched]]
Clean = tuple[Script, Rounds]


@pytest.fixture(scope="module")
def clean() -> Clean:
    """A round without mistakes, read without errors."""
    made = script(7, Options(rounds=1))
    return made, watch(made, ErrorRates(), RATE, 7)


def one_watched(rounds: Rounds) -> tuple[Rounds, Watched]:
    """The only round of some, to be changed without changing theirs."""
    ((begun_s, watched),) = rounds
    mine = replace(watched, lays=dict(watched.lays), codes=set(watched.codes), asked=set(watched.asked))
    return [(begun_s, mine)], mine


def with_mistake(kind: str) -> Script:
    return next(
        made
        for made in (script(seed, Options(rounds=1, mistakes=(kind,), mistake_rate=1.0)) for seed in range(100))
        if [each.kind for each in made.rounds[0].mistakes] == [kind]
    )


@pytest.fixture(scope="module")
def set_wrong() -> Clean:
    """A round in which the House hand is set wrongly, read without errors."""
    made = with_mistake("house-set-wrong")
    return made, watch(made, ErrorRates(), RATE, 1)


def scored(made: Script, rounds: Rounds) -> RoundScore:
    into = RoundScore()
    score(made, rounds, into)
    return into


def outcome(made: Script, rounds: Rounds, kind: str) -> tuple[int, int]:
    """How many mistakes of a kind were found, and how many were left to a person."""
    count = scored(made, rounds).count
    return count[f"found {kind}"], count[f"left to a person {kind}"]


def test_a_clean_round_counts_as_right(clean: Clean) -> None:
    count = scored(*clean).count
    hands = len(clean[0].rounds[0].hands)
    assert (count["rounds"], count["rounds clean"], count["rounds not reported exactly once"]) == (1, 1, 0)
    assert count["hands told as verified"] == count["hands covered"] == count["hands asked for"] == hands
    assert count["silent errors"] == count["false alarms in clean rounds"] == 0


def test_a_hand_verified_otherwise_than_it_lay_is_a_silent_error(clean: Clean) -> None:
    rounds, watched = one_watched(clean[1])
    (lay,) = watched.lays[HOUSE]
    (one, two), (three, four) = lay.hand.low, lay.hand.high
    watched.lays[HOUSE] = [replace(lay, hand=replace(lay.hand, low=(three, two), high=(one, four)))]
    score = scored(clean[0], rounds)
    assert score.count["silent errors"] == 1
    assert "SILENT" in score.notes[0]


def test_a_throw_left_in_doubt_is_noted_with_the_reasons(clean: Clean) -> None:
    rounds, watched = one_watched(clean[1])
    throw = watched.last.throw
    assert throw is not None
    doubted = replace(throw.dice[0], status="uncertain", doubts=(Finding(Code.DIE_MAY_LEAN),))
    watched.last = replace(watched.last, throw=replace(throw, dice=(doubted, *throw.dice[1:])))
    score = scored(clean[0], rounds)
    assert score.count["throws verified"] == 0
    assert f"{doubted.colour} {doubted.value}: die_may_lean" in score.notes[0]
    watched.last = replace(watched.last, throw=None)
    assert "not all dice in sight" in scored(clean[0], rounds).notes[0]


def test_a_throw_verified_with_another_value_is_a_silent_error(clean: Clean) -> None:
    rounds, watched = one_watched(clean[1])
    throw = watched.last.throw
    assert throw is not None
    assert throw.verified
    first, *others = throw.dice
    wrong = replace(first, value=1 + (first.value or 0) % 6)
    watched.last = replace(watched.last, throw=replace(throw, dice=(wrong, *others)))
    assert scored(clean[0], rounds).count["silent errors of throws"] == 1


@pytest.mark.parametrize(("book", "untold"), [("crown-6.1", 1), ("nz-1998", 0)])
def test_dice_without_roles_count_only_where_there_is_a_cut_die(book: str, untold: int) -> None:
    made = script(3, Options(rulebook=book, rounds=1, cocked_rate=0.0))
    rounds, watched = one_watched(watch(made, ErrorRates(sure_wrong=0.0), 5.0, 3))
    throw = watched.last.throw
    assert throw is not None
    assert throw.verified
    bare = tuple(replace(die, role=None) for die in throw.dice)
    watched.last = replace(watched.last, throw=replace(throw, dice=bare))
    count = scored(made, rounds).count
    assert (count["throws of untold parts"], count["silent errors of throws"]) == (untold, 0)


def test_a_round_not_followed_covers_no_hand(clean: Clean) -> None:
    count = scored(clean[0], []).count
    assert (count["rounds not reported exactly once"], count["hands covered"]) == (1, 0)
    assert count["hands asked for"] == len(clean[0].rounds[0].hands)


def test_a_finding_in_a_clean_round_is_a_false_alarm(clean: Clean) -> None:
    rounds, watched = one_watched(clean[1])
    watched.codes.add("hand_changed")
    assert scored(clean[0], rounds).count["false alarms in clean rounds"] == 1


def test_a_wrong_house_hand_counts_as_found_only_if_verified(set_wrong: Clean) -> None:
    made = set_wrong[0]
    rounds, watched = one_watched(set_wrong[1])
    assert scored(made, rounds).count["found house-set-wrong"] == 1
    watched.lays.pop(HOUSE)
    count = scored(made, rounds).count
    assert (count["mistake house-set-wrong"], count["found house-set-wrong"]) == (1, 0)


def test_a_mistake_in_a_doubted_hand_is_left_to_a_person(set_wrong: Clean) -> None:
    made = set_wrong[0]
    rounds, watched = one_watched(set_wrong[1])
    watched.lays.pop(HOUSE)
    assert outcome(made, rounds, "house-set-wrong") == (0, 0)
    hand = watched.last.hand(HOUSE)
    assert hand is not None
    doubted = replace(hand.lays[-1], hand=replace(hand.lays[-1].hand, status="uncertain"))
    others = (each for each in watched.last.hands if each.place != HOUSE)
    watched.last = replace(watched.last, hands=(*others, replace(hand, lays=(*hand.lays[:-1], doubted))))
    assert outcome(made, rounds, "house-set-wrong") == (0, 1)
    assert "1 left to a person" in table(scored(made, rounds), 1.0)


def test_a_foreign_tile_beside_a_doubted_hand_is_left_to_a_person() -> None:
    made = with_mistake("foreign-tile")
    rounds, watched = one_watched(watch(made, ErrorRates(), RATE, 1))
    assert outcome(made, rounds, "foreign-tile") == (1, 0)
    watched.codes.clear()
    assert outcome(made, rounds, "foreign-tile") == (0, 1)
    (mistake,) = made.rounds[0].mistakes
    others = tuple(
        hand
        for hand in watched.last.hands
        if hand.now is None or str(mistake.data["face"]) not in map(str, (*hand.now.low, *hand.now.high))
    )
    watched.last = replace(watched.last, hands=others)
    assert outcome(made, rounds, "foreign-tile") == (0, 0)


def test_a_hand_opened_too_early_under_a_sleeve_is_not_to_be_seen() -> None:
    made = with_mistake("exposed-out-of-turn")
    rounds = watch(made, ErrorRates(), RATE, 1)
    (mistake,), hands = made.rounds[0].mistakes, made.rounds[0].hands
    assert scored(made, rounds).count["found exposed-out-of-turn"] == 1
    rounds[0][1].codes.clear()
    count = scored(made, rounds).count
    assert (count["mistake exposed-out-of-turn"], count["found exposed-out-of-turn"]) == (1, 0)
    late_s = max(hand.lays[0].t_s for hand in hands.values())
    hands[mistake.place].visible[:] = [(late_s, late_s + 9.0)]
    count = scored(made, rounds).count
    assert (count["mistake exposed-out-of-turn"], count["mistakes not to be seen"]) == (0, 1)


def test_a_wrong_hand_with_a_deceiving_tile_counts_apart(set_wrong: Clean) -> None:
    made = set_wrong[0]
    rounds, watched = one_watched(watch(made, ErrorRates(deceived=1.0), RATE, 1))
    assert {n for _, n in watched.deceived} >= set(made.rounds[0].hands[HOUSE].tiles)
    count = scored(made, rounds).count
    assert (count["mistake house-set-wrong"], count["mistakes not to be read"]) == (0, 1)
    assert count["referred, not to be read"] == 1
    watched.deceived = []
    assert scored(made, rounds).count["mistake house-set-wrong"] == 1


def test_a_found_mistake_counts_though_a_tile_deceived_in_part(set_wrong: Clean) -> None:
    made = set_wrong[0]
    rounds, watched = one_watched(set_wrong[1])
    house = made.rounds[0].hands[HOUSE]
    watched.deceived = [(house.visible[0][0], n) for n in house.tiles]
    count = scored(made, rounds).count
    assert (count["found house-set-wrong"], count["mistakes not to be read"]) == (1, 0)


def test_sessions_side_by_side_count_as_one_after_the_other(tmp_path: Path) -> None:
    output = {}
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.json"
        assert main(["--sessions", "2", "--rounds", "1", "--seed", "3", "--jobs", jobs, "--json", str(out)]) == 0
        output[jobs] = json.loads(out.read_text())
    assert output["1"] == output["2"]
    assert output["1"]["count"]["rounds"] == 2


def test_no_session_begins_when_the_time_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--sessions", "3", "--minutes", "-1"]) == 0
    assert "rounds                           0 (0 clean)" in capsys.readouterr().out


def test_no_error_in_thirty_thousand_bounds_the_rate_at_1e_4() -> None:
    assert upper_bound(0, 30_000) == pytest.approx(1e-4, rel=0.01)
    assert upper_bound(3, 3) == 1.0


@pytest.mark.parametrize(
    ("book", "layout", "low_hand"),
    [
        ("crown-6.1", "six-from-left", None),
        ("nz-1998", "eight-from-left", None),
        ("uk-poster", "seven-from-left", None),
        ("star-2024", "eight-from-left", Lie.HORIZONTAL),
    ],
)
def test_a_correct_round_counts_as_correct_at_any_table(book: str, layout: str, low_hand: Lie | None) -> None:
    made = script(9, Options(rulebook=book, layout=layout, low_hand=low_hand, rounds=1))
    count = scored(made, watch(made, ErrorRates(sure_wrong=0.0), 5.0, 9)).count
    assert (count["rounds clean"], count["false alarms in clean rounds"]) == (1, 0)
    assert (count["silent errors"], count["silent errors of throws"]) == (0, 0)
    assert count["hands covered"] >= count["hands asked for"] - 1 > 2


def test_a_busy_computer_raises_no_false_alarm() -> None:
    made = script(9, Options(rounds=3))
    count = scored(made, watch(made, ErrorRates(), RATE, 9, missed=0.5)).count
    assert (count["rounds clean"], count["false alarms in clean rounds"], count["silent errors"]) == (3, 0, 0)
    assert count["hands covered"] > count["hands asked for"] / 2


@pytest.mark.parametrize("layout", ["eight", "eight-from-left"])
def test_a_hand_opened_out_of_turn_is_found_from_either_end(layout: str) -> None:
    kind = "exposed-out-of-turn"
    made = script(4, Options(layout=layout, rounds=3, mistakes=(kind,), mistake_rate=1.0))
    count = scored(made, watch(made, ErrorRates(sure_wrong=0.0), 5.0, 4)).count
    assert count[f"found {kind}"] == count[f"mistake {kind}"] > 0


@pytest.mark.parametrize(
    ("kind", "player_bank_rate"),
    # With a player in the bank he names the cut, not the cut die; markers move where players may bank.
    [
        (kind, rate)
        for kind in PROCEDURE_MISTAKES
        for rate in ((0.3,) if kind in OF_MARKERS else (0.0, 1.0))
        if (kind, rate) != ("cut-against-die", 1.0)
    ],
)
def test_a_mistake_of_procedure_is_found(kind: str, player_bank_rate: float) -> None:
    book = "nz-1998" if kind in {"lost-hand-left", "stand-off-left", "won-hand-taken"} else "star-2024"
    options = Options(rulebook=book, mistakes=(kind,), mistake_rate=1.0, player_bank_rate=player_bank_rate)
    sessions = (script(seed, options) for seed in range(20))
    watchings = ((made, watch(made, ErrorRates(), RATE, 1)) for made in sessions if made.rounds[0].mistakes)
    made, seen = next((made, seen) for made, seen in watchings if scored(made, seen).count[f"mistake {kind}"])
    rounds, watched = one_watched(seen)
    count = scored(made, rounds).count
    assert (count[f"mistake {kind}"], count[f"found {kind}"]) == (1, 1)
    # Found by what the rulebook says of it, and by nothing else.
    watched.codes -= FINDINGS[kind]
    watched.asked -= FINDINGS[kind]
    assert scored(made, rounds).count[f"found {kind}"] == 0


def test_a_delivery_under_a_covered_lens_could_not_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = "wrong-first-box"
    monkeypatch.setitem(FINDINGS, kind, {"told_by_this"})
    made = script(3, Options(mistakes=(kind,), mistake_rate=1.0))
    (truth,) = made.rounds
    end_s = float(str(truth.mistakes[0].data["end_s"]))
    rounds = watch(made, ErrorRates(), RATE, 1)
    truth.disturbances.append(Disturbance("lens-covered", end_s - 0.5, end_s + 1.0, {}))
    count = scored(made, rounds).count
    assert (count[f"mistake {kind}"], count["mistakes not to be seen"]) == (0, 1)
