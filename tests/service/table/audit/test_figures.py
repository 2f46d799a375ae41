"""Figures that can be worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.table.audit.audit_log import AuditVerdict
from service.table.audit.error_rates import ENOUGH, FigureReport, audit_figures
from tests.service.table.audit.tables import DOUBTFUL, AuditedTable

if TYPE_CHECKING:
    from collections.abc import Iterator


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
