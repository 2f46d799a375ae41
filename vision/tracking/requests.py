"""Which hands the dealer was asked to set: closed tiles that were turned across where they had been dealt.

A set hand shows two tiles across as well, beside two upright ones that a sleeve may hide. So it does not count once
the hand was seen to be set, nor where the tiles across lie elsewhere than the dealt ones did, nor where they do not lie
close side by side: turned together they still do, and those that a player pushes about do not. Nor do two upright tiles
that the detector took for two across: they fill a square between them, and lie further apart in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from calibration.table.places import Place
    from vision.tracking.tracks import Track

_TURNED_DEG: Final = 25.0
_DEALT_MM: Final = 20.0
"""How far the middle of the tiles may go when they are turned, and one of them lie further along than another; the pair
across of a set hand lies 30 mm beside its, and a tile is 63 mm long."""
_BESIDE_MM: Final = 36.0
"""Between the middles of tiles side by side at most: they are 25.4 mm wide, and are dealt about 30 mm apart."""


@dataclass(slots=True)
class Requests:
    """The requests of one round.

    Attributes:
        angle_deg: direction of a place, 0 where the dealer sees it straight.
        places: whose hands the dealer was asked to set.
    """

    angle_deg: Callable[[Place], float]
    places: set[Place] = field(default_factory=set)
    _dealt_mm: dict[Place, tuple[float, float]] = field(default_factory=dict)
    _set: set[Place] = field(default_factory=set)

    def look(self, place: Place, closed: Sequence[Track], *, alone: bool) -> None:
        """Take what lies at a place whose hand is not opened.

        Args:
            place: where.
            closed: its tiles that lie still, face down.
            alone: whether nothing else is seen there.
        """
        if len(closed) < 2:
            return
        across = sum(self._lies_across(track, place) for track in closed)
        middle = np.mean([(track.spot.x_mm, track.spot.y_mm) for track in closed], axis=0)
        if not across:
            self._dealt_mm[place] = (float(middle[0]), float(middle[1]))
        elif across < len(closed):
            # One alone may be anything that passes for a back beside the dealt tiles.
            if across >= 2:
                self._set.add(place)
        elif alone and place not in self._set and self._side_by_side(closed, place):
            dealt = self._dealt_mm.get(place)
            if dealt is None or math.dist(dealt, middle) <= _DEALT_MM:
                self.places.add(place)

    def clear(self) -> None:
        """Begin another round."""
        self.places.clear()
        self._dealt_mm.clear()
        self._set.clear()

    def _side_by_side(self, across: Sequence[Track], place: Place) -> bool:
        """Whether no tile across lies further along than another, nor away from its neighbour."""
        turn = math.radians(self.angle_deg(place))
        middles = np.array([(track.spot.x_mm, track.spot.y_mm) for track in across])
        along = middles @ (math.cos(turn), math.sin(turn))
        beside = middles @ (-math.sin(turn), math.cos(turn))
        return bool(np.ptp(along) <= _DEALT_MM and np.diff(np.sort(beside)).max() <= _BESIDE_MM)

    def _lies_across(self, track: Track, place: Place) -> bool:
        turn = (track.spot.angle_deg - self.angle_deg(place)) % 180
        return min(turn, 180 - turn) <= _TURNED_DEG
