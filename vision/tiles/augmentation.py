"""Test-time augmentation of tiles that the classifier left undecided: several crops of one tile, classified jointly.

If a lamp is reflected in a tile or its outline is a pixel off, one crop may hide what another shows. The crops are
fused by the geometric mean of their probabilities, which a single confident crop cannot dominate.
"""

from itertools import product
from typing import Final

import numpy as np

from vision.arrays import Chances, Floats, Pixels, Quads
from vision.crops import tile_crops
from vision.networks.classifier import NamesTiles
from vision.verification import LEAST_BACKED_CONFIDENCE, UNKNOWN_AT_LEAST

SHIFTS: Final = ((0.0, 0.0), (0.06, 0.0), (-0.06, 0.0), (0.0, 0.03), (0.0, -0.03))
"""Shifts of the crops across and along the tile, in widths and lengths: the error of an outline."""
SCALES: Final = (1.0, 1.05)
"""Scales of the crops: outlines tend to be too tight."""
_LEAST_PROBABILITY: Final = 1e-9


def name_with_augmentation(image: Pixels, quads_px: Quads, chances: Chances, name: NamesTiles) -> Chances:
    """The probabilities from one crop of each tile, and for undecided ones from all their crops."""
    sure = chances[:, :-1].max(1, initial=0.0) >= LEAST_BACKED_CONFIDENCE
    open_ = np.flatnonzero(~sure & (chances[:, -1] < UNKNOWN_AT_LEAST))
    if not len(open_):
        return chances
    quads = _augmented(quads_px[open_])
    crops = tile_crops(image, quads.reshape(-1, 4, 2))
    # A tile has no upper end.
    named = np.stack([name(crops), name(np.ascontiguousarray(crops[:, ::-1, ::-1]))])
    logs = np.log(named + _LEAST_PROBABILITY).reshape(2, *quads.shape[:2], -1).mean((0, 2))
    joint = np.exp(logs - logs.max(1, keepdims=True))
    fused = chances.copy()
    fused[open_] = joint / joint.sum(1, keepdims=True)
    return fused


def _augmented(quads_px: Quads) -> Floats:
    """Each outline (n, 4, 2) shifted and scaled, (n, 10, 4, 2)."""
    middle = quads_px.mean(1, keepdims=True)
    across, along = (quads_px[:, None, corner] - quads_px[:, None, 0] for corner in (1, 3))
    quads = [
        (quads_px - middle) * scale + middle + right * across + down * along
        for (right, down), scale in product(SHIFTS, SCALES)
    ]
    return np.asarray(np.stack(quads, 1), np.float32)
