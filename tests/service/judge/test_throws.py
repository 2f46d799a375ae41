"""What a throw decides when nobody could tell which die is the cut die."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.books.registry import BOOKS
from service.judge.throws import CUT_DIE_UNTOLD, decided


@dataclass(frozen=True, slots=True)
class Die:
    """A die as it was read."""

    value: int | None
    role: str | None = None
    cocked: bool = False
    status: str = "verified"
    reasons: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("book", "dice", "total", "first_box"),
    [
        pytest.param("nz-1998", [Die(3), Die(5), Die(2)], 10, 2, id="no cut die: all are box dice"),
        pytest.param("nz-1998", [Die(3, "box"), Die(5, "box"), Die(2, "box")], 10, 2, id="told as box dice"),
        pytest.param("nz-1998", [Die(3), Die(5)], None, None, id="one hidden"),
        pytest.param("nz-1998", [Die(3), Die(5), Die(2), Die(1)], None, None, id="one too many"),
        pytest.param("nz-1998", [Die(3), Die(5), Die(None)], None, None, id="one unread"),
        pytest.param("crown-6.1", [Die(3), Die(5), Die(2), Die(1)], None, None, id="which is the cut die is not told"),
        pytest.param("crown-6.1", [Die(3), Die(5), Die(2)], None, None, id="three, of which one may be the cut die"),
    ],
)
def test_dice_that_were_not_told_apart(book: str, dice: list[Die], total: int | None, first_box: int | None) -> None:
    said = decided(dice, BOOKS[book])  # type: ignore[arg-type]
    assert (said.total, said.first_box) == (total, first_box)
    assert said.status == ("uncertain" if total is None else "verified")


@pytest.mark.parametrize(
    ("dice", "why"),
    [
        pytest.param([Die(3), Die(5), Die(2), Die(1)], CUT_DIE_UNTOLD, id="which is the cut die is not told"),
        pytest.param(
            [Die(3, "box"), Die(None, "box"), Die(2, "box"), Die(1, "cut")], "a die cannot be read", id="unread"
        ),
    ],
)
def test_why_a_throw_decides_nothing(dice: list[Die], why: str) -> None:
    assert decided(dice, BOOKS["crown-6.1"]).reasons == (why,)  # type: ignore[arg-type]


def test_a_leaning_die_is_shaken_again_whatever_it_is_for() -> None:
    said = decided([Die(3), Die(5), Die(2, cocked=True)], BOOKS["nz-1998"])  # type: ignore[list-item]
    assert (said.status, said.first_box) == ("uncertain", None)
    assert said.rule is not None
