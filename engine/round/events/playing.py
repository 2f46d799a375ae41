"""Events of play: hands set, conceded, exposed and matched."""

from dataclasses import dataclass

from engine.game.ranking import Outcome
from engine.game.tiles import Tile
from engine.round.events.base import Event, TilePair


@dataclass(frozen=True, slots=True)
class TilesHandled(Event):
    """Somebody took up a box's tiles."""

    box: int
    by: str


@dataclass(frozen=True, slots=True)
class HouseWayRequested(Event):
    """A player, or the banker for his own box, asked the dealer to set the hand."""

    box: int
    by: str


@dataclass(frozen=True, slots=True)
class HandSet(Event):
    """A hand lies set, face down; by its player or by `DEALER`."""

    box: int
    by: str


@dataclass(frozen=True, slots=True)
class HandConceded(Event):
    """A player gave his wager up; the tiles are taken away unseen."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class TieSurrendered(Event):
    """A player gave up half of his Tie wager."""

    box: int
    player: str


@dataclass(frozen=True, slots=True)
class TilesLaidOpen(Event):
    """The only player against the House laid his tiles face up."""

    box: int
    player: str
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class BankPeeked(Event):
    """The co-banker exposed two of the bank's tiles before they were set."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class BankSet(Event):
    """The bank's hand is set; by a banker or by `DEALER`."""

    by: str


@dataclass(frozen=True, slots=True)
class BankConfirmed(Event):
    """A banker confirmed the hand that the dealer set for him."""

    by: str


# Exposing and matching


@dataclass(frozen=True, slots=True)
class BankExposed(Event):
    """The bank's hand is open, as laid (a low hand that outranks the high one is no matter of the log)."""

    low: TilePair
    high: TilePair


@dataclass(frozen=True, slots=True)
class HouseWayConfirmed(Event):
    """The House's hand was confirmed to lie the House Way; by the title of whoever did."""

    by: str


@dataclass(frozen=True, slots=True)
class HandExposed(Event):
    """A player's hand is open, as laid."""

    box: int
    low: TilePair
    high: TilePair


@dataclass(frozen=True, slots=True)
class HandMatched(Event):
    """A player's hand was matched with the bank's: Jung, Che or Jowl."""

    box: int
    outcome: Outcome
