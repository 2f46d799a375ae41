"""What many times come to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bench.summary import Ratio, Summary

times = st.lists(st.floats(0.1, 1000.0), min_size=1, max_size=25)


def test_summary_has_median_and_95_percent() -> None:
    assert Summary.of([float(n) for n in range(101)]) == Summary(50.0, 95.0, 101)


@pytest.mark.parametrize(
    ("ours", "theirs", "more_is_better", "ratio"),
    [
        ([10.0], [20.0], False, 2.0),
        ([20.0], [10.0], False, 0.5),
        ([20.0], [10.0], True, 2.0),
        ([1.0, 1.0, 50.0], [2.0, 2.0, 2.0], False, 2.0),
    ],
)
def test_above_one_is_better(ours: list[float], theirs: list[float], more_is_better: bool, ratio: float) -> None:  # noqa: FBT001
    assert Ratio.of(ours, theirs, more_is_better=more_is_better).ratio == pytest.approx(ratio)


@given(times)
def test_the_same_program_is_as_good_as_itself(measured: list[float]) -> None:
    found = Ratio.of(measured, measured)
    assert found.ratio == pytest.approx(1.0)
    assert found.low in (None, pytest.approx(1.0))


@given(times, times)
def test_the_other_way_round_it_is_the_inverse(ours: list[float], theirs: list[float]) -> None:
    count = min(len(ours), len(theirs))
    there, back = Ratio.of(ours[:count], theirs[:count]), Ratio.of(theirs[:count], ours[:count])
    assert there.ratio * back.ratio == pytest.approx(1.0)


def test_what_disturbs_both_alike_does_not_widen_the_range() -> None:
    busy = [1.0, 5.0, 2.0, 9.0, 1.5, 7.0, 3.0, 4.0, 8.0, 6.0]
    found = Ratio.of(busy, [2 * each for each in busy])
    assert [found.low, found.high] == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize(("turns", "known"), [(1, False), (2, False), (3, True), (9, True), (10, True)])
def test_after_too_few_turns_there_is_no_range(turns: int, known: bool) -> None:  # noqa: FBT001
    found = Ratio.of([1.0] * turns, [1.0] * turns)
    assert (found.low is not None, found.high is not None) == (known, known)


def test_after_few_turns_the_range_is_that_of_the_turns() -> None:
    found = Ratio.of([1.0, 2.0, 4.0], [2.0, 2.0, 2.0])
    assert found == Ratio(1.0, 0.5, 2.0)
