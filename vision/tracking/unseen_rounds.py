"""Rounds that passed, or ended, while pictures did not show the table, or were too far apart to follow it.

What was seen before such a time counts for the tiles that lie there afterwards only if the table is recognised: tiles
or dice that lie exactly where they lay. A round that left no hand in the record is reported as not seen.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from vision.tracking.phases import DISPLAYED, MIXED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.tracking.table_scene import TableScene
    from vision.tracking.tracks.tile_tracks import Spot

_NEXT_DEAL_S: Final = 20.0
"""Shortest time in which the rest of a round, and the next one up to its deal, may pass: tiles are put away, mixed,
stacked and dealt.
"""
_SAME_MM: Final = 3.0
_SAME_DEG: Final = 5.0
"""Maximum apparent displacement and rotation of a tile that nobody moved."""
_RECOGNISED: Final = 2
"""Tiles that must lie where they lay; a single one may have been put there again."""
_LOOKS: Final = 3
"""Pictures of the table in which it may be recognised: an arm may hide it in one."""
_JUST_BEFORE_S: Final = 1.0
"""Time before the last picture within which something was seen that may have been there in it."""
_DEALT_PLACES: Final = 4
"""Places with closed tiles that show a deal."""
_OPENED: Final = 3
"""Open tiles at a place that show a hand opened; two such places, or one after a throw or a deal, show a round being
matched.
"""
_PICTURES: Final = 2
"""Pictures that must show it."""


@dataclass(slots=True)
class UnseenRounds:
    """Follows whether the table is still that of the current round, and what passed meanwhile.

    Attributes:
        dealt_s: when a deal was first seen in this round; None before.
        opened_s: when open hands were first seen in it; None before.
        gaps_s: times of this round without pictures of the table, or with pictures too far apart, each from the last
            picture before it.
    """

    dealt_s: float | None = None
    opened_s: float | None = None
    gaps_s: list[tuple[float, float]] = field(default_factory=list)
    _fit_s: float = -math.inf
    _followed_s: float | None = None
    _lying: tuple[Spot, ...] = ()
    _looks: int = 0
    _seen: Counter[str] = field(default_factory=Counter)

    def next_round(self) -> UnseenRounds:
        """The same table at the start of the next round."""
        return UnseenRounds(_fit_s=self._fit_s, _followed_s=self._followed_s, _lying=self._lying)

    @property
    def started_s(self) -> float | None:
        """When the round was first seen to be dealt or matched; None if it was not."""
        return min((each for each in (self.dealt_s, self.opened_s) if each is not None), default=None)

    @property
    def passed(self) -> bool:
        """Whether a round that ends now, without a hand that is known, may have been played unseen.

        A deal that is taken back in sight of the camera was not.
        """
        if self.opened_s is not None or self.dealt_s is None:
            return self.opened_s is not None
        return any(until_s > self.dealt_s for _, until_s in self.gaps_s)

    def hid(self, seen_s: float) -> bool:
        """Whether what was seen last at this time went out of sight while no picture showed the table."""
        return any(since_s - _JUST_BEFORE_S <= seen_s <= since_s for since_s, _ in self.gaps_s)

    @property
    def mixed(self) -> bool:
        """Whether the tiles were mixed since the round was dealt or matched."""
        return self._seen["mixed"] >= _PICTURES

    def update(self, scene: TableScene, *, fit: bool, dice_lie: bool) -> bool | None:
        """Process the next picture.

        Args:
            scene: the table now.
            fit: whether the picture shows everything.
            dice_lie: whether dice lie in it as those of this round's throw.

        Returns:
            Whether the table is that of the round so far; None while that is undecided.
        """
        if not fit or not scene.calibrated or scene.knocked:
            return None if self._looks else True
        since_s, self._fit_s = self._fit_s, scene.t_s
        apart = scene.t_s - since_s > scene.terms.blind_s
        if apart and math.isfinite(since_s):
            self.gaps_s.append((since_s, scene.t_s))
        self._see_passing(scene, dice_lie=dice_lie)
        same = self._is_same(scene, dice_lie=dice_lie)
        if same and not apart:
            lying = (track for track in scene.tiles if track.tile.in_play and scene.in_sight(track))
            self._followed_s, self._lying = scene.t_s, tuple(each.spot for each in lying if scene.at_rest(each))
        return same

    def _is_same(self, scene: TableScene, *, dice_lie: bool) -> bool | None:
        if self._followed_s is None or (not self._looks and scene.t_s - self._followed_s < _NEXT_DEAL_S):
            return True
        if dice_lie or _recognised(self._lying, [track.spot for track in scene.tiles if scene.in_sight(track)]):
            self._looks = 0
            return True
        self._looks += 1
        if self._looks < _LOOKS:
            return None
        self._looks, self._followed_s = 0, None
        return False

    def _see_passing(self, scene: TableScene, *, dice_lie: bool) -> None:
        """Look for a deal, for open hands and for tiles mixed after that, in single pictures."""
        tiles = [track.tile for track in scene.tiles if scene.in_sight(track)]
        open_ = Counter(tile.place for tile in tiles if tile.in_play and tile.face_up)
        closed = {tile.place for tile in tiles if tile.in_play and not tile.face_up}
        displayed = sum(tile.face_up and not tile.in_play for tile in tiles) >= DISPLAYED
        mixed = displayed or sum(not tile.face_up and tile.place is None for tile in tiles) >= MIXED
        self._seen["mixed"] = self._seen["mixed"] + 1 if mixed and self.started_s is not None else 0
        self._seen["dealt"] += len(closed) >= _DEALT_PLACES and not mixed
        hands = sum(each >= _OPENED for each in open_.values())
        started = dice_lie or self.dealt_s is not None
        self._seen["opened"] += hands >= (1 if started else 2) and not mixed
        if self.dealt_s is None and self._seen["dealt"] >= _PICTURES:
            self.dealt_s = scene.t_s
        if self.opened_s is None and self._seen["opened"] >= _PICTURES:
            self.opened_s = scene.t_s


def _recognised(before: Sequence[Spot], now: Sequence[Spot]) -> bool:
    """Whether tiles lie exactly where tiles lay before, on the same side."""
    return sum(any(_same(one, other) for other in now) for one in before) >= _RECOGNISED


def _same(one: Spot, other: Spot) -> bool:
    return one.lies_as(other, _SAME_MM, _SAME_DEG) and one.tile.face_up == other.tile.face_up
