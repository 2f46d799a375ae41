"""Whether a tile stands on the felt: a real one has a visible side or a shadow, a printed one has neither.

Just outside an outline a real tile's side or shadow differs from the ground a few pixels further out. Around a print
the ground starts at its edge, plain or patterned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from calibration.table.sizes import TILE_TOP_MM
from vision.arrays import NO_QUADS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Floats, Pixels, Quads

_POINTS: Final = 24
_INSET: Final = 0.1
"""Points along each edge, and the share excluded at either end, where corners are round."""
_NEAR_PX: Final = 2.0
"""Distance from the outline beyond its own blur."""
_LEAST_SIDE_PX: Final = 2.75
_GROUND_PX: Final = (6.0, 7.0)
_FAR_GROUND_PX: Final = (10.0, 11.0)
"""Distances beyond a tile's side for sampling the ground, and for measuring its own pattern."""
_SHARE: Final = 20
"""Percentile of the differences along an edge: a side or a shadow runs along nearly all of it, letters do not."""
_COVERED_SHARE: Final = 0.25
"""Covered share of an edge from which the tile is not judged."""
_DARK_LEVEL: Final = 25.0
"""Added to the brightness that differences are relative to: noise of a dark picture is not an edge."""


def edge_contrast(
    image: Pixels,
    quads_px: Quads,
    centers_mm: Floats,
    calibration: TableCalibration,
    others_px: Quads = NO_QUADS,
) -> Floats:
    """Contrast of each tile with the surrounding ground, in percent of the light there, (n,).

    The clearest of the four edges counts. It is nan if the position on the table is unknown, and beside another tile:
    no ground is visible there, and prints are isolated.

    Args:
        image: the picture.
        quads_px: (n, 4, 2) outlines of the upper faces.
        centers_mm: (n, 2) their middles on the table.
        calibration: of the camera.
        others_px: (m, 4, 2) outlines of further tiles, which are not evaluated.
    """
    known = np.isfinite(centers_mm).all(1)
    answer = np.full(len(quads_px), np.nan, np.float32)
    if not known.any():
        return answer
    quads = quads_px[known].astype(np.float64)
    corners, following = quads, np.roll(quads, -1, axis=1)
    along = following - corners
    outward = np.stack([along[..., 1], -along[..., 0]], -1) / np.linalg.norm(along, axis=-1, keepdims=True)
    from_middle = (corners + following) / 2 - quads.mean(1, keepdims=True)
    outward *= np.sign(np.einsum("nkx,nkx->nk", from_middle, outward))[..., None]
    side_px = np.maximum(np.einsum("nx,nkx->nk", _sides(centers_mm[known], calibration), outward), 0.0)
    shares = np.linspace(_INSET, 1 - _INSET, _POINTS)[:, None]
    edge = corners[:, :, None] + along[:, :, None] * shares  # (n, 4, points, 2)

    def colours(*away_px: Floats) -> NDArray[np.float32]:
        """Mean colour (n, 4, points, 3) at some distances (n, 4) from the edges."""
        at = np.stack([edge + (outward * each[..., None])[:, :, None] for each in away_px]).astype(np.float32)
        flat = at.reshape(len(away_px), -1, 2)
        seen = cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen.reshape(*at.shape[:-1], 3).astype(np.float32).mean(0), np.float32)

    near = np.full_like(side_px, _NEAR_PX)
    far = np.maximum(side_px, _LEAST_SIDE_PX)
    side = colours(near, (near + far) / 2, far)
    ground, far_ground = (colours(side_px + a, side_px + b) for a, b in (_GROUND_PX, _FAR_GROUND_PX))
    differs, pattern = (
        _low(np.linalg.norm(one - other, axis=-1)) for one, other in ((side, ground), (ground, far_ground))
    )
    light = np.median(np.linalg.norm(np.maximum(side, ground), axis=-1), axis=-1)
    beside = (edge + (outward * (side_px + _GROUND_PX[0])[..., None])[:, :, None])[:, :, :: _POINTS // 4]
    clearest = (100 * (differs - pattern) / (light + _DARK_LEVEL)).max(1)
    answer[known] = np.where(_within_others(beside, np.concatenate([quads, others_px])).any(1), np.nan, clearest)
    return answer


def _low(differences: Floats) -> Floats:
    """The percentile of the differences along each edge, (..., points) to (...); faster than NumPy's for few values."""
    ordered = np.sort(differences, axis=-1)
    at = _SHARE / 100 * (ordered.shape[-1] - 1)
    below = int(at)
    return np.asarray(ordered[..., below] + (at - below) * (ordered[..., below + 1] - ordered[..., below]), np.float32)


def _within_others(points: NDArray[np.float64], quads: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which edges (n, 4) have points (n, 4, k, 2) inside others of the tiles (m, 4, 2), which start with these n."""
    along = np.roll(quads, -1, axis=1) - quads
    middles, reach = quads.mean(1), np.linalg.norm(quads - quads.mean(1, keepdims=True), axis=-1).max(1)
    own = np.arange(len(points))
    apart = np.linalg.norm(points.reshape(len(points), -1, 1, 2) - middles, axis=-1).min(1)
    near = apart <= reach
    near[own, own] = False
    one, other = np.nonzero(near)
    away = points[one][..., None, :] - quads[other][:, None, None]  # (pairs, 4, k, 4, 2)
    of_other = along[other][:, None, None]
    side = of_other[..., 0] * away[..., 1] - of_other[..., 1] * away[..., 0]
    inside = np.zeros(points.shape[:3], np.bool_)
    np.logical_or.at(inside, one, (side > 0).all(-1) | (side < 0).all(-1))
    return np.asarray(inside.mean(-1) > _COVERED_SHARE)


def _sides(centers_mm: Floats, calibration: TableCalibration) -> NDArray[np.float64]:
    """Distance in the picture (n, 2) from the edge of each tile's face to the foot of its side."""
    middles = centers_mm.astype(np.float64)
    heights = np.full(len(middles), TILE_TOP_MM)
    top = calibration.project(np.column_stack([middles, heights]))
    return np.asarray(calibration.project(np.column_stack([middles, 0 * heights])) - top)
