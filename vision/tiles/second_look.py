"""A second look at tiles that the classifier was not sure of: the same face, cut out in other ways or places.

Where a lamp is mirrored in a tile or its outline is a pixel off, one cut may hide what another shows. A tile is named
only by what all cuts say together: the geometric mean of their chances, which a single confident cut cannot carry.

Of two tiles that half cover each other the detector may be surer of the lower one, or of what the end of one and half
of the other make together; what reads a face is the upper one. Or both are found as one that is too large: the upper
one lies in a corner of it, at an edge or in the middle; looked at there, its face is known.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from calibration.table.sizes import TILE_MM
from vision.crops import tile_crops
from vision.detect.detector import TILE_UP, as_one
from vision.verification import KNOWN_AT_MOST, LEAST_BACKED_CONFIDENCE, UNKNOWN_AT_LEAST

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from vision.detect.detector import Detections
    from vision.pip_matching import Floats

SHIFTS: Final = ((0.0, 0.0), (0.06, 0.0), (-0.06, 0.0), (0.0, 0.03), (0.0, -0.03))
"""Across and along the tile, in its widths and lengths."""
SCALES: Final = (1.0, 1.05)
_LEAST_CHANCE: Final = 1e-9

_LEAST_OF_TWO_SCORE: Final = 0.5
_MOST_OF_TWO: Final = 1.9
"""Score from which what is too large may be two tiles, and the ratio to a tile's size up to which: two that cross each
other at right angles, or cover each other by a tenth, are larger and were found one by one."""
_SIDES: Final = np.array(list(product((-0.5, 0.0, 0.5), repeat=2)), np.float32)


def look_again(
    image: NDArray[np.uint8], quads_px: Floats, chances: Floats, name: Callable[[NDArray[np.uint8]], Floats]
) -> Floats:
    """The chances of the faces after a second look where the first left them open.

    On 3495 readable tiles, none of them trained on, this verified 13 more, named 8 more rightly and none wrongly.

    Args:
        image: the picture, (height, width, 3) uint8 BGR.
        quads_px: (n, 4, 2) outlines of the tiles.
        chances: (n, 22) of the faces at the first look; the last is that none can be told.
        name: the classifier.
    """
    sure = chances[:, :-1].max(1, initial=0.0) >= LEAST_BACKED_CONFIDENCE
    open_ = np.flatnonzero(~sure & (chances[:, -1] < UNKNOWN_AT_LEAST))
    if not len(open_):
        return chances
    cuts = _cuts(quads_px[open_])
    crops = tile_crops(image, cuts.reshape(-1, 4, 2))
    # A tile has no upper end.
    told = np.stack([name(crops), name(np.ascontiguousarray(crops[:, ::-1, ::-1]))])
    logs = np.log(told + _LEAST_CHANCE).reshape(2, *cuts.shape[:2], -1).mean((0, 2))
    joint = np.exp(logs - logs.max(1, keepdims=True))
    again = chances.copy()
    again[open_] = joint / joint.sum(1, keepdims=True)
    return again


def best_read(found: Detections, chances: Floats) -> NDArray[np.bool_]:
    """Which tiles (n,) stay: of open ones that count as one those that read a face, else the one found most surely.

    Where several read one, all stay: they lie across each other, and so none is verified.

    Args:
        found: the tiles, best first, with rivals (``vision.detect.detector.choose``).
        chances: (n, 22) of the faces.
    """
    quads_px, areas, open_ = found.quads_px(), found.size_px.prod(1), found.kind == TILE_UP
    reads = chances[:, -1] < KNOWN_AT_MOST
    stays = np.ones(len(found), np.bool_)
    for better, other in combinations(np.argsort(~reads, kind="stable").tolist(), 2):
        if stays[better] and open_[better] and open_[other] and not reads[other]:
            shared, _ = cv2.intersectConvexConvex(quads_px[better], quads_px[other])
            stays[other] &= not as_one(shared, areas[better], areas[other])
    return stays


def two_in_one(found: Detections, sizes_mm: Floats, chances: Floats, odd: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Which of the tiles (n,) may be two, one half upon the other: too large, open, and of no face that can be told.

    Args:
        found: the tiles.
        sizes_mm: (n, 2) length and width; nan where the scale is not known.
        chances: (n, 22) of the faces.
        odd: (n,) whether the size is not that of a tile, so that what is found in it stays doubted.
    """
    ratio = sizes_mm / np.array(TILE_MM[:2], np.float32)
    large = odd & (ratio.min(1, initial=np.inf) >= 1) & (ratio.max(1, initial=0.0) <= _MOST_OF_TWO)
    nameless = (found.kind == TILE_UP) & (chances[:, -1] >= UNKNOWN_AT_LEAST)
    return np.flatnonzero(large & nameless & (found.score >= _LEAST_OF_TWO_SCORE))


def in_its_corners(found: Detections, sizes_mm: Floats) -> Detections:
    """Where a tile may lie in each of these (n,) that are too large: corners, edges and the middle, (9 n,), by tile."""
    ratio = sizes_mm / np.array(TILE_MM[:2], np.float32)
    size_px = found.size_px / ratio
    slack_px = (found.size_px - size_px)[:, None] * _SIDES
    direction = np.stack([np.cos(found.angle_rad), np.sin(found.angle_rad)], -1)[:, None]
    beside = direction[..., ::-1] * np.array((-1, 1), np.float32)
    middles = found.centre_px[:, None] + slack_px[..., :1] * direction + slack_px[..., 1:] * beside
    each = found.take(np.repeat(np.arange(len(found)), len(_SIDES)))
    return replace(each, centre_px=middles.reshape(-1, 2), size_px=np.repeat(size_px, len(_SIDES), 0))


def _cuts(quads_px: Floats) -> Floats:
    """Each outline (n, 4, 2) a little moved and enlarged, (n, 10, 4, 2)."""
    middle = quads_px.mean(1, keepdims=True)
    across, along = (quads_px[:, None, corner] - quads_px[:, None, 0] for corner in (1, 3))
    cuts = [
        (quads_px - middle) * scale + middle + right * across + down * along
        for (right, down), scale in product(SHIFTS, SCALES)
    ]
    return np.asarray(np.stack(cuts, 1), np.float32)
