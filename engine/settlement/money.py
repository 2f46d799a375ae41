"""Money in whole numbers of the smallest unit (cents, say), named rounding modes, and commission on winnings.

Rates are exact fractions; how a book rounds a commission is ruling 22.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import WagerError

if TYPE_CHECKING:
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact


class Rounding(Enum):
    """Treatment of an amount that chips cannot make."""

    DOWN = "the next lowest amount that chips can make"
    EXACT = "never rounded"


def down_to(amount: Fraction | int, step: int) -> int:
    """The greatest multiple of `step` not exceeding `amount`."""
    return amount // step * step


def up_to(amount: Fraction | int, step: int) -> int:
    """The least multiple of `step` not below `amount`."""
    return -(-amount // step) * step


def whole(amount: object, what: str, cite: Cite, *, least: int = 1) -> int:
    """Validate an amount: a whole number of the smallest unit, not below `least`.

    Raises:
        WagerError: negative, too small, fractional, boolean, or not a number.
    """
    if isinstance(amount, bool) or not isinstance(amount, int):
        raise WagerError(
            f"{what} is {amount!r}, not a whole number; write money in the smallest unit, 2500 for 25.00", cite
        )
    if amount < least:
        raise WagerError(f"{what} is {amount}; it must be {least} or more", cite)
    return amount


def check_limits(whose: str, minimum: int | None, maximum: int | None, cite: Cite) -> None:
    """Reject (`WagerError`) limits that are not amounts, or a minimum above the maximum."""
    for name, amount in (("minimum", minimum), ("maximum", maximum)):
        if amount is not None:
            whole(amount, f"{whose} {name}", cite)
    if minimum is not None and maximum is not None and minimum > maximum:
        raise WagerError(f"{whose} minimum {minimum} is above the maximum {maximum}", cite)


@dataclass(frozen=True, slots=True)
class Commission:
    """Commission rules of a book.

    Attributes:
        rate: of winnings; the highest rate if a lower one may be set.
        lower: the rule that lets the house set a lower rate; None if the rate is fixed.
        rounding: treatment of a commission that chips cannot make.
        banker: the rule by which a player-banker pays it, once a round on his net win.
    """

    rate: Fact[Fraction]
    lower: Cite | None
    rounding: Fact[Rounding]
    banker: Cite

    @property
    def rounds(self) -> bool:
        """Whether the book rounds at all."""
        return self.rounding.value is Rounding.DOWN

    def refusal(self, wanted: Fraction) -> str:
        """Why the book forbids this rate, with the rule; empty if it is allowed."""
        if wanted == self.rate.value:
            return ""
        if self.lower is None:
            return f"the commission is {_percent(self.rate.value)}, not {_percent(wanted)} ({self.rate.where})"
        if not 0 <= wanted <= self.rate.value:
            return (
                f"a commission of {_percent(wanted)} is not between 0 and {_percent(self.rate.value)}: it may be less "
                f"than that ({self.lower}), never more ({self.rate.where})"
            )
        return ""

    def rate_at(self, wanted: Fraction | None) -> Fraction:
        """The rate in force at a table that wants this one (None: the book's); `WagerError` if it is forbidden."""
        if wanted is None:
            return self.rate.value
        if isinstance(wanted, bool) or not isinstance(wanted, Fraction | int):
            raise WagerError(f"the commission {wanted!r} is no fraction; a rate is exact, such as 1/20", self.rate)
        if why := self.refusal(Fraction(wanted)):
            raise WagerError(why)
        return Fraction(wanted)

    def on(self, winnings: int, rate: Fraction, chip: int) -> int:
        """Commission on winnings, in the smallest unit.

        A book that never rounds does not mention fractions of the smallest unit: they are left to the player.
        """
        return down_to(winnings * rate, chip if self.rounds else 1)


def _percent(rate: Fraction | int) -> str:
    return f"{float(rate) * 100:.4g} %"
