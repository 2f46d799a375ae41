"""Observations of a round: one frozen class per kind, listed in the order they were made.

Boxes are the numbers on the felt; None means the place before the float, where the bank's tiles are opened.
Observations carry no time; the recorder adds it.
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
    """Base class of observations; ``kind`` is the class name in lower case with hyphens."""

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()
        KINDS[cls.kind] = cls


KINDS: dict[str, type[Observation]] = {}
"""Every class of observation by its kind."""


class SetDisplayed(Observation):
    """All tiles lay face up beside the boxes for the check."""


class TilesMixed(Observation):
    """The tiles were mixed face down."""


class TilesStacked(Observation):
    """The tiles stood in stacks."""


@dataclass(frozen=True)
class DiceSeen(Observation):
    """The dice lay open: values of the box dice (of a cocked throw, of those that lie flat) and of the cut die.

    Attributes:
        cut_die: None if it was not read, or is not used.
        cocked: whether a die surely leans.
        distinguished: whether the box dice were distinguished from other dice; if not, each of them may be another.
    """

    box_dice: tuple[int, ...]
    cut_die: int | None = None
    cocked: bool = False
    distinguished: bool = True


@dataclass(frozen=True)
class LeaningDiceLeft(Observation):
    """Tiles already lay at the boxes while the dice still lay as thrown, one of them leaning."""


class OldDiceLeft(Observation):
    """Tiles lay at the boxes while the dice still lay as thrown in the round before, and no others had been thrown."""


@dataclass(frozen=True)
class TilesDealt(Observation):
    """Tiles were dealt to these places; their relative order was not seen.

    Before the float they either come from the bank's box or are dealt there, if the book has a dealer's place.
    """

    boxes: tuple[int | None, ...]


@dataclass(frozen=True)
class StacksSeen(Observation):
    """Which of the eight stacks stood and which were gone during the deal, counted from the dealer's left.

    The other stacks were not seen. `fewest` and `most` bound the number of places that had their tiles.
    """

    standing: tuple[int, ...]
    gone: tuple[int, ...]
    fewest: int
    most: int


@dataclass(frozen=True)
class TilesCounted(Observation):
    """After the delivery a box had more or fewer tiles than the others."""

    box: int
    more: bool


@dataclass(frozen=True)
class TilesHandled(Observation):
    """After the delivery the closed tiles of a box lay as two upright and two across: they were taken up and set."""

    box: int


class UnusedOpen(Observation):
    """Before any hand was opened, a tile lay face up where tiles out of play are put."""


class DiceLeft(Observation):
    """A hand was open while the dice still lay as thrown for the delivery."""


class DeliveryEnded(Observation):
    """No tiles lay beside the boxes any more: undealt or retrieved tiles are out of play."""


@dataclass(frozen=True)
class HouseWayAsked(Observation):
    """The dealer sets the tiles of a box: they were turned across (star-2024 12.7), or he always sets them there."""

    box: int


@dataclass(frozen=True)
class HandOpened(Observation):
    """A hand was opened.

    Attributes:
        box: box of the hand; None before the float.
        closed: boxes with closed tiles at that time; None before the float.
        open: boxes with previously opened hands still open.
        low, high: the final hand, if read with certainty.
        as_dealt: boxes whose tiles had surely not been moved since they were dealt.
    """

    box: int | None
    closed: tuple[int | None, ...] = ()
    open: tuple[int, ...] = ()
    low: TilePair | None = None
    high: TilePair | None = None
    as_dealt: tuple[int, ...] = ()


@dataclass(frozen=True)
class HandPutAway(Observation):
    """An open hand was put away; None is the one before the float.

    `closed` are the boxes with closed tiles at that time; None before the float.
    """

    box: int | None
    closed: tuple[int | None, ...] = ()


def hands(seen: Iterable[Observation]) -> dict[int | None, HandOpened]:
    return {each.box: each for each in seen if isinstance(each, HandOpened)}
