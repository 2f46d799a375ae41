"""Delivery orders: which four of the 32 stacked tiles a cut delivers first, which next, and so on.

They are transcribed from the drawings that Crown Melbourne prints, seen from the dealer's side ("Dealer's View").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from engine.errors import CutError
from engine.vocabulary.citations import where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.vocabulary.citations import Cite

STACKS: Final = 8
STACK_HEIGHT: Final = 4
GROUPS: Final = range(1, 9)


class Turn(Enum):
    """An orientation of a cut; right and left are the dealer's (ruling 28)."""

    RIGHT = "right"
    LEFT = "left"
    TOP = "top"
    BOTTOM = "bottom"
    FRONT = "front"
    BACK = "back"
    HEAD = "head"
    TAIL = "tail"


Option = tuple[Turn, Turn]
"""Two alternative turns; the first is the default (ruling 28)."""

SIDE: Final[Option] = (Turn.RIGHT, Turn.LEFT)
LEVEL: Final[Option] = (Turn.TOP, Turn.BOTTOM)
DEPTH: Final[Option] = (Turn.FRONT, Turn.BACK)
END: Final[Option] = (Turn.HEAD, Turn.TAIL)


@dataclass(frozen=True, slots=True, order=True)
class StackPlace:
    """Position of a tile in the stacks.

    Attributes:
        stack: from the dealer's left, starting with 1.
        level: from the felt, starting with 1.
    """

    stack: int
    level: int


@dataclass(frozen=True, slots=True)
class DeliveryOrder:
    """The 32 tiles in eight groups of four, in the order in which they go to the boxes.

    Attributes:
        rows: the stacks ready for delivery as seen by the dealer, top row first: for each tile the digit of its group,
            1 to 8; a point for no tile, a space for the gap between two blocks.
        cite: where it is printed.
        turns: orientation of the cut, one turn for each of its options.
        built: for each drawn stack the numbers of the dealer's eight stacks of four that form it, from the felt up;
            None if the pictures that showed it are lost.
        rulings: numbers of our rulings that apply.
    """

    rows: tuple[str, ...]
    cite: Cite
    turns: frozenset[Turn] = frozenset()
    built: tuple[tuple[int, ...], ...] | None = tuple((stack,) for stack in range(1, STACKS + 1))
    rulings: tuple[int, ...] = ()

    @property
    def where(self) -> str:
        """The citation with the rulings that apply."""
        return where(self.cite, self.rulings)

    def tiles(self) -> Iterator[tuple[int, StackPlace]]:
        """Each tile's group and place, top row first, from the dealer's left."""
        for level, row in zip(range(len(self.rows), 0, -1), self.rows, strict=True):
            for stack, group in enumerate(row.replace(" ", ""), start=1):
                if group != ".":
                    yield int(group), StackPlace(stack, level)

    @property
    def groups(self) -> tuple[tuple[StackPlace, ...], ...]:
        """Eight groups of four places, in the stacks ready for delivery."""
        tiles = tuple(self.tiles())
        return tuple(tuple(place for number, place in tiles if number == group) for group in GROUPS)

    @property
    def from_the_stacks(self) -> tuple[tuple[StackPlace, ...], ...]:
        """The same eight groups, in the eight stacks of four that the dealer makes after the shuffle.

        Raises:
            CutError: how those stacks are moved before delivery is unknown.
        """
        built = self.built
        if built is None:
            raise CutError(
                f"the pictures that show how the eight stacks are moved are lost from the text ({self.cite}); only the "
                "order from the moved stacks is known"
            )
        return tuple(tuple(_unmoved(place, built) for place in group) for group in self.groups)

    def mirrored(self) -> DeliveryOrder:
        """The same cut from the left instead of the right."""
        built = self.built and tuple(tuple(STACKS + 1 - stack for stack in drawn) for drawn in reversed(self.built))
        turns = self.turns - {Turn.RIGHT} | {Turn.LEFT}
        return replace(self, rows=tuple(row[::-1] for row in self.rows), turns=turns, built=built)


def _unmoved(place: StackPlace, built: tuple[tuple[int, ...], ...]) -> StackPlace:
    storey, level = divmod(place.level - 1, STACK_HEIGHT)
    return StackPlace(built[place.stack - 1][storey], level + 1)
