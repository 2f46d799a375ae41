"""Departures from the rulebook that can be seen, and what the book says about each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.vocabulary.facts import Whose
from engine.vocabulary.irregularities import Irregularity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.vocabulary.citations import Cite


class DepartureKind(StrEnum):
    """What was not done as the rulebook has it."""

    DEALT_BY_LEANING_DICE = "dealt_by_leaning_dice"
    WRONG_FIRST_BOX = "wrong_first_box"
    DELIVERED_OUT_OF_ORDER = "delivered_out_of_order"
    CUT_AGAINST_DIE = "cut_against_die"
    TILES_MISCOUNTED = "tiles_miscounted"
    EXPOSED_BEFORE_BANK = "exposed_before_bank"
    EXPOSED_OUT_OF_TURN = "exposed_out_of_turn"
    LOST_HAND_LEFT = "lost_hand_left"
    BANK_AWAY_EARLY = "bank_away_early"


IRREGULARITIES: Mapping[DepartureKind, tuple[Irregularity, Whose | None]] = {
    DepartureKind.DEALT_BY_LEANING_DICE: (Irregularity.COCKED_DIE, None),
    DepartureKind.WRONG_FIRST_BOX: (Irregularity.WRONG_DEAL, None),
    DepartureKind.DELIVERED_OUT_OF_ORDER: (Irregularity.WRONG_DEAL, None),
    DepartureKind.CUT_AGAINST_DIE: (Irregularity.WRONG_DEAL, None),
    DepartureKind.TILES_MISCOUNTED: (Irregularity.WRONG_DEAL, None),
    DepartureKind.EXPOSED_BEFORE_BANK: (Irregularity.DEALER_EXPOSES, Whose.PLAYER),
    DepartureKind.EXPOSED_OUT_OF_TURN: (Irregularity.DISPUTE, None),
    DepartureKind.LOST_HAND_LEFT: (Irregularity.DISPUTE, None),
    DepartureKind.BANK_AWAY_EARLY: (Irregularity.DISPUTE, None),
}
"""What each is to the rulebooks, and whose hand it concerns; some fall under their rule on disputes alone."""


@dataclass(frozen=True, slots=True)
class Departure:
    """Something that was not done as the rulebook has it.

    Attributes:
        rule: the rule that it departs from.
        box: the box it is about; None where it is about none, or about the bank's hand.
        seen: boxes as they were seen, in the order in which they were.
        due: boxes as the book has them instead; empty where that is not known.
    """

    kind: DepartureKind
    rule: Cite
    box: int | None = None
    seen: tuple[int, ...] = ()
    due: tuple[int, ...] = ()

    @property
    def about(self) -> tuple[DepartureKind, int | None]:
        """What makes it the same departure under different ways of banking."""
        return self.kind, self.box
