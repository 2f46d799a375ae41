"""Differences between two House Ways: the hands they set differently, how often those are dealt, and what they cost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.analysis.edge import COMMISSION, HANDS, chances_by_bank_deal, summed
from engine.game.setting import all_deals

if TYPE_CHECKING:
    from engine.game.setting import Deal
    from engine.game.tiles import Kind
    from engine.house_way.rules import Decision, HouseWay, Rule


@dataclass(frozen=True, slots=True)
class SetDifferently:
    """One deal by face that two ways set differently; where one leaves the choice, by its first setting.

    Attributes:
        kept_by_first: the house's share of one unit when it holds these tiles, sets them the first way and plays
            against hands set the first way.
        kept_by_second: the same with the house's hand set the second way.
    """

    deal: Deal
    first: Decision
    second: Decision
    kept_by_first: Fraction
    kept_by_second: Fraction

    @property
    def gain(self) -> Fraction:
        """What the house gains per unit on these tiles by setting them the second way; negative if it loses."""
        return self.kept_by_second - self.kept_by_first

    @property
    def weight(self) -> Fraction:
        """Contribution of these tiles to the edge, weighted by frequency, when the house sets them the second way."""
        return self.deal.ways * self.gain / HANDS


@dataclass(frozen=True, slots=True)
class Parting:
    """The hands, in rank order, that the same two rules (one of either way) set differently."""

    first: Rule
    second: Rule
    hands: tuple[SetDifferently, ...]

    @property
    def deals(self) -> int:
        """How many of the 35,960 deals are set differently."""
        return sum(hand.deal.ways for hand in self.hands)

    @property
    def weight(self) -> Fraction:
        """Contribution to the edge when only the house sets them the second way."""
        return sum((hand.weight for hand in self.hands), Fraction(0))

    @property
    def by_kind(self) -> tuple[tuple[SetDifferently, ...], ...]:
        """The hands by kinds of tiles; those of one group are set alike and cost the same."""
        groups: dict[tuple[tuple[Kind, ...], tuple[int, int], tuple[int, int]], list[SetDifferently]]
        groups = defaultdict(list)
        for hand in self.hands:
            groups[hand.deal.kinds, hand.first.setting.ranks, hand.second.setting.ranks].append(hand)
        return tuple(map(tuple, groups.values()))


@dataclass(frozen=True, slots=True)
class Difference:
    """All differences between two ways. Settings that rank alike in both hands are not different; other choices are.

    Attributes:
        house_alone_edge: house edge when the house changes to the second way and the player keeps the first; the
            increase over `first_edge` is the sum of the weights of all hands.
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
        return sum(hand.deal.ways for hand in self.hands)

    @property
    def partings(self) -> tuple[Parting, ...]:
        """The hands by the two rules that decide them, the most often dealt first."""
        groups: dict[tuple[Rule, Rule], list[SetDifferently]] = defaultdict(list)
        for hand in self.hands:
            groups[hand.first.rule, hand.second.rule].append(hand)
        partings = [Parting(one, other, tuple(hands)) for (one, other), hands in groups.items()]
        return tuple(sorted(partings, key=lambda parting: -parting.deals))


def difference(first: HouseWay, second: HouseWay, commission: Fraction = COMMISSION) -> Difference:
    """Compare two House Ways on every deal, at a commission on what the player wins."""
    both_first = chances_by_bank_deal(first.table, first.table)
    house_second = chances_by_bank_deal(first.table, second.table)
    both_second = chances_by_bank_deal(second.table, second.table)
    return Difference(
        hands=tuple(
            SetDifferently(
                deal,
                first.decisions[deal],
                second.decisions[deal],
                both_first[deal].edge(commission),
                house_second[deal].edge(commission),
            )
            for deal in all_deals()
            if first.decisions[deal].ranks != second.decisions[deal].ranks
        ),
        first_edge=summed(both_first).edge(commission),
        second_edge=summed(both_second).edge(commission),
        house_alone_edge=summed(house_second).edge(commission),
    )
