"""Outlines of tiles moved to where their pips lie.

A detector's outline is off by a pixel or a degree now and then: enough to cut pips away, or to take one of a pair for a
single pip. The second reader aligns the layout of a face with what it sees, and so knows by how much. A tile in doubt
is cut out once more where its pips lie, and what is seen there counts if the pips fit it better.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.crops import TILE_CROP_PX, TILE_MARGIN_PX
from vision.verification import LEAST_CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.detect.detector import Detections
    from vision.pip_matching import Floats
    from vision.tiles.pips import PipReading

FAR_PX: Final = 1.6
FAR_RAD: Final = 0.03
"""From how far off, in pixels of the crop and in radians, an outline is moved: less, and another cut shows the same."""


def off_their_pips(faces: Floats, pips: Sequence[PipReading]) -> NDArray[np.bool_]:
    """Which tiles (n,) are left in doubt and were cut out beside their pips.

    Args:
        faces: (n, 22) the classifier's chances; the last is that none can be told.
        pips: the second reader's word on each.
    """
    sure = (faces[:, :-1].max(1, initial=0.0) >= LEAST_CONFIDENCE) & np.array([each.clear for each in pips], np.bool_)
    # Pips that fit no face say nothing of where it lies.
    fitting = np.array([each.face is not None for each in pips], np.bool_)
    off = np.abs(np.array([each.off for each in pips], np.float32).reshape(-1, 3))
    return np.asarray(~sure & fitting & ((off[:, :2].max(1, initial=0.0) >= FAR_PX) | (off[:, 2] >= FAR_RAD)))


def onto_pips(found: Detections, quads_px: Floats, pips: Sequence[PipReading]) -> Detections:
    """Move detections to where their pips lie.

    Args:
        found: tiles (n,).
        quads_px: (n, 4, 2) outlines that they were cut out with.
        pips: what was read of these cuts.
    """
    right, down, turn = np.array([each.off for each in pips], np.float32).reshape(-1, 3).T
    width, height = (size - 2 * TILE_MARGIN_PX for size in TILE_CROP_PX)
    across, along = (quads_px[:, 1] - quads_px[:, 0]) / width, (quads_px[:, 3] - quads_px[:, 0]) / height
    moved = found.centre_px + right[:, None] * across + down[:, None] * along
    return replace(found, centre_px=moved.astype(np.float32), angle_rad=(found.angle_rad + turn).astype(np.float32))
