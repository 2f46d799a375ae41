"""Outline refinement: outlines of doubtful tiles are moved to match their pips.

A detector's outline is sometimes off by a pixel or a degree: enough to cut off pips, or to take one of a pair for a
single pip. The second reader aligns the layout of a face with the crop, which gives the offset.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from vision.arrays import Chances, Mask, Quads
from vision.crops import TILE_CROP_PX, TILE_MARGIN_PX
from vision.detect.detections import Detections
from vision.tiles.pips import PipReading
from vision.verification import LEAST_CONFIDENCE

LEAST_SHIFT_PX: Final = 1.6
LEAST_TURN_RAD: Final = 0.03
"""Minimum offset, in pixels of the crop and in radians, for moving an outline: less changes no crop."""


def misaligned(faces: Chances, pips: Sequence[PipReading]) -> Mask:
    """Which tiles (n,) are in doubt and have crops misaligned with their pips."""
    sure = (faces[:, :-1].max(1, initial=0.0) >= LEAST_CONFIDENCE) & np.array([each.clear for each in pips], np.bool_)
    # Pips that fit no face do not determine its position.
    fitting = np.array([each.face is not None for each in pips], np.bool_)
    offset = np.abs(np.array([each.offset for each in pips], np.float32).reshape(-1, 3))
    far = (offset[:, :2].max(1, initial=0.0) >= LEAST_SHIFT_PX) | (offset[:, 2] >= LEAST_TURN_RAD)
    return np.asarray(~sure & fitting & far)


def aligned(found: Detections, quads_px: Quads, pips: Sequence[PipReading]) -> Detections:
    """Move detections to match their pips, as read in crops of these outlines."""
    right, down, turn = np.array([each.offset for each in pips], np.float32).reshape(-1, 3).T
    width, height = (size - 2 * TILE_MARGIN_PX for size in TILE_CROP_PX)
    across, along = (quads_px[:, 1] - quads_px[:, 0]) / width, (quads_px[:, 3] - quads_px[:, 0]) / height
    middles = found.centre_px + right[:, None] * across + down[:, None] * along
    return replace(found, centre_px=middles.astype(np.float32), angle_rad=(found.angle_rad + turn).astype(np.float32))
