"""Vocabulary for House Ways written in Python: any six, a kept pair, as close together as possible.

A rule names groups of tiles (`SIXES`, `EIGHTS`), tests the composition of a deal, and picks among the open settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.game.hands import Name
from engine.game.tiles import Kind

if TYPE_CHECKING:
    from engine.game.hands import Hand
    from engine.game.setting import Deal, Setting
    from engine.house_way.rules import Settings

Group = frozenset[Kind]

TEEN_OR_DAY: Group = frozenset({Kind.TEEN, Kind.DAY})
FOURS: Group = frozenset({Kind.HIGH_4, Kind.LOW_4})
FIVES: Group = frozenset({Kind.FIVE})
SIXES: Group = frozenset({Kind.HIGH_6, Kind.LOW_6})
SEVENS: Group = frozenset({Kind.HIGH_7, Kind.LOW_7})
EIGHTS: Group = frozenset({Kind.HIGH_8, Kind.LOW_8})
NINES: Group = frozenset({Kind.NINE})
TENS: Group = frozenset({Kind.HIGH_10, Kind.LOW_10})
ELEVENS: Group = frozenset({Kind.ELEVEN})
FIRST_SIX: Group = frozenset(Kind(rank) for rank in range(1, 7))
"""The first six ranks: Teen, Day, High 8, High 4, High 10, High 6."""


# Composition of a deal.


def two_pairs(deal: Deal) -> bool:
    """Whether the tiles make two ranking pairs."""
    return len(set(deal.kinds)) == 2


def lone_pair(deal: Deal) -> Kind | None:
    """The rank of the deal's only ranking pair; None if it has none or two."""
    kinds = deal.kinds
    if len(set(kinds)) != 3:
        return None
    return next(kind for kind in kinds if kinds.count(kind) == 2)


def beside(deal: Deal, pair: Kind) -> tuple[Kind, Kind]:
    """The ranks of the two tiles beside a pair."""
    first, second = (kind for kind in deal.kinds if kind is not pair)
    return first, second


def are(two: tuple[Kind, Kind], one: Group, other: Group) -> bool:
    """Whether, in either order, one tile belongs to the first group and the other to the second."""
    first, second = two
    return (first in one and second in other) or (second in one and first in other)


def consists_of(deal: Deal, *groups: Group | Kind) -> bool:
    """Whether the four tiles can be matched with these four groups, one each."""
    return _match(deal.kinds, groups)


def _match(kinds: tuple[Kind, ...], groups: tuple[Group | Kind, ...]) -> bool:
    if not groups:
        return True
    group, *rest = groups
    return any(
        (kind is group if isinstance(group, Kind) else kind in group)
        and _match(kinds[:place] + kinds[place + 1 :], tuple(rest))
        for place, kind in enumerate(kinds)
    )


# Selecting settings.


def keeping(settings: Settings, kind: Kind) -> Settings:
    """The settings in which the pair of this rank stays together."""
    return tuple(s for s in settings if _is_pair_of(s.low, kind) or _is_pair_of(s.high, kind))


def splitting(settings: Settings, kind: Kind) -> Settings:
    """The settings in which the pair of this rank is split."""
    return tuple(s for s in settings if not (_is_pair_of(s.low, kind) or _is_pair_of(s.high, kind)))


def _is_pair_of(hand: Hand, kind: Kind) -> bool:
    return hand.name is Name.PAIR and hand.first.kind is kind


def with_high(settings: Settings, *names: Name) -> Settings:
    """The settings whose high hand has one of these names."""
    return tuple(s for s in settings if s.high.name in names)


def first_named(settings: Settings, *names: Name) -> Settings | None:
    """The settings whose high hand bears the first of these names that occurs; None if none occurs."""
    return next((found for name in names if (found := with_high(settings, name))), None)


def with_tile_high(settings: Settings, kind: Kind) -> Settings:
    """The settings with a tile of this rank in the high hand."""
    return tuple(s for s in settings if s.high.holds(kind))


def with_tile_low(settings: Settings, kind: Kind) -> Settings:
    """The settings with a tile of this rank in the low hand."""
    return tuple(s for s in settings if s.low.holds(kind))


def with_counts(settings: Settings, *counts: tuple[int, int]) -> Settings:
    """The settings with one of these (low, high) points; a ranking name never counts as points."""
    return tuple(s for s in settings if s.counts in counts and s.high.name is Name.POINTS)


def with_most(settings: Settings, *, high: bool) -> Settings:
    """The settings with the most points in the high hand, or in the low hand."""
    side = int(high)
    most = max(s.counts[side] for s in settings)
    return tuple(s for s in settings if s.counts[side] == most)


def closest_at_the_highest_value(settings: Settings) -> Settings:
    """The settings with the highest total and, among those, the closest points (ruling 4)."""
    most = max(sum(s.counts) for s in settings)
    highest = [s for s in settings if sum(s.counts) == most]
    gap = min(s.high.points - s.low.points for s in highest)
    return tuple(s for s in highest if s.high.points - s.low.points == gap)


def keeping_apart(settings: Settings, group: Group) -> Settings | None:
    """The settings in which no hand holds two tiles of the group; None otherwise."""
    return tuple(s for s in settings if not (_both_in(s.low, group) or _both_in(s.high, group))) or None


def _both_in(hand: Hand, group: Group) -> bool:
    return hand.first.kind in group and hand.second.kind in group


def undominated(settings: Settings) -> Settings:
    """The settings that are not dominated by another one (ruling 4)."""
    return tuple(s for s in settings if not any(dominates(other, s) for other in settings))


def dominates(one: Setting, other: Setting) -> bool:
    """Whether one setting beats another in one hand and beats or equals it in the other."""
    (low, high), (other_low, other_high) = one.ranks, other.ranks
    return low >= other_low and high >= other_high and (low, high) != (other_low, other_high)
