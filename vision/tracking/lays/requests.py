"""Requests that the dealer set a player's hand: closed tiles turned across at their dealt position.

A set hand also has two horizontal tiles, beside two vertical ones that a sleeve may hide. So horizontal tiles count
only if the hand was not seen to be set before, and if they are close side by side at their dealt position. Tiles that a
player pushes around are not, nor are two vertical tiles detected as horizontal.
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
"""Maximum deviation from horizontal."""
_DEALT_MM: Final = 20.0
"""Maximum shift of the tiles' centre when they are turned, and of one relative to another lengthwise: less than the 30
mm between the pairs of a set hand.
"""
_BESIDE_MM: Final = 36.0
"""Maximum distance between centres of tiles side by side: they are 25.4 mm wide, and are dealt about 30 mm apart."""

_OF_A_HALF: Final = 2
_SET_S: Final = 0.6
"""Seconds for which a closed hand must lie set before that counts."""


@dataclass(slots=True)
class Request:
    """Whether the dealer was asked to set the hand at one place.

    Attributes:
        requested: the result.
        glimpsed: whether a picture showed the tiles so, though not how long they lay there.
        set_seen_s: when the closed tiles first lay as a set hand for some time; None if they have not yet.
    """

    requested: bool = False
    glimpsed: bool = False
    set_seen_s: float | None = None
    _dealt_mm: tuple[float, float] | None = None
    _set_by_player: bool = False
    _set_since_s: float | None = None

    def update(self, closed: Sequence[Track], angle_deg: float, t_s: float, *, alone: bool) -> None:
        """Process the tiles at the place before its hand is opened.

        Args:
            closed: its still, face-down tiles.
            angle_deg: direction of the place, 0 if straight for the dealer.
            t_s: now.
            alone: whether nothing else is visible there.
        """
        if len(closed) < 2:
            return
        across = sum(_lies_across(track, angle_deg) for track in closed)
        self._see_set(closed, across, t_s)
        if not across:
            middle = np.mean([track.spot.middle_mm for track in closed], axis=0)
            self._dealt_mm = (float(middle[0]), float(middle[1]))
        elif across < len(closed):
            # A single one may be anything that passes for a back beside the dealt tiles.
            self._set_by_player = self._set_by_player or across >= 2
        elif alone:
            self.requested = self.requested or self._turned(closed, angle_deg)

    def glimpse(self, shown: Sequence[Track], angle_deg: float) -> None:
        """Process what a picture shows at the place before its hand is opened: closed tiles alone, also if moving."""
        if len(shown) >= _OF_A_HALF and all(
            track.tile.status == "verified" and _lies_across(track, angle_deg) for track in shown
        ):
            self.glimpsed = self.glimpsed or self._turned(shown, angle_deg)

    def _turned(self, across: Sequence[Track], angle_deg: float) -> bool:
        """Whether horizontal tiles lie side by side where they were dealt, and no player set the hand before."""
        if self._set_by_player or not _side_by_side(across, angle_deg):
            return False
        middle = np.mean([track.spot.middle_mm for track in across], axis=0)
        return self._dealt_mm is None or math.dist(self._dealt_mm, middle) <= _DEALT_MM

    def _see_set(self, closed: Sequence[Track], across: int, t_s: float) -> None:
        """Two closed tiles across and two upright, all of them surely tiles and still for a while."""
        sure = sum(track.tile.status == "verified" for track in closed)
        if not (across == _OF_A_HALF and len(closed) == sure == 2 * _OF_A_HALF):
            self._set_since_s = None
        elif self._set_since_s is None:
            self._set_since_s = t_s
        elif self.set_seen_s is None and t_s - self._set_since_s >= _SET_S:
            self.set_seen_s = t_s


def _side_by_side(across: Sequence[Track], angle_deg: float) -> bool:
    """Whether the horizontal tiles are aligned and adjacent."""
    turn = math.radians(angle_deg)
    middles = np.array([track.spot.middle_mm for track in across])
    along = middles @ (math.cos(turn), math.sin(turn))
    beside = middles @ (-math.sin(turn), math.cos(turn))
    return bool(np.ptp(along) <= _DEALT_MM and np.diff(np.sort(beside)).max() <= _BESIDE_MM)


def _lies_across(track: Track, angle_deg: float) -> bool:
    turn = (track.spot.angle_deg - angle_deg) % 180
    return min(turn, 180 - turn) <= _TURNED_DEG
