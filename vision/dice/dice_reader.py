"""Reading the dice of a picture: outlines are corrected to the upper faces, then read with test-time augmentation."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.files.calibration_file import TableCalibration
from vision.arrays import Chances, DieCrops, Floats, Indices, Pixels, Quads, Rows
from vision.crops import die_crops, in_sides
from vision.detect.detections import Detections
from vision.dice.die_pips import DiePipReading, read_dice
from vision.dice.outlines import (
    augmented,
    corrected,
    facing,
    foot_of,
    mean_over_augmentations,
    with_midpoints,
    without_duplicates,
)
from vision.networks.classifier import EstimatesLean, ReadsDice
from vision.placing import outside_dice_area
from vision.verification import LEAST_CONVINCING_DIE, LEAST_LIKELY_DIE, is_die, is_likely, joint_evidence

CANDIDATE_CORRECTIONS: Final = 2
CORRECTIONS: Final = 3
"""Corrections of an outline before a candidate is accepted as a die, and after; more have no effect."""


@dataclass(frozen=True, eq=False, slots=True)
class DiceObservations(Rows):
    """Readings of the dice of one picture by both readers.

    Attributes:
        source: (n,) indices of their candidates.
        found: (n,) detections.
        crops: of ``quads_px``, the foot below.
        feet: (n, 2) position of the foot, right and down in sides; nan if unknown.
        chances: mean over all augmented crops.
        leaning: (n,) probability of leaning, mean likewise.
        unsettled: (n,) length of the next correction that the outline would get, in sides and radians.
        pips: the second reader's reading of each.
    """

    source: Indices
    found: Detections
    quads_px: Quads
    crops: DieCrops
    feet: Floats
    chances: Chances
    leaning: Floats
    unsettled: Floats
    pips: tuple[DiePipReading, ...]

    @property
    def convincing(self) -> bool:
        """Whether one of them is certainly a die, as far as can be determined at unknown scale."""
        by_pips = [None if pips.value is None else pips.value - 1 for pips in self.pips]
        matches = [pips.match for pips in self.pips]
        return bool((joint_evidence(self.found.score, self.chances, by_pips, matches) >= LEAST_CONVINCING_DIE).any())


def observe_dice(
    image: Pixels,
    found: Detections,
    name: ReadsDice,
    leans: EstimatesLean,
    calibration: TableCalibration | None,
) -> DiceObservations:
    """Read the dice of a picture with the networks for values and leaning; candidates that are not dice are dropped.

    Without a calibration the scale is not known.
    """
    found, source = with_midpoints(found)
    elsewhere = outside_dice_area(found, calibration)
    # Most candidates are a chip or a letter: rejected immediately, or after a few corrections.
    plausible = is_die(found.score, np.zeros(len(found), np.float32), elsewhere)
    found, source, elsewhere = found.take(plausible), source[plausible], elsewhere[plausible]
    quads_px, first = refined(image, found.quads_px(), name, calibration, CANDIDATE_CORRECTIONS)
    likely = is_die(found.score, first[:, -1], elsewhere)
    found, source, elsewhere = found.take(likely), source[likely], elsewhere[likely]
    quads_px, _ = refined(image, quads_px[likely], name, calibration, CORRECTIONS)
    feet_px = foot_of(quads_px, calibration)
    quads_px = facing(quads_px, feet_px)
    cuts = augmented(quads_px)
    times = cuts.shape[1]
    crops = die_crops(image, cuts.reshape(-1, 4, 2))
    feet = in_sides(cuts.reshape(-1, 4, 2), np.repeat(feet_px, times, 0))
    chances, corrections = name(crops, feet)
    chances = mean_over_augmentations(chances.reshape(len(cuts), times, chances.shape[1]))
    unsettled = np.linalg.norm(corrections[::times], axis=1)
    real = is_die(found.score, chances[:, -1], elsewhere)
    if calibration is None:
        real &= is_likely(found.score, 1 - chances[:, -1], LEAST_LIKELY_DIE)
    real[real] = without_duplicates(quads_px[real], chances[real, :-1].max(1, initial=0.0))
    kept, feet = crops.reshape(*cuts.shape[:2], *crops.shape[1:])[real], feet.reshape(*cuts.shape[:2], 2)[real]
    leaning = leans(kept.reshape(-1, *crops.shape[1:]), feet.reshape(-1, 2))
    return DiceObservations(
        source[real],
        found.take(real),
        quads_px[real],
        kept[:, 0],
        feet[:, 0],
        chances[real],
        mean_over_augmentations(leaning.reshape(-1, times)),
        unsettled[real],
        tuple(read_dice(kept[:, 0])),
    )


def refined(
    image: Pixels, quads_px: Quads, name: ReadsDice, calibration: TableCalibration | None, times: int
) -> tuple[Quads, Chances]:
    """Correct outlines (n, 4, 2) ``times`` times; also return the probabilities read before the last correction.

    The detector's squares may be off by a tenth of a side: enough to cut off a row of pips, and more than the
    difference between a leaning die and a flat one.
    """
    feet_px = foot_of(quads_px, calibration)
    for _ in range(times):
        quads_px = facing(quads_px, feet_px)
        chances, corrections = name(die_crops(image, quads_px), in_sides(quads_px, feet_px))
        quads_px = corrected(quads_px, corrections)
    return quads_px, chances
