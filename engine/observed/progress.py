"""How far an observed round has come: milestones seen, those a camera cannot see, and those seen not to be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.observed.observations import (
    DeliveryEnded,
    DiceSeen,
    HandOpened,
    HandPutAway,
    HouseWayAsked,
    TilesDealt,
    TilesHandled,
    TilesMixed,
    TilesStacked,
)
from engine.vocabulary.facts import Milestone
from engine.vocabulary.progress import Progress, implied_in, so_far

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.observed.observations import Observation
    from engine.observed.possible import Possible

_DELIVERED = (DeliveryEnded, HouseWayAsked, HandOpened, TilesHandled)

_UNSEEN: Final[Mapping[Milestone, frozenset[Milestone]]] = {
    Milestone.BETS_CLOSED: frozenset(),
    Milestone.CUT_NAMED: frozenset(),
    # Players take up their tiles as soon as they lie there; seen only once they lie set.
    Milestone.TILES_HANDLED: frozenset({Milestone.DICE_SHOWN}),
    Milestone.TILES_VIEWED: frozenset({Milestone.DICE_SHOWN}),
    Milestone.HANDS_SET: frozenset({Milestone.TILES_DELIVERED}),
    # Without any hand opened if all are conceded.
    Milestone.SETTLED: frozenset({Milestone.TILES_DELIVERED}),
}
"""Milestones that an observation need not show, and those of which one must be reached before (none: it may always
be).
"""


def progress(way: Possible, seen: Sequence[Observation]) -> Progress:
    """What the observations show of how far the round has come, assuming this way of banking.

    A player's open hand says nothing about the bank's: while closed tiles are seen to lie there, it has not been
    exposed, however the round should have gone (crown-6.1 12.7 against 12.7.1).
    """
    found = {milestone for each in seen for milestone in _shown(way, each)}
    bank_seen = Milestone.BANK_EXPOSED in found
    bank_hidden = not bank_seen and Milestone.FIRST_HAND_EXPOSED in found and not _lies_closed(way, seen)
    unless = frozenset() if bank_seen else frozenset({Milestone.BANK_EXPOSED})
    reached = so_far(found, implied_in(way.setup.play, way.method), unless=unless)
    unknown = {each for each, after in _UNSEEN.items() if not after or after & reached} - reached
    return Progress(reached, frozenset(unknown | ({Milestone.BANK_EXPOSED} if bank_hidden else set())))


def _shown(way: Possible, seen: Observation) -> set[Milestone]:
    found = {Milestone.TILES_DELIVERED} if isinstance(seen, _DELIVERED) else set()
    match seen:
        case TilesMixed():
            found.add(Milestone.SHUFFLED)
        case TilesStacked():
            found.add(Milestone.STACKED)
        case DiceSeen() | TilesDealt():
            found.add(Milestone.DICE_SHOWN)
        case TilesHandled() if not way.is_banks(seen.box):
            found.add(Milestone.TILES_HANDLED)
        case HandOpened():
            found.add(Milestone.BANK_EXPOSED if way.is_banks(seen.box) else Milestone.FIRST_HAND_EXPOSED)
        case HandPutAway() if way.is_banks(seen.box):
            found |= {Milestone.BANK_EXPOSED, Milestone.BANK_PUT_AWAY}
        case _:
            pass
    return found


def _lies_closed(way: Possible, seen: Sequence[Observation]) -> bool:
    """Whether the bank's tiles lay closed when hands were last looked at."""
    looks = [each.closed for each in seen if isinstance(each, HandOpened | HandPutAway)]
    return bool(looks) and any(map(way.is_banks, looks[-1]))
