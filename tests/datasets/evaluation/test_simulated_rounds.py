"""Simulated rounds of every rulebook raise no false alarm, and each lawful exception is played where a book has it."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from datasets.evaluation.ground_truth_visibility import VisibleRound
from datasets.evaluation.simulated_rounds import RATES, Session, main
from datasets.simulator.layouts import SimulatorError
from datasets.simulator.readings import ErrorRates
from datasets.simulator.script import NO_MISTAKE, Options, Script, script
from datasets.simulator.staging.exceptions import EXCEPTIONS
from datasets.simulator.staging.mistakes import MISTAKES
from engine.books.registry import BOOKS

pytestmark = pytest.mark.exhaustive

WHERE = {
    "other-cut": {"star-2024"},
    "opened-alone": {"nz-1998", "star-2024", "star-classic"},
    "dealt-together": {"nz-1998", "star-2024", "star-classic"},
    "bonus-only": {"crown-6.1"},
    "laja": {"crown-6.1", "nz-1998", "star-2024", "star-classic"},
    "dice-shaken-twice": {"crown-6.1", "nz-1998", "uk-poster"},
    "hand-set-twice": set(BOOKS),
}
"""The books under which a lawful exception can be played."""


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_a_session_of_each_book_raises_no_false_alarm(seed: int) -> None:
    session = Session.of(seed)
    score = session.played(ErrorRates())
    assert score.count["rounds clean"] >= 3
    wrong = ("false alarms in clean rounds", "silent errors", "silent errors of throws")
    assert [score.count[fault] for fault in wrong] == [0, 0, 0], (str(session), score.faults)


def test_crown_pai_gow_is_checked_though_nobody_tells_its_two_dice_apart() -> None:
    """crown-6.1 14.3.2(c), 14.4.1: neither die gives the first box; a place is skipped; the cut is neither die's."""
    session = Session.of(500)
    kinds = ("wrong-first-box", "cut-against-die", "wrong-delivery-order", NO_MISTAKE)
    options = replace(session.options, variant="crown-pai-gow", side_wagers=False, rounds=len(kinds), in_turn=kinds)
    count = replace(session, options=options, rate=5.0).played(ErrorRates()).count
    assert count["throws verified"] == count["throws of untold parts"] == len(kinds)
    found = [kind for kind in kinds if count[f"mistake {kind}"] and count[f"found {kind}"] == count[f"mistake {kind}"]]
    assert {"wrong-first-box", "wrong-delivery-order"} <= set(found)
    assert count["false alarms in clean rounds"] == 0


@pytest.mark.parametrize("seed", [5154, 11223])
def test_a_round_in_too_few_pictures_is_told_as_not_seen(seed: int) -> None:
    """Nor do its dice count for the round after it; the last round of a session is reported as well."""
    count = Session.of(seed).played(ErrorRates()).count
    assert count["rounds told as not seen"] == 1
    assert count["rounds not reported exactly once"] == count["silent errors of throws"] == 0


def test_sessions_go_through_books_rates_mistakes_and_exceptions() -> None:
    sessions = [Session.of(seed) for seed in range(200)]
    assert {each.options.rulebook for each in sessions} == set(BOOKS)
    assert {each.rate for each in sessions} == set(RATES)
    assert {each.options.variant for each in sessions} == {None, "crown-pai-gow"}
    planned = Counter(kind for each in sessions for kind in each.options.in_turn)
    assert set(planned) == {*MISTAKES, *EXCEPTIONS, NO_MISTAKE}


def excepted(book: str, kind: str, seed: int) -> Script:
    way = None if BOOKS[book].prints_house_way else "crown-6.1"
    return script(seed, Options(rulebook=book, house_way=way, in_turn=(kind,), players=(1, 5), side_wagers=True))


@pytest.mark.parametrize(("kind", "book"), [(kind, book) for kind, books in WHERE.items() for book in sorted(books)])
def test_an_exception_is_played_where_the_book_allows_it(kind: str, book: str) -> None:
    sessions = (excepted(book, kind, seed) for seed in range(20))
    made = next(each for each in sessions if any(truth.exceptions for truth in each.rounds))
    for truth in made.rounds:
        assert {each.kind for each in truth.exceptions} <= {kind}
        assert not truth.mistakes
        assert truth.to_json(made.way)["clean"]


@pytest.mark.parametrize("kind", EXCEPTIONS)
def test_no_exception_is_played_where_the_book_has_none(kind: str) -> None:
    for book in set(BOOKS) - WHERE[kind]:
        assert not any(truth.exceptions for truth in excepted(book, kind, 3).rounds)


def test_an_unknown_exception_is_refused() -> None:
    with pytest.raises(SimulatorError, match="unheard-of"):
        Options(in_turn=("unheard-of",))


def test_a_session_is_played_alone_and_written_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rounds.jsonl"
    assert main(["--only", "8", "--out", str(out)]) == 0
    (line,) = out.read_text().splitlines()
    written = json.loads(line)
    assert (written["seed"], written["count"]["rounds"]) == (8, 6)
    assert "false alarms in clean rounds           0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "book", "slowest"),
    [
        ("wrong-first-box", "star-2024", 5.0),
        ("wrong-delivery-order", "star-2024", 5.0),
        ("dice-not-shaken-again", "star-2024", 1.0),
        ("house-set-wrong", "star-2024", 0.5),
        ("chung-elsewhere", "star-2024", 0.5),
    ],
)
def test_what_pictures_show_of_a_mistake_depends_on_how_rare_they_are(kind: str, book: str, slowest: float) -> None:
    options = Options(rulebook=book, in_turn=(kind,), player_bank_rate=0.1, pace=1.3)
    made = next(each for each in (script(seed, options) for seed in range(20)) if each.rounds[0].mistakes)
    (truth,) = made.rounds
    beyond = {rate: VisibleRound(made.way, truth, rate).beyond(truth.mistakes[0]) for rate in RATES}
    assert {rate for rate, why in beyond.items() if not why} == {rate for rate in RATES if rate >= slowest}


def test_another_cut_on_a_table_of_six_boxes_may_empty_no_stack() -> None:
    session = Session.of(20105)
    made = script(session.seed, replace(session.options, in_turn=("cut-against-die",), rounds=3))
    assert len(made.rounds) == 3


def test_a_mistake_of_procedure_names_the_rule_that_it_breaks() -> None:
    options = Options(rulebook="star-2024", in_turn=("wrong-first-box",))
    (mistake,) = script(3, options).rounds[0].mistakes
    assert mistake.data["rule"] == "star-2024 8.4.1"
