"""What all events share: who acts, and the name of their kind in the written form."""

from __future__ import annotations

import re
from typing import ClassVar

from engine.game.tiles import Tile

DEALER = "dealer"
"""Who acts where an event is the dealer's doing."""

HOUSE = "house"
"""Whose wager it is when the dealer bets against a player-banker."""

TilePair = tuple[Tile, Tile]

KINDS: dict[str, type[Event]] = {}
"""Every class of event by its kind."""


class Event:
    """Something that happened at the table.

    Attributes:
        kind: its name in the written form: the class's, in lower case with hyphens.
    """

    __slots__ = ()
    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Know the class by its kind."""
        super().__init_subclass__()
        cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
        KINDS[cls.kind] = cls
