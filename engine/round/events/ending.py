"""Events of the end of a round: wagers settled, tiles put away."""

from dataclasses import dataclass

from engine.game.ranking import Outcome
from engine.round.events.base import Event, HandledBy
from engine.settlement.wagers import MAIN


@dataclass(frozen=True, slots=True)
class WagerResult:
    """What one wager came to.

    Attributes:
        box: where it lay.
        player: whose it was.
        outcome: how it ended; None if it was void.
        paid: what the player won, before commission; 0 unless he won.
        commission: what was taken from that.
        lost: what of the wager was taken.
        bet: the kind of bet.
    """

    box: int
    player: str
    outcome: Outcome | None
    paid: int = 0
    commission: int = 0
    lost: int = 0
    bet: str = MAIN


@dataclass(frozen=True)
class BigSmallSettled(Event):
    """The wagers on Big and Small were paid or taken, as the dice say.

    Attributes:
        results: of each of them.
    """

    results: tuple[WagerResult, ...]


@dataclass(frozen=True, slots=True)
class Banked:
    """What the player in the bank had at the end.

    Attributes:
        handed: his part of the losing wagers left, less commission.
        commission: what was taken from that.
        returned: what he had back of his own wager.
    """

    handed: int
    commission: int
    returned: int


@dataclass(frozen=True)
class Settled(Event):
    """Every wager on the tiles was paid or taken.

    Attributes:
        results: of each wager, in the order of payment.
        bank: what the player in the bank had; None where the House banks.
    """

    results: tuple[WagerResult, ...]
    bank: Banked | None = None


@dataclass(frozen=True)
class TilesPutAway(Event):
    """A player's tiles lie in the designated area."""

    box: int


class BankPutAway(Event):
    """The bank's tiles lie in the designated area."""


class TilesViewed(HandledBy):
    """Somebody looked at tiles that are out of play: a player, `DEALER`, or a title."""
