"""What a throw decides when nobody could tell which die is the cut die."""

from __future__ import annotations

from typing import Literal

import pytest

from engine.books.registry import BOOKS
from service.codes import ServiceCode
from service.judge.throws import decided
from service.rounds.reports import DieReport


def die(value: int | None, role: Literal["box", "cut"] | None = None, *, cocked: bool = False) -> DieReport:
    """A die as it was read."""
    where = ((0.0, 0.0),) * 4
    return DieReport(
        value=value,
        role=role,
        colour="red",
        cocked=cocked,
        polygon=where,
        confidence=1.0,
        status="verified",
        reasons=(),
    )


@pytest.mark.parametrize(
    ("book", "dice", "total", "first_box"),
    [
        pytest.param("nz-1998", [die(3), die(5), die(2)], 10, 2, id="no cut die: all are box dice"),
        pytest.param("nz-1998", [die(3, "box"), die(5, "box"), die(2, "box")], 10, 2, id="told as box dice"),
        pytest.param("nz-1998", [die(3), die(5)], None, None, id="one hidden"),
        pytest.param("nz-1998", [die(3), die(5), die(2), die(1)], None, None, id="one too many"),
        pytest.param("nz-1998", [die(3), die(5), die(None)], None, None, id="one unread"),
        pytest.param("crown-6.1", [die(3), die(5), die(2), die(1)], None, None, id="which is the cut die is not told"),
        pytest.param("crown-6.1", [die(3), die(5), die(2)], None, None, id="three, of which one may be the cut die"),
    ],
)
def test_dice_that_were_not_told_apart(
    book: str, dice: list[DieReport], total: int | None, first_box: int | None
) -> None:
    said = decided(dice, BOOKS[book])
    assert (said.total, said.first_box) == (total, first_box)
    assert said.status == ("uncertain" if total is None else "verified")


@pytest.mark.parametrize(
    ("dice", "why"),
    [
        pytest.param(
            [die(3), die(5), die(2), die(1)], ServiceCode.CUT_DIE_UNKNOWN, id="which is the cut die is not told"
        ),
        pytest.param(
            [die(3, "box"), die(None, "box"), die(2, "box"), die(1, "cut")], ServiceCode.DIE_NOT_READ, id="unread"
        ),
    ],
)
def test_why_a_throw_decides_nothing(dice: list[DieReport], why: ServiceCode) -> None:
    doubts = decided(dice, BOOKS["crown-6.1"]).doubts
    assert doubts is not None
    assert [doubt.code for doubt in doubts] == [why]


def test_a_leaning_die_is_shaken_again_whatever_it_is_for() -> None:
    said = decided([die(3), die(5), die(2, cocked=True)], BOOKS["nz-1998"])
    assert (said.status, said.first_box) == ("uncertain", None)
    assert said.rule is not None
