"""Comparing a player's two hands with the bank's: who won which hand, why, and by which rule.

Also the result by a book's literal words where ruling 15 interprets zero against zero differently.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from engine.game.hands import Hand, Name
from engine.game.ranking import Outcome, outranks, player_takes

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.game.setting import Setting
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact

CALLS = {Outcome.WIN: "Jung", Outcome.LOSE: "Che", Outcome.PUSH: "Jowl"}
"""What the dealer calls (N 10.11, S 12.14, O 12.11)."""


class ZeroReading(Enum):
    """A book's literal words on zero against zero."""

    TILES_COMPARED = "the tiles are compared, unless the bank's high hand is higher"
    WAGER_LOST = "the whole wager is lost"
    LOW_HAND_LOST = "the low hand is the bank's; two zero high hands are compared"


class Why(Enum):
    """Why a hand was won or lost."""

    HIGHER = "higher hand"
    HIGH_TILE = "same points, higher tile"
    COPY = "copy, so the bank's"
    ZERO = "zero against zero, so the bank's"


@dataclass(frozen=True, slots=True)
class Matching:
    """The rules by which a book matches hands.

    Attributes:
        zero: zero against zero by the book's literal words; we apply ruling 15.
    """

    win: Cite
    lose: Cite
    stand_off: Cite
    high_tile: Cite
    copy: Cite
    zero: Fact[ZeroReading]


@dataclass(frozen=True, slots=True)
class HandMatch:
    """One of the two comparisons, ``low`` or ``high``: who won it, why, and by which rule."""

    which: str
    player: Hand
    bank: Hand
    to_player: bool
    why: Why
    cite: Cite

    @property
    def words(self) -> str:
        """Description for a supervisor."""
        took = "player's" if self.to_player else "bank's"
        ruling = ", read under ruling 15" if self.why is Why.ZERO else ""
        return (
            f"{self.which}: {self.player.describe()} against {self.bank.describe()}: the {took}, {self.why.value} "
            f"({self.cite}{ruling})"
        )


@dataclass(frozen=True, slots=True)
class Match:
    """Both comparisons and the outcome.

    Attributes:
        literal: the outcome by the book's literal words (ruling 15); differs only for zero hands.
    """

    low: HandMatch
    high: HandMatch
    outcome: Outcome
    cite: Cite
    literal: Outcome


def match_hands(player: Setting, bank: Setting, book: Matching) -> Match:
    """Compare a player's hands with the bank's under a book's rules (rulings 15 to 17), high with high, low with low.

    crown-6.1 1.1 Matching; nz-1998 1.0 Match; star-2024 1.1 match; star-classic 1.1 match; uk-poster point 14.

    One hand won and one lost, or one won and one copied, is a stand-off (ruling 16). A player-banker's wager wins when
    the players' lose and loses when they win (nz-1998 6.2(a) to 6.2(c); star-2024 9.3.1 to 9.3.3;
    star-classic 9.1.2.1 to 9.1.2.3; zero against zero under ruling 15).
    """
    low = _one("low", player.low, bank.low, book)
    high = _one("high", player.high, bank.high, book)
    outcome = _of(low.to_player, high.to_player)
    cites = {Outcome.WIN: book.win, Outcome.LOSE: book.lose, Outcome.PUSH: book.stand_off}
    return Match(low, high, outcome, cites[outcome], _LITERALLY[book.zero.value](player, bank))


def _of(*taken: bool) -> Outcome:
    return (Outcome.LOSE, Outcome.PUSH, Outcome.WIN)[sum(taken)]


def _one(which: str, player: Hand, bank: Hand, book: Matching) -> HandMatch:
    taken = player_takes(player, bank)
    if _both_zero(player, bank):
        why, cite = Why.ZERO, book.zero.cite
    elif not taken and not outranks(bank, player):
        why, cite = Why.COPY, book.copy
    elif player.name is bank.name is Name.POINTS and player.points == bank.points:
        why, cite = Why.HIGH_TILE, book.high_tile
    else:
        why, cite = Why.HIGHER, book.win if taken else book.lose
    return HandMatch(which, player, bank, taken, why, cite)


def is_zero(hand: Hand) -> bool:
    """Whether a hand has the value zero: no combination, and no points."""
    return hand.name is Name.POINTS and hand.points == 0


def _both_zero(hand: Hand, other: Hand) -> bool:
    return is_zero(hand) and is_zero(other)


def _tiles_compared(player: Setting, bank: Setting) -> Outcome:
    if is_zero(player.low) and outranks(bank.high, player.high):
        return Outcome.LOSE
    return _of(outranks(player.low, bank.low), outranks(player.high, bank.high))


def _wager_lost(player: Setting, bank: Setting) -> Outcome:
    if _both_zero(player.low, bank.low) or _both_zero(player.high, bank.high):
        return Outcome.LOSE
    return _of(outranks(player.low, bank.low), outranks(player.high, bank.high))


def _low_hand_lost(player: Setting, bank: Setting) -> Outcome:
    return _of(player_takes(player.low, bank.low), outranks(player.high, bank.high))


_LITERALLY: dict[ZeroReading, Callable[[Setting, Setting], Outcome]] = {
    ZeroReading.TILES_COMPARED: _tiles_compared,
    ZeroReading.WAGER_LOST: _wager_lost,
    ZeroReading.LOW_HAND_LOST: _low_hand_lost,
}
