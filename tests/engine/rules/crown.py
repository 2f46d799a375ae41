"""What the tests of Crown Melbourne's rules share: the book, rounds to be broken off, rounds to be settled."""

from collections.abc import Mapping

import pytest

from engine.books.registry import rulebook
from engine.errors import IllegalEventError
from engine.game.setting import Deal
from engine.round import Before, RoundLog, Session, Setup, Table
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.result import Settlement
from engine.settlement.settle import settle
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank, Milestone
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played

__all__ = ["BANK", "BOOK", "HANDS", "Bank", "Milestone", "began", "left_off", "refused", "settled", "then"]

ID = "crown-6.1"
BOOK = rulebook(ID)

BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 with the eleven, 7 with the Low 10
HANDS: Mapping[int, Deal | Laid] = {
    2: Laid.parse("6-6 2-1 / 6-3 5-4"),  # 8 and a pair of nines: both higher
    3: Laid.parse("3-1 5-5 / 1-1 2-2"),  # 4 and 6: both lower
    5: Laid.parse("4-3 6-2 / 4-4 5-5"),  # 5 and 8: one of each
}


def left_off(bank: str, until: str) -> Session:
    """The golden round of this bank, up to the last event with this prefix; all of it for ``the end``."""
    return played(ID, Bank(bank), None if until == "the end" else until)


def began(lines: str, before: Before | None = None, table: Table | None = None) -> Session:
    """A round whose tiles are checked, after these events (parted by semicolons)."""
    setup = Setup(BOOK, table or Table())
    opened = RoundLog.opened(setup, before or Before(check_due=False))
    return then(Session(setup, (opened,)), lines)


def then(session: Session, lines: str) -> Session:
    """The session after these events (parted by semicolons)."""
    for line in filter(None, (part.strip() for part in lines.split(";"))):
        session = session.append(event(line))
    return session


def refused(session: Session, line: str) -> str:
    """The citation of the rule that refuses an event."""
    with pytest.raises(IllegalEventError) as caught:
        session.append(event(line))
    return str(caught.value.refusal.cite)


def settled(
    *wagers: Wager,
    bank: Bank = Bank.HOUSE,
    put_up: int = 1_000_000,
    terms: TableTerms | None = None,
    hands: Mapping[int, Deal | Laid] = HANDS,
) -> Settlement:
    """A round against `BANK`; a player in the bank is Zed, on box 4."""
    holder = BankHolder(bank, BANK) if bank is Bank.HOUSE else BankHolder(bank, BANK, ("Zed",), 4, put_up)
    return settle(PlayedRound(BOOK, holder, hands, wagers, terms or TableTerms(chip=100)))
