"""Results of a round as the log writes them: per wager, and for the player-banker."""

from dataclasses import dataclass

from engine.game.ranking import Outcome
from engine.settlement.wagers import MAIN


@dataclass(frozen=True, slots=True)
class WagerResult:
    """Result of one wager.

    Attributes:
        outcome: how it ended; None if it was void.
        paid: the player's winnings before commission; 0 unless he won.
        commission: the amount deducted.
        lost: the part of the wager taken.
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
    """Result of the player-banker: his share of the losing wagers less commission, and his own wager."""

    handed: int
    commission: int
    returned: int
