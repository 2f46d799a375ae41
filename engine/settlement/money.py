"""Money: whole numbers of the smallest unit (cents, say), rates as fractions, roundings with a name."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from engine.errors import WagerError

if TYPE_CHECKING:
    from fractions import Fraction

    from engine.vocabulary.sources import Cite


class Rounding(Enum):
    """What becomes of an amount that chips cannot make."""

    DOWN = "the next lowest amount that chips can make"
    EXACT = "never rounded"


def down_to(amount: Fraction | int, step: int) -> int:
    """The greatest multiple of `step` that is no more than `amount`."""
    return amount // step * step


def up_to(amount: Fraction | int, step: int) -> int:
    """The least multiple of `step` that is no less than `amount`."""
    return -(-amount // step) * step


def whole(amount: object, what: str, cite: Cite, *, least: int = 1) -> int:
    """An amount as it is, if it is a whole number of the smallest unit and not too small.

    Raises:
        WagerError: it is negative, too small, fractional, a truth value, or no number.
    """
    if isinstance(amount, bool) or not isinstance(amount, int):
        raise WagerError(
            f"{what} is {amount!r}, not a whole number; write money in the smallest unit, 2500 for 25.00", cite
        )
    if amount < least:
        raise WagerError(f"{what} is {amount}; it must be {least} or more", cite)
    return amount


def check_limits(whose: str, minimum: int | None, maximum: int | None, cite: Cite) -> None:
    """Refuse limits that are no amounts, or cross.

    Raises:
        WagerError: an amount is no whole number, or the minimum is above the maximum.
    """
    for name, amount in (("minimum", minimum), ("maximum", maximum)):
        if amount is not None:
            whole(amount, f"{whose} {name}", cite)
    if minimum is not None and maximum is not None and minimum > maximum:
        raise WagerError(f"{whose} minimum {minimum} is above the maximum {maximum}", cite)
