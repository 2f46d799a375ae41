"""Places at a table by name, with their owners, and whether hands are played there.

Written as ``house``, ``box3``, ``discard``, ``hand1`` and so on, in files, messages and settings alike.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import total_ordering
from typing import Final, Self

BOXES: Final = 8
"""Betting boxes of a table at most; the rulebooks count to the same number (``engine.game.box_order.BOXES``)."""


class PlaceKind(StrEnum):
    """Kind of a place, in listing order."""

    HOUSE = "house"
    BOX = "box"
    DISCARD = "discard"
    DICE = "dice"
    FLOAT = "float"
    """The dealer's chips."""
    DISPLAY = "display"
    """Where the 32 tiles are displayed for the check."""
    RETRIEVED = "retrieved"
    """Tiles retrieved from a player, on their way to the discard."""
    HAND = "hand"
    """Hands found without a calibration, numbered in reading order: their owners are unknown."""


_ORDER: Final = {kind: index for index, kind in enumerate(PlaceKind)}
_WRITTEN: Final = re.compile(r"([a-z]+)([1-9][0-9]*)?")


@total_ordering
@dataclass(frozen=True, slots=True)
class Place:
    """One place, with the number of a box (1 to 8) or a hand (from 1), else 0; ordered by kind, then by number.

    >>> [str(place) for place in sorted(map(Place.parse, ("hand1", "box2", "house")))]
    ['house', 'box2', 'hand1']
    """

    kind: PlaceKind
    number: int = 0

    def __post_init__(self) -> None:
        """Reject, with ValueError, a number that this kind of place cannot have."""
        highest = {PlaceKind.BOX: BOXES, PlaceKind.HAND: self.number}.get(self.kind)
        if not (self.number == 0 if highest is None else 1 <= self.number <= highest):
            raise ValueError(f"there is no place {str(self)!r}; boxes are box1 to box{BOXES}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a place; ValueError if it is invalid."""
        found = _WRITTEN.fullmatch(text)
        if found is None or found[1] not in _ORDER:
            raise ValueError(f"there is no place {text!r}; there are house, box1 to box{BOXES}, discard, dice ...")
        return cls(PlaceKind(found[1]), int(found[2] or 0))

    def __str__(self) -> str:
        return f"{self.kind}{self.number or ''}"

    def __lt__(self, other: "Place") -> bool:
        return (_ORDER[self.kind], self.number) < (_ORDER[other.kind], other.number)

    @property
    def is_house(self) -> bool:
        """Whether the dealer's own hand is played there."""
        return self.kind is PlaceKind.HOUSE

    @property
    def has_hand(self) -> bool:
        """Whether a hand is played there: the house's, a box's, or one with an unknown owner."""
        return self.kind in (PlaceKind.HOUSE, PlaceKind.BOX, PlaceKind.HAND)

    @property
    def box(self) -> int | None:
        """The number of the betting box whose hand is played there; None for any other place."""
        return self.number if self.kind is PlaceKind.BOX else None


HOUSE: Final = Place(PlaceKind.HOUSE)
BOX_PLACES: Final = tuple(Place(PlaceKind.BOX, number) for number in range(1, BOXES + 1))
DISCARD: Final = Place(PlaceKind.DISCARD)
DICE: Final = Place(PlaceKind.DICE)
FLOAT: Final = Place(PlaceKind.FLOAT)
DISPLAY: Final = Place(PlaceKind.DISPLAY)
GAME_PLACES: Final = (HOUSE, *BOX_PLACES, DISCARD, DICE)
"""The places involved in a round."""
TABLE_PLACES: Final = (*GAME_PLACES, FLOAT, DISPLAY)
"""All places that the layout of a table may have."""
