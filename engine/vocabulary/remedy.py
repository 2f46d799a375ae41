"""What must or may be done when something goes wrong: by whom, when, and what becomes of wagers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Milestone, Whose


class Duty(Enum):
    """Whether the book commands or permits."""

    MUST = "must"
    MAY = "may"


MUST, MAY = Duty.MUST, Duty.MAY


class Effect(Enum):
    """What becomes of wagers and tiles."""

    NONE = "no wager is touched"
    MIXED_AGAIN = "the tiles are mixed again; no wager is decided by it"
    AS_SET_NOW = "wagers are settled on the hand as it is then set"
    RESULTS_STAND = "results stand as they are"
    HAND_VOID = "the hand is void: wagers on it neither win nor lose, and go back"
    ROUND_VOID = "the round is void: all its wagers go back"
    NOT_ACCEPTED = "it does not count: wagers are as they were"
    WAGER_STANDS = "the wager is valid as it lies"
    WAGER_RETURNED = "the wager is not accepted, or is void, and goes back"
    WAGER_CAPPED = "the wager wins or loses up to the maximum"
    EXCESS_VOID = "the part that can be paid exactly is valid, the rest is void and goes back"
    PAID_UP = "the wager is paid to the next highest amount that chips can make"
    WAGER_LOST = "the wager is lost"
    WAGER_FORFEITED = "the wager is forfeited"
    WINNINGS_WITHHELD = "winnings are held back until it is decided"
    NO_WINNINGS = "the wager goes back without winnings"
    PUT_RIGHT = "what was paid or taken wrongly is put right"
    BANK_CHANGES = "the bank is held another way; wagers stay"
    BOX_OUT = "a box takes no wagers in later rounds; wagers of this round are not touched"
    BOX_BACK = "a box that was out of play takes wagers again"
    AS_DECIDED = "what becomes of wagers is part of the decision"


class Person(Enum):
    """Somebody at the table without a title."""

    DEALER = "dealer"
    BANKER = "player who banks"
    PLAYER = "player who does not bank"


@dataclass(frozen=True, slots=True)
class Authority:
    """Who does something or decides it, by one rule.

    Attributes:
        words: as the book prints it.
        persons: those at the table whom the rule names.
        title: the lowest title of the book's ladder that the rule names; None where it names the house or nobody.
        dealer_is_told: the dealer acts only at the request or instruction of whoever bears the title.
    """

    words: str
    persons: frozenset[Person] = frozenset()
    title: str | None = None
    dealer_is_told: bool = False


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing that a book commands or permits.

    Attributes:
        duty: whether it must or may be done.
        by: who does it or decides it.
        action: what to do, in the book's words or close to them; ``{hand}`` stands for the hand.
        effect: what becomes of wagers.
        cite: the rule that says so.
        also: other rules that belong to it.
        rulings: numbers of our rulings under which it is read.
        whose: the hands it speaks of; empty where that makes no difference.
        where: a condition that neither hand nor milestones tell.
        after: only once this has happened.
        before: only until this has happened.
    """

    duty: Duty
    by: Authority
    action: str
    effect: Effect
    cite: Cite
    also: tuple[Cite, ...] = ()
    rulings: tuple[int, ...] = ()
    whose: frozenset[Whose] = frozenset()
    where: str = ""
    after: Milestone | None = None
    before: Milestone | None = None

    def concerns(self, whose: Whose | None) -> bool:
        """Whether it speaks of this hand; all do while nobody knows whose it is."""
        return whose is None or not self.whose or whose in self.whose

    def open_at(self, reached: Collection[Milestone]) -> bool:
        """Whether it is open in a round that has reached these milestones."""
        return (self.after is None or self.after in reached) and (self.before is None or self.before not in reached)
