"""Double-entry postings: every movement of chips is written twice, and the sum of all is zero."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.vocabulary.sources import Cite


class ChipPlace(Enum):
    """Where chips lie, or whose they are."""

    FLOAT = "house float"
    COMMISSION = "commission"
    PLAYER = "player"
    BOX = "box"
    LOSING_AREA = "losing wager area"
    BANK_WAGER = "bank wager"

    # Members are singletons, so identity is hash enough; accounts are looked up for every chip that moves.
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class ChipAccount:
    """One account.

    Attributes:
        place: of what kind.
        whose: the player's name, or the box's number; empty where there is only one.
    """

    place: ChipPlace
    whose: str = ""

    def __str__(self) -> str:
        """As in ``player Ann`` or ``house float``."""
        return f"{self.place.value} {self.whose}".strip()


FLOAT = ChipAccount(ChipPlace.FLOAT)
COMMISSION = ChipAccount(ChipPlace.COMMISSION)
LOSING_AREA = ChipAccount(ChipPlace.LOSING_AREA)
BANK_WAGER = ChipAccount(ChipPlace.BANK_WAGER)


@dataclass(frozen=True, slots=True)
class Posting:
    """One side of a movement.

    Attributes:
        amount: what it received, in the smallest unit; below zero what it gave.
    """

    account: ChipAccount
    amount: int
    why: str
    cite: Cite


def transfer(source: ChipAccount, target: ChipAccount, amount: int, why: str, cite: Cite) -> tuple[Posting, ...]:
    """Both sides of a movement of chips; nothing at all for an amount of zero."""
    if amount == 0:
        return ()
    return Posting(source, -amount, why, cite), Posting(target, amount, why, cite)


def balances(postings: Iterable[Posting]) -> dict[ChipAccount, int]:
    """What each account received in all, in the order in which it first appears."""
    sums: Counter[ChipAccount] = Counter()
    for posting in postings:
        sums[posting.account] += posting.amount
    return dict(sums)
