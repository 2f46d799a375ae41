"""Types shared by all rulebooks: cited facts, who holds the bank, and milestones of a round."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from engine.game.box_order import BOXES
from engine.vocabulary.citations import where

if TYPE_CHECKING:
    from engine.vocabulary.citations import Cite

T = TypeVar("T")

ANY_BOX: Final = frozenset(range(1, BOXES + 1))


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """A provision of a rulebook with its citation.

    Attributes:
        cite: the rule.
        rulings: numbers of our rulings that apply.
    """

    value: T
    cite: Cite
    rulings: tuple[int, ...] = ()

    @property
    def where(self) -> str:
        """The citation with the rulings that apply: ``nz-1998 9.6, read under ruling 26``."""
        return where(self.cite, self.rulings)


class Bank(Enum):
    """Who holds the bank in a round of play.

    In New Zealand's words: the House (nz-1998 5.1(a)), a player who covers all wagers (nz-1998 5.1(b)), or a player and
    the House with half each (nz-1998 5.1(c)).
    """

    HOUSE = "house"
    PLAYER = "player"
    CO_BANK = "co-bank"


class Whose(Enum):
    """Whose hand is concerned."""

    HOUSE = "the House hand"
    CO_BANK = "the co-bank's hand"
    PLAYER_BANKER = "the player-banker's hand"
    PLAYER = "the player's hand"


class Milestone(Enum):
    """A milestone of a round that later rules depend on.

    They have no common order: when betting closes, for example, differs from book to book (ruling 30).
    """

    SHUFFLED = "the tiles have been shuffled"
    STACKED = "the tiles have been stacked"
    BETS_CLOSED = "betting has closed"
    CUT_NAMED = "the cut has been named"
    DICE_SHOWN = "the dice have been exposed"
    TILES_DELIVERED = "the tiles have been delivered"
    TILES_HANDLED = "a player has handled tiles"
    # Two or more tiles shown by the dealer let a player void the hand until this (C 12.2.1, N 12.3, S and O 15.3).
    TILES_VIEWED = "the player has looked at the other tiles of the hand"
    HANDS_SET = "all hands have been set"
    BANK_EXPOSED = "the bank's hand has been exposed"
    FIRST_HAND_EXPOSED = "the first player's hand has been exposed"
    SETTLED = "every wager has been settled"
    BANK_PUT_AWAY = "the bank's tiles have been put away"
    ROUND_OVER = "all tiles have been put away"

    # Members are singletons, so identity suffices as hash; milestones are looked up all the time.
    __hash__ = object.__hash__
