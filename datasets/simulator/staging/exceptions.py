"""Unusual things that the books allow, played as often as mistakes: nobody may report them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from datasets.simulator.staging.course import Course
    from engine.round import State

EXCEPTIONS: Final = {
    "other-cut": "the stacks are taken by another cut than the cut die's, as somebody with the authority accepted",
    "opened-alone": "the only player against the House opens his hand before the House's",
    "dealt-together": "the tiles of two adjacent empty boxes are laid together at one of them",
    "bonus-only": "only Bonus wagers are placed, and the House's hand is not shown",
    "laja": "a tile comes up while the tiles are stacked, and they are mixed and stacked once more",
    "dice-shaken-twice": "the dice are shaken after the delivery, though the book does not ask for it",
    "hand-set-twice": "a player takes his tiles up again and sets them once more",
}
"""Lawful exceptions, by kind."""


def is_open_to(kind: str, state: State) -> bool:
    """Whether a round may have an exception that is decided before the wagers are placed."""
    house, setup = state.held.method is Bank.HOUSE, state.setup
    match kind:
        case "other-cut":
            return setup.book.cuts.accepted(state.held.method) is not None
        case "opened-alone":
            return house and setup.play.alone is not None
        case "bonus-only":
            return house and bool(setup.table.terms.side)
        case "laja":
            return setup.play.laja is not None
        case "dice-shaken-twice":
            return setup.dice.shaken_again is None
    return True


def boxes_of(kind: str, course: Course) -> list[tuple[int, int | None]]:
    """The boxes at which an exception can be made, for tiles dealt together with the box they are laid at."""
    own = [(box, None) for box in course.played if box not in course.asked]
    match kind:
        case "opened-alone" | "hand-set-twice":
            return list(own)
        case "dealt-together":
            if course.session.setup.play.collective is None:
                return []
            taken = {*course.played, course.bank_box}
            pairs = pairwise(course.dealt.order)
            return [(other, box) for box, other in pairs if box not in taken and other not in taken]
    return [(box, None) for box in course.played]
