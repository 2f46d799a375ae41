"""Events of play: hands set, conceded, exposed and matched."""

from dataclasses import dataclass

from engine.game.ranking import Outcome
from engine.game.tiles import Tile
from engine.round.events.base import Event, HandledBy, PlayerAtBox, TilePair


class TilesHandled(HandledBy):
    """Somebody took up a box's tiles."""


class HouseWayRequested(HandledBy):
    """A player, or the banker for his own box, requested that the dealer set the hand."""


class HandSet(HandledBy):
    """A hand lies set, face down; by its player or by `DEALER`."""


class HandConceded(PlayerAtBox):
    """A player gave his wager up; the tiles are taken away unseen."""


class TieSurrendered(PlayerAtBox):
    """A player gave up half of his Tie wager."""


@dataclass(frozen=True)
class TilesLaidOpen(Event):
    """The only player against the House laid his tiles face up."""

    box: int
    player: str
    tiles: tuple[Tile, ...]


@dataclass(frozen=True)
class BankPeeked(Event):
    """The co-banker exposed two of the bank's tiles before they were set."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True)
class BankSet(Event):
    """The bank's hand is set; by a banker or by `DEALER`."""

    by: str


@dataclass(frozen=True)
class BankConfirmed(Event):
    """A banker confirmed the hand that the dealer set for him."""

    by: str


# Exposing and matching


@dataclass(frozen=True)
class BankExposed(Event):
    """The bank's hand is open, as laid (a low hand that outranks the high one is no matter of the log)."""

    low: TilePair
    high: TilePair


@dataclass(frozen=True)
class HouseWayConfirmed(Event):
    """The House's hand was confirmed to lie the House Way; by the title of whoever did."""

    by: str


@dataclass(frozen=True)
class HandExposed(Event):
    """A player's hand is open, as laid."""

    box: int
    low: TilePair
    high: TilePair


@dataclass(frozen=True)
class HandMatched(Event):
    """A player's hand was matched with the bank's: Jung, Che or Jowl."""

    box: int
    outcome: Outcome
