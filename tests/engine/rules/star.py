"""How the rules of The Star's two books are asked: a row names its rule and what the text says of it.

A row of a round: ``rule | bank | golden round up to this event | event tried there | allowed or refused``. It is
refused under the rule named, or allowed as that rule has it. What a golden round does itself is not repeated.

A row of an irregularity: ``rule | kind | whose hand | last event | what the text says``, such as ``must dealer
mixed-again``, or ``shut`` where the rule no longer (or not yet) speaks. A dash stands for any, or none.
"""

from collections.abc import Mapping
from dataclasses import replace

from engine.books.registry import rulebook
from engine.errors import Refusal
from engine.round import Before, RoundLog, Table
from engine.round.events import Settled
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.result import Settlement
from engine.settlement.settle import settle
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.tables import followed, opened


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


def before_close(book: str, *lines: str, table: Table | None = None) -> RoundLog:
    """Ann sits at area two and the House banks; betting is open."""
    start = ("bank-offered box=2 player=Ann", "bank-declined box=2 player=Ann", "house-banks", "shuffled", "stacked")
    return opened(book, *start, *lines, table=table, before=Before(check_due=False, seats={2: "Ann"}))


def closed(book: str, *lines: str, table: Table | None = None) -> RoundLog:
    """Betting has closed: with the dice in 2024, with the cut under the older rules."""
    thrown = ("dice-shaken by=dealer", "dice-shown box_dice=1,1,1 cut_die=1 first_box=3")
    cut = ("cut-named cut=Foot_Say by=supervisor",)
    return followed(before_close(book, *lines, table=table), *(thrown if book == "star-2024" else cut))


def delivered(book: str, *wagers: str, table: Table | None = None) -> RoundLog:
    """The tiles lie on the areas, the first on area three."""
    log = closed(book, *wagers, table=table)
    if book == "star-2024":
        log = followed(log, "cut-named cut=Fong_May by=cut_die")
    else:
        log = followed(log, "dice-shaken by=dealer", "dice-shown box_dice=1,1,1 first_box=3")
    return followed(log, "tiles-delivered order=3,4,5,6,7,8,1,2")
