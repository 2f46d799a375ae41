"""The outcome of a settled round: wager by wager, for the bank, and every movement of chips.

Postings are double entry: every movement is written twice, and the sum of all is zero.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from engine.game.ranking import Outcome
from engine.settlement.outcome import CALLS, Match
from engine.settlement.wagers import MAIN, Wager

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.vocabulary.citations import Cite


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


_ENDS = {Outcome.WIN: "won", Outcome.LOSE: "lost"}


@dataclass(frozen=True, slots=True)
class BankResult:
    """How the bank fared. Money is in the smallest unit.

    Attributes:
        taken: losing main wagers, all together.
        paid: winnings, all together, commission included.
        remainder: what the losing wagers left after that.
        shortfall: what they lacked; taken from the bank's wager.
        house_share: the House's part of the remainder in a co-bank.
        commission: what the player-banker pays on his part.
        handed: the player-banker's part of the remainder, less commission.
        returned: what he has back of his wager.
        net: what the bank's player won in all, below zero what he lost; of the House's own bank, taken less paid.
        side_taken: what the House took of side wagers, whoever banks.
        side_paid: what it paid on them.
        notes: where chips cannot make an amount and the book has no rule for it.
    """

    taken: int
    paid: int
    remainder: int = 0
    shortfall: int = 0
    house_share: int = 0
    commission: int = 0
    handed: int = 0
    returned: int = 0
    net: int = 0
    side_taken: int = 0
    side_paid: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a wager ended. Money is in the smallest unit.

    Attributes:
        outcome: won, lost (also by surrender) or stood off; None if it was void.
        cite: the rule that decides.
        winnings: what is won before commission.
        collected: what of the stake is lost.
        notes: limits, chips, how the hand was laid; each with its rule.
        match: the comparison of the hands; None where there was none.
        commission: what is collected of the winnings.
    """

    outcome: Outcome | None
    cite: Cite
    winnings: int = 0
    collected: int = 0
    notes: tuple[str, ...] = ()
    match: Match | None = None
    commission: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Ended):
    """How one wager ended, and how much of its stake could be won or lost."""

    wager: Wager
    in_play: int

    @property
    def returned(self) -> int:
        """What of the stake is the player's again: won, stood off, void, beyond the limits."""
        return self.wager.stake - self.collected

    @property
    def call(self) -> str:
        """What the dealer calls: Jung, Che or Jowl; of a side wager how it ended; ``void`` where it did not."""
        if self.outcome is None:
            return "void"
        if self.wager.surrendered:
            return "surrendered"
        return CALLS[self.outcome] if self.wager.bet == MAIN else _ENDS[self.outcome]

    @property
    def paid(self) -> int:
        """What the player is handed beside his stake."""
        return self.winnings - self.commission

    @property
    def reasons(self) -> tuple[str, ...]:
        """Hand by hand and rule by rule, for a supervisor."""
        matched = () if self.match is None else (self.match.low.words, self.match.high.words)
        return (*matched, *self.notes)


@dataclass(frozen=True, slots=True)
class Settlement:
    """A round, settled.

    Attributes:
        results: every wager in the order of opening and paying: those that dice decide, then all others
            counter-clockwise from the chung.
        postings: every movement of chips, twice; their sum is zero.
        order: the rule for the order of payment.
        literal: the same round by the literal words of the book, where those give a wager another result
            (ruling 15); else None.
    """

    results: tuple[Result, ...]
    bank: BankResult
    postings: tuple[Posting, ...]
    order: Cite
    notes: tuple[str, ...]
    literal: Settlement | None = None

    def __post_init__(self) -> None:
        """Money neither comes from nowhere nor vanishes."""
        residual = sum(posting.amount for posting in self.postings)
        if residual:
            raise AssertionError(f"postings leave {residual}; they must cancel")

    @property
    def literal_reading_differs(self) -> bool:
        """Whether ruling 15 gave a wager another result than the book's literal words."""
        return self.literal is not None

    @property
    def boxes(self) -> tuple[int, ...]:
        """The boxes in the order of opening and paying."""
        by_dice_last = sorted(self.results, key=lambda result: result.wager.by_dice)
        return tuple(dict.fromkeys(result.wager.box for result in by_dice_last))

    @property
    def balances(self) -> dict[ChipAccount, int]:
        """What each account received in all; nothing is left on the layout."""
        return balances(self.postings)
