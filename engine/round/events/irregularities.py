"""The event of something that went wrong."""

from dataclasses import dataclass

from engine.round.events.base import Event, TilePair
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect


@dataclass(frozen=True)
class IrregularityDecided(Event):
    """Something went wrong, and what is done about it was decided.

    Attributes:
        irregularity: what went wrong.
        remedy: what becomes of wagers and tiles by the remedy taken.
        rule: the rule by which it is taken, as cited: ``crown-6.1 12.7``.
        decided_by: a title, `DEALER` or a player.
        box: whose hand it is about; the chung's box for the bank's hand.
        player: whose wagers it is about.
        decision: what becomes of wagers, where the rule leaves that to be decided (`Effect.AS_DECIDED`).
        low: of an open hand that was set right, the low hand as it lies then.
        high: likewise the high hand.
        dice: the box dice that chose a box to go out of play.
    """

    irregularity: Irregularity
    remedy: Effect
    rule: str
    decided_by: str
    box: int | None = None
    player: str | None = None
    decision: Effect | None = None
    low: TilePair | None = None
    high: TilePair | None = None
    dice: tuple[int, ...] = ()
