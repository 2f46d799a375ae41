"""Stationary objects at hand places: printed on the table, or forgotten.

Without a picture of the empty table only time identifies them. A round's tiles are still for minutes; but after the
hands are put away they are mixed and dealt again. An object that lay still on the bare table before the deal, and lies
at the same position on the bare table after that round, was never part of it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vision.findings import Code, Finding
from vision.tracking.tracks.tile_tracks import angle_between_deg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Reading, TileReading
    from vision.tracking.table_scene import TableScene

_MOST_LEFT: Final = 2
"""Maximum number of tiles at each place on a bare table; more may be a hand."""
_BARE_S: Final = 3.0
"""Minimum time without anything else visible: longer than an arm covers a hand."""
_FEWEST_DEALT: Final = 3
"""Closed tiles at one place that indicate a dealt hand; a back before it may hide one of four."""
_SAME_MM: Final = 3.0
_SAME_DEG: Final = 4.0
"""Apparent rotation of an object that never moved."""
_ROUNDS: Final = 1
_ROUNDS_OF_BACK: Final = 2
"""Rounds it must outlast; backs are all alike, and one may happen to be put where another was."""


@dataclass(frozen=True, slots=True)
class _Lying:
    """A tile on the bare table, and the number of rounds it has outlasted."""

    tile: TileReading
    rounds: int = 0

    @property
    def stays(self) -> bool:
        return self.rounds >= (_ROUNDS if self.tile.face_up else _ROUNDS_OF_BACK)


@dataclass(slots=True)
class LeftBehind:
    """Tracks objects left on the table from round to round."""

    _before: tuple[_Lying, ...] = ()
    _now: tuple[_Lying, ...] | None = None
    _bare_since_s: float | None = None

    def of(self, reading: Reading) -> tuple[TileReading, ...]:
        known = [each.tile for each in (*self._before, *(self._now or ())) if each.stays]
        return tuple(tile for tile in reading.tiles if any(_same(each, tile) for each in known))

    def update(self, scene: TableScene, left: Sequence[TileReading], *, fit: bool, dealt: bool) -> None:
        """Process the next picture.

        Args:
            scene: the table now, without objects left behind.
            left: those visible in the picture.
            fit: whether it shows everything; otherwise it does not show that the table is bare.
            dealt: whether the round was dealt: of four tiles on top of each other only two are seen.
        """
        seen = [track for track in scene.tiles if track.tile.in_play and scene.in_sight(track)]
        still = all(map(scene.at_rest, seen))
        closed = Counter(track.tile.place for track in seen if not track.tile.face_up and scene.at_rest(track))
        if self._now is not None and max(closed.values(), default=0) >= _FEWEST_DEALT:
            self._before, self._now = self._now, None
        most = max(Counter(track.tile.place for track in seen).values(), default=0)
        if dealt or not fit or not scene.calibrated or scene.knocked or not still or most > _MOST_LEFT:
            self._bare_since_s = None
            return
        if self._bare_since_s is None:
            self._bare_since_s = scene.t_s
        if scene.t_s - self._bare_since_s >= _BARE_S:
            self._now = self._lying([*left, *(track.tile for track in seen)])

    def _lying(self, tiles: Sequence[TileReading]) -> tuple[_Lying, ...]:
        """Objects on the bare table; those present before the deal have outlasted one more round."""
        lying = []
        for tile in tiles:
            before = [each.rounds + 1 for each in self._before if _same(each.tile, tile)]
            lying.append(_Lying(tile, max(before, default=0)))
        return (*lying, *(each for each in self._now or () if not any(_same(each.tile, tile) for tile in tiles)))


def left_behind_finding(tile: TileReading) -> Finding:
    face = {} if tile.face is None else {"face": str(tile.face)}
    return Finding.of(Code.LEFT_ON_TABLE, place=str(tile.place), **face)


def _same(one: TileReading, other: TileReading) -> bool:
    """Whether two readings are of the same unmoved object."""
    if one.center_mm is None or other.center_mm is None or one.angle_deg is None or other.angle_deg is None:
        return False
    turned_deg = angle_between_deg(one.angle_deg, other.angle_deg)
    alike = (one.face_up, one.face) == (other.face_up, other.face)
    return alike and turned_deg <= _SAME_DEG and math.dist(one.center_mm, other.center_mm) <= _SAME_MM
