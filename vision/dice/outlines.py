"""Outlines of dice: candidates, corrections, test-time augmentation, duplicates, and the foot.

The *foot* is the lower face of a flat die: a square the size of its upper face, on which it stands.
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
"""Shift of the augmented crops, in sides: a reading must also hold for shifted outlines."""
AUGMENTATION_STEPS: Final = ((0, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
AUGMENTATION_WEIGHTS: Final = (1 / 3, *[1 / 6] * 4)
"""Right and down shifts of the augmented crops and their weights: five crops approximate the mean over a 3 by 3
grid.
"""
MIDPOINT_BELOW_SIDES: Final = 0.9
"""Distance of two centres, in sides of the larger, below which they may be one die half-way between."""
MIN_DISTANCE_SIDES: Final = 0.75
"""Distance of two centres, in sides of the larger, below which they are one die: solid dice cannot be closer."""
MAX_DWARF_RATIO: Final = 0.5
MIN_LARGE_DIE_CONFIDENCE: Final = 0.9
"""Ratio of sides below which the smaller of two is taken for pips on the side of the larger, if the larger is this
certain.
"""
SIDE_MM: Final = (12.0, 22.0)
USUAL_SIDE_MM: Final = 19.0
"""Side of a die: plausible minimum and maximum, and the initial estimate."""


def with_midpoints(found: Detections) -> tuple[Detections, Indices]:
    """Add a candidate half-way between any two dice that are too close; also return the source (n,) of each.

    The sides of a transparent die show pips beside those of its upper face, and the detector may report each half as a
    die. ``without_duplicates`` keeps the one with the best reading.
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
    """Which dice (n,) remain after non-maximum suppression.

    Of two that are one die, the more confident one (n,) remains, unless it is much smaller than a certain one.
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
    """Vectors (n, 2) in pixels from each die's upper face to its foot in the picture; nan without a calibration.

    The sides of a flat die are vertical, so its lower face is the same square one side further down; the direction and
    distance in the picture depend on the camera pose.
    """
    if calibration is None or not len(quads_px):
        return np.full((len(quads_px), 2), np.nan, np.float32)
    table, _ = _standing(quads_px, calibration)
    middle = quads_px.astype(np.float64).mean(1)
    return np.asarray(calibration.project(np.column_stack([table, np.zeros(len(table))])) - middle, np.float32)


def sides_mm(quads_px: Quads, calibration: TableCalibration) -> Floats:
    """Lengths (n,) of the edges of flat dice with these upper faces."""
    return np.asarray(_standing(quads_px, calibration)[1], np.float32)


def _standing(quads_px: Quads, calibration: TableCalibration) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Where dice (n, 2) with these upper faces stand on the table, and their edges (n,), in millimetres."""
    quads = quads_px.astype(np.float64)
    middle, side_px = quads.mean(1), np.sqrt(areas(quads))
    height = np.full(len(quads), USUAL_SIDE_MM)
    for _ in range(2):  # the scale depends on the height, the height on the scale
        table = calibration.to_plane(middle, np.clip(height, *SIDE_MM))
        height = side_px / calibration.px_per_mm(np.column_stack([table, np.clip(height, *SIDE_MM)]))
    return table, height


def corrected(quads_px: Quads, corrections: Floats) -> Quads:
    """Square outlines with the classifier's corrections (n, 4) applied.

    Corrections shift right and down in sides, scale by a logarithm, and rotate from right to down in radians.
    """
    right, down = _axes(quads_px)
    middle = quads_px.mean(1) + corrections[:, :1] * right + corrections[:, 1:2] * down
    along, across = (np.exp(corrections[:, 2]) / 2 * wave(corrections[:, 3]) for wave in (np.cos, np.sin))
    half_right = along[:, None] * right + across[:, None] * down
    half_down = along[:, None] * down - across[:, None] * right
    corners = [-half_right - half_down, half_right - half_down, half_right + half_down, half_down - half_right]
    return np.asarray(middle[:, None] + np.stack(corners, 1), np.float32)


def facing(quads_px: Quads, feet_px: Floats) -> Quads:
    """Outlines with their corners reordered so that each die's foot (n, 2) is below, or below right.

    Such crops show every flat die alike, mirrored if needed: the most visible side is below. An outline with unknown
    foot (nan) is unchanged.
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
    """Each outline unchanged and shifted to all corners, (n, 5, 4, 2), as in ``AUGMENTATION_STEPS``."""
    right, down = _axes(quads_px)
    shifts = np.stack(
        [AUGMENTATION_SHIFT_SIDES * (across * right + along * down) for across, along in AUGMENTATION_STEPS], 1
    )
    return np.asarray(quads_px[:, None] + shifts[:, :, None], np.float32)


def mean_over_augmentations(answers: Floats) -> Floats:
    """The weighted mean of network outputs over the augmented crops of each die, (n, 5, ...) to (n, ...)."""
    return np.asarray(np.average(answers, axis=1, weights=AUGMENTATION_WEIGHTS), np.float32)
