"""What a person sees of a hand or throw before being told the reading, and whether the reading says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.game.tiles import Tile
from service.rounds.reports import DICE, DieReport, HandReport

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.rounds.reports import RoundReport

Roll: TypeAlias = tuple[int, str | None]
"""A value, and ``box`` or ``cut`` where that can be told."""
Read: TypeAlias = HandReport | tuple[DieReport, ...]
"""A hand or a throw as it was read."""


@dataclass(frozen=True, slots=True)
class SeenHand:
    """Four tiles as a person sees them; ``split`` if the first two are seen to be the low hand."""

    tiles: tuple[Tile, Tile, Tile, Tile]
    split: bool

    def agrees(self, read: HandReport) -> bool:
        """Whether the reading says the same; which tile of a pair comes first is nothing."""
        if not self.split:
            return _ordered(self.tiles) == _ordered((*read.low, *read.high))
        return (_ordered(self.tiles[:2]), _ordered(self.tiles[2:])) == (_ordered(read.low), _ordered(read.high))


@dataclass(frozen=True, slots=True)
class SeenThrow:
    """All dice as a person sees them."""

    dice: tuple[Roll, ...]

    def agrees(self, read: tuple[DieReport, ...]) -> bool:
        """Whether the reading says the same; what dice are for is held against it where both sides can tell."""
        rolls: tuple[tuple[int | None, str | None], ...] = tuple((die.value, die.role) for die in read)
        if any(role is None for _, role in (*self.dice, *rolls)):
            return sorted(value for value, _ in self.dice) == sorted(value or 0 for value, _ in rolls)
        return sorted((str(role), value) for value, role in self.dice) == sorted(
            (str(role), value or 0) for value, role in rolls
        )


@dataclass(frozen=True, slots=True)
class SeenOther:
    """No hand of four tiles, or no dice, lies there as a person sees it."""


Seen: TypeAlias = SeenHand | SeenThrow | SeenOther


def read_at(played: RoundReport, place: str) -> Read:
    """The reading at a place of a round as it was read; ValueError if nothing was."""
    if place == DICE:
        return played.dice
    for hand in played.hands:
        if hand.place == place:
            return hand
    raise ValueError(f"nothing was read at {place}")


def agrees(seen: Seen, read: Read) -> bool:
    """Whether a reading says what a person saw."""
    if isinstance(read, tuple):
        return isinstance(seen, SeenThrow) and seen.agrees(read)
    return isinstance(seen, SeenHand) and seen.agrees(read)


def written(seen: Seen | None) -> dict[str, Any] | None:
    """What was seen as entries of the record have it; None for what could not be made out."""
    if isinstance(seen, SeenHand):
        return {"tiles": [str(tile) for tile in seen.tiles], "split": seen.split}
    if isinstance(seen, SeenThrow):
        return {"dice": [list(roll) for roll in seen.dice]}
    return None if seen is None else {"other": True}


def read_seen(told: dict[str, Any] | None) -> Seen | None:
    """What :func:`written` wrote; KeyError, TypeError or ValueError if it is something else."""
    if told is None:
        return None
    if "tiles" in told:
        first, second, third, fourth = map(Tile.parse, told["tiles"])
        return SeenHand((first, second, third, fourth), bool(told["split"]))
    if "dice" in told:
        return SeenThrow(tuple((int(value), role) for value, role in told["dice"]))
    if told == {"other": True}:
        return SeenOther()
    raise ValueError(f"{told} says nothing that was seen")


def _ordered(tiles: Iterable[Tile | str]) -> list[str]:
    return sorted(map(str, tiles))
