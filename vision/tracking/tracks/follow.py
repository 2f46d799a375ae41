"""Updating the tracks with the next picture, even if the camera was knocked meanwhile.

A knocked camera sees all tiles displaced by one rigid motion. This is detected from the still tiles, as is its return.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from calibration.table.places import DISCARD
from vision.tracking.tracks.tile_tracks import associate, continued

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.tracking.confirmation_terms import Terms
    from vision.tracking.tracks.tile_tracks import Spot, Track, Tracks

_KNOCKED_MM: Final = 3.0
"""Displacement of all still tiles from which the camera must have moved."""
_RETURNED_MM: Final = 1.2
"""Displacement below which they are back in place: the camera was put back."""
_FEWEST_TILES: Final = 6
"""Number of tiles at rest needed to detect a knock; fewer may be pushed together by one hand."""
_INLIER_SHARE: Final = 0.7
"""Minimum share of them consistent with the motion."""
_INLIER_MM: Final = 1.5
"""Maximum residual of a tile under the motion."""
_SCALE_MOST: Final = 0.015
"""Maximum change of scale by a knock: a camera 1.5 m up does not drop 2 cm; stacks pushed together shrink more."""
_UNMOVED_MOST: Final = 2
"""Tiles that may be unmoved although the others fit a knock: tiles straightened at one moment fit one by chance."""
_STILL_PICTURES: Final = 3
"""Pictures that must show a tile still before it counts."""


def follow(tracks: Tracks, spots: Sequence[Spot], t_s: float, terms: Terms) -> Tracks:
    """Update the tracks with the next picture.

    Args:
        tracks: before it.
        spots: its tiles.
        t_s: capture time, later than all before.
        terms: the thresholds.
    """
    knock, spots, pairs = _associated(tracks, spots)
    return continued(tracks, spots, pairs, t_s, terms, knock)


def _associated(
    tracks: Tracks, spots: Sequence[Spot]
) -> tuple[NDArray[np.float64] | None, Sequence[Spot], dict[int, int]]:
    """The camera's displacement, the spots with that undone, and the track that each continues."""
    before = _displaced(spots, tracks.knock)
    pairs = associate(tracks.tiles, before)
    still = [(track, index) for track, index in pairs.items() if tracks.tiles[track].pictures >= _STILL_PICTURES]
    # Tiles put away are pushed aside together by later ones.
    held = [(track, index) for track, index in still if spots[index].tile.place != DISCARD]
    if len(held) < _FEWEST_TILES:
        return tracks.knock, before, pairs
    anchors = np.array([tracks.tiles[track].anchor.middle_mm for track, _ in held])
    now = np.array([before[index].middle_mm for _, index in held])
    if np.median(np.linalg.norm(now - anchors, axis=1)) <= _KNOCKED_MM / 2:
        return tracks.knock, before, pairs
    raw = np.array([spots[index].middle_mm for _, index in held])
    raw_off_mm = float(np.median(np.linalg.norm(raw - anchors, axis=1)))
    if raw_off_mm <= _RETURNED_MM:
        return None, spots, associate(tracks.tiles, spots)
    fit, inliers = cv2.estimateAffinePartial2D(raw, anchors, ransacReprojThreshold=_INLIER_MM)
    if fit is None or raw_off_mm <= _KNOCKED_MM or inliers.mean() < _INLIER_SHARE:
        return tracks.knock, before, pairs
    knock = np.asarray(fit, np.float64)
    if abs(np.hypot(*knock[:, 0]) - 1) > _SCALE_MOST or _unmoved(tracks.tiles, spots, still, knock) > _UNMOVED_MOST:
        return tracks.knock, before, pairs
    undone = _displaced(spots, knock)
    return knock, undone, associate(tracks.tiles, undone)


def _unmoved(
    tracks: Sequence[Track], spots: Sequence[Spot], still: Sequence[tuple[int, int]], knock: NDArray[np.float64]
) -> int:
    """Number of tiles seen at their old positions although such a knock would displace them."""
    anchors = np.array([tracks[track].anchor.middle_mm for track, _ in still])
    now = np.array([spots[index].middle_mm for _, index in still])
    due_mm = np.linalg.norm(_transformed(now, knock) - now, axis=1)
    return int(np.count_nonzero((np.linalg.norm(now - anchors, axis=1) <= _RETURNED_MM) & (due_mm > 2 * _RETURNED_MM)))


def _transformed(points_mm: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (n, 2) after a (2, 3) transformation."""
    return np.asarray(points_mm @ by[:, :2].T + by[:, 2], np.float64)


def _displaced(spots: Sequence[Spot], by: NDArray[np.float64] | None) -> Sequence[Spot]:
    """Positions at which tiles would be seen without the knock."""
    if by is None or not spots:
        return spots
    points = _transformed(np.array([spot.middle_mm for spot in spots]), by)
    return [replace(spot, x_mm=float(x), y_mm=float(y)) for spot, (x, y) in zip(spots, points.tolist(), strict=True)]
