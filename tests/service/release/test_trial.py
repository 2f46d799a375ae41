"""Whether a release has held: by figures that are worked out by hand, and by chance itself."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from service.release.figures import Figures
from service.release.trial import ERRS, LOOKS, Length, chance_of_fewer, due, ended, over, worse


def read(whole: int, rounds: int, doubted: int | None = None, ms: float = 0.0) -> Figures:
    """Rounds of four hands, of which one fails where a round is not whole."""
    failed = rounds - whole
    figures = Figures(
        hands=4 * rounds,
        verified=4 * rounds - failed,
        rounds=rounds,
        whole=whole,
        doubted=failed if doubted is None else doubted,
    )
    return figures.timed(1000, ms) if ms else figures


def test_the_chance_is_that_of_drawing_without_looking() -> None:
    drawn = [sum(pick) for pick in combinations([1, 1, 1, 1, 0, 0, 0], 3)]
    for after in range(4):
        counted = sum(good <= after for good in drawn) / len(drawn)
        assert chance_of_fewer(4 - after, 4, after, 3) == pytest.approx(counted)


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (read(95, 100), read(92, 100), None),
        (read(95, 100), read(70, 100), "release_fewer_verified"),
        (read(95, 100, doubted=5), read(95, 100, doubted=30), "release_more_in_doubt"),
        (read(95, 100, ms=80.0), read(95, 100, ms=110.0), None),
        (read(95, 100, ms=80.0), read(95, 100, ms=130.0), "release_slower"),
        (read(19, 19), read(0, 100), None),  # too few before to tell
        (read(50, 100), read(90, 100), None),
    ],
)
def test_what_is_worse(before: Figures, after: Figures, code: str | None) -> None:
    found = worse(before, after)
    assert (None if found is None else found.code) == code


def test_a_release_that_is_as_good_is_seldom_undone_and_a_bad_one_nearly_always() -> None:
    chance = random.Random(5)  # noqa: S311  no secret

    def undone(rate: float) -> bool:
        before = read(sum(chance.random() < 0.93 for _ in range(100)), 100)
        whole = 0
        for look in range(1, LOOKS + 1):
            whole += sum(chance.random() < rate for _ in range(25))
            if worse(before, read(whole, 25 * look)) is not None:
                return True
        return False

    trials = 400
    assert sum(undone(0.93) for _ in range(trials)) <= 2 * ERRS * trials + 6
    assert sum(undone(0.6) for _ in range(trials)) > 0.95 * trials


def test_when_it_is_looked_at_and_when_it_is_over() -> None:
    length = Length(hands=400, minutes=60.0)
    assert [due(length, read(25, 25), looks) for looks in range(4)] == [True, False, False, False]
    assert [due(length, read(75, 75), looks) for looks in range(4)] == [True, True, True, False]
    assert not over(length, read(99, 99), 59.0)
    assert over(length, read(100, 100), 1.0)
    assert over(length, read(0, 0), 60.0)


def test_what_it_came_to() -> None:
    assert ended(read(95, 100), read(96, 100)).holds
    few = ended(read(5, 5), read(96, 100))
    assert (few.holds, few.finding.code) == (False, "release_not_compared")
