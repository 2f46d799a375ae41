"""The outcome of a settled round: wager by wager, for the bank, and every movement of chips.

Postings are double entry: every movement is posted twice, and they sum to zero.
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
    """Location or owner of chips."""

    FLOAT = "house float"
    COMMISSION = "commission"
    PLAYER = "player"
    BOX = "box"
    LOSING_AREA = "losing wager area"
    BANK_WAGER = "bank wager"

    # Members are singletons, so identity suffices as hash; accounts are looked up for every chip movement.
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class ChipAccount:
    """One account.

    Attributes:
        place: kind of account.
        whose: the player's name, or the box's number; empty if there is only one.
    """

    place: ChipPlace
    whose: str = ""

    def __str__(self) -> str:
        """Text such as ``player Ann`` or ``house float``."""
        return f"{self.place.value} {self.whose}".strip()


FLOAT = ChipAccount(ChipPlace.FLOAT)
COMMISSION = ChipAccount(ChipPlace.COMMISSION)
LOSING_AREA = ChipAccount(ChipPlace.LOSING_AREA)
BANK_WAGER = ChipAccount(ChipPlace.BANK_WAGER)


@dataclass(frozen=True, slots=True)
class Posting:
    """One side of a movement.

    Attributes:
        amount: amount received, in the smallest unit; negative if given.
    """

    account: ChipAccount
    amount: int
    why: str
    cite: Cite


def transfer(source: ChipAccount, target: ChipAccount, amount: int, why: str, cite: Cite) -> tuple[Posting, ...]:
    """Both sides of a movement of chips; empty for an amount of zero."""
    if amount == 0:
        return ()
    return Posting(source, -amount, why, cite), Posting(target, amount, why, cite)


def balances(postings: Iterable[Posting]) -> dict[ChipAccount, int]:
    """Total received by each account, in order of first appearance."""
    sums: Counter[ChipAccount] = Counter()
    for posting in postings:
        sums[posting.account] += posting.amount
    return dict(sums)


_ENDS = {Outcome.WIN: "won", Outcome.LOSE: "lost"}


@dataclass(frozen=True, slots=True)
class BankResult:
    """Result of the bank. Money is in the smallest unit.

    Attributes:
        taken: total of losing main wagers.
        paid: total winnings, commission included.
        remainder: rest of the losing wagers after paying.
        shortfall: amount missing; taken from the bank's wager.
        house_share: the House's share of the remainder in a co-bank.
        commission: paid by the player-banker on his share.
        handed: the player-banker's share of the remainder, less commission.
        returned: the returned part of his wager.
        net: net win of the player-banker, negative for a loss; for the House's own bank, taken less paid.
        side_taken: side wagers taken by the House, regardless of who banks.
        side_paid: paid on side wagers.
        notes: amounts that chips cannot make and for which the book has no rule.
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
    """Outcome of a wager. Money is in the smallest unit.

    Attributes:
        outcome: won, lost (also by surrender) or stood off; None if it was void.
        cite: the rule that decides.
        winnings: before commission.
        collected: part of the stake lost.
        notes: limits, chips, how the hand was laid, each with its rule.
        match: the comparison of the hands; None if there was none.
        commission: deducted from the winnings.
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
    """Outcome of one wager, and how much of its stake was in play."""

    wager: Wager
    in_play: int

    @property
    def returned(self) -> int:
        """Part of the stake returned to the player: won, stood off, void, beyond the limits."""
        return self.wager.stake - self.collected

    @property
    def call(self) -> str:
        """The dealer's call: Jung, Che or Jowl; the outcome of a side wager; ``void`` if it was void."""
        if self.outcome is None:
            return "void"
        if self.wager.surrendered:
            return "surrendered"
        return CALLS[self.outcome] if self.wager.bet == MAIN else _ENDS[self.outcome]

    @property
    def paid(self) -> int:
        """Amount paid to the player in addition to his stake."""
        return self.winnings - self.commission

    @property
    def reasons(self) -> tuple[str, ...]:
        """Explanations by hand and rule, for a supervisor."""
        matched = () if self.match is None else (self.match.low.words, self.match.high.words)
        return (*matched, *self.notes)


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled round.

    Attributes:
        results: every wager in the order of opening and paying: first those decided by dice, then all others
            counter-clockwise from the chung.
        postings: every movement of chips, twice; they sum to zero.
        order: the rule for the order of payment.
        literal: the settlement by the literal words of the book, if any wager's result differs (ruling 15); else None.
    """

    results: tuple[Result, ...]
    bank: BankResult
    postings: tuple[Posting, ...]
    order: Cite
    notes: tuple[str, ...]
    literal: Settlement | None = None

    def __post_init__(self) -> None:
        """Check that the postings balance."""
        residual = sum(posting.amount for posting in self.postings)
        if residual:
            raise AssertionError(f"postings leave {residual}; they must cancel")

    @property
    def literal_reading_differs(self) -> bool:
        """Whether ruling 15 gives a wager a different result from the book's literal words."""
        return self.literal is not None

    @property
    def boxes(self) -> tuple[int, ...]:
        """The boxes in the order of opening and paying."""
        by_dice_last = sorted(self.results, key=lambda result: result.wager.by_dice)
        return tuple(dict.fromkeys(result.wager.box for result in by_dice_last))

    @property
    def balances(self) -> dict[ChipAccount, int]:
        """Total received by each account; the layout ends up empty."""
        return balances(self.postings)
