"""Findings of a round as irregularities of the rulebook, and the remedies that it has for them.

Only the possible irregularities and the facts on which their remedies depend are recorded; remedies are looked up when
a finding is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calibration.table.places import Place
from engine.house_way.rules import Moment
from engine.observed.departures import CAUSES, Allowance, Cause
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import BANKS_HANDS, Irregularity, by_code, code
from engine.vocabulary.progress import ANYWHERE, Progress, so_far
from service.rounds.reports import ExceptionReport, FindingReport, IrregularityReport
from service.words.findings import words_of
from service.words.rule_sentences import action_words, exception_words, irregularity_words, remedies_of_causes_words
from vision.findings import Code
from vision.tracking.observed.procedure import finding_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from enum import StrEnum

    from engine.books.book import Rulebook
    from engine.observed import Departure, ObservedRound
    from engine.observed.possible import KnownBank
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.remedy import Remedy
    from service.words.wording import Sayable, Words
    from vision.findings import Finding

_CAUSES: Final[Mapping[StrEnum, tuple[Irregularity, ...]]] = {
    Code.DUPLICATE_FACE: (Irregularity.DUPLICATE_FACE,),
    # Who turned tiles up or moved them is not seen (ruling 46).
    Code.TILE_EXPOSED: (Irregularity.TILE_EXPOSED, Irregularity.PLAYER_EXPOSES, Irregularity.BANKER_EXPOSES),
    Code.HAND_CHANGED: (Irregularity.HAND_DISTURBED, Irregularity.HANDLED_AFTER_SET),
    Code.TILES_CHANGED: (Irregularity.HANDS_MIXED, Irregularity.TILES_EXCHANGED),
    Code.COCKED_DIE: (Irregularity.COCKED_DIE,),
    Code.ROUND_NOT_SEEN: (Irregularity.DISPUTE,),
    Code.ROUND_END_NOT_SEEN: (Irregularity.DISPUTE,),
}
"""What rulebooks may call each finding of a round."""
_BANKERS: Final = frozenset({Whose.PLAYER_BANKER, Whose.CO_BANK})
_NOT_OF: Final[Mapping[Irregularity, frozenset[Whose]]] = {
    Irregularity.PLAYER_EXPOSES: frozenset({Whose.HOUSE, *_BANKERS}),
    Irregularity.HANDLED_AFTER_SET: frozenset({Whose.HOUSE}),
    Irregularity.BANKER_EXPOSES: frozenset({Whose.HOUSE, Whose.PLAYER}),
}
"""Hands with which an irregularity has nothing to do."""
_UNSEEN: Final = frozenset({Milestone.BETS_CLOSED, Milestone.CUT_NAMED})


def finding_at(finding: Finding, progress: Progress, bank: KnownBank) -> FindingReport:
    """Return a finding with its possible irregularities at this point of the round and with this bank."""
    found = FindingReport.of(finding)
    if finding.code is Code.COCKED_DIE:
        if Milestone.TILES_DELIVERED in progress.reached:
            # The dice were shaken again; that they were not is a departure.
            return found
        reached = so_far({Milestone.DICE_SHOWN})
        progress = Progress(reached, _UNSEEN - reached)
    whose = _whose(dict(finding.params).get("place"), bank)
    causes = (
        Cause(kind, whose)
        for kind in _CAUSES.get(finding.code, ())
        if whose is None or whose not in _NOT_OF.get(kind, ())
    )
    return found.model_copy(update={"irregularities": _irregularities(causes, progress, bank.method)})


def at_moment(moment: Moment | None) -> Progress:
    """The progress of a round without a log, from its moment alone."""
    if moment is None:
        return ANYWHERE
    if moment is Moment.BANK_NOT_PUT_AWAY:
        return Progress.common(map(at_moment, (Moment.NO_HAND_EXPOSED, Moment.FIRST_HAND_EXPOSED)))
    later = {Milestone.TILES_HANDLED, Milestone.TILES_VIEWED, Milestone.HANDS_SET}
    if moment is Moment.NO_HAND_EXPOSED:
        # A bank's hand is open before the first of the players' is.
        return Progress(so_far(moment.milestones), frozenset({*later, Milestone.BANK_EXPOSED}))
    unseen = frozenset({Milestone.BANK_EXPOSED}) if moment is Moment.FIRST_HAND_EXPOSED else frozenset()
    reached = so_far(moment.milestones, unless=unseen)
    return Progress(reached, frozenset({*later, *unseen, Milestone.SETTLED}) - reached)


def departed(observed: ObservedRound, departure: Departure) -> FindingReport:
    """Return a departure from the rulebook as a finding, with its rule and its possible exceptions."""
    causes = CAUSES[departure.kind]
    unless = tuple(ExceptionReport(code=each.allowance, rule=each.rule, by=each.by) for each in departure.unless)
    return FindingReport.of(finding_of(departure)).model_copy(
        update={
            "rule": departure.rule,
            "unless": unless,
            "irregularities": _irregularities(causes, observed.progress, observed.method),
        }
    )


def remedies_of(found: FindingReport, book: Rulebook | None) -> tuple[Remedies, ...]:
    """Return a rulebook's remedies for each possible cause of a finding; empty without a book."""
    if book is None:
        return ()
    return tuple(
        book.irregularities.remedies(
            by_code(Irregularity, each.kind),
            None if each.whose is None else by_code(Whose, each.whose),
            Progress(_milestones(each.reached), _milestones(each.unknown)),
            bank=None if each.bank is None else Bank(each.bank),
            rulings=each.rulings,
        )
        for each in found.irregularities
    )


def remedies_words_of(found: FindingReport, book: Rulebook | None) -> Sayable | None:
    """Return a rulebook's remedies for a finding, after exceptions under which none is needed; None without any."""
    remedies = remedies_of(found, book)
    exceptions = exceptions_words_of(found)
    return remedies_of_causes_words(remedies, exceptions) if remedies or exceptions else None


@dataclass(frozen=True, slots=True)
class WordedCause:
    """A possible cause of a finding, in words.

    Attributes:
        happened: the irregularity; None if it is the only possible one.
        options: its remedies, each with the words of what to do.
    """

    happened: Sayable | None
    options: tuple[tuple[Remedy, Sayable], ...]


def causes_words_of(found: FindingReport, book: Rulebook | None) -> tuple[WordedCause, ...]:
    """Return the possible causes of a finding with a rulebook's remedies, one by one."""
    causes = remedies_of(found, book)
    return tuple(
        WordedCause(
            irregularity_words(each) if len(causes) > 1 else None,
            tuple((option, action_words(each, option)) for option in each.options),
        )
        for each in causes
    )


def exceptions_words_of(found: FindingReport) -> tuple[Words, ...]:
    """Return the exceptions under which a finding is no departure."""
    return tuple(exception_words(Allowance(each.code), each.rule, each.by) for each in found.unless)


def message_of(found: FindingReport, book: Rulebook | None) -> str:
    """Return a finding in English, with its rule and this rulebook's remedies."""
    rule = f" ({found.rule})" if found.rule else ""
    remedy = remedies_words_of(found, book)
    return f"{words_of(found.alone)}{rule}" + ("" if remedy is None else f". {remedy}")


def _whose(place: object, bank: KnownBank) -> Whose | None:
    """Whose hand lies at a place; None if the place or the bank leaves that open."""
    if not isinstance(place, str):
        return None
    at = Place.parse(place)
    if at.is_house or (at.box is not None and at.box == bank.box):
        return next((whose for whose, method in BANKS_HANDS.items() if method is bank.method), None)
    elsewhere = bank.method is Bank.HOUSE or bank.box is not None
    return Whose.PLAYER if at.box is not None and elsewhere else None


def _milestones(codes: Iterable[str]) -> frozenset[Milestone]:
    return frozenset(by_code(Milestone, each) for each in codes)


def _irregularities(causes: Iterable[Cause], progress: Progress, bank: Bank | None) -> tuple[IrregularityReport, ...]:
    return tuple(
        IrregularityReport(
            kind=code(each.irregularity),
            whose=None if each.whose is None else code(each.whose),
            reached=tuple(sorted(map(code, progress.reached))),
            unknown=tuple(sorted(map(code, progress.unknown))),
            bank=None if bank is None else bank.value,
            rulings=each.rulings,
        )
        for each in causes
    )
