"""Detection of open hands that were put away: out of sight, with signs of where their tiles went."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from vision.hand_grouping import TILES_OF_A_HAND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibration.table.places import Place
    from vision.tracking.lays.hand_history import RoundHands
    from vision.tracking.lays.place_watch import PlaceWatch
    from vision.tracking.table_scene import TableScene

_SIGNS: Final = 2
"""Tiles that must be seen elsewhere, or turned down, before a hand out of sight counts as put away."""
_PICTURES: Final = 2
"""Pictures in which a hand must be out of sight, while others lie, before tiles elsewhere count as its own."""
_ON_THE_WAY_S: Final = 3.0
"""Time before a hand was last seen within which tiles of another hand may still be on their way."""
_EARLY_S: Final = 0.5
"""Time before a hand was last seen open within which its first tiles may have been seen elsewhere."""


def put_away(
    scene: TableScene, hands: RoundHands, places: Mapping[Place, PlaceWatch], *, fit: bool
) -> list[tuple[Place, float]]:
    """The hands that were put away, each with the time it was last seen open."""
    away = []
    for place, hand in hands.by_place.items():
        last_s = places[place].open_s if place in places else None
        if hand.away or hand.exposed_s is None or last_s is None or scene.t_s - last_s <= scene.terms.unseen_s:
            continue
        turned = sum(
            not track.tile.face_up and track.since_s >= hand.exposed_s for track in scene.at_places.get(place, ())
        )
        elsewhere = sum(
            not track.tile.in_play
            and track.since_s >= last_s - _EARLY_S
            and scene.in_sight(track)  # tiles being carried are seen at many places
            for track in scene.tiles
        )
        elsewhere -= TILES_OF_A_HAND * _on_the_way(place, last_s, scene, hands, places)
        waited = fit and scene.t_s - last_s >= scene.terms.gone_s
        # An arm hides a hand in one picture, and rare pictures show tiles of another hand elsewhere in it.
        others = any(other != place for other in scene.at_places)
        moved = elsewhere >= _SIGNS and places[place].pictures_since >= (_PICTURES if others else 1)
        if turned >= _SIGNS or moved or waited:
            away.append((place, last_s))
    return away


def _on_the_way(
    place: Place, last_s: float, scene: TableScene, hands: RoundHands, places: Mapping[Place, PlaceWatch]
) -> int:
    """Number of other hands whose tiles may be those seen elsewhere since a hand was last in sight.

    Once nothing is open, all were put away; unless closed hands are out of sight as well, which are not put away
    unopened.
    """
    closed_since = any(
        each.closed_s is not None and each.closed_s >= last_s - _EARLY_S and not hands.opened(each.place)
        for each in places.values()
    )
    if not closed_since and not any(map(scene.open_tiles, scene.at_places)):
        return 0
    return sum(
        hand.place != place
        and hand.exposed_s is not None
        and _last_open_s(hand.place, places) > last_s - _ON_THE_WAY_S
        and scene.open_tiles(hand.place) < TILES_OF_A_HAND
        for hand in hands
    )


def _last_open_s(place: Place, places: Mapping[Place, PlaceWatch]) -> float:
    known = places.get(place)
    return -math.inf if known is None or known.open_s is None else known.open_s
