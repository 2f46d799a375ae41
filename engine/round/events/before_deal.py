"""Events before the deal: opening the table, the bank, wagers."""

from dataclasses import dataclass

from engine.game.tiles import Tile
from engine.round.events.base import Event, PlayerAtBox
from engine.settlement.wagers import MAIN
from engine.vocabulary.facts import Bank
from engine.vocabulary.play import Means

# Before the round


class TableVacated(Event):
    """All players have left; what comes is a new commencement of play."""


@dataclass(frozen=True)
class TilesReplaced(Event):
    """A tile or the set was changed.

    Attributes:
        ordered_by: the title of whoever ordered it.
        whole_set: whether the whole set is taken off the table for another.
    """

    ordered_by: str
    whole_set: bool = False


class TableClosed(Event):
    """Gaming at the table has ended, and the tiles are taken off it."""


@dataclass(frozen=True)
class LimitsChanged(Event):
    """The limits on the table's sign are altered.

    Attributes:
        by: the title of whoever decided it.
        minimum: the new minimum; None for none.
        maximum: the new maximum; None for none.
        announced: whether a sign announced the higher minimum for twenty minutes.
    """

    by: str
    minimum: int | None = None
    maximum: int | None = None
    announced: bool = False


@dataclass(frozen=True)
class TilesChecked(Event):
    """All tiles were checked one by one and lie face up.

    Attributes:
        tiles: as they lie.
        by: the title of whoever checked them.
    """

    tiles: tuple[Tile, ...]
    by: str


class PlayerSeated(PlayerAtBox):
    """A player took the seat at a box."""


@dataclass(frozen=True)
class PlayerLeft(Event):
    """A player left the table."""

    player: str


# The bank


class BankOffered(PlayerAtBox):
    """The bank was offered to a player for a box."""


class BankDeclined(PlayerAtBox):
    """The player it was offered to, or who held it so far, does not take the bank."""


@dataclass(frozen=True)
class BankAccepted(Event):
    """A player takes the bank, or goes on with it.

    Attributes:
        box: where the chung is put.
        players: who banks; more than one where the bank is shared, the one it was offered to first.
        method: alone or as co-banker.
        funds: what the dealer ascertained that they have for it.
        approved_by: the title of whoever gave leave, where co-banking takes it.
    """

    box: int
    players: tuple[str, ...]
    method: Bank
    funds: int
    approved_by: str | None = None


class HouseBanks(Event):
    """The House takes the bank."""


@dataclass(frozen=True)
class BankWagered(Event):
    """The player in the bank placed his own wager, or raised it to this."""

    amount: int


@dataclass(frozen=True)
class BankFellBack(Event):
    """The player in the bank does not cover the wagers, and the round is banked another way."""

    method: Bank


@dataclass(frozen=True)
class HouseWagered(Event):
    """The dealer placed a bet against the player-banker, at his request.

    Attributes:
        amount: the bet.
        authorised_by: the title of whoever allows more wagers in all than the book does.
    """

    amount: int
    authorised_by: str | None = None


# Wagers


@dataclass(frozen=True)
class WagerPlaced(Event):
    """A player placed a wager.

    Attributes:
        box: where.
        player: whose.
        amount: how much.
        means: of what.
        spot: its place in the box, 1 nearest to the dealer (or furthest to the dealer's right, by the layout).
        consent: whether the player-banker agreed to it after the close.
        bet: the kind of bet: the game itself, or a side wager that the table offers.
    """

    box: int
    player: str
    amount: int
    means: Means = Means.CHIPS
    spot: int | None = None
    consent: bool = False
    bet: str = MAIN


@dataclass(frozen=True)
class WagerChanged(Event):
    """A player's wager is now this much."""

    box: int
    player: str
    amount: int
    consent: bool = False
    bet: str = MAIN


@dataclass(frozen=True)
class WagerWithdrawn(Event):
    """A player took his wager back."""

    box: int
    player: str
    consent: bool = False
    bet: str = MAIN


class ControlCeded(PlayerAtBox):
    """The seated player leaves the decisions to the highest wager."""


class BoxChosen(PlayerAtBox):
    """A player on several boxes says which one he plays himself."""


class BetsClosed(Event):
    """The dealer called "no more bets"."""
