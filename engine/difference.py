"""Where two House Ways part: the hands set differently, how often they are dealt, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.edge import chances_by_bank_deal, summed
from engine.setting import all_deals

if TYPE_CHECKING:
    from fractions import Fraction

    from engine.house_way.rules import Decision, HouseWay
    from engine.setting import Deal


@dataclass(frozen=True, slots=True)
class SetDifferently:
    """One deal by face that two ways set differently.

    Attributes:
        deal: the four tiles.
        first: how the first way sets them.
        second: how the second way sets them.
        kept_by_first: what the house keeps of one unit when it holds these tiles, sets them the first way and plays
            against hands set the first way.
        kept_by_second: the same with the house's hand set the second way.
    """

    deal: Deal
    first: Decision
    second: Decision
    kept_by_first: Fraction
    kept_by_second: Fraction


@dataclass(frozen=True, slots=True)
class Difference:
    """All that sets two ways apart. Settings that rank alike in both hands are not different.

    Attributes:
        hands: each deal by face that is set differently.
        first_edge: house edge when house and player both set the first way.
        second_edge: house edge when both set the second way.
        house_alone_edge: house edge when the house changes to the second way and the player keeps the first.
    """

    hands: tuple[SetDifferently, ...]
    first_edge: Fraction
    second_edge: Fraction
    house_alone_edge: Fraction

    @property
    def kinds(self) -> int:
        """How many kinds of hand (by rank) are set differently, of 3,620."""
        return len({hand.deal.kinds for hand in self.hands})

    @property
    def deals(self) -> int:
        """How many of the 35,960 deals are set differently."""
        return sum(hand.deal.ways for hand in self.hands)


def difference(first: HouseWay, second: HouseWay) -> Difference:
    """Compare two House Ways on every deal."""
    both_first = chances_by_bank_deal(first.table, first.table)
    house_second = chances_by_bank_deal(first.table, second.table)
    both_second = chances_by_bank_deal(second.table, second.table)
    return Difference(
        hands=tuple(
            SetDifferently(
                deal, first.decide(deal), second.decide(deal), both_first[deal].edge(), house_second[deal].edge()
            )
            for deal in all_deals()
            if first.table[deal].ranks != second.table[deal].ranks
        ),
        first_edge=summed(both_first).edge(),
        second_edge=summed(both_second).edge(),
        house_alone_edge=summed(house_second).edge(),
    )
