"""Sequences of a live round by hand: nothing is found in a lawful one, and a mistake is found with rule and remedy."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import ModuleType
from typing import TypeVar

import pytest

from engine.observed import ObservedRound
from engine.observed.possible import KnownBank
from engine.round.event import DEALER
from engine.round.events import IrregularityDecided
from engine.round.log import RoundLog
from engine.round.remedies.situation import finding as told_by_the_log
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, Remedies, by_code
from engine.vocabulary.remedy import Effect, Remedy
from tests.engine.observed.sequences import crown, nz, star_2024, star_classic, uk
from tests.engine.observed.sequences.case import Lawful, Mistake, Sequence, finding, lines
from tests.engine.round.golden import event
from tests.engine.round.test_advice_matches_log import BANKINGS, moments

BOOKS: dict[str, ModuleType] = {
    "crown-6.1": crown, "nz-1998": nz, "star-2024": star_2024, "star-classic": star_classic, "uk-poster": uk
}  # fmt: skip
Of = TypeVar("Of", bound=Sequence)


def _each(of: Callable[[ModuleType], Iterable[Of]]) -> pytest.MarkDecorator:
    cases = [(book, case) for book, module in BOOKS.items() for case in of(module)]
    return pytest.mark.parametrize(("book", "case"), cases, ids=[f"{book}: {case.what}" for book, case in cases])


@_each(lambda module: module.LAWFUL)
def test_nothing_is_wrong_in_a_lawful_sequence(book: str, case: Lawful) -> None:
    """Among them nz-1998 10.2; star-2024 12.2, 12.15; star-classic 12.2, 12.12."""
    seen = case.observed(book)
    assert seen.ways, "the book knows no such bank"
    assert [finding(each) for each in seen.departures] == ([case.notice] if case.notice else [])
    # Nor where less is known of the bank and of the numbers on the felt.
    method, box = case.bank.method, case.bank.box
    for known in (KnownBank(), KnownBank(method, button=None), KnownBank(None, box)):
        for from_right in (seen.from_right, None):
            less = replace(seen, bank=known, from_right=from_right)
            assert all(each.unless for each in less.departures), (known, from_right)
    assert _written(seen) == seen
    if case.log:
        logs = [log for each, bank in BANKINGS if each == book for log in moments(book, bank)]
        assert any(log.refusal(event(case.log)) is None for log in logs)


@_each(lambda module: module.MISTAKES)
def test_a_mistake_is_found_with_its_rule_and_remedy(book: str, case: Mistake) -> None:
    """Among them star-2024 8.4.7; star-classic 8.3.3."""
    seen = case.observed(book)
    assert ", ".join(finding(each) for each in seen.departures) == case.found
    answers = case.answers(seen)
    assert lines(answers) == case.remedies
    assert _written(seen) == seen
    if case.moment:
        for answer in answers:
            _command_and_log_agree(answer, by_code(Milestone, case.moment))


def _written(seen: ObservedRound) -> ObservedRound:
    return ObservedRound.from_dict(json.loads(json.dumps(seen.to_dict())))


def _command_and_log_agree(seen: Remedies, moment: Milestone) -> None:
    """At this moment of the worked round the log has what the camera has, or what that depends on; so has the command.

    What the camera is sure of, the log has.
    """
    assert seen.bank is not None
    log = _at(seen.rulebook, seen.bank, moment)
    asked = IrregularityDecided(seen.irregularity, Effect.NONE, "", DEALER, _box(log, seen.whose))
    logged = told_by_the_log(log.state, asked)
    rules = log.setup.book.irregularities
    told = rules.remedies(seen.irregularity, seen.whose, [moment], bank=seen.bank)
    surely = {_key(option) for option in seen.options if seen.surely_open(option)}
    assert _keys(logged) <= _keys(told) <= _keys(seen)
    assert {option for option in told.options if _key(option) not in _keys(logged)} <= _conditional(told)
    assert surely - {_key(option) for option in _conditional(seen)} <= _keys(logged)


def _at(book: str, bank: Bank, moment: Milestone) -> RoundLog:
    """The worked round just after a moment."""
    return next(
        log for log in moments(book, bank) if log.state.method is bank and moment in log.state.happened
    )  # fmt: skip


def _box(log: RoundLog, whose: Whose | None) -> int | None:
    if whose is None:
        return None
    return 2 if whose is Whose.PLAYER else log.state.held.box


def _key(option: Remedy) -> tuple[object, ...]:
    """What an option says, whatever our rulings under which it was found."""
    return option.cite, option.duty, option.effect, option.by


def _keys(found: Remedies) -> set[tuple[object, ...]]:
    return {_key(option) for option in found.options}


def _conditional(found: Remedies) -> set[Remedy]:
    """Options that depend on something which only the people at the table know."""
    return {option for option in found.options if option.given}


@pytest.mark.parametrize("book", BOOKS)
def test_each_book_has_its_sequences(book: str) -> None:
    """Thirty lawful ones and twenty mistakes; each a sentence of its own, with rules of its own book."""
    lawful, mistakes = BOOKS[book].LAWFUL, BOOKS[book].MISTAKES
    assert len(lawful) >= 30
    assert len([case for case in mistakes if not case.told]) >= 20
    said = [case.what for case in (*lawful, *mistakes)]
    assert len(said) == len(set(said))
    assert all(case.rules for case in (*lawful, *mistakes))
    assert {Irregularity.WRONG_DEAL, Irregularity.DISPUTE} <= {
        by_code(Irregularity, each.split()[0]) for case in mistakes for each in case.remedies
    }
