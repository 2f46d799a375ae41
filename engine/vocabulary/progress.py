"""Known progress of a round, and the milestones implied by others.

A log knows every milestone; a command gets some as arguments; a camera sees some, sees that others are not reached, and
cannot see the rest. Remedies are looked up with the same `Progress` for all three.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from engine.vocabulary.facts import Milestone, Whose

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.vocabulary.facts import Bank
    from engine.vocabulary.play import Play

_IMPLIES: Final[Mapping[Milestone, tuple[Milestone, ...]]] = {
    Milestone.STACKED: (Milestone.SHUFFLED,),
    Milestone.CUT_NAMED: (Milestone.STACKED,),
    Milestone.DICE_SHOWN: (Milestone.STACKED,),
    Milestone.TILES_DELIVERED: (Milestone.BETS_CLOSED, Milestone.CUT_NAMED, Milestone.DICE_SHOWN),
    Milestone.TILES_HANDLED: (Milestone.TILES_DELIVERED,),
    Milestone.TILES_VIEWED: (Milestone.TILES_HANDLED,),
    # A person who set a hand has handled its tiles and seen them.
    Milestone.HANDS_SET: (Milestone.TILES_VIEWED,),
    Milestone.BANK_EXPOSED: (Milestone.HANDS_SET, Milestone.TILES_VIEWED),
    Milestone.FIRST_HAND_EXPOSED: (Milestone.TILES_DELIVERED, Milestone.BANK_EXPOSED),
    Milestone.SETTLED: (Milestone.FIRST_HAND_EXPOSED,),
    Milestone.BANK_PUT_AWAY: (Milestone.FIRST_HAND_EXPOSED,),
    Milestone.ROUND_OVER: (Milestone.SETTLED, Milestone.BANK_PUT_AWAY),
}
"""Milestones implied in every book, so that a caller who knows only the last one gets the same answer.

They hold as long as the round is played by the book. What was seen goes before them: see `so_far`.
"""


def implied_in(play: Play, bank: Bank) -> Mapping[Milestone, tuple[Milestone, ...]]:
    """Milestones implied in one book under this bank: by the close of betting, and by cut and dice."""
    before: dict[Milestone, set[Milestone]] = {}
    closes, cutting, shaken = play.close[bank].value, play.cut[bank].value, play.shake_after.get(bank)
    if closes is not Milestone.BETS_CLOSED:
        before.setdefault(closes, set()).add(Milestone.BETS_CLOSED)
        before.setdefault(Milestone.BETS_CLOSED, set()).add(closes)
    if play.announced is not None:
        before.setdefault(Milestone.CUT_NAMED, set()).add(Milestone.BETS_CLOSED)
    if cutting.after_dice is not None:
        last, first = Milestone.DICE_SHOWN, Milestone.CUT_NAMED
        last, first = (first, last) if cutting.after_dice else (last, first)
        before.setdefault(last, set()).add(first)
    if shaken is not None:
        before.setdefault(Milestone.DICE_SHOWN, set()).add(shaken.value)
    return {one: tuple(others) for one, others in before.items()}


def so_far(
    reached: Iterable[Milestone],
    book: Mapping[Milestone, tuple[Milestone, ...]] = MappingProxyType({}),
    whose: Whose | None = None,
    *,
    unless: frozenset[Milestone] = frozenset(),
) -> frozenset[Milestone]:
    """These milestones and all that they imply.

    Args:
        reached: milestones of the round.
        book: milestones implied in one book, in addition to those implied in all.
        whose: whose hand is concerned. The banker sets last (crown-6.1 10.3.2(i); nz-1998 11.2(d)), so all others being
            set does not imply that he has looked at his own tiles.
        unless: milestones that are never implied, nor anything by them, since it was seen that they are not reached, or
            should have been seen if they were.

    >>> len(so_far([Milestone.STACKED]))
    2
    """
    banks = whose in {Whose.PLAYER_BANKER, Whose.CO_BANK}
    known: set[Milestone] = set()
    pending = list(reached)
    while pending:
        one = pending.pop()
        if one not in known:
            known.add(one)
            before = (*_IMPLIES.get(one, ()), *book.get(one, ()))
            before = (Milestone.TILES_HANDLED,) if banks and one is Milestone.HANDS_SET else before
            pending.extend(each for each in before if each not in unless)
    return frozenset(known)


@dataclass(frozen=True, slots=True)
class Progress:
    """Known progress of a round.

    Attributes:
        reached: the milestones reached.
        unknown: those that may have been reached or not; all others are not reached.
    """

    reached: frozenset[Milestone] = frozenset()
    unknown: frozenset[Milestone] = field(default_factory=lambda: frozenset(Milestone))

    def may_be_reached(self, milestone: Milestone) -> bool:
        return milestone in self.reached or milestone in self.unknown

    @classmethod
    def common(cls, each: Iterable[Progress]) -> Progress:
        """What holds under every one of several possibilities; nothing is known if there are none."""
        known = tuple(each)
        if not known:
            return cls()
        reached = frozenset.intersection(*(one.reached for one in known))
        possible = frozenset.union(*(one.reached | one.unknown for one in known))
        return cls(reached, possible - reached)


ANYWHERE: Final = Progress()
"""Nothing is known of how far the round has come."""
