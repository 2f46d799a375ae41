"""Simulated rounds, followed as at a table: observations are recorded, checked against the book, and settled."""

import json
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from random import Random

import pytest

from datasets.simulator.readings import ErrorRates, ReadingSource
from datasets.simulator.script import Options, Script, script
from engine.books.registry import rulebook
from engine.game.box_order import FROM_RIGHT
from engine.game.hands import Hand
from engine.game.tiles import Tile
from engine.round import RoundLog
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.settle import settle
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from engine.vocabulary.irregularities import code
from service.rounds.judge.round_settlement import RoundLogOut
from service.rounds.judge.rules_in_force import rules_of
from service.rounds.reports import RoundReport
from service.rounds.served import FindingOut
from tests.service.rounds.followed import START, every_revision, followed, tracker_of
from vision.tracking.observed.procedure import Procedure, finding_of


@pytest.fixture(scope="module", params=["nz-1998", "star-2024"])
def made(request: pytest.FixtureRequest) -> Script:
    mistakes = ("exposed-out-of-turn", "exposed-before-bank")
    return script(31, Options(rulebook=request.param, rounds=3, mistakes=mistakes, mistake_rate=0.4))


@pytest.fixture(scope="module")
def rounds(made: Script) -> list[RoundReport]:
    return followed(made)


def test_a_round_is_recorded_with_what_was_seen(made: Script, rounds: list[RoundReport]) -> None:
    assert len(rounds) == 3
    for report, truth in zip(rounds, made.rounds, strict=True):
        assert report.log is not None
        kinds = [each.kind for each in report.log.seen]
        for kind in ("tiles-stacked", "dice-seen", "tiles-dealt", "delivery-ended", "hand-opened", "hand-put-away"):
            assert kind in kinds
        assert [each.number for each in report.log.seen] == list(range(1, len(kinds) + 1))
        assert all(one.at <= other.at for one, other in pairwise(report.log.seen))
        dealt = [box for each in report.log.seen if each.kind == "tiles-dealt" for box in each.facts["boxes"]]
        boxes = [box for box in dealt if box is not None]
        # A sleeve may hide the last tiles until they are taken back.
        assert boxes == [box for box in truth.course.dealt.order if box in boxes]
        assert len(boxes) >= len(truth.course.dealt.order) - 2


def test_its_departures_follow_from_the_record_alone(made: Script, rounds: list[RoundReport]) -> None:
    told = 0
    for report, truth in zip(rounds, made.rounds, strict=True):
        assert report.log is not None
        again = report.log.observed
        codes = {str(finding_of(each).code) for each in again.departures}
        done = {each.kind.replace("-", "_") for each in truth.mistakes}
        # A hand that is opened before the bank's may be opened before others as well whose turn it is.
        assert done <= codes <= done | {"exposed_out_of_turn"}
        assert bool(codes) is bool(done)
        recorded = {each.code: each for each in report.findings if each.code in codes}
        assert recorded.keys() == codes
        for found in recorded.values():
            assert found.rule is not None
            assert found.rule.startswith(made.options.rulebook)
            options = FindingOut.from_report(found, rules_of(report).book).options
            assert options
            assert all(option.by and option.effect and option.rule for option in options)
        told += len(codes)
    assert told


def test_it_settles_with_wagers_sent_and_its_log_replays(made: Script, rounds: list[RoundReport]) -> None:
    rng, whole = Random(5), 0  # noqa: S311  stakes of a test
    for report in rounds:
        assert report.log is not None
        hands = {hand.place: hand for hand in report.hands if hand.status == "verified"}
        laid = {
            place: Laid(*(Hand.of(tuple(map(Tile.parse, pair))) for pair in (hand.low, hand.high)))
            for place, hand in hands.items()
        }
        boxes = {int(place.removeprefix("box")): hand for place, hand in laid.items() if place != "house"}
        played = PlayedRound(
            book=rulebook(made.options.rulebook),
            bank=BankHolder(Bank.HOUSE, laid["house"]),
            hands=boxes,
            wagers=tuple(Wager(box, f"player {box}", 1000 * rng.randint(1, 9)) for box in boxes),
            terms=TableTerms(),
        )
        said = RoundLogOut.of(played, report.log.observed.seen, 0)
        assert said.gap is None
        assert said.log is not None
        log = RoundLog.from_dict(json.loads(json.dumps(said.log)))
        assert {one.wager: one.outcome for one in log.settlement.results} == {
            one.wager: one.outcome for one in settle(played).results
        }
        assert sum(log.settlement.balances.values()) == 0
        whole += 1
    assert whole == 3


def test_a_wrong_deal_is_told_before_any_hand_is_opened() -> None:
    made = script(7, Options(rulebook="star-2024", mistakes=("wrong-first-box",), mistake_rate=1.0))
    (truth,) = made.rounds
    first = next(report for report in every_revision(made))
    assert not first.hands
    assert "wrong_first_box" in {each.code for each in first.findings}
    opened = min(hand.lays[0].t_s for hand in truth.hands.values())
    assert (first.opened_at - START).total_seconds() < opened - 3
    (last,) = followed(made)
    assert last.hands
    assert "wrong_first_box" in {each.code for each in last.findings}


def test_a_wrong_deal_that_is_taken_back_is_a_round_of_its_own() -> None:
    made = script(7, Options(rulebook="star-2024", mistakes=("wrong-first-box",), mistake_rate=1.0))
    tracker = tracker_of(made)
    readings = iter(ReadingSource(made, 5.0, ErrorRates(), seed=1))
    opened = None
    while opened is None:
        timed = next(readings)
        opened = tracker.update(timed.reading, START + timedelta(seconds=timed.t_s))
    closed = None
    for number in range(1, 20):
        bare = replace(timed.reading, tiles=(), dice=())
        closed = closed or tracker.update(bare, START + timedelta(seconds=timed.t_s + number / 5))
    assert closed is not None
    assert (closed.id, closed.hands) == (opened.id, ())
    assert closed.closed_at is not None
    assert {each.code for each in closed.findings} >= {each.code for each in opened.findings}


@pytest.mark.slow
def test_a_lost_hand_left_lying_is_told_where_no_side_wagers_are_taken() -> None:
    mistakes = ("lost-hand-left",)
    made = script(200006, Options(rulebook="nz-1998", rounds=2, mistakes=mistakes, mistake_rate=1.0))
    assert [each.kind for truth in made.rounds for each in truth.mistakes]
    for report, truth in zip(followed(made), made.rounds, strict=True):
        told = {each.code for each in report.findings if each.rule is not None}
        assert told == ({"lost_hand_left"} if truth.mistakes else set())
    for side_wagers in (True, False):
        procedure = Procedure(rulebook("crown-6.1"), FROM_RIGHT, side_wagers)
        observed = procedure.observed(())
        assert observed is not None
        assert observed.side_wagers is side_wagers


def test_a_finding_says_what_the_book_has_for_it_now() -> None:
    """Not what it had when the tile showed, in every revision as far as it was observed then."""
    made = script(11, Options(rulebook="star-2024", mistakes=("tile-shown",), mistake_rate=1.0))
    reached = []
    for report in every_revision(made):
        assert report.log is not None
        now = tuple(sorted(map(code, report.log.observed.progress.reached)))
        told = [each for found in report.findings if found.code == "tile_exposed" for each in found.irregularities]
        assert {each.reached for each in told} <= {now}
        reached += [now] if told else []
    assert len(set(reached)) > 1
