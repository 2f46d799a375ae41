"""Visible departures from the rulebook, and the book's provisions for each."""

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
    """Kind of departure from the rulebook."""

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
"""The irregularity of each kind, and whose hand it concerns; some are covered only by the book's rule on disputes."""


@dataclass(frozen=True, slots=True)
class Departure:
    """An action that departs from the rulebook.

    Attributes:
        rule: the rule not followed.
        box: the box concerned; None for the bank's hand, or without a box.
        seen: boxes in the order observed.
        due: the boxes the book requires instead; empty if unknown.
    """

    kind: DepartureKind
    rule: Cite
    box: int | None = None
    seen: tuple[int, ...] = ()
    due: tuple[int, ...] = ()

    @property
    def about(self) -> tuple[DepartureKind, int | None]:
        """Key that identifies the same departure under different ways of banking."""
        return self.kind, self.box
