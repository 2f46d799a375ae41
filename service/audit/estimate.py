"""The rate of silent errors with its exact upper bound, from cells that were sampled at random without replacement.

A cell is a stratum on one day. Its sample stands for all its members, so the rate weighs each cell by its members.

The bound: a hypergeometric count is a sum of independent Bernoulli variables (Vatutin and Mikhailov 1982), hence so is
the number of errors in all samples together. By Hoeffding (1956) its lower tail is no heavier than the binomial's, so
the Clopper-Pearson bound holds for the mean rate weighed by *samples*. No cell weighs more in the population than
``weight`` times what it weighs in the sample, so ``weight`` times that bound holds for the rate weighed by *members*,
whatever the rates of the cells. Where all were drawn with the same probability, ``weight`` is 1 and the bound is
Clopper-Pearson's own. It needs a rate below one half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Cell:
    """What was found of one stratum on one day, or of the part of it that one version read.

    Attributes:
        members: verified hands or throws in it.
        errors: silent errors among those asked about, undecided differences included.
        right: read as the person saw them.
        slips: differences that the person took back after seeing the reading.
        unseen: that the person could not make out.
    """

    members: int
    errors: int = 0
    right: int = 0
    slips: int = 0
    unseen: int = 0

    def __post_init__(self) -> None:
        """Refuse counts that cannot be."""
        if min(self.errors, self.right, self.slips, self.unseen) < 0 or self.members < self.asked:
            raise ValueError(f"{self} cannot be: more were asked about than there are, or fewer than none")

    @property
    def asked(self) -> int:
        """How many of them a person answered."""
        return self.errors + self.right + self.slips + self.unseen


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate of silent errors.

    Attributes:
        members: verified hands or throws that the rate is about: those of cells in which anything was seen.
        asked: of them, that the rate rests on.
        errors: of those, silent errors.
        weight: how much more a cell weighs in the population than in the sample, at most; 1 or more.
        rate: estimated share of silent errors; None if nothing was asked.
        upper: with 95 % confidence it is no higher; 1 if nothing was asked.
    """

    members: int
    asked: int
    errors: int
    weight: float
    rate: float | None
    upper: float


def upper_bound(errors: int, asked: int, confidence: float = CONFIDENCE) -> float:
    """The one-sided Clopper-Pearson bound; without an error ``1 - (1 - confidence) ** (1 / asked)``.

    >>> round(upper_bound(0, 59), 4)
    0.0495
    """
    if errors >= asked:
        return 1.0
    from scipy.special import betaincinv  # noqa: PLC0415  not at import: most tables are not audited

    return float(betaincinv(errors + 1, asked - errors, confidence))


def as_seen(cells: Iterable[Cell]) -> Rate:
    """The rate among what the person could see; a difference taken back counts as read right."""
    return _rate([(cell.members, cell.asked - cell.unseen, cell.errors) for cell in cells])


def at_worst(cells: Iterable[Cell]) -> Rate:
    """The rate if all that could not be seen, and every difference taken back, were a silent error."""
    return _rate([(cell.members, cell.asked, cell.errors + cell.slips + cell.unseen) for cell in cells])


def _rate(counted: Iterable[tuple[int, int, int]]) -> Rate:
    """The rate over cells given as members, asked, errors."""
    cells = [cell for cell in counted if cell[1]]
    members, asked, errors = (sum(each[column] for each in cells) for column in range(3))
    if not asked:
        return Rate(0, 0, 0, 1.0, None, 1.0)
    weight = max(of / members * asked / taken for of, taken, _ in cells)
    rate = sum(of * wrong / taken for of, taken, wrong in cells) / members
    return Rate(members, asked, errors, weight, rate, min(1.0, weight * upper_bound(errors, asked)))
