"""Tracking tiles from picture to picture, in millimetres.

As soon as a tile moves, is turned, or was out of sight for long enough to be exchanged, its face is forgotten and must
be read again. So no association error can carry a face from one tile to another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.table.sizes import TILE_MM
from vision.assignment import cheapest_pairs
from vision.tracking.tracks.consensus import FaceSample, consensus, with_sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.reading import Reading, TileReading
    from vision.tracking.confirmation_terms import Terms

_REACH_MM: Final = 60.0
"""Maximum movement of a tile between pictures; beyond that it is a new one."""
_TURNED_MM: Final = 20.0
"""Association cost, as a distance, of a tile turned over."""
APART_MM: Final = TILE_MM[1] / 2
"""Minimum distance of the centres of two tiles side by side."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One tile of one picture at its position.

    Attributes:
        x_mm, y_mm: its centre. In a picture of unknown scale, by the length of the detected tiles.
        angle_deg: direction of its long axis, in [0, 180).
        tile: its reading.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    tile: TileReading

    @property
    def middle_mm(self) -> tuple[float, float]:
        return self.x_mm, self.y_mm

    def lies_as(self, other: Spot, within_mm: float, within_deg: float) -> bool:
        """Whether it lies where another does, up to these differences of position and direction."""
        near = math.dist(self.middle_mm, other.middle_mm) <= within_mm
        return near and angle_between_deg(self.angle_deg, other.angle_deg) <= within_deg


def angle_between_deg(one_deg: float, other_deg: float) -> float:
    """Angle between the long axes of two tiles, from 0 to 90."""
    return abs((one_deg - other_deg + 90) % 180 - 90)


@dataclass(frozen=True, slots=True)
class Track:
    """One tile over time.

    Attributes:
        number: unique.
        rest: number of times it was moved, turned or lost from sight; samples belong to one rest.
        anchor: where it came to rest; too far from there it has moved, however slowly.
        spot: its last position and reading.
        since_s: since when it has been there.
        seen_s: when it was seen last.
        pictures: number of pictures showing it there.
        samples: the faces read in these.
        returned: whether it was out of sight and has not been verified since: it may have been exchanged.
    """

    number: int
    rest: int
    anchor: Spot
    spot: Spot
    since_s: float
    seen_s: float
    pictures: int = 1
    samples: tuple[FaceSample, ...] = ()
    returned: bool = False

    @property
    def tile(self) -> TileReading:
        return self.spot.tile

    @property
    def epoch(self) -> tuple[int, int]:
        """Identifies this tile at its position; changes when it is moved, turned or hidden."""
        return self.number, self.rest

    def at_rest(self, t_s: float, terms: Terms) -> bool:
        """Whether it is still, and is in sight or was a moment ago."""
        still_s = self.seen_s - self.since_s
        return t_s - self.seen_s <= terms.unseen_s and self.pictures > 1 and still_s >= terms.still_s


@dataclass(frozen=True, eq=False, slots=True)
class Tracks:
    """All tiles of a table.

    Attributes:
        tiles: in order of first appearance.
        next_number: for the next one.
        knock: (2, 3) from apparent positions to those before the camera was knocked; None if it was not.
    """

    tiles: tuple[Track, ...] = ()
    next_number: int = 1
    t_s: float = -math.inf
    knock: NDArray[np.float64] | None = None

    def forgotten(self) -> Tracks:
        """No tracks and no knock; numbers are not reused."""
        return Tracks(next_number=self.next_number, t_s=self.t_s)


def spots_of(reading: Reading) -> list[Spot]:
    """Positions of the tiles of a picture."""
    if all(tile.center_mm is not None and tile.angle_deg is not None for tile in reading.tiles):
        return [
            Spot(*tile.center_mm, tile.angle_deg, tile)
            for tile in reading.tiles
            if tile.center_mm is not None and tile.angle_deg is not None
        ]
    quads = np.array([tile.polygon for tile in reading.tiles])
    along = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    scale = TILE_MM[0] / max(float(np.median(np.linalg.norm(along, axis=1))), 1.0)
    angles = np.rad2deg(np.arctan2(along[:, 1], along[:, 0])) % 180
    return [
        Spot(float(x), float(y), float(angle), tile)
        for (x, y), angle, tile in zip(quads.mean(1) * scale, angles, reading.tiles, strict=True)
    ]


def continued(
    tracks: Tracks,
    spots: Sequence[Spot],
    pairs: dict[int, int],
    t_s: float,
    terms: Terms,
    knock: NDArray[np.float64] | None,
) -> Tracks:
    """Update the tracks with one more picture.

    Args:
        tracks: before it.
        spots: its tiles, with a knock of the camera undone.
        pairs: by index of the track, the index of the spot that continues it.
        t_s: capture time, later than all before.
        terms: the thresholds.
        knock: see :class:`Tracks`.
    """
    numbers = count(tracks.next_number)
    paired = set(pairs.values())
    # A knocked camera no longer matches its calibration: no sample is taken.
    counts = knock is None
    known = [
        _continued(track, spots[pairs[index]], t_s, terms, counts=counts, missed=track.seen_s < tracks.t_s)
        if index in pairs
        else track
        for index, track in enumerate(tracks.tiles)
    ]
    new = [
        _started(next(numbers), 1, spot, t_s, counts=counts) for index, spot in enumerate(spots) if index not in paired
    ]
    alive = tuple(track for track in (*known, *new) if t_s - track.seen_s <= terms.blind_s)
    return Tracks(_without_duplicates(alive, t_s), next(numbers), t_s, knock)


def _without_duplicates(tracks: tuple[Track, ...], t_s: float) -> tuple[Track, ...]:
    """Drop tracks out of sight where another tile is seen: two tiles cannot be in one place.

    Otherwise one tile taken for two in a single picture would give its hand an extra tile while both are remembered.
    """
    seen = np.array([track.spot.middle_mm for track in tracks if track.seen_s == t_s]).reshape(-1, 2)
    return tuple(
        track
        for track in tracks
        if track.seen_s == t_s or not (np.hypot(*(seen - track.spot.middle_mm).T) < APART_MM).any()
    )


def associate(tracks: Sequence[Track], spots: Sequence[Spot]) -> dict[int, int]:
    """Map from tracks to the spots that continue them: the assignment of least total distance."""
    if not tracks or not spots:
        return {}
    old = np.array([(*track.spot.middle_mm, track.tile.face_up) for track in tracks], np.float64)
    new = np.array([(*spot.middle_mm, spot.tile.face_up) for spot in spots], np.float64)
    away = np.hypot(old[:, None, 0] - new[None, :, 0], old[:, None, 1] - new[None, :, 1])
    cost = np.minimum(away + _TURNED_MM * (old[:, None, 2] != new[None, :, 2]), _REACH_MM)
    return {
        row: column
        for row, column in zip(*(each.tolist() for each in cheapest_pairs(cost)), strict=True)
        if cost[row, column] < _REACH_MM
    }


def _started(number: int, rest: int, spot: Spot, t_s: float, *, counts: bool) -> Track:
    """A tile seen at a position for the first time."""
    samples = (FaceSample.of(spot.tile, t_s),) if counts and spot.tile.face_up and spot.tile.fresh else ()
    return Track(number, rest, spot, spot, t_s, t_s, 1, samples)


def _is_exchanged(track: Track, tile: TileReading) -> bool:
    """Whether a tile is certainly a different one from before it was briefly out of sight."""
    known = consensus(track.samples).face
    return tile.status == "verified" and tile.face is not None and known is not None and tile.face is not known


def _continued(track: Track, spot: Spot, t_s: float, terms: Terms, *, counts: bool, missed: bool) -> Track:
    """A tile seen again, at the same position or not.

    Args:
        track: the tile.
        spot: where it is seen.
        t_s: now.
        terms: the thresholds.
        counts: whether the picture counts as a sample.
        missed: whether the picture before did not show it.
    """
    before = track.anchor
    moved = not spot.lies_as(before, terms.rest_mm, terms.rest_deg)
    turned = before.tile.face_up != spot.tile.face_up
    hidden = t_s - track.seen_s > (terms.unseen_s if missed else terms.blind_s)
    returned = track.returned or missed
    if moved or turned or hidden or (returned and _is_exchanged(track, spot.tile)):
        return _started(track.number, track.rest + 1, spot, t_s, counts=counts)
    samples = track.samples
    if counts and spot.tile.face_up and spot.tile.fresh:
        samples = with_sample(samples, FaceSample.of(spot.tile, t_s), terms)
    return replace(
        track,
        spot=spot,
        seen_s=t_s,
        pictures=track.pictures + 1,
        samples=samples,
        returned=returned and not (spot.tile.fresh and spot.tile.status == "verified"),
    )
