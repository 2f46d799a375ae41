"""What a round came to, as the log writes it: wager by wager, and for the player in the bank."""

from dataclasses import dataclass

from engine.game.ranking import Outcome
from engine.settlement.wagers import MAIN


@dataclass(frozen=True, slots=True)
class WagerResult:
    """What one wager came to.

    Attributes:
        outcome: how it ended; None if it was void.
        paid: what the player won, before commission; 0 unless he won.
        commission: what was taken from that.
        lost: what of the wager was taken.
    """

    box: int
    player: str
    outcome: Outcome | None
    paid: int = 0
    commission: int = 0
    lost: int = 0
    bet: str = MAIN


@dataclass(frozen=True, slots=True)
class Banked:
    """What the player in the bank had at the end: his part of the losing wagers less commission, and his own wager."""

    handed: int
    commission: int
    returned: int
