"""Detection of opened hands, and of single tiles exposed earlier."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from vision.tracking.tracks.consensus import consensus
from vision.tracking.tracks.tile_tracks import APART_MM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibration.table.places import Place
    from engine.game.box_order import BoxOrder
    from engine.game.tiles import Tile
    from vision.tracking.table_scene import TableScene
    from vision.tracking.tracks.tile_tracks import Spot, Track

_OPENED_TILES: Final = 3
"""Tiles of a hand that must be open before it counts as opened; a single one may be exposed by mistake."""
_SHOWN_PICTURES: Final = 3
"""Pictures that must show a tile in that state; a partly covered open tile may pass for a back in one."""


def opened_since(place: Place, scene: TableScene) -> float | None:
    """Since when the hand at a place is open; None if it is not."""
    open_ = [track for track in scene.at_places[place] if scene.at_rest(track) and track.tile.face_up]
    return min(track.since_s for track in open_) if len(open_) >= _OPENED_TILES else None


def shown_open_s(place: Place, scene: TableScene) -> float:
    """When a picture first showed the hand at a place open: not only some of its tiles."""
    since_s = sorted(track.since_s for track in scene.at_places.get(place, ()) if track.tile.face_up)
    return since_s[_OPENED_TILES - 1] if len(since_s) >= _OPENED_TILES else math.inf


def in_turn(places: Iterable[Place], order: BoxOrder | None) -> list[Place]:
    """Places in the order in which their hands may be opened: the bank's, then the boxes counter-clockwise.

    If that order is unknown the boxes are ordered by number, and no order is judged.
    """
    numbers = () if order is None else order.numbers
    turn = {number: at for at, number in enumerate(numbers)}
    return sorted(places, key=lambda place: (place.box is not None, turn.get(place.box or 0, len(turn)), place))


@dataclass(slots=True)
class ShownTiles:
    """The tiles of one place that are face up although its hand is not opened."""

    _up: dict[int, tuple[Tile | None, Spot]] = field(default_factory=dict)

    def update(self, track: Track) -> list[Tile | None]:
        """Process the next picture of a tile of the place.

        Returns:
            The face of each tile that was turned face down again beyond doubt; None if the face was unknown.
        """
        if track.pictures < _SHOWN_PICTURES:
            return []
        if track.tile.face_up:
            # A tile that is never recognised may be a bare back taken for a face, even for a minute.
            if any(sample.face is not None for sample in track.samples):
                self._up[track.number] = consensus(track.samples).face, track.spot
            return []
        if track.tile.status != "verified":
            return []
        down = [
            number
            for number, (_, spot) in self._up.items()
            if number == track.number or math.dist(spot.middle_mm, track.spot.middle_mm) < APART_MM
        ]
        return [self._up.pop(number)[0] for number in down]
