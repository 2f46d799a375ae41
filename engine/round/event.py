"""What every event of a round is made of: its kind, and the fields that several kinds share."""

import re
from dataclasses import dataclass
from typing import ClassVar

from engine.game.tiles import Tile

DEALER = "dealer"
"""Who acts where an event is the dealer's doing."""

HOUSE = "house"
"""Whose wager it is when the dealer bets against a player-banker."""

TilePair = tuple[Tile, Tile]


@dataclass(frozen=True)
class Event:
    """Something that happened at the table, of a kind named as its class is: in lower case with hyphens."""

    kind: ClassVar[str]

    def __init_subclass__(cls, *, kinds: bool = True) -> None:
        """Name the kind after the class, unless the class only gathers the fields of several kinds."""
        super().__init_subclass__()
        if kinds:
            cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
            KINDS[cls.kind] = cls


KINDS: dict[str, type[Event]] = {}
"""Every class of event by its kind."""


@dataclass(frozen=True)
class DoneBy(Event, kinds=False):
    """What somebody does about the round."""

    by: str


@dataclass(frozen=True)
class AtBox(Event, kinds=False):
    """What happens at a box."""

    box: int


@dataclass(frozen=True)
class PlayerAtBox(AtBox, kinds=False):
    """What a player does about a box."""

    player: str


@dataclass(frozen=True)
class HandledBy(AtBox, kinds=False):
    """What somebody does with the tiles of a box."""

    by: str
