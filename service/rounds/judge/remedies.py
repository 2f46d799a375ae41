"""Findings of a round as irregularities of the rulebook, and the remedies that it has for them.

Only the irregularity and the facts on which its remedies depend are recorded; remedies are looked up when a finding is
read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.observed.departures import IRREGULARITIES
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, by_code, code
from service.rounds.reports import FindingReport, IrregularityReport
from service.words.findings import words_of
from service.words.rule_sentences import remedies_words
from vision.findings import Code
from vision.tracking.observed.procedure import finding_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from enum import StrEnum

    from engine.books.book import Rulebook
    from engine.house_way.rules import Moment
    from engine.observed import Departure, ObservedRound
    from engine.vocabulary.irregularities import Remedies
    from service.words.wording import Sayable
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
    """Return a finding with its irregularity at this moment and with this bank; None if unknown."""
    found = FindingReport.of(finding)
    if finding.code not in _KINDS:
        return found
    kind, whose = _KINDS[finding.code]
    reached = None if moment is None else moment.reached
    if finding.code is Code.COCKED_DIE:
        reached = (Milestone.DICE_SHOWN,)
    return found.model_copy(update={"irregularity": _irregularity(kind, whose, reached, bank)})


def departed(observed: ObservedRound, departure: Departure) -> FindingReport:
    """Return a departure from the rulebook as a finding, with its rule."""
    kind, whose = IRREGULARITIES[departure.kind]
    irregularity = _irregularity(kind, whose, observed.reached, observed.method)
    return FindingReport.of(finding_of(departure)).model_copy(
        update={"rule": departure.rule, "irregularity": irregularity}
    )


def remedies_of(found: FindingReport, book: Rulebook | None) -> Remedies | None:
    """Return a rulebook's remedies for a finding; None without a book, or if the finding is no irregularity."""
    irregularity = found.irregularity
    if irregularity is None or book is None:
        return None
    rules = book.irregularities
    return rules.remedies(
        by_code(Irregularity, irregularity.kind),
        None if irregularity.whose is None else by_code(Whose, irregularity.whose),
        None if irregularity.reached is None else [by_code(Milestone, each) for each in irregularity.reached],
        bank=None if irregularity.bank is None else Bank(irregularity.bank),
    )


def remedies_words_of(found: FindingReport, book: Rulebook | None) -> Sayable | None:
    """Return a rulebook's remedies for a finding, if it has any."""
    remedies = remedies_of(found, book)
    return None if remedies is None else remedies_words(remedies)


def message_of(found: FindingReport, book: Rulebook | None) -> str:
    """Return a finding in English, with its rule and this rulebook's remedies."""
    rule = f" ({found.rule})" if found.rule else ""
    remedy = remedies_words_of(found, book)
    return f"{words_of(found.alone)}{rule}" + ("" if remedy is None else f". {remedy}")


def _irregularity(
    kind: Irregularity, whose: Whose | None, reached: Iterable[Milestone] | None, bank: Bank | None
) -> IrregularityReport:
    return IrregularityReport(
        kind=code(kind),
        whose=None if whose is None else code(whose),
        reached=None if reached is None else tuple(sorted(map(code, reached))),
        bank=None if bank is None else bank.value,
    )
