"""Requests that the dealer set a player's hand: closed tiles turned across where they were dealt.

A set hand shows two tiles across as well, beside two upright ones that a sleeve may hide. So tiles across count only if
the hand was not seen to be set before, and if they lie close side by side where the tiles were dealt. Those that a
player pushes about do not, nor do two upright tiles that the detector took for two across.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.tracking.tracks.tile_tracks import Track

_TURNED_DEG: Final = 25.0
"""How far a tile may be turned from straight across and still lie across."""
_DEALT_MM: Final = 20.0
"""How far the middle of the tiles may go when they are turned, and one lie further along than another: less than the
30 mm between the pairs of a set hand."""
_BESIDE_MM: Final = 36.0
"""Between the middles of tiles side by side at most: they are 25.4 mm wide, and are dealt about 30 mm apart."""


@dataclass(slots=True)
class Request:
    """Whether the dealer was asked to set the hand at one place.

    Attributes:
        requested: whether he was.
    """

    requested: bool = False
    _dealt_mm: tuple[float, float] | None = None
    _set_by_player: bool = False

    def update(self, closed: Sequence[Track], angle_deg: float, *, alone: bool) -> None:
        """Take what lies at the place before its hand is opened.

        Args:
            closed: its tiles that lie still, face down.
            angle_deg: direction of the place, 0 where the dealer sees it straight.
            alone: whether nothing else is seen there.
        """
        if len(closed) < 2:
            return
        across = sum(_lies_across(track, angle_deg) for track in closed)
        middle = np.mean([track.spot.middle_mm for track in closed], axis=0)
        if not across:
            self._dealt_mm = (float(middle[0]), float(middle[1]))
        elif across < len(closed):
            # One alone may be anything that passes for a back beside the dealt tiles.
            self._set_by_player = self._set_by_player or across >= 2
        elif alone and not self._set_by_player and _side_by_side(closed, angle_deg):
            where_dealt = self._dealt_mm is None or math.dist(self._dealt_mm, middle) <= _DEALT_MM
            self.requested = self.requested or where_dealt


def _side_by_side(across: Sequence[Track], angle_deg: float) -> bool:
    """Whether no tile across lies further along than another, nor away from its neighbour."""
    turn = math.radians(angle_deg)
    middles = np.array([track.spot.middle_mm for track in across])
    along = middles @ (math.cos(turn), math.sin(turn))
    beside = middles @ (-math.sin(turn), math.cos(turn))
    return bool(np.ptp(along) <= _DEALT_MM and np.diff(np.sort(beside)).max() <= _BESIDE_MM)


def _lies_across(track: Track, angle_deg: float) -> bool:
    turn = (track.spot.angle_deg - angle_deg) % 180
    return min(turn, 180 - turn) <= _TURNED_DEG
