"""Visible departures from the rulebook, their possible causes, and lawful exceptions that a camera cannot rule out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from engine.vocabulary.facts import Whose
from engine.vocabulary.irregularities import Irregularity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.vocabulary.citations import Cite


class DepartureKind(StrEnum):
    """Kind of departure from the rulebook."""

    DEALT_BY_LEANING_DICE = "dealt_by_leaning_dice"
    DEALT_BEFORE_DICE = "dealt_before_dice"
    WRONG_FIRST_BOX = "wrong_first_box"
    DELIVERED_OUT_OF_ORDER = "delivered_out_of_order"
    CUT_AGAINST_DIE = "cut_against_die"
    TILES_MISCOUNTED = "tiles_miscounted"
    EXPOSED_BEFORE_BANK = "exposed_before_bank"
    EXPOSED_OUT_OF_TURN = "exposed_out_of_turn"
    LOST_HAND_LEFT = "lost_hand_left"
    STAND_OFF_LEFT = "stand_off_left"
    WON_HAND_TAKEN = "won_hand_taken"
    BANK_AWAY_EARLY = "bank_away_early"
    LEFT_AS_DEALT = "left_as_dealt"
    UNUSED_TILES_OPEN = "unused_tiles_open"
    DICE_NOT_SHAKEN_AGAIN = "dice_not_shaken_again"
    CHUNG_ELSEWHERE = "chung_elsewhere"
    BUTTON_UNDER_HOUSE_BANK = "button_under_house_bank"


@dataclass(frozen=True, slots=True)
class Cause:
    """What a rulebook may call something that was seen.

    Attributes:
        whose: whose hand it concerns; None if that is not relevant.
        rulings: numbers of our rulings under which the book's remedies for the irregularity are applied to it.
    """

    irregularity: Irregularity
    whose: Whose | None = None
    rulings: tuple[int, ...] = ()


_WRONG_DEAL: Final = (Cause(Irregularity.WRONG_DEAL),)
_DISPUTE: Final = (Cause(Irregularity.DISPUTE),)

CAUSES: Final[Mapping[DepartureKind, tuple[Cause, ...]]] = {
    DepartureKind.DEALT_BY_LEANING_DICE: (Cause(Irregularity.COCKED_DIE),),
    DepartureKind.DEALT_BEFORE_DICE: _DISPUTE,
    DepartureKind.WRONG_FIRST_BOX: _WRONG_DEAL,
    DepartureKind.DELIVERED_OUT_OF_ORDER: _WRONG_DEAL,
    # No book prints the consequence of a wrong cut; it is read as a wrong distribution.
    DepartureKind.CUT_AGAINST_DIE: (Cause(Irregularity.WRONG_DEAL, rulings=(44,)),),
    DepartureKind.TILES_MISCOUNTED: _WRONG_DEAL,
    # Who turned the tiles up is not seen (ruling 46).
    DepartureKind.EXPOSED_BEFORE_BANK: (
        Cause(Irregularity.DEALER_EXPOSES, Whose.PLAYER),
        Cause(Irregularity.PLAYER_EXPOSES, Whose.PLAYER),
    ),
    DepartureKind.EXPOSED_OUT_OF_TURN: _DISPUTE,
    DepartureKind.LOST_HAND_LEFT: _DISPUTE,
    DepartureKind.STAND_OFF_LEFT: _DISPUTE,
    DepartureKind.WON_HAND_TAKEN: _DISPUTE,
    DepartureKind.BANK_AWAY_EARLY: _DISPUTE,
    # Whether a wager lies at the box is not seen: a hand was not set, or tiles were not taken back.
    DepartureKind.LEFT_AS_DEALT: (Cause(Irregularity.ABSENT_PLAYER, Whose.PLAYER), *_DISPUTE),
    DepartureKind.UNUSED_TILES_OPEN: (Cause(Irregularity.UNUSED_TILES_SEEN),),
    DepartureKind.DICE_NOT_SHAKEN_AGAIN: _DISPUTE,
    DepartureKind.CHUNG_ELSEWHERE: _DISPUTE,
    DepartureKind.BUTTON_UNDER_HOUSE_BANK: _DISPUTE,
}
"""The possible causes of each kind, none of them preferred; some kinds are covered only by the rule on disputes."""


class Allowance(StrEnum):
    """A lawful exception that depends on something no camera sees."""

    ALONE = "alone"
    BONUS_ONLY = "bonus_only"
    CONCEDED_VIEWED = "conceded_viewed"
    CUT_ACCEPTED = "cut_accepted"


@dataclass(frozen=True, slots=True)
class Unless:
    """An exception under which there is no departure.

    Attributes:
        by: the title required to allow it; empty if no permission is needed.
    """

    allowance: Allowance
    rule: Cite
    by: str = ""


@dataclass(frozen=True, slots=True)
class Departure:
    """An action that departs from the rulebook.

    Attributes:
        rule: the rule not followed.
        box: the box concerned; None for the bank's hand, or without a box.
        seen: boxes in the order observed.
        due: the boxes the book requires instead; empty if unknown.
        unless: exceptions that cannot be ruled out; with any, a person must say whether it is a departure.
    """

    kind: DepartureKind
    rule: Cite
    box: int | None = None
    seen: tuple[int, ...] = ()
    due: tuple[int, ...] = ()
    unless: tuple[Unless, ...] = ()

    @property
    def about(self) -> tuple[DepartureKind, int | None]:
        """Key that identifies the same departure under different ways of banking."""
        return self.kind, self.box
