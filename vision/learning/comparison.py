"""Comparison of two tile classifiers on the same crops."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from vision.networks.classifier import TILE_CLASSES
from vision.verification import LEAST_CONFIDENCE

if TYPE_CHECKING:
    from vision.arrays import Chances, Indices

_CANNOT_TELL = len(TILE_CLASSES) - 1


@dataclass(frozen=True, slots=True)
class Figures:
    """Classification counts of labelled crops.

    Attributes:
        right: classified as labelled.
        sure: of these, with enough probability for verification.
        wrong: classified as another face.
        surely_wrong: of these, with such a probability.
    """

    crops: int
    right: int
    sure: int
    wrong: int
    surely_wrong: int

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def worse_than(self, other: Figures) -> bool:
        """Whether fewer are right, or more are wrong."""
        return self.right < other.right or self.wrong > other.wrong or self.surely_wrong > other.surely_wrong

    def better_than(self, other: Figures) -> bool:
        """Whether it is not worse, and more are right, or right with certainty."""
        return not self.worse_than(other) and (self.right, self.sure) > (other.right, other.sure)


def figures_of(chances: Chances, labels: Indices) -> Figures:
    """Count the classifications of crops with these probabilities (n, 22) and labels (n,)."""
    best = chances.argmax(1)
    wrong = (best != labels) & (best != _CANNOT_TELL)
    sure = chances.max(1, initial=0.0) >= LEAST_CONFIDENCE
    right = best == labels
    return Figures(len(labels), *(int(each.sum()) for each in (right, right & sure, wrong, wrong & sure)))
