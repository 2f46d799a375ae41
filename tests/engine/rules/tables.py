"""Shared by the rule tests of all books: tables of rows, and rounds started from written events."""

from __future__ import annotations

from engine.books.registry import rulebook
from engine.round import Before, RoundLog, Setup, Table
from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, by_code, code
from tests.engine.round.golden import event


def rows(table: str) -> list[tuple[str, ...]]:
    """The rows of a table, cell by cell."""
    return [tuple(cell.strip() for cell in line.split("|")) for line in table.splitlines() if line.strip()]


def opened(book: str, *lines: str, table: Table | None = None, before: Before | None = None) -> RoundLog:
    """A round up to these events; its tiles need not be checked first."""
    log = RoundLog.opened(Setup(rulebook(book), table or Table()), before or Before(check_due=False))
    return followed(log, *lines)


def followed(log: RoundLog, *lines: str) -> RoundLog:
    """The round after these events."""
    for line in lines:
        log = log.append(event(line))
    return log


def check_option(rule: str, kind: str, whose: str, last: str, expected: str) -> None:
    """What the rule has done about an irregularity at this moment; all of it, or nothing."""
    finding = rulebook(rule.split(maxsplit=1)[0]).irregularities.remedies(
        by_code(Irregularity, kind),
        None if whose == "-" else by_code(Whose, whose),
        [] if last == "-" else [by_code(Milestone, last)],
    )
    under = [option for option in finding.options if rule in {option.cite, *option.also}]
    if expected == "shut":
        assert not under, [option.action for option in under]
        return
    assert not finding.silent
    assert [f"{option.duty.value} {option.by.words} {code(option.effect)}" for option in under] == expected.replace(
        ":", ""
    ).split("; ")
