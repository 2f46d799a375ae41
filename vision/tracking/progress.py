"""Progress of a round, as it affects the remedies for a wrongly set hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from calibration.table.places import HOUSE
from engine.house_way.rules import Moment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibration.table.places import Place
    from vision.tracking.lays.hand_history import RoundHands
    from vision.tracking.lays.place_watch import PlaceWatch
    from vision.tracking.visibility import Visibility

_HIDDEN_S: Final = 1.5
"""Seconds out of sight after which a House hand may be covered or put away, and a player's may have been opened."""
_SEEN_AGAIN_S: Final = 1.0
"""Seconds after an occlusion within which hands opened meanwhile are noticed."""


def moment_of(
    t_s: float, hands: RoundHands, places: Mapping[Place, PlaceWatch], visibility: Visibility
) -> Moment | None:
    """The moment of a round; None while undetermined."""
    house = hands[HOUSE]
    if house.away:
        return Moment.BANK_PUT_AWAY
    open_s = places[HOUSE].open_s if HOUSE in places else None
    lies = open_s is not None and t_s - open_s <= _HIDDEN_S
    if not any(hand.exposed_s is not None and not hand.place.is_house for hand in hands):
        # With rare pictures, the first after the occlusion is late.
        again_s = max(visibility.occluded_until_s, visibility.sighted_s)
        occluded = t_s - again_s <= _SEEN_AGAIN_S
        if occluded or _lost_a_closed_hand(house.exposed_s, t_s, places):
            return Moment.BANK_NOT_PUT_AWAY if lies else None
        return Moment.NO_HAND_EXPOSED
    return Moment.FIRST_HAND_EXPOSED if lies or open_s is None else None


def _lost_a_closed_hand(exposed_s: float | None, t_s: float, places: Mapping[Place, PlaceWatch]) -> bool:
    """Whether a closed hand went out of sight since the House's was opened: it may be open under a sleeve."""
    if exposed_s is None:
        return False
    closed = (each.closed_s for each in places.values() if each.closed_s is not None)
    return any(t_s - since_s > _HIDDEN_S for since_s in closed if since_s > exposed_s - _HIDDEN_S)
