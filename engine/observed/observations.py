"""What can be seen of a round: one frozen class for each kind of observation, in the order in which it was seen.

Boxes are the numbers on the felt; None stands for the place before the float, where the bank's tiles are opened.
Observations carry no time: whoever records them does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from engine.game.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import Iterable

TilePair = tuple[Tile, Tile]


@dataclass(frozen=True)
class Observation:
    """Something that was seen, of a kind named as its class is: in lower case with hyphens."""

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Name the kind after the class."""
        super().__init_subclass__()
        cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
        KINDS[cls.kind] = cls


KINDS: dict[str, type[Observation]] = {}
"""Every class of observation by its kind."""


class SetDisplayed(Observation):
    """All tiles lay face up beside the boxes, as they are checked."""


class TilesMixed(Observation):
    """The tiles were mixed face down."""


class TilesStacked(Observation):
    """The tiles stood in stacks."""


@dataclass(frozen=True)
class DiceSeen(Observation):
    """The dice lay open: what each box die shows, or those of a cocked throw that lie flat, and what the cut die shows.

    A cocked throw is one of which a die surely leans.
    """

    box_dice: tuple[int, ...]
    cut_die: int | None = None
    cocked: bool = False


@dataclass(frozen=True)
class LeaningDiceLeft(Observation):
    """The dice still lay as they were thrown, one of them leaning, when tiles lay at the boxes already."""


@dataclass(frozen=True)
class TilesDealt(Observation):
    """Tiles came to lie at these places; in which order among themselves was not seen.

    Before the float they come as the bank's from its box, or are dealt to where the book has a place of the dealer's.
    """

    boxes: tuple[int | None, ...]


@dataclass(frozen=True)
class StacksSeen(Observation):
    """While tiles were dealt, which of the eight stacks stood and which were gone, counted from the dealer's left.

    Of the others it was not seen. `fewest` and `most` are how many places had their tiles then.
    """

    standing: tuple[int, ...]
    gone: tuple[int, ...]
    fewest: int
    most: int


@dataclass(frozen=True)
class TilesCounted(Observation):
    """After the delivery more or fewer tiles than at the other boxes lay at one."""

    box: int
    more: bool


class DeliveryEnded(Observation):
    """No tiles lay beside the boxes any more: those that were dealt to nobody, or taken back, are out of play."""


@dataclass(frozen=True)
class HouseWayAsked(Observation):
    """The tiles of a box were turned across, so that the dealer sets them."""

    box: int


@dataclass(frozen=True)
class HandOpened(Observation):
    """A hand was opened, while the tiles of other boxes lay closed.

    Attributes:
        box: whose; None before the float.
        closed: boxes at which closed tiles lay then; None before the float.
        open: boxes whose hands, opened before, still lay open then.
        low, high: the hand as it lay last, if it was read beyond doubt.
    """

    box: int | None
    closed: tuple[int | None, ...] = ()
    open: tuple[int, ...] = ()
    low: TilePair | None = None
    high: TilePair | None = None


@dataclass(frozen=True)
class HandPutAway(Observation):
    """An open hand was put away; None is the one before the float.

    `closed` are boxes at which closed tiles lay then; None before the float.
    """

    box: int | None
    closed: tuple[int | None, ...] = ()


def hands(seen: Iterable[Observation]) -> dict[int | None, HandOpened]:
    """The hands that were opened, by box."""
    return {each.box: each for each in seen if isinstance(each, HandOpened)}
