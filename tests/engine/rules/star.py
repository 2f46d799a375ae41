"""How the rules of The Star's two books are asked: a row names its rule and what the text says of it.

A row of a round: ``rule | bank | golden round up to this event | event tried there | allowed or refused``. It is
refused under the rule named, or allowed as that rule has it.

A row of an irregularity: ``rule | kind | whose hand | last event | what the text says``, such as ``must dealer
mixed-again``, or ``shut`` where the rule no longer (or not yet) speaks. A dash stands for any, or none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.books.registry import rulebook
from engine.round.events import Settled
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.settle import settle
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, by_code, code
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.errors import Refusal
    from engine.settlement.result import Settlement


def check_event(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    """The event is allowed there, or refused under the rule."""
    log = played(rule.split(maxsplit=1)[0], Bank(bank), before or None).current
    check_refusal(log.refusal(event(tried)), rule, verdict)


def check_refusal(refusal: Refusal | None, rule: str, verdict: str) -> None:
    """There is no refusal, or it is this rule's."""
    if verdict == "refused":
        assert refusal is not None, "it is allowed"
        assert refusal.cite == rule, str(refusal)
    else:
        assert verdict == "allowed"
        assert refusal is None, str(refusal)


def check_settlement_order(rule: str, bank: Bank) -> None:
    """The golden round's wagers are settled in the one order, each of them."""
    book = rule.split(maxsplit=1)[0]
    (paid,) = (each for each in played(book, bank).current.events if isinstance(each, Settled))
    log = played(book, bank, "settled").current
    assert log.refusal(paid) is None
    for wrong in (paid.results[::-1], paid.results[1:], (*paid.results[1:], paid.results[0])):
        check_refusal(log.refusal(replace(paid, results=wrong)), rule, "refused")


def check_option(rule: str, kind: str, whose: str, last: str, said: str) -> None:
    """What the rule has done about an irregularity at this moment; all of it, or nothing."""
    finding = rulebook(rule.split(maxsplit=1)[0]).irregularities.remedies(
        by_code(Irregularity, kind),
        None if whose == "-" else by_code(Whose, whose),
        [] if last == "-" else [by_code(Milestone, last)],
    )
    under = [option for option in finding.options if rule in {option.cite, *option.also}]
    if said == "shut":
        assert not under, [option.action for option in under]
        return
    assert not finding.silent
    assert [f"{option.duty.value} {option.by.words} {code(option.effect)}" for option in under] == said.split("; ")


def settled(
    book: str,
    *wagers: Wager,
    hands: Mapping[int, Laid],
    bank: BankHolder,
    terms: TableTerms = TableTerms(chip=100),  # noqa: B008  frozen
    void: str = "",
) -> Settlement:
    """A round settled under the book's own House Way."""
    return settle(PlayedRound(rulebook(book), bank, hands, wagers, terms, void=void))
