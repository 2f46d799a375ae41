"""What is followed over time holds at one picture in two seconds as at thirty a second."""

import math

import pytest

from datasets.evaluation.round_scores import RoundScore, score
from datasets.evaluation.watching import watch
from datasets.simulator.readings import ErrorRates
from datasets.simulator.script import Options, script
from engine.house_way.rules import Moment
from tests.vision.tracking.laid_tables import BOX2, HOUSE, THROWN, Table, backs, discards, hand, status
from vision.findings import Code

EVERY_S = pytest.mark.parametrize("every_s", [2.1, 0.6, 0.2, 1 / 30])
"""Pictures asked for every two seconds come a little later."""


def lasting(seconds: float, every_s: float) -> int:
    """Pictures covering this duration, at least three."""
    return max(3, math.ceil(seconds / every_s) + 1)


@EVERY_S
def test_a_whole_round(every_s: float) -> None:
    table = Table(step_s=every_s)
    thrown = table.see([], lasting(0.6, every_s), THROWN).throw
    assert thrown is not None
    assert thrown.verified
    laid = [*hand("house", HOUSE), *hand("box2", BOX2)]
    seen = table.see(laid, lasting(0.6, every_s), THROWN)
    assert [status(seen, place) for place in ("house", "box2")] == ["verified", "verified"]
    assert sum(table.see(discards(8)).over for _ in range(lasting(3.0, every_s))) == 1


@EVERY_S
def test_a_tile_missed_in_a_picture_leaves_its_hand_verified(every_s: float) -> None:
    table = Table(step_s=every_s)
    table.see(hand("house", HOUSE), lasting(1.0, every_s))
    assert status(table.see(hand("house", HOUSE)[1:])) == "verified"
    assert status(table.see(hand("house", HOUSE), lasting(1.0, every_s))) == "verified"


@EVERY_S
@pytest.mark.parametrize("pictures", [1, 2, 5])
def test_what_may_have_happened_out_of_sight_is_not_claimed(every_s: float, pictures: int) -> None:
    table = Table(step_s=every_s)
    closed = backs("box2")
    table.see([*hand("house", HOUSE), *closed], lasting(1.0, every_s))
    covered = max(pictures, math.ceil(0.8 / every_s))
    table.see([], covered, wrong="covered")
    assert table.see([*hand("house", HOUSE), *closed]).moment is Moment.BANK_NOT_PUT_AWAY
    assert table.see([*hand("house", HOUSE), *closed], lasting(3.0, every_s)).moment is Moment.NO_HAND_EXPOSED


@EVERY_S
def test_a_knock_takes_more_than_a_picture(every_s: float) -> None:
    table = Table(step_s=every_s)
    laid = [*hand("house", HOUSE), *hand("box2", BOX2)]
    table.see(laid, lasting(1.0, every_s))
    moved = [*hand("house", HOUSE, off=14.0), *hand("box2", BOX2, off=14.0)]
    assert Code.KNOCKED not in {found.code for found in table.see(moved).findings}


def test_a_simulated_session_with_few_pictures_is_followed_without_a_silent_error() -> None:
    into = RoundScore()
    for seed in (1, 2):
        made = script(seed, Options(rounds=1, mistake_rate=0.3))
        score(made, watch(made, ErrorRates(), 1 / 2.1, seed), into)
    count = into.count
    assert count["rounds not reported exactly once"] == count["silent errors"] == 0
    assert count["throws verified"] == count["throws"] == 2
    assert count["hands told as verified"] >= 1
