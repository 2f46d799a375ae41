"""Remedies: what must or may be done about an irregularity, by whom, when, and the effect on wagers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from engine.vocabulary.facts import Milestone

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Bank, Whose
    from engine.vocabulary.progress import Progress


class Duty(Enum):
    """Whether the book requires or permits it."""

    MUST = "must"
    MAY = "may"


MUST, MAY = Duty.MUST, Duty.MAY


class Effect(Enum):
    """Effect on wagers and tiles."""

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
    PLAYER_OUT = "the player takes no further part in the game; wagers that lie are not touched"
    PLAYER_BACK = "a player who was out of the game may play again"
    SETS_FIRST = "the player sets the tiles before others handle theirs; no wager is touched"
    SEAT_VACATED = "the player gives up the seat; no wager is touched"
    CLOSES_AT_ONCE = "the table may close without notice; no wager is touched"
    AS_DECIDED = "what becomes of wagers is part of the decision"


WINDOWS: Mapping[Effect, tuple[Milestone | None, Milestone | None]] = {
    Effect.AS_SET_NOW: (Milestone.TILES_DELIVERED, Milestone.ROUND_OVER),
    Effect.HAND_VOID: (Milestone.TILES_DELIVERED, Milestone.ROUND_OVER),
    Effect.WAGER_LOST: (Milestone.TILES_DELIVERED, Milestone.ROUND_OVER),
    Effect.ROUND_VOID: (None, Milestone.ROUND_OVER),
    Effect.MIXED_AGAIN: (None, Milestone.ROUND_OVER),
    Effect.WAGER_RETURNED: (None, Milestone.ROUND_OVER),
    Effect.WAGER_FORFEITED: (None, Milestone.ROUND_OVER),
    Effect.NO_WINNINGS: (None, Milestone.ROUND_OVER),
}
"""Earliest and latest milestone at which an effect is possible at all, regardless of the rule.

Before the tiles are delivered no hand can be corrected or void; once all are put away the round is history.
"""


class Given(Enum):
    """Further conditions of a rule, beside hand, bank and milestones, that a round's log can tell."""

    ALL_BOXES_PLAY = "a wager lies on every box but the bank's"
    ALONE_ON_BOX = "nobody else wagers on the box"
    ALONE_AT_TABLE = "nobody else plays"
    HOUSE_WAY_PLACE = "the tiles lie in a House Way playing area"
    NO_HOUSE_WAY_PLACES = "the layout has no House Way playing areas"
    DEALER_SET = "the dealer set the hand, or is to set it"
    SEATS_TAKEN = "every other seat is taken"


class Person(Enum):
    """Somebody at the table without a title."""

    DEALER = "dealer"
    BANKER = "player who banks"
    PLAYER = "player who does not bank"


@dataclass(frozen=True, slots=True)
class Authority:
    """The person who acts or decides under a rule.

    Attributes:
        persons: people without a title whom the rule names.
        title: the lowest title on the book's ladder that the rule names; None if it names the house or nobody.
        dealer_on_instruction: the dealer acts only at the request or instruction of a person with the title.
    """

    words: str
    persons: frozenset[Person] = frozenset()
    title: str | None = None
    dealer_on_instruction: bool = False

    def titles(self, ranks: Iterable[Collection[str]]) -> tuple[str, ...]:
        """The titles on a book's ladder that may do it, the lowest first.

        A title includes the powers of those below it and of the dealer (crown-6.1 1.2); if a rule names the house or
        nobody, any title qualifies.
        """
        lines = [tuple(line) for line in ranks]
        if self.title is not None:
            least = next(level for level, line in enumerate(lines) if self.title in line)
            return tuple(title for line in lines[least:] for title in line)
        if Person.DEALER in self.persons or not self.persons:
            return tuple(title for line in lines for title in line)
        return ()

    @property
    def people(self) -> frozenset[Person]:
        """People without a title who may do it on their own initiative."""
        return self.persons - {Person.DEALER} if self.dealer_on_instruction else self.persons


def as_title(ranks: Iterable[Collection[str]], written: str) -> str | None:
    """The title on the ladder that matches a text, ignoring case; None otherwise.

    A suffix "(or above)", as printed in rules, is ignored.

    >>> as_title([["TG Area Manager"]], "tg area manager (or above)")
    'TG Area Manager'
    """
    wanted = written.casefold().removesuffix("(or above)").strip()
    return next((title for line in ranks for title in line if title.casefold() == wanted), None)


@dataclass(frozen=True, slots=True)
class Remedy:
    """One action that a book requires or permits.

    Attributes:
        duty: whether it must or may be done.
        by: who acts or decides.
        action: what to do, close to the book's words; ``{hand}`` stands for the hand.
        cite: the rule.
        also: related rules.
        rulings: numbers of our rulings that apply.
        whose: the hands it applies to; empty for all.
        banks: the banking methods it applies to; empty for all.
        given: further conditions.
        where: the conditions in the book's words, for the person who decides; a log knows only `banks` and `given`.
        after: milestone that must have been reached.
        before: milestone that ends it.
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
    banks: frozenset[Bank] = frozenset()
    given: tuple[Given, ...] = ()

    def concerns(self, whose: Whose | None) -> bool:
        """Whether it applies to this hand; always if the hand is unknown."""
        return whose is None or not self.whose or whose in self.whose

    def under(self, bank: Bank | None) -> bool:
        """Whether it applies under this bank; always if the bank is unknown."""
        return bank is None or not self.banks or bank in self.banks

    def fits(self, holds: Mapping[Given, bool]) -> bool:
        """Whether none of its conditions is known to fail."""
        return all(holds.get(each, True) for each in self.given)

    def under_rulings(self, rulings: tuple[int, ...]) -> Remedy:
        return replace(self, rulings=tuple(sorted({*self.rulings, *rulings}))) if rulings else self

    def _windows(self) -> tuple[tuple[Milestone | None, Milestone | None], ...]:
        return (self.after, self.before), WINDOWS.get(self.effect, (None, None))

    def may_be_open(self, progress: Progress) -> bool:
        """Whether it may be available, as far as is known of the round."""
        return all(
            (after is None or progress.may_be_reached(after)) and (before is None or before not in progress.reached)
            for after, before in self._windows()
        )

    def surely_open(self, progress: Progress) -> bool:
        """Whether it is available, as far as milestones decide that."""
        return all(
            (after is None or after in progress.reached) and (before is None or not progress.may_be_reached(before))
            for after, before in self._windows()
        )
