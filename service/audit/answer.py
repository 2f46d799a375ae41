"""What a person sees of a hand or throw before being told the reading, and whether the reading says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.game.tiles import Tile
    from vision.reading import DieReading, HandReading

Roll: TypeAlias = tuple[int, str | None]
"""A value, and ``box`` or ``cut`` where that can be told."""


@dataclass(frozen=True, slots=True)
class SeenHand:
    """Four tiles as a person sees them; ``split`` if the first two are seen to be the low hand."""

    tiles: tuple[Tile, Tile, Tile, Tile]
    split: bool

    def agrees(self, read: HandReading) -> bool:
        """Whether the reading says the same; which tile of a pair comes first is nothing."""
        if not self.split:
            return _ordered(self.tiles) == _ordered((*read.low, *read.high))
        return (_ordered(self.tiles[:2]), _ordered(self.tiles[2:])) == (_ordered(read.low), _ordered(read.high))


@dataclass(frozen=True, slots=True)
class SeenThrow:
    """All dice as a person sees them."""

    dice: tuple[Roll, ...]

    def agrees(self, read: tuple[DieReading, ...]) -> bool:
        """Whether the reading says the same; what dice are for is held against it where both sides can tell."""
        rolls: tuple[tuple[int | None, str | None], ...] = tuple((die.value, die.role) for die in read)
        if any(role is None for _, role in (*self.dice, *rolls)):
            return sorted(value for value, _ in self.dice) == sorted(value or 0 for value, _ in rolls)
        return sorted((str(role), value) for value, role in self.dice) == sorted(
            (str(role), value or 0) for value, role in rolls
        )


def _ordered(tiles: Iterable[Tile]) -> list[str]:
    return sorted(map(str, tiles))
