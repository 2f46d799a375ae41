"""Events of the deal: shuffle, cut, dice, delivery."""

from dataclasses import dataclass

from engine.round.events.base import Event
from engine.vocabulary.cuts import Chooser

# Shuffle


@dataclass(frozen=True)
class Shuffled(Event):
    """The tiles were shuffled face down.

    Attributes:
        ordered_by: the title of whoever ordered it, where it is not the round's first shuffle.
    """

    ordered_by: str | None = None


class Stacked(Event):
    """The tiles stand in eight stacks of four."""


@dataclass(frozen=True)
class LajaDone(Event):
    """The tiles were mixed once more at a player's wish, or because one of them was exposed.

    Attributes:
        by: who did it: `DEALER` or a player.
        asked_by: who wished it: a player, or the title of whoever asked because a tile was exposed.
        approved_by: the title of whoever gave leave.
    """

    by: str
    asked_by: str
    approved_by: str | None = None


# Cut and dice


@dataclass(frozen=True)
class CutNamed(Event):
    """The cut is decided.

    Attributes:
        cut: its name.
        by: who or what decided it.
        accepted_by: the title of whoever accepted a cut that is not on the book's list.
    """

    cut: str
    by: Chooser
    accepted_by: str | None = None


@dataclass(frozen=True)
class ButtonPlaced(Event):
    """The banker adjusts the delivery by this value."""

    value: int


@dataclass(frozen=True)
class DiceShaken(Event):
    """Somebody shook the cup: `DEALER` or a player."""

    by: str


@dataclass(frozen=True)
class DiceShown(Event):
    """The cover was taken off.

    Attributes:
        box_dice: the upper faces of the box dice; of a cocked throw those that can be read.
        cut_die: that of the cut die, where there is one.
        first_box: which box is first; None if a die is cocked.
        cocked: whether a die does not lie flat.
        big_small_die: that of the third die of Crown Pai Gow, where Big/Small is offered.
    """

    box_dice: tuple[int, ...]
    first_box: int | None = None
    cut_die: int | None = None
    cocked: bool = False
    big_small_die: int | None = None


@dataclass(frozen=True)
class TilesDelivered(Event):
    """Every place has four tiles.

    Attributes:
        order: the places in the order in which they were dealt.
    """

    order: tuple[int, ...]


@dataclass(frozen=True)
class EmptyRetrieved(Event):
    """The tiles of the boxes without wagers were taken back unseen."""

    boxes: tuple[int, ...]


class BankMoved(Event):
    """The bank's tiles lie before the float."""
