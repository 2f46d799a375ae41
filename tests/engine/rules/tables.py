"""Shared by the rule tests of all books: tables of rows, and rounds started from written events."""

from engine.books.registry import rulebook
from engine.round import Before, RoundLog, Setup, Table
from tests.engine.round.golden import event


def rows(table: str) -> list[tuple[str, ...]]:
    return [tuple(cell.strip() for cell in line.split("|")) for line in table.splitlines() if line.strip()]


def opened(book: str, *lines: str, table: Table | None = None, before: Before | None = None) -> RoundLog:
    """A round up to these events; its tiles need not be checked first."""
    log = RoundLog.opened(Setup(rulebook(book), table or Table()), before or Before(check_due=False))
    return followed(log, *lines)


def followed(log: RoundLog, *lines: str) -> RoundLog:
    for line in lines:
        log = log.append(event(line))
    return log
