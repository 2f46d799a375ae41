"""How the rules of New Zealand and of the UK poster are asked: a row names its rule and what the text says of it.

A row of a round: ``rule | bank | golden round up to this event | event tried there | verdict``. The verdict is
``allowed``, or ``refused`` under the rule itself or the one it is a part of, or ``refused RULE`` under another.

A row of an irregularity: ``rule | kind | whose hand | last event | what the rule says``, such as ``must dealer
mixed-again``, or ``shut`` where it no longer (or not yet) speaks. A dash stands for any hand, or for no event.

Hands on the table, all of one set: the bank holds 6 with the eleven and 7 with the Low 10.
"""

from collections.abc import Mapping

from engine.books.registry import rulebook
from engine.errors import Refusal
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.result import Settlement
from engine.settlement.settle import settle
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played

BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 and 7
WINS = Laid.parse("6-6 2-1 / 6-3 5-4")  # 8 and a pair of nines
WINS_TOO = Laid.parse("1-1 5-1 / 3-3 3-3")  # 8 and a pair of sixes
LOSES = Laid.parse("3-1 5-5 / 1-1 2-2")  # 4 and 6
STANDS_OFF = Laid.parse("4-3 6-2 / 4-4 5-5")  # 5 and 8
HANDS = {2: WINS, 5: LOSES, 6: WINS_TOO, 7: STANDS_OFF}
CHIPS_OF_ONE = TableTerms(chip=100)


def check_event(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    """The event is allowed there, or refused under the rule."""
    log = played(_book(rule), Bank(bank), before).current
    check_refusal(log.refusal(event(tried)), rule, verdict)


def check_refusal(refusal: Refusal | None, rule: str, verdict: str) -> None:
    """There is no refusal, or it is this rule's, or that of the rule it is a part of."""
    if verdict == "allowed":
        assert refusal is None, str(refusal)
        return
    other = verdict.removeprefix("refused").strip()
    assert verdict.startswith("refused")
    assert refusal is not None, "it is allowed"
    assert refusal.cite in ({f"{_book(rule)} {other}"} if other else {rule, rule.rpartition("(")[0]}), str(refusal)


def _book(rule: str) -> str:
    return rule.split(maxsplit=1)[0]


def house(hand: Laid = BANK) -> BankHolder:
    return BankHolder(Bank.HOUSE, hand)


def banker(method: Bank = Bank.PLAYER, wager: int = 20_000, hand: Laid = BANK) -> BankHolder:
    """Zed banks at box 4, alone or with the House."""
    return BankHolder(method, hand, ("Zed",), 4, wager)


def settled(
    book: str,
    *wagers: Wager,
    bank: BankHolder,
    hands: Mapping[int, Laid] = HANDS,
    terms: TableTerms = CHIPS_OF_ONE,
) -> Settlement:
    return settle(PlayedRound(rulebook(book), bank, hands, wagers, terms))


def moved(done: Settlement) -> list[tuple[str, str, int, str]]:
    """Every movement of chips in order: from where, to where, how much, and the rule without its book."""
    pairs = zip(done.postings[::2], done.postings[1::2], strict=True)
    return [(str(one.account), str(other.account), other.amount, other.cite.section) for one, other in pairs]
