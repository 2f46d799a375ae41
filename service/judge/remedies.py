"""What the rulebook says about what was seen to go wrong at the table, at the moment at which it was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, code
from service.rounds.reports import RemedyReport
from service.rounds.round import RoundFinding
from service.words.irregularities import remedies_words
from vision.findings import Code
from vision.tracking.observed.procedure import finding_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import StrEnum

    from engine.house_way import HouseWay
    from engine.house_way.rules import Moment
    from engine.observed import Departure, ObservedRound
    from engine.vocabulary.facts import Bank
    from engine.vocabulary.irregularities import Remedies
    from vision.findings import Finding

_KINDS: Final[Mapping[StrEnum, tuple[Irregularity, Whose | None]]] = {
    Code.DUPLICATE_FACE: (Irregularity.DUPLICATE_FACE, None),
    Code.TILE_EXPOSED: (Irregularity.TILE_EXPOSED, Whose.PLAYER),
    Code.HAND_CHANGED: (Irregularity.HAND_DISTURBED, Whose.PLAYER),
    Code.TILES_CHANGED: (Irregularity.HANDS_MIXED, None),
    Code.COCKED_DIE: (Irregularity.COCKED_DIE, None),
}
"""What each finding of a round is to the rulebooks."""


def remedies(house_way: HouseWay) -> Callable[[Finding, Moment | None, Bank | None], RoundFinding]:
    """What adds the words of the rulebook, under which this House Way is played, to a finding."""
    irregularities = house_way.irregularities

    def remedied(finding: Finding, moment: Moment | None, bank: Bank | None) -> RoundFinding:
        if finding.code not in _KINDS or irregularities is None:
            return RoundFinding(finding)
        kind, whose = _KINDS[finding.code]
        reached = None if moment is None else moment.reached
        if finding.code is Code.COCKED_DIE:
            reached = (Milestone.DICE_SHOWN,)
        found = irregularities.remedies(kind, whose, reached, bank=bank)
        return RoundFinding(finding, None, str(remedies_words(found)), options_of(found))

    return remedied


def departed(observed: ObservedRound, departure: Departure) -> RoundFinding:
    """A departure from the rulebook as a finding, with its rule and what may be done about it now."""
    found = observed.remedies(departure)
    return RoundFinding(finding_of(departure), departure.rule, str(remedies_words(found)), options_of(found))


def options_of(found: Remedies) -> tuple[RemedyReport, ...]:
    """What a rulebook has for something, one by one."""
    return tuple(
        RemedyReport(
            duty=option.duty.value,
            by=option.by.words,
            effect=code(option.effect),
            action=option.action.format(hand=found.whose.value if found.whose else "the hand"),
            where=option.where,
            rule=option.cite,
        )
        for option in found.options
    )
