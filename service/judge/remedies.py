"""What the rulebook says about what was seen to go wrong at the table, at the moment at which it was seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from engine.books.registry import BOOKS
from engine.house_way.rules import Moment
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.irregularities import Irregularity, Whose

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.house_way import HouseWay
    from vision.reading import Finding

_KINDS: Final = {
    "duplicate_face": (Irregularity.DUPLICATE_FACE, None),
    "tile_exposed": (Irregularity.TILE_EXPOSED, Whose.PLAYER),
    "hand_changed": (Irregularity.HAND_DISTURBED, Whose.PLAYER),
    "tiles_changed": (Irregularity.HANDS_MIXED, None),
    "exposed_before_bank": (Irregularity.DEALER_EXPOSES, Whose.PLAYER),
    "cocked_die": (Irregularity.COCKED_DIE, None),
}
"""What each finding of a round is to the rulebooks."""

_REACHED: Final = {
    Moment.NO_HAND_EXPOSED: (Milestone.TILES_DELIVERED,),
    Moment.FIRST_HAND_EXPOSED: (Milestone.FIRST_HAND_EXPOSED,),
    Moment.BANK_PUT_AWAY: (Milestone.BANK_PUT_AWAY,),
}


def remedies(house_way: HouseWay) -> Callable[[Finding, Moment | None], Finding | None]:
    """What adds the words of the rulebook, under which this House Way is played, to a finding."""
    said, book = house_way.irregularities, BOOKS.get(house_way.played_under)

    def remedied(finding: Finding, moment: Moment | None) -> Finding | None:
        if finding.code == "exposed_out_of_turn":
            # Only where the book lays down an order is there a turn to be missed.
            cite = None if book is None else book.play.expose.get(Bank.HOUSE)
            return replace(finding, message=f"{finding.message} ({cite})") if cite else None
        if finding.code not in _KINDS or said is None:
            return finding
        kind, whose = _KINDS[finding.code]
        reached = None if moment is None else _REACHED[moment]
        if finding.code == "cocked_die":
            reached = (Milestone.DICE_SHOWN,)
        rule = f" ({book.play.bank_first})" if book is not None and finding.code == "exposed_before_bank" else ""
        return replace(finding, message=f"{finding.message}{rule}. {said.finding(kind, whose, reached).remedy}")

    return remedied
