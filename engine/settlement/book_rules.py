"""What a book lays down about settling a round, under each way of banking it knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.settlement.money import Commission
    from engine.settlement.outcome import Matching
    from engine.vocabulary.facts import Bank
    from engine.vocabulary.sources import Cite


@dataclass(frozen=True, slots=True)
class BankRules:
    """How a round is settled under one way of banking.

    Attributes:
        method: the rule that allows it.
        opened: hands are opened counter-clockwise.
        taken: losing wagers are taken.
        paid: winning wagers are paid counter-clockwise.
        stand_off: the wager of a stand-off remains.
        house_way: the bank's hand is set the House Way; None where the banker sets it as he likes.
        remainder: what is left in the losing wager area goes to the bank.
        shortfall: what the losing wager area cannot pay is taken from the bank's wager.
        commission: the rule of the banker's commission, where this way of banking has one of its own.
    """

    method: Cite
    opened: Cite
    taken: Cite
    paid: Cite
    stand_off: Cite
    house_way: Cite | None = None
    remainder: Cite | None = None
    shortfall: Cite | None = None
    commission: Cite | None = None


@dataclass(frozen=True)
class SettlementRules:
    """What a book lays down about settlement, under each way of banking it knows."""

    matching: Matching
    commission: Commission
    banks: Mapping[Bank, BankRules]
