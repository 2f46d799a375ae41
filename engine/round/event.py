"""Base classes of events: kind, and fields shared by several kinds."""

import re
from dataclasses import dataclass
from typing import ClassVar

from engine.game.tiles import Tile

DEALER = "dealer"
"""Actor of the dealer's events."""

HOUSE = "house"
"""Owner of the dealer's bet against a player-banker."""

TilePair = tuple[Tile, Tile]


@dataclass(frozen=True)
class Event:
    """Base class of events; ``kind`` is the class name in lower case with hyphens."""

    kind: ClassVar[str]

    def __init_subclass__(cls, *, kinds: bool = True) -> None:
        """Set the kind from the class name, unless the class only adds shared fields."""
        super().__init_subclass__()
        if kinds:
            cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
            KINDS[cls.kind] = cls


KINDS: dict[str, type[Event]] = {}
"""Every class of event by its kind."""


@dataclass(frozen=True)
class DoneBy(Event, kinds=False):
    by: str


@dataclass(frozen=True)
class AtBox(Event, kinds=False):
    box: int


@dataclass(frozen=True)
class PlayerAtBox(AtBox, kinds=False):
    player: str


@dataclass(frozen=True)
class HandledBy(AtBox, kinds=False):
    by: str
