"""Tiles followed from picture to picture, in millimetres.

A tile is whatever lies where it lies: as soon as it moves, is turned, or was out of sight long enough to be exchanged,
what was known of its face is forgotten and must be seen anew. So no mistake about which tile went where can carry a
face from one tile to another; following it only says that it moved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Final, Literal

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.table.places import DISCARD
from calibration.table.sizes import TILE_MM
from vision.tracking.agreement import Sample, agreement, taken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.reading import Reading, TileReading
    from vision.tracking.terms import Terms

State = Literal["at rest", "moving", "covered", "gone"]

REACH_MM: Final = 60.0
"""How far a tile is followed from one picture to the next; beyond it is a new one."""
_TURNED_MM: Final = 20.0
"""A tile that shows its other side is as unlikely the same as one that lies this much further away."""
_FORGOTTEN_S: Final = 2.0
"""How long a tile out of sight is remembered; hands are remembered for as long as the round."""
SOLID_MM: Final = TILE_MM[1] / 2
"""Nearer than this the middles of two tiles cannot lie side by side."""
KNOCKED_MM: Final = 3.0
"""When tiles that lie still all seem to have gone so far at once, it was the camera that moved."""
_HEALED_MM: Final = 1.2
_KNOCK_TILES: Final = 6
_KNOCK_SHARE: Final = 0.7
_KNOCK_FIT_MM: Final = 1.5
_KNOCK_SCALE: Final = 0.015
"""By how much a knock may stretch or shrink the table: a camera 1.5 m up does not come down 2 cm. Stacks in a row that
are pushed together fit a table that shrinks by 4 %."""
_KNOCK_UNMOVED: Final = 2
"""How many tiles, also of the discards, may lie unmoved though the others fit a knock: tiles that players straighten at
one moment in several boxes fit one by chance, once in 400 simulated rounds."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One tile of one picture, where it lies.

    Attributes:
        x_mm, y_mm: its middle. On a picture of unknown scale, by the length of the tiles found.
        angle_deg: direction of its long axis, in [0, 180).
        tile: what was read.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    tile: TileReading


@dataclass(frozen=True, slots=True)
class Track:
    """One tile over time.

    Attributes:
        number: never given to another.
        lay: counts how often it was moved, turned or lost from sight; what is known of it belongs to one lay.
        anchor: where it was when it came to rest; once it is too far from there it has moved, however slowly.
        spot: where it was seen last, and what was read of it.
        since_s: since when it has lain so.
        seen_s: when it was seen last.
        looks: in how many pictures it was seen to lie so.
        samples: what those said of its face.
        returned: whether it was out of sight and has not been read beyond doubt since: it may have been exchanged.
    """

    number: int
    lay: int
    anchor: Spot
    spot: Spot
    since_s: float
    seen_s: float
    looks: int = 1
    samples: tuple[Sample, ...] = ()
    returned: bool = False

    @property
    def tile(self) -> TileReading:
        """What was read last."""
        return self.spot.tile

    @property
    def epoch(self) -> tuple[int, int]:
        """Names this tile as it lies now; another once it was moved, turned or hidden."""
        return self.number, self.lay

    def state(self, t_s: float, terms: Terms) -> State:
        """What it does."""
        if self.seen_s < t_s:
            return "covered" if t_s - self.seen_s <= _FORGOTTEN_S else "gone"
        return "at rest" if self.looks > 1 and self.seen_s - self.since_s >= terms.still_s else "moving"

    def lies(self, t_s: float, terms: Terms) -> bool:
        """Whether it lies still, and is in sight or was a moment ago."""
        return t_s - self.seen_s <= terms.unseen_s and self.looks > 1 and self.seen_s - self.since_s >= terms.still_s


@dataclass(frozen=True, eq=False, slots=True)
class Tracks:
    """All tiles of a table.

    Attributes:
        tiles: in the order in which they were first seen.
        next_number: for the next one.
        t_s: when the last picture was taken.
        knock: (2, 3) from where tiles seem to lie to where they lay before the camera was knocked; None if it was not.
    """

    tiles: tuple[Track, ...] = ()
    next_number: int = 1
    t_s: float = -math.inf
    knock: NDArray[np.float64] | None = None


def spots_of(reading: Reading) -> list[Spot]:
    """Where the tiles of a picture lie."""
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


def follow(tracks: Tracks, spots: Sequence[Spot], t_s: float, terms: Terms) -> Tracks:
    """The tracks after the next picture.

    Args:
        tracks: before it.
        spots: its tiles.
        t_s: when it was taken, later than all before.
        terms: what is asked of time.
    """
    knock, spots, pairs = _paired(tracks, spots)
    numbers = count(tracks.next_number)
    taken_spots = set(pairs.values())
    # A knocked camera looks at the table from elsewhere than it was calibrated for: nothing seen by it counts.
    counts = knock is None
    known = [
        _again(track, spots[pairs[index]], t_s, terms, counts=counts, missed=track.seen_s < tracks.t_s)
        if index in pairs
        else track
        for index, track in enumerate(tracks.tiles)
    ]
    new = [
        _first(next(numbers), 1, spot, t_s, counts=counts)
        for index, spot in enumerate(spots)
        if index not in taken_spots
    ]
    alive = tuple(track for track in (*known, *new) if t_s - track.seen_s <= _FORGOTTEN_S)
    return Tracks(_solid(alive, t_s), next(numbers), t_s, knock)


def _solid(tracks: tuple[Track, ...], t_s: float) -> tuple[Track, ...]:
    """The tracks without those out of sight where another tile is seen: no two tiles lie in one place.

    One tile taken for two in a single picture would else be looked for as two for as long as it is remembered, and its
    hand would have a tile too many.
    """
    seen = np.array([_middle(track.spot) for track in tracks if track.seen_s == t_s]).reshape(-1, 2)
    return tuple(
        track
        for track in tracks
        if track.seen_s == t_s or not (np.hypot(*(seen - _middle(track.spot)).T) < SOLID_MM).any()
    )


def _paired(tracks: Tracks, spots: Sequence[Spot]) -> tuple[NDArray[np.float64] | None, Sequence[Spot], dict[int, int]]:
    """Where the camera stands, the tiles seen from where it stood, and which of them is which track."""
    before = _moved(spots, tracks.knock)
    pairs = _pairs(tracks.tiles, before)
    still = [(track, index) for track, index in pairs.items() if tracks.tiles[track].looks > 2]
    # Tiles put away are pushed aside by the next ones, all together.
    held = [(track, index) for track, index in still if spots[index].tile.place != DISCARD]
    if len(held) < _KNOCK_TILES:
        return tracks.knock, before, pairs
    anchors = np.array([_middle(tracks.tiles[track].anchor) for track, _ in held])
    now = np.array([_middle(before[index]) for _, index in held])
    if np.median(np.linalg.norm(now - anchors, axis=1)) <= KNOCKED_MM / 2:
        return tracks.knock, before, pairs
    raw = np.array([_middle(spots[index]) for _, index in held])
    raw_off = float(np.median(np.linalg.norm(raw - anchors, axis=1)))
    if raw_off <= _HEALED_MM:
        return None, spots, _pairs(tracks.tiles, spots)
    fit, inside = cv2.estimateAffinePartial2D(raw, anchors, ransacReprojThreshold=_KNOCK_FIT_MM)
    if fit is None or raw_off <= KNOCKED_MM or inside.mean() < _KNOCK_SHARE:
        return tracks.knock, before, pairs
    knock = np.asarray(fit, np.float64)
    if abs(np.hypot(*knock[:, 0]) - 1) > _KNOCK_SCALE or _unmoved(tracks.tiles, spots, still, knock) > _KNOCK_UNMOVED:
        return tracks.knock, before, pairs
    back = _moved(spots, knock)
    return knock, back, _pairs(tracks.tiles, back)


def _unmoved(
    tracks: Sequence[Track], spots: Sequence[Spot], still: Sequence[tuple[int, int]], knock: NDArray[np.float64]
) -> int:
    """How many tiles are seen where they lay, though after such a knock they would be seen elsewhere."""
    anchors = np.array([_middle(tracks[track].anchor) for track, _ in still])
    now = np.array([_middle(spots[index]) for _, index in still])
    due_mm = np.linalg.norm(_mapped(now, knock) - now, axis=1)
    return int(np.count_nonzero((np.linalg.norm(now - anchors, axis=1) <= _HEALED_MM) & (due_mm > 2 * _HEALED_MM)))


def _mapped(points_mm: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 2) after a (2, 3) transformation."""
    return np.asarray(points_mm @ by[:, :2].T + by[:, 2], np.float64)


def _moved(spots: Sequence[Spot], by: NDArray[np.float64] | None) -> Sequence[Spot]:
    """Tiles where they would be seen had the camera not been knocked."""
    if by is None or not spots:
        return spots
    points = _mapped(np.array([_middle(spot) for spot in spots]), by)
    return [replace(spot, x_mm=float(x), y_mm=float(y)) for spot, (x, y) in zip(spots, points.tolist(), strict=True)]


def _pairs(tracks: Sequence[Track], spots: Sequence[Spot]) -> dict[int, int]:
    """Which track (key) each spot (value) continues: those pairs that lie nearest, all considered."""
    if not tracks or not spots:
        return {}
    old = np.array([(*_middle(track.spot), track.tile.face_up) for track in tracks], np.float64)
    new = np.array([(*_middle(spot), spot.tile.face_up) for spot in spots], np.float64)
    away = np.hypot(old[:, None, 0] - new[None, :, 0], old[:, None, 1] - new[None, :, 1])
    cost = np.minimum(away + _TURNED_MM * (old[:, None, 2] != new[None, :, 2]), REACH_MM)
    return {
        row: column
        for row, column in zip(*(each.tolist() for each in linear_sum_assignment(cost)), strict=True)
        if cost[row, column] < REACH_MM
    }


def apart_mm(one: Spot, other: Spot) -> float:
    """How far the middles of two tiles are apart."""
    return math.dist(_middle(one), _middle(other))


def _middle(spot: Spot) -> tuple[float, float]:
    return spot.x_mm, spot.y_mm


def _first(number: int, lay: int, spot: Spot, t_s: float, *, counts: bool) -> Track:
    """A tile that is seen to lie so for the first time."""
    samples = (Sample.of(spot.tile, t_s),) if counts and spot.tile.face_up else ()
    return Track(number, lay, spot, spot, t_s, t_s, 1, samples)


def _another(track: Track, tile: TileReading) -> bool:
    """Whether a tile is beyond doubt another than was seen here before: out of sight for a moment, it was exchanged."""
    known = agreement(track.samples).face
    return tile.status == "verified" and tile.face is not None and known is not None and tile.face is not known


def _again(track: Track, spot: Spot, t_s: float, terms: Terms, *, counts: bool, missed: bool) -> Track:
    """A tile seen once more: still where it was, or not."""
    before = track.anchor
    turn = abs((spot.angle_deg - before.angle_deg + 90) % 180 - 90)
    moved = math.dist(_middle(before), _middle(spot)) > terms.rest_mm or turn > terms.rest_deg
    turned = before.tile.face_up != spot.tile.face_up
    hidden = t_s - track.seen_s > (terms.unseen_s if missed else terms.blind_s)
    returned = track.returned or missed
    if moved or turned or hidden or (returned and _another(track, spot.tile)):
        return _first(track.number, track.lay + 1, spot, t_s, counts=counts)
    samples = track.samples
    if counts and spot.tile.face_up:
        samples = taken(samples, Sample.of(spot.tile, t_s), terms)
    returned = returned and spot.tile.status != "verified"
    return Track(track.number, track.lay, before, spot, track.since_s, t_s, track.looks + 1, samples, returned)
