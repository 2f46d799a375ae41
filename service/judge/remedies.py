"""What the rulebook says about what was seen to go wrong at the table, at the moment at which it was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.books.registry import BOOKS
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from service.rounds.round import RoundFinding
from service.words.irregularities import remedies_words
from vision.findings import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import StrEnum

    from engine.house_way import HouseWay
    from engine.house_way.rules import Moment
    from vision.findings import Finding

_KINDS: Final[Mapping[StrEnum, tuple[Irregularity, Whose | None]]] = {
    Code.DUPLICATE_FACE: (Irregularity.DUPLICATE_FACE, None),
    Code.TILE_EXPOSED: (Irregularity.TILE_EXPOSED, Whose.PLAYER),
    Code.HAND_CHANGED: (Irregularity.HAND_DISTURBED, Whose.PLAYER),
    Code.TILES_CHANGED: (Irregularity.HANDS_MIXED, None),
    Code.EXPOSED_BEFORE_BANK: (Irregularity.DEALER_EXPOSES, Whose.PLAYER),
    Code.COCKED_DIE: (Irregularity.COCKED_DIE, None),
}
"""What each finding of a round is to the rulebooks."""


def remedies(house_way: HouseWay) -> Callable[[Finding, Moment | None], RoundFinding | None]:
    """What adds the words of the rulebook, under which this House Way is played, to a finding."""
    irregularities, book = house_way.irregularities, BOOKS.get(house_way.played_under)

    def remedied(finding: Finding, moment: Moment | None) -> RoundFinding | None:
        if finding.code is Code.EXPOSED_OUT_OF_TURN:
            # Only where the book lays down an order is there a turn to be missed.
            cite = None if book is None else book.play.expose.get(Bank.HOUSE)
            return RoundFinding(finding, rule=cite) if cite else None
        if finding.code not in _KINDS or irregularities is None:
            return RoundFinding(finding)
        kind, whose = _KINDS[finding.code]
        reached = None if moment is None else moment.reached
        if finding.code is Code.COCKED_DIE:
            reached = (Milestone.DICE_SHOWN,)
        before_bank = book is not None and finding.code is Code.EXPOSED_BEFORE_BANK
        rule = book.play.bank_first if book is not None and before_bank else None
        return RoundFinding(finding, rule, remedies_words(irregularities.remedies(kind, whose, reached)))

    return remedied
