"""Two-tile hands: names and points."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from engine.errors import DealError
from engine.game.tiles import Kind, Tile
from engine.messages import message

if TYPE_CHECKING:
    from collections.abc import Iterable

TEEN_OR_DAY = frozenset({Kind.TEEN, Kind.DAY})
_GEE_JUN_COUNTS = (3, 6)
"""Either tile counts 3 or 6 (crown-6.1 3.5; nz-1998 4.2; star-2024 3.2.2; star-classic 3.2.2; uk-poster point 12)."""


class Name(IntEnum):
    """Name of a hand; a greater one outranks a lesser one.

    crown-6.1 Appendix 1: Wongs, Gongs and High Nines; nz-1998 4.1, Appendix 2: Wongs, Gongs and High Nines;
    star-2024 Appendix 1: Wongs, Gongs and High Nines; uk-poster point 6 to point 10.
    """

    POINTS = 0
    HIGH_NINE = 1
    GONG = 2
    WONG = 3
    PAIR = 4


_TITLES = {Name.PAIR: "pair", Name.WONG: "Wong", Name.GONG: "Gong", Name.HIGH_NINE: "High Nine"}
_WITH_TEEN_OR_DAY = {9: Name.WONG, 8: Name.GONG, 7: Name.HIGH_NINE}


@dataclass(frozen=True, slots=True)
class Hand:
    """Two tiles, stored with the higher-ranking one first.

    >>> hand = Hand(Tile.parse("6-3"), Tile.TEEN)
    >>> str(hand), hand.name.name, hand.describe()
    ('6-6 6-3', 'WONG', 'Teen Wong')

    Attributes:
        first: the tile that breaks ties ("high tile").
        second: the other tile.
        name: pair, Wong, Gong, High Nine or plain points.
        points: 0 to 9, Gee Jun counted as 3 or 6, whichever makes more; irrelevant for a pair.
    """

    first: Tile
    second: Tile
    name: Name = field(init=False, compare=False, repr=False)
    points: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.second.index < self.first.index:
            first, second = self.second, self.first
            object.__setattr__(self, "first", first)
            object.__setattr__(self, "second", second)
        if self.first is self.second and self.first.copies == 1:
            raise DealError(message("a hand cannot hold {tile} twice: the set has one {tile}", tile=self.first))
        object.__setattr__(self, "name", _name(self.first, self.second))
        object.__setattr__(self, "points", _points(self.first, self.second))

    @classmethod
    def of(cls, tiles: Iterable[Tile]) -> Hand:
        """The hand of two tiles, given in any order.

        Raises:
            DealError: not two tiles, or more copies of a face than the set has.
        """
        pair = tuple(tiles)
        if len(pair) != 2:
            raise DealError(message("a hand is two tiles, not {count}", count=len(pair)))
        return cls(*pair)

    @classmethod
    def parse(cls, text: str) -> Hand:
        """Read ``6-6 6-3``."""
        return cls.of(Tile.parse(part) for part in text.split())

    @property
    def tiles(self) -> tuple[Tile, Tile]:
        """Both tiles, the higher-ranking one first."""
        return self.first, self.second

    def holds(self, kind: Kind) -> bool:
        """Whether the hand contains a tile of this rank."""
        return kind in (self.first.kind, self.second.kind)

    def __str__(self) -> str:
        return f"{self.first} {self.second}"

    @property
    def title(self) -> str:
        """Name of the hand: ``Wong``, ``High Nine``, ``pair``, or its points."""
        return str(self.points) if self.name is Name.POINTS else _TITLES[self.name]

    def describe(self) -> str:
        """Description for a supervisor, such as ``pair of nines`` or ``7 with the High 8``."""
        if self.name is Name.PAIR:
            return f"pair of {self.first.kind.plural}"
        if self.name is not Name.POINTS:
            return f"{self.first.kind.label} {self.title}"
        return f"{self.points} with the {self.first.kind.label}"


def _name(first: Tile, second: Tile) -> Name:
    if first.kind is second.kind:
        return Name.PAIR
    # Any 9, 8 or 7 serves (notes below the Wongs, Gongs and High Nines in nz-1998 and star-2024; ruling 17).
    if first.kind in TEEN_OR_DAY:
        return _WITH_TEEN_OR_DAY.get(second.points, Name.POINTS)
    return Name.POINTS


def _points(first: Tile, second: Tile) -> int:
    """The last digit of the sum of both tiles.

    crown-6.1 3.4.1; nz-1998 4.2(a) to 4.2(c); star-2024 3.2.1; star-classic 3.2.1; uk-poster point 11.
    """
    return max((a + b) % 10 for a in _counts(first) for b in _counts(second))


def _counts(tile: Tile) -> tuple[int, ...]:
    return _GEE_JUN_COUNTS if tile.kind is Kind.GEE_JUN else (tile.points,)


@dataclass(frozen=True, slots=True)
class Described:
    """A hand in full in a message, such as ``7 with the High 8``."""

    hand: Hand

    def __str__(self) -> str:
        return self.hand.describe()
