"""Outlines of dice: candidates, corrections, test-time augmentation, duplicates, and where a flat die would stand.

A *foot* is the lower face of a die that lies flat: the square as large as its upper face on which it stands.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.files.calibration_file import TableCalibration
from vision.arrays import Floats, Indices, Mask, Quads
from vision.crops import in_sides
from vision.detect.detections import Detections

AUGMENTATION_SHIFT_SIDES: Final = 0.05
"""Shift of the augmented crops, in sides: what is believed must hold beside the outline too."""
AUGMENTATION_STEPS: Final = ((0, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
AUGMENTATION_WEIGHTS: Final = (1 / 3, *[1 / 6] * 4)
"""Shifts right and down of the augmented crops and their weights: close to the mean over a 3 by 3 grid in five."""
MIDPOINT_BELOW_SIDES: Final = 0.9
"""Distance of two middles, in sides of the larger, below which the two may be one die half-way between."""
MIN_DISTANCE_SIDES: Final = 0.75
"""Distance of two middles, in sides of the larger, below which the two are one die: solid dice lie no closer."""
MAX_DWARF_RATIO: Final = 0.5
MIN_LARGE_DIE_CONFIDENCE: Final = 0.9
"""Ratio of sides below which the smaller of two is taken for pips on the other's side, if the larger is so sure."""
SIDE_MM: Final = (12.0, 22.0)
USUAL_SIDE_MM: Final = 19.0
"""Side of a die: the smallest and largest believed, and where the estimate begins."""


def with_midpoints(found: Detections) -> tuple[Detections, Indices]:
    """Add a candidate half-way between any two dice too close to be two; also which die (n,) each comes from.

    The sides of a transparent die show pips beside those of its upper face, and the detector takes either half of what
    it sees for a die of its own. ``without_duplicates`` keeps the one that reads best.
    """
    one, other = np.triu_indices(len(found), 1)
    apart = np.linalg.norm(found.centre_px[one] - found.centre_px[other], axis=1)
    close = apart < MIDPOINT_BELOW_SIDES * np.maximum(found.size_px[one, 0], found.size_px[other, 0])
    one, other = one[close], other[close]
    better = np.where(found.score[one] >= found.score[other], one, other)
    midpoints = replace(
        found.take(better),
        centre_px=(found.centre_px[one] + found.centre_px[other]) / 2,
        body_px=(found.body_px[one] + found.body_px[other]) / 2,
    )
    return type(found).joined([found, midpoints]), np.concatenate([np.arange(len(found)), better])


def without_duplicates(quads_px: Quads, confidence: Floats) -> Mask:
    """Which dice (n,) stay after non-maximum suppression.

    The surer of two that are one stays, by its confidence (n,), unless it is far smaller than one that is sure.
    """
    middles = quads_px.mean(1)
    sides = np.linalg.norm(quads_px[:, 1] - quads_px[:, 0], axis=1)
    apart = np.linalg.norm(middles[:, None] - middles, axis=2)
    close = apart < MIN_DISTANCE_SIDES * np.maximum(sides[:, None], sides)
    dwarfed = close & (sides[:, None] < MAX_DWARF_RATIO * sides) & (confidence >= MIN_LARGE_DIE_CONFIDENCE)
    kept: Mask = ~dwarfed.any(1)
    np.fill_diagonal(close, val=False)
    for one in np.argsort(-confidence):
        if kept[one]:
            kept &= ~close[one]
    return kept


def _axes(quads_px: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Sides of outlines that point right and down in their crops, each (n, 2)."""
    return quads_px[:, 1] - quads_px[:, 0], quads_px[:, 3] - quads_px[:, 0]


def areas(quads_px: NDArray[np.floating]) -> NDArray[np.floating]:
    """Areas (n,) of square outlines, in square pixels."""
    right, down = _axes(quads_px)
    return np.asarray(np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]))


def foot_of(quads_px: Quads, calibration: TableCalibration | None) -> Floats:
    """Vectors (n, 2) in pixels from each die's upper face to its foot as the camera sees it; nan without a calibration.

    A flat die's sides stand upright, so its lower face is the same square a side further down; which way that is in
    the picture, and how far, depends on the camera pose.
    """
    if calibration is None or not len(quads_px):
        return np.full((len(quads_px), 2), np.nan, np.float32)
    quads = quads_px.astype(np.float64)
    middle, side_px = quads.mean(1), np.sqrt(areas(quads))
    height = np.full(len(quads), USUAL_SIDE_MM)
    for _ in range(2):  # the scale depends on the height, the height on the scale
        table = calibration.to_plane(middle, height)
        height = np.clip(side_px / calibration.px_per_mm(np.column_stack([table, height])), *SIDE_MM)
    return np.asarray(calibration.project(np.column_stack([table, np.zeros(len(table))])) - middle, np.float32)


def corrected(quads_px: Quads, corrections: Floats) -> Quads:
    """Square outlines with the classifier's corrections (n, 4) applied.

    These go right and down in sides, grow by a logarithm, and turn from right to down in radians.
    """
    right, down = _axes(quads_px)
    middle = quads_px.mean(1) + corrections[:, :1] * right + corrections[:, 1:2] * down
    along, across = (np.exp(corrections[:, 2]) / 2 * wave(corrections[:, 3]) for wave in (np.cos, np.sin))
    half_right = along[:, None] * right + across[:, None] * down
    half_down = along[:, None] * down - across[:, None] * right
    corners = [-half_right - half_down, half_right - half_down, half_right + half_down, half_down - half_right]
    return np.asarray(middle[:, None] + np.stack(corners, 1), np.float32)


def facing(quads_px: Quads, feet_px: Floats) -> Quads:
    """Outlines with their corners reordered so that each die's foot (n, 2) lies down, and if anything right.

    Crops cut so show every flat die alike, mirrored where need be: the side that the camera sees most of lies below.
    An outline whose foot is not known (nan) stays as it is.
    """
    right, down = in_sides(quads_px, feet_px).T
    quads = quads_px
    for condition, order in (
        (right < 0, [1, 0, 3, 2]),
        (down < 0, [3, 2, 1, 0]),
        (np.abs(right) > np.abs(down), [0, 3, 2, 1]),
    ):
        quads = np.where(condition[:, None, None], quads[:, order], quads)
    return np.asarray(quads, np.float32)


def augmented(quads_px: Quads) -> Floats:
    """Each outline as it is and shifted to all corners, (n, 5, 4, 2), as in ``AUGMENTATION_STEPS``."""
    right, down = _axes(quads_px)
    shifts = np.stack(
        [AUGMENTATION_SHIFT_SIDES * (across * right + along * down) for across, along in AUGMENTATION_STEPS], 1
    )
    return np.asarray(quads_px[:, None] + shifts[:, :, None], np.float32)


def mean_over_augmentations(answers: Floats) -> Floats:
    """The weighted mean of what a network says of the crops of each die, (n, 5, ...) to (n, ...)."""
    return np.asarray(np.average(answers, axis=1, weights=AUGMENTATION_WEIGHTS), np.float32)
