"""The bound of the error rate, compared with simulated tables, and figures worked out by hand."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.table.audit.audit_log import AuditVerdict
from service.table.audit.error_rates import ENOUGH, Cell, FigureReport, as_seen, at_worst, audit_figures, upper_bound
from tests.service.table.audit.tables import DOUBTFUL, AuditedTable


@pytest.mark.parametrize("asked", [1, 10, 59, 300])
def test_without_an_error_the_bound_is_the_known_formula(asked: int) -> None:
    assert upper_bound(0, asked) == pytest.approx(1 - 0.05 ** (1 / asked))


def test_equal_probabilities_give_clopper_and_pearson() -> None:
    cells = [Cell(members=100, errors=1, right=9), Cell(members=300, right=30)]
    found = as_seen(cells)
    assert found.rate == pytest.approx(1 / 40)
    assert found.weight == pytest.approx(1)
    assert found.upper == pytest.approx(upper_bound(1, 40))


def test_each_cell_stands_for_its_members() -> None:
    cells = [Cell(members=10, errors=5, right=5), Cell(members=990, right=10)]
    found = as_seen(cells)
    assert found.rate == pytest.approx(0.005)
    assert (found.members, found.asked, found.errors) == (1000, 20, 5)
    assert found.weight == pytest.approx(1.98)


def test_what_was_not_seen_counts_as_an_error_at_worst() -> None:
    cells = [Cell(members=50, errors=1, right=6, slips=1, unseen=2)]
    assert (as_seen(cells).errors, as_seen(cells).asked) == (1, 8)
    assert (at_worst(cells).errors, at_worst(cells).asked) == (4, 10)
    assert at_worst(cells).upper > as_seen(cells).upper


def test_cells_without_an_answer_are_not_spoken_of() -> None:
    assert as_seen([Cell(members=7, right=2), Cell(members=1000)]).members == 7
    assert as_seen([Cell(members=7, unseen=3)]).rate is None
    assert (as_seen([]).upper, as_seen([]).rate) == (1.0, None)


@pytest.mark.parametrize("wrong", [{"members": 2, "right": 3}, {"members": 5, "errors": -1}])
def test_counts_that_cannot_be_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="negative, or there are more answers"):
        Cell(**wrong)


_CELL = st.integers(1, 400).flatmap(
    lambda members: st.tuples(st.just(members), st.integers(0, members // 2), st.integers(1, min(members, 30)))
)


@given(st.lists(_CELL, min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_the_true_rate_exceeds_the_bound_in_one_table_of_20(cells: list[tuple[int, int, int]], seed: int) -> None:
    """Days and strata of any sizes, each with its own number of errors, sampled without replacement."""
    tables, random = 400, np.random.default_rng(seed)
    members, errors, taken = (np.array(column) for column in zip(*cells, strict=True))
    truth = errors.sum() / members.sum()
    found = random.hypergeometric(errors, members - errors, taken, size=(tables, len(cells)))
    weight = (members / members.sum() / (taken / taken.sum())).max()
    bounds = {count: min(1.0, weight * upper_bound(count, int(taken.sum()))) for count in set(found.sum(1).tolist())}
    one = as_seen(Cell(int(of), int(x), int(n - x)) for of, n, x in zip(members, taken, found[0], strict=True))
    assert one.upper == pytest.approx(bounds[int(found[0].sum())])
    exceeded = sum(truth > bounds[count] + 1e-12 for count in found.sum(1).tolist())
    assert exceeded <= 42  # of 400 at 5 %: five standard deviations above 20


def test_a_bound_that_forgets_the_weights_would_be_found() -> None:
    """The same simulation shows that pooling samples of unequal probability is not safe."""
    random = np.random.default_rng(1)
    found = random.hypergeometric([0, 100], [100, 900], [50, 10], size=(400, 2)).sum(1)
    truth = 100 / 1100
    pooled = sum(truth > upper_bound(int(count), 60) for count in found)
    weighed = sum(truth > min(1.0, 1000 / 1100 * 6 * upper_bound(int(count), 60)) for count in found)
    assert (pooled > 42, weighed <= 42) == (True, True)


@pytest.fixture
def table() -> Iterator[AuditedTable]:
    """Five House hands and five of a box are verified, and two of each are drawn."""
    made = AuditedTable(hands=4, throws=0)
    made.day(0, 5)
    yield made
    made.record.close()


def figure(table: AuditedTable, version: str | None = None, month: str | None = None) -> FigureReport:
    found = audit_figures("test", table.log.history()).figures
    (one,) = (each for each in found if (each.of, each.version, each.month) == ("hands", version, month))
    return one


def decided(table: AuditedTable, verdict: AuditVerdict) -> None:
    differing = table.differ()
    assert differing.answer is not None
    table.answering.decide(differing.answer.seq, verdict, "ann")


def test_rare_kinds_are_drawn_more_often_and_weigh_no_more() -> None:
    """Six House hands, six of a box, and four of rounds with a doubt; two of each kind are drawn."""
    table = AuditedTable(hands=6, throws=0)
    table.day(0, 6, DOUBTFUL, DOUBTFUL)
    rare = [item.index for item in table.log.history().items if item.drawn.member.stratum == "hand_beside_doubt"]
    assert len(rare) == 2
    for index in range(6):
        if index == rare[0]:
            decided(table, AuditVerdict.READING_WRONG)
        else:
            table.answer()
    said = figure(table)
    assert (said.verified, said.seen.asked, said.seen.errors) == (16, 6, 1)
    assert said.seen.rate == pytest.approx(4 / 16 * 1 / 2)
    weight = (6 / 16) / (2 / 6)
    assert said.seen.upper == pytest.approx(weight * 0.581803, abs=1e-6)  # Clopper and Pearson's for 1 of 6
    table.record.close()


def test_before_anybody_answered_nothing_is_known(table: AuditedTable) -> None:
    said = figure(table)
    assert (said.verified, said.drawn, said.answered, said.enough) == (10, 4, 0, False)
    assert (said.seen.asked, said.seen.rate, said.seen.upper) == (0, None, 1.0)


def test_without_an_error_the_bound_is_the_plain_one(table: AuditedTable) -> None:
    table.answer(count=4)
    said = figure(table)
    assert (said.seen.asked, said.seen.errors, said.seen.rate) == (4, 0, 0.0)
    assert said.seen.upper == pytest.approx(1 - 0.05**0.25)  # all cells were drawn with one probability
    assert said.at_worst == said.seen


def test_one_error_of_two_in_half_of_the_hands_is_a_quarter(table: AuditedTable) -> None:
    decided(table, AuditVerdict.READING_WRONG)
    table.answer(count=3)
    said = figure(table)
    assert (said.answered, said.seen.errors) == (4, 1)
    assert said.seen.rate == pytest.approx(0.25)
    assert said.seen.upper == pytest.approx(0.751395, abs=1e-6)  # Clopper and Pearson's for 1 of 4
    assert said.at_worst == said.seen


@pytest.mark.parametrize(
    ("verdict", "asked", "errors_at_worst"),
    [(AuditVerdict.ANSWER_WRONG, 4, 1), (AuditVerdict.CANNOT_TELL, 3, 1)],
)
def test_what_a_person_takes_back_counts_in_the_second(
    table: AuditedTable, verdict: AuditVerdict, asked: int, errors_at_worst: int
) -> None:
    decided(table, verdict)
    table.answer(count=3)
    said = figure(table)
    assert (said.seen.asked, said.seen.errors) == (asked, 0)
    assert (said.at_worst.asked, said.at_worst.errors) == (4, errors_at_worst)


def test_what_cannot_be_seen_counts_in_the_second_only(table: AuditedTable) -> None:
    item = table.asked
    table.answering.answer(item.draw, item.index, None, "ann")
    table.answer(count=3)
    said = figure(table)
    assert (said.answered, said.seen.asked, said.at_worst.asked, said.at_worst.errors) == (4, 3, 4, 1)


def test_a_difference_without_a_verdict_is_an_error(table: AuditedTable) -> None:
    table.answer(count=3)
    table.differ()
    said = figure(table)
    assert (said.seen.errors, said.at_worst.errors) == (1, 1)


def test_a_part_of_a_day_does_not_count_and_hides_nothing(table: AuditedTable) -> None:
    """One answer would stand for all hands of its kind."""
    decided(table, AuditVerdict.READING_WRONG)
    table.answer()
    said = audit_figures("test", table.log.history())
    assert (said.waiting, said.unfinished, said.unfinished_errors) == (2, 2, 1)
    assert (said.figures[0].answered, said.figures[0].seen.asked) == (2, 0)
    table.answer(count=2)
    said = audit_figures("test", table.log.history())
    assert (said.waiting, said.unfinished, said.unfinished_errors) == (0, 0, 0)
    assert (said.figures[0].answered, said.figures[0].seen.asked, said.figures[0].seen.errors) == (4, 4, 1)


def test_hands_count_while_throws_wait() -> None:
    table = AuditedTable(hands=4, throws=3)
    table.day(0, 5)
    table.answer(count=5)
    assert figure(table).seen.asked == 4
    assert audit_figures("test", table.log.history()).unfinished == 1
    table.record.close()


def test_versions_and_months_have_figures_of_their_own(table: AuditedTable) -> None:
    table.day(40, 6, detector="sha256:11")
    table.answer(count=8)
    found = [each for each in audit_figures("test", table.log.history()).figures if each.of == "hands"]
    rows = {(each.version is None, each.month, each.verified, each.answered) for each in found}
    assert rows == {
        (True, None, 22, 8),
        (False, None, 10, 4),
        (False, "2026-01", 10, 4),
        (False, None, 12, 4),
        (False, "2026-02", 12, 4),
    }
    assert [each.month for each in found] == [None, None, "2026-02", None, "2026-01"]  # the newest first
    assert len({each.version for each in found}) == 3


def test_enough_is_where_a_bound_without_error_is_below_a_tenth() -> None:
    assert 1 - 0.05 ** (1 / ENOUGH) < 0.1 < 1 - 0.05 ** (1 / (ENOUGH - 1))


def test_enough_is_said_of_what_was_seen(table: AuditedTable) -> None:
    table.answer(count=4)
    assert not figure(table).enough
    table = AuditedTable(hands=ENOUGH, throws=0)
    table.day(0, 20)
    table.answer(count=ENOUGH)
    assert figure(table).enough
    table.record.close()
