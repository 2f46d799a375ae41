"""Findings of a round with what the rulebook calls them, and the facts on which its remedies depend.

Which remedies there are is looked up where a person or a program reads them: :func:`remedies_of`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.observed.departures import IRREGULARITIES
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, by_code, code
from service.rounds.reports import FindingReport, IrregularityReport
from vision.findings import Code
from vision.tracking.observed.procedure import finding_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from enum import StrEnum

    from engine.books.book import Rulebook
    from engine.house_way.rules import Moment
    from engine.observed import Departure, ObservedRound
    from engine.vocabulary.irregularities import Remedies
    from vision.findings import Finding

_KINDS: Final[Mapping[StrEnum, tuple[Irregularity, Whose | None]]] = {
    Code.DUPLICATE_FACE: (Irregularity.DUPLICATE_FACE, None),
    Code.TILE_EXPOSED: (Irregularity.TILE_EXPOSED, Whose.PLAYER),
    Code.HAND_CHANGED: (Irregularity.HAND_DISTURBED, Whose.PLAYER),
    Code.TILES_CHANGED: (Irregularity.HANDS_MIXED, None),
    Code.COCKED_DIE: (Irregularity.COCKED_DIE, None),
}
"""What rulebooks call each finding of a round."""


def finding_at(finding: Finding, moment: Moment | None, bank: Bank | None) -> FindingReport:
    """A finding of a round that had come so far, with this bank; None for what is not known."""
    found = FindingReport.of(finding)
    if finding.code not in _KINDS:
        return found
    kind, whose = _KINDS[finding.code]
    reached = None if moment is None else moment.reached
    if finding.code is Code.COCKED_DIE:
        reached = (Milestone.DICE_SHOWN,)
    return found.model_copy(update={"irregularity": _irregularity(kind, whose, reached, bank)})


def departed(observed: ObservedRound, departure: Departure) -> FindingReport:
    """A departure from the rulebook as a finding, with its rule."""
    kind, whose = IRREGULARITIES[departure.kind]
    irregularity = _irregularity(kind, whose, observed.reached, observed.method)
    return FindingReport.of(finding_of(departure)).model_copy(
        update={"rule": departure.rule, "irregularity": irregularity}
    )


def remedies_of(found: FindingReport, book: Rulebook | None) -> Remedies | None:
    """What a rulebook has for a finding; None without a book, or for a finding that needs no remedy."""
    asked = found.irregularity
    if asked is None or book is None:
        return None
    rules = book.irregularities
    return rules.remedies(
        by_code(Irregularity, asked.kind),
        None if asked.whose is None else by_code(Whose, asked.whose),
        None if asked.reached is None else [by_code(Milestone, each) for each in asked.reached],
        bank=None if asked.bank is None else Bank(asked.bank),
    )


def _irregularity(
    kind: Irregularity, whose: Whose | None, reached: Iterable[Milestone] | None, bank: Bank | None
) -> IrregularityReport:
    return IrregularityReport(
        kind=code(kind),
        whose=None if whose is None else code(whose),
        reached=None if reached is None else tuple(sorted(map(code, reached))),
        bank=None if bank is None else bank.value,
    )
