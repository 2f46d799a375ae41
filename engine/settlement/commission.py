"""Commission: what the house collects of winnings, by exact fractions, and how a book rounds it (ruling 22)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import WagerError
from engine.settlement.money import Rounding, down_to

if TYPE_CHECKING:
    from engine.vocabulary.facts import Fact
    from engine.vocabulary.sources import Cite


@dataclass(frozen=True, slots=True)
class Commission:
    """What a book collects.

    Attributes:
        rate: of winnings; the highest rate where a lower one may be set.
        lower: the rule that lets the house set a lower rate; None where the rate is fixed.
        rounding: what becomes of a commission that chips cannot make.
        banker: the rule by which a player-banker pays it, once a round on the net win.
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
        """Why the book does not let this rate be charged, with the rule; empty where it does."""
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
        """The rate in force at a table that wants this one; the book's own for None.

        Raises:
            WagerError: the book does not allow it.
        """
        if wanted is None:
            return self.rate.value
        if isinstance(wanted, bool) or not isinstance(wanted, Fraction | int):
            raise WagerError(f"the commission {wanted!r} is no fraction; a rate is exact, such as 1/20", self.rate)
        if why := self.refusal(Fraction(wanted)):
            raise WagerError(why)
        return Fraction(wanted)

    def on(self, winnings: int, rate: Fraction, chip: int) -> int:
        """What is collected of winnings, in the smallest unit.

        A book that never rounds has no word for a part of a smallest unit: that part is left to the player.
        """
        return down_to(winnings * rate, chip if self.rounds else 1)


def _percent(rate: Fraction | int) -> str:
    return f"{float(rate) * 100:.4g} %"
