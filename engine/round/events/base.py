"""What all events share: who acts, and the name of their kind in the written form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from engine.game.tiles import Tile

DEALER = "dealer"
"""Who acts where an event is the dealer's doing."""

HOUSE = "house"
"""Whose wager it is when the dealer bets against a player-banker."""

TilePair = tuple[Tile, Tile]

KINDS: dict[str, type[Event]] = {}
"""Every class of event by its kind."""


@dataclass(frozen=True)
class Event:
    """Something that happened at the table; subclasses with fields of their own are frozen data classes as well.

    Attributes:
        kind: its name in the written form: the class's, in lower case with hyphens.
    """

    kind: ClassVar[str]

    def __init_subclass__(cls, *, kinds: bool = True) -> None:
        """Name the kind after the class, unless the class only gathers the fields of several kinds."""
        super().__init_subclass__()
        if not kinds:
            return
        cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
        KINDS[cls.kind] = cls


@dataclass(frozen=True)
class PlayerAtBox(Event, kinds=False):
    """What a player does about a box."""

    box: int
    player: str


@dataclass(frozen=True)
class HandledBy(Event, kinds=False):
    """What somebody does with the tiles of a box: a player, `DEALER`, or a title."""

    box: int
    by: str
