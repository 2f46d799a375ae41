"""Half-overlapping tiles: the upper one of two overlapping detections, and two tiles merged into one large detection.

The detector may be more confident of the lower one, or of a combination of both; the one with a readable face is the
upper one. If both are merged into an oversized detection, the upper one is in a corner, at an edge or in the middle.
"""

from dataclasses import replace
from itertools import combinations, product
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Chances, Floats, Mask
from vision.detect.detections import TILE_UP, Detections, are_duplicates
from vision.verification import KNOWN_AT_MOST, UNKNOWN_AT_LEAST

LEAST_MERGED_SCORE: Final = 0.5
"""Minimum score of an oversized detection that may be two tiles rather than print."""
MOST_MERGED_RATIO: Final = 1.9
"""Maximum size ratio to a tile for two merged tiles: with less overlap they are larger and detected individually."""
_POSITIONS: Final = np.array(list(product((-0.5, 0.0, 0.5), repeat=2)), np.float32)
"""Positions of a tile in a merged detection: corners, edges and the middle, in shares of the slack."""


def suppress_unread(found: Detections, chances: Chances) -> Mask:
    """Which tiles (n,), best first and with rivals, remain: of open duplicates the readable ones, else the first.

    If several have one, all remain: they lie across each other, so none is verified.
    """
    quads_px, areas, open_ = found.quads_px(), found.size_px.prod(1).tolist(), found.kind == TILE_UP
    reads = (chances[:, -1] < KNOWN_AT_MOST).tolist()
    stays = np.ones(len(found), np.bool_)
    for better, other in combinations(sorted(np.flatnonzero(open_).tolist(), key=lambda each: not reads[each]), 2):
        if stays[better] and not reads[other]:
            shared, _ = cv2.intersectConvexConvex(quads_px[better], quads_px[other])
            stays[other] &= not are_duplicates(shared, areas[better], areas[other])
    return stays


def merged_detections(found: Detections, ratio: Floats, chances: Chances, odd: Mask) -> NDArray[np.intp]:
    """Which tiles may be two, one half upon the other: oversized, open, and without a recognisable face.

    The ratios (n, 2) of length and width to a tile's are meaningless at unknown scale, where no size is odd (n,). Tiles
    found in one of an odd size remain doubted.
    """
    large = odd & (ratio.min(1, initial=np.inf) >= 1) & (ratio.max(1, initial=0.0) <= MOST_MERGED_RATIO)
    nameless = (found.kind == TILE_UP) & (chances[:, -1] >= UNKNOWN_AT_LEAST)
    return np.flatnonzero(large & nameless & (found.score >= LEAST_MERGED_SCORE))


def candidates_within(found: Detections, ratio: Floats) -> Detections:
    """Possible tile positions in each oversized detection (n,), given its size ratio (n, 2): nine each, (9 n,)."""
    size_px = found.size_px / ratio
    slack_px = (found.size_px - size_px)[:, None] * _POSITIONS
    direction = np.stack([np.cos(found.angle_rad), np.sin(found.angle_rad)], -1)[:, None]
    beside = direction[..., ::-1] * np.array((-1, 1), np.float32)
    middles = found.centre_px[:, None] + slack_px[..., :1] * direction + slack_px[..., 1:] * beside
    each = found.take(np.repeat(np.arange(len(found)), len(_POSITIONS)))
    return replace(each, centre_px=middles.reshape(-1, 2), size_px=np.repeat(size_px, len(_POSITIONS), 0))
