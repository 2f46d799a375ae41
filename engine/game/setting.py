"""Four tiles and the ways to set them as a low and a high hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement
from math import comb, prod
from typing import TYPE_CHECKING

from engine.errors import DealError, IllegalSettingError
from engine.game.hands import Described, Hand
from engine.game.ranking import outranks, rank_of
from engine.game.tiles import Kind, Tile
from engine.messages import message

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Setting:
    """A legal setting of four tiles: the low hand does not outrank the high one.

    crown-6.1 10.2.2; nz-1998 1.0 Hand, 1.0 Set; star-2024 12.4; star-classic 12.4; uk-poster point 5.

    Two hands that copy each other may be given in either order; one order is stored.

    >>> str(Setting.of(Hand.parse("6-6 6-3"), Hand.parse("5-4 2-1")))
    '5-4 2-1 / 6-6 6-3'
    """

    low: Hand
    high: Hand

    def __post_init__(self) -> None:
        """Refuse a low hand above the high one; put copies in canonical order."""
        if outranks(self.low, self.high):
            raise IllegalSettingError(
                message(
                    "low hand {low} ({low_hand}) outranks high hand {high} ({high_hand})",
                    low=self.low,
                    low_hand=Described(self.low),
                    high=self.high,
                    high_hand=Described(self.high),
                )
            )
        if rank_of(self.low) == rank_of(self.high) and self.low.second.index < self.high.second.index:
            low, high = self.high, self.low
            object.__setattr__(self, "low", low)
            object.__setattr__(self, "high", high)

    @classmethod
    def of(cls, one: Hand, other: Hand) -> Setting:
        """The setting of two hands in any order: the higher-ranking one *is* the high hand (ruling 18)."""
        return cls(other, one) if outranks(one, other) else cls(one, other)

    @classmethod
    def parse(cls, text: str) -> Setting:
        """Read ``6-3 5-4 / 6-6 6-6``: low hand, slash, high hand.

        Raises:
            IllegalSettingError: not two hands, or the low one outranks the high one.
        """
        parts = text.split("/")
        if len(parts) != 2:
            raise IllegalSettingError(
                message(
                    "{setting} is not a setting: write low / high, for example 6-3 5-4 / 6-6 6-6", setting=repr(text)
                )
            )
        return cls(Hand.parse(parts[0]), Hand.parse(parts[1]))

    @property
    def deal(self) -> Deal:
        return Deal.of((*self.low.tiles, *self.high.tiles))

    @property
    def ranks(self) -> tuple[int, int]:
        """Ranks of the low and the high hand; settings of equal ranks always give the same result."""
        return rank_of(self.low), rank_of(self.high)

    @property
    def counts(self) -> tuple[int, int]:
        """Points of the low and the high hand."""
        return self.low.points, self.high.points

    def __str__(self) -> str:
        """The written form: low hand, slash, high hand."""
        return f"{self.low} / {self.high}"

    def describe(self) -> str:
        """Description of both hands for a supervisor."""
        return f"low {self.low} ({self.low.describe()}), high {self.high} ({self.high.describe()})"


@dataclass(frozen=True)
class Deal:
    """Four tiles of one set, highest rank first. Build it with `of` or `parse`, which check and sort."""

    tiles: tuple[Tile, Tile, Tile, Tile]

    @classmethod
    def of(cls, tiles: Iterable[Tile]) -> Deal:
        """The deal of four tiles, given in any order.

        >>> str(Deal.of(Tile.parse(name) for name in ("2-1", "5-4", "6-6", "6-3")))
        '6-6 6-3 5-4 2-1'

        Raises:
            DealError: not four tiles, or more copies of a face than the set has.
        """
        ordered = sorted(tiles, key=lambda tile: tile.index)
        if len(ordered) != 4:
            raise DealError(
                message("a deal is four tiles, not {count}; name four, for example 6-6 6-3 5-4 2-1", count=len(ordered))
            )
        for face, times in Counter(ordered).items():
            if times > face.copies:
                raise DealError(
                    message(
                        "{face} is named {times} times, but a set holds {number}; check the tiles",
                        face=face,
                        times=times,
                        number=face.copies,
                    )
                )
        return cls((ordered[0], ordered[1], ordered[2], ordered[3]))

    @classmethod
    def parse(cls, text: str) -> Deal:
        """Read ``6-6 6-3 5-4 2-1``."""
        return cls.of(Tile.parse(part) for part in text.split())

    @cached_property
    def kinds(self) -> tuple[Kind, Kind, Kind, Kind]:
        """Ranks of the four tiles, highest first."""
        first, second, third, fourth = self.tiles
        return first.kind, second.kind, third.kind, fourth.kind

    @cached_property
    def key(self) -> int:
        """Key of the ranks of the four tiles, see `key_of`; faster to look up than the ranks."""
        return key_of(self.kinds)

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Every setting: three, or two when two of the tiles share a face."""
        first, second, third, fourth = self.tiles
        lays = (
            Setting.of(_hand(first, second), _hand(third, fourth)),
            Setting.of(_hand(first, third), _hand(second, fourth)),
            Setting.of(_hand(first, fourth), _hand(second, third)),
        )
        return tuple(dict.fromkeys(lays))

    @cached_property
    def ways(self) -> int:
        """Number of physical deals (of 35,960) with these faces."""
        return prod(comb(face.copies, times) for face, times in Counter(self.tiles).items())

    def __str__(self) -> str:
        """The written form, highest rank first."""
        return " ".join(map(str, self.tiles))


def key_of(kinds: Iterable[Kind]) -> int:
    """Key of the ranks of four tiles, independent of their order."""
    first, second, third, fourth = sorted(kinds)
    return ((first * 17 + second) * 17 + third) * 17 + fourth


@cache
def _hand(first: Tile, second: Tile) -> Hand:
    return Hand(first, second)


@cache
def all_deals() -> tuple[Deal, ...]:
    """The 8,130 deals by face, in rank order; their `ways` add up to 35,960."""
    fours = combinations_with_replacement(Tile, 4)
    return tuple(Deal(four) for four in fours if all(four.count(face) <= face.copies for face in four))
