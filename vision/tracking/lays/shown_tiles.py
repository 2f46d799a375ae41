"""Tiles of a closed hand that came up, and were turned down again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from vision.tracking.consensus import consensus
from vision.tracking.tracks import APART_MM

if TYPE_CHECKING:
    from engine.game.tiles import Tile
    from vision.tracking.tracks import Spot, Track

_PICTURES: Final = 3
"""Pictures that must show a tile lying so: what fingers leave of an open tile may pass for a back in one."""


@dataclass(slots=True)
class ShownTiles:
    """The tiles of one place that lie face up though its hand is not opened."""

    _up: dict[int, tuple[Tile | None, Spot]] = field(default_factory=dict)

    def update(self, track: Track) -> list[Tile | None]:
        """Take the next picture of a tile of the place.

        Returns:
            The face of each tile that it shows turned down again beyond doubt; None where that was not known.
        """
        if track.pictures < _PICTURES:
            return []
        if track.tile.face_up:
            # What is never named may be a bare back that was taken for a face, for a minute even.
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
