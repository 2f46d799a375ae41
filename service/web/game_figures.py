"""Exact figures of House Ways for the game's owner: the house edge of each, and what sets two of them apart.

They take some seconds of counting, so they are worked out in another process than the one that reads the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.analysis.difference import Difference, difference
from engine.analysis.edge import OutcomeChances, chances_by_deal, summed

if TYPE_CHECKING:
    from datetime import date
    from fractions import Fraction

    from engine.game.setting import Setting
    from engine.house_way import HouseWay
    from service.rounds.judge.rules_in_force import LoadedRules

LARGEST: Final = 12
"""Kinds of hand drawn of a difference: those that change the edge most."""


@dataclass(frozen=True, slots=True)
class WayFigures:
    """What a House Way yields, both sides setting it.

    Attributes:
        rulebook: its id.
        chances: how often the player wins, pushes and loses, of all 736,281,000 pairs of deals.
        edge: what the house keeps of a unit wagered, at the commission asked for.
    """

    rulebook: str
    chances: OutcomeChances
    edge: float


@dataclass(frozen=True, slots=True)
class SetOneWay:
    """How a House Way sets a hand, and the rule that decides."""

    setting: Setting
    cite: str


@dataclass(frozen=True, slots=True)
class KindDifference:
    """A kind of hand that two House Ways set differently.

    Attributes:
        first: how the first sets one such hand.
        second: how the second sets it.
        deals: how many of the 35,960 deals it is.
        weight: what it adds to the house edge if the house alone changes to the second way, per unit wagered.
    """

    first: SetOneWay
    second: SetOneWay
    deals: int
    weight: float


@dataclass(frozen=True, slots=True)
class WaysDifference:
    """All that sets two House Ways apart.

    Attributes:
        deals: how many of the 35,960 deals are set differently.
        hands: how many kinds of hand (by rank), of 3,620.
        gain: what the house keeps more of each unit wagered if it alone changes to the second way.
        kinds: the kinds of hand that change the edge, the largest change first.
    """

    deals: int
    hands: int
    gain: float
    kinds: tuple[KindDifference, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """All that the page shows."""

    figures: tuple[WayFigures, ...]
    difference: WaysDifference


def count_game(
    table: LoadedRules, day: date, names: tuple[str, ...], pair: tuple[str, str], commission: Fraction
) -> Game:
    """Count everything; seconds of work.

    Args:
        table: its rules as they were loaded.
        day: whose versions of the rules are counted.
        names: ids of the House Ways whose edge is shown.
        pair: ids of the two that are compared.
        commission: of what the player wins.

    Raises:
        UnknownRulebookError: there is none of an id.
    """
    rules = table.rules
    first, second = (rules.way(name, day) for name in pair)
    return Game(
        tuple(way_figures(rules.way(name, day), commission) for name in names),
        differences(first, second, commission),
    )


def way_figures(way: HouseWay, commission: Fraction) -> WayFigures:
    """The figures of a House Way."""
    chances = _chances(way)
    return WayFigures(way.rulebook, chances, float(chances.edge(commission)))


def differences(first: HouseWay, second: HouseWay, commission: Fraction) -> WaysDifference:
    """What sets two House Ways apart."""
    found = _difference(first, second, commission)
    kinds = [
        KindDifference(
            SetOneWay(hands[0].first.setting, str(parting.first.cite)),
            SetOneWay(hands[0].second.setting, str(parting.second.cite)),
            sum(hand.deal.ways for hand in hands),
            float(sum(hand.weight for hand in hands)),
        )
        for parting in found.partings
        for hands in parting.by_kind
    ]
    kinds.sort(key=lambda kind: -abs(kind.weight))
    gain = float(found.house_alone_edge - found.first_edge)
    return WaysDifference(found.deals, found.kinds, gain, tuple(kinds))


@lru_cache(maxsize=16)
def _chances(way: HouseWay) -> OutcomeChances:
    return summed(chances_by_deal(way.table, way.table))


@lru_cache(maxsize=8)
def _difference(first: HouseWay, second: HouseWay, commission: Fraction) -> Difference:
    return difference(first, second, commission)
