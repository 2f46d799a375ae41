"""Exact figures of House Ways for the game's owner: the house edge of each, and what sets two of them apart."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.analysis.difference import Difference, Parting, SetDifferently, difference
from engine.analysis.edge import OutcomeChances, chances_by_deal, summed

if TYPE_CHECKING:
    from engine.house_way import HouseWay

LARGEST: Final = 12
"""Kinds of hand drawn of a difference: those that change the edge most."""
_STEPS: Final = 6


@dataclass(frozen=True, slots=True)
class WayFigures:
    """What a House Way yields, both sides setting it.

    Attributes:
        chances: how often the player wins, pushes and loses, of all 736,281,000 pairs of deals.
        edge: what the house keeps of a unit wagered, at the commission asked for.
        by_commission: the same for no commission, 1 %, 2 % and so on to 5 %.
    """

    way: HouseWay
    chances: OutcomeChances
    edge: float
    by_commission: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class KindDifference:
    """A kind of hand that two House Ways set differently.

    Attributes:
        example: one such hand.
        deals: how many of the 35,960 deals it is.
        weight: what it adds to the house edge if the house alone changes to the second way, per unit wagered.
    """

    parting: Parting
    example: SetDifferently
    deals: int
    weight: float


def way_figures(way: HouseWay, commission: Fraction) -> WayFigures:
    """The figures of a House Way."""
    chances = _chances(way)
    by_commission = tuple((percent, float(chances.edge(Fraction(percent, 100)))) for percent in range(_STEPS))
    return WayFigures(way, chances, float(chances.edge(commission)), by_commission)


def differences(
    first: HouseWay, second: HouseWay, commission: Fraction
) -> tuple[Difference, tuple[KindDifference, ...]]:
    """What sets two House Ways apart, and the kinds of hand that change the edge, the largest change first."""
    found = _difference(first, second, commission)
    kinds = [
        KindDifference(
            parting, hands[0], sum(hand.deal.ways for hand in hands), float(sum(hand.weight for hand in hands))
        )
        for parting in found.partings
        for hands in parting.by_kind
    ]
    return found, tuple(sorted(kinds, key=lambda kind: -abs(kind.weight)))


@lru_cache(maxsize=16)
def _chances(way: HouseWay) -> OutcomeChances:
    return summed(chances_by_deal(way.table, way.table))


@lru_cache(maxsize=8)
def _difference(first: HouseWay, second: HouseWay, commission: Fraction) -> Difference:
    return difference(first, second, commission)
