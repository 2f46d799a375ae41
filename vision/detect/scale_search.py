"""The scale of an uncalibrated picture, from its tiles and dice together and from their crops.

A search over all scales also detects tiles in the pattern of a cloth and dice in groups of dice. Crops that classifiers
recognise are evidence for a scale; detections far from the best-supported scale are dropped.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.table.sizes import TILE_MM
from vision.arrays import Pixels
from vision.crops import die_crops, tile_crops
from vision.detect.detections import DIE, Detections, non_maximum_suppression
from vision.dice.dice_reader import CANDIDATE_CORRECTIONS, refined
from vision.dice.die_pips import read_dice
from vision.networks.classifier import NamesTiles, ReadsDice

USUAL_DIE_MM: Final = 17.0
"""Side of a die, between 13 mm for Chinese ones and 20 mm for casino dice."""
MOST_TILE_RATIO: Final = 1.6
MOST_DIE_RATIO: Final = 1.9
"""Maximum ratio of an object's size to the local scale: outlines have errors, dice differ."""
LEAST_EVIDENCE: Final = 0.25
"""Minimum evidence: score of a detection times the probability that its crop shows a face or a value."""
MOST_LOOKED_AT: Final = 64
"""Maximum number of detections classified, highest scores first; each takes a fifth of a millisecond."""
FEWEST_FOR_SLOPE: Final = 6
"""Number of objects from which the scale may vary across the picture, as in an oblique view."""
MOST_SLOPE: Final = 0.35
"""Maximum log scale difference between the picture's edges and its centre."""
UNCONFIRMED: Final = 0.3
"""Factor of the evidence of a die whose value the pips do not confirm."""
_DAMPING: Final = 0.5
"""Regularisation of the slope: a few close objects do not determine it."""


def of_one_scale(image: Pixels, found: Detections, name: NamesTiles, read: ReadsDice) -> Detections:
    """Keep detections that fit one scale, which may vary linearly over the picture; without evidence keep all.

    Args:
        image: the picture.
        found: detections of all levels of its pyramid, with duplicates.
        name: the classifier of tiles.
        read: the classifier of dice.
    """
    if not len(found):
        return found
    evidence = evidence_of(image, found, name, read)
    is_die = found.kind == DIE
    size_mm = np.where(is_die, USUAL_DIE_MM, TILE_MM[0])
    scale = np.log(found.size_px[:, 0].astype(np.float64) / size_mm)
    tolerance = np.log(np.where(is_die, MOST_DIE_RATIO, MOST_TILE_RATIO))
    counts = np.where(evidence >= LEAST_EVIDENCE, evidence, 0.0)
    if counts.any():
        support = ((np.abs(scale[:, None] - scale) < tolerance) * counts).sum(1)
        centre = scale[int(np.where(counts > 0, support, 0).argmax())]
        agree = np.where(np.abs(scale - centre) < tolerance, counts, 0.0)
        position = 2 * found.centre_px / np.array(image.shape[1::-1]) - 1
        keep = np.abs(scale - _scale_at(position, scale, agree)) < tolerance
        found, evidence = found.take(keep), evidence[keep]
    return non_maximum_suppression(found, known=(evidence >= LEAST_EVIDENCE) & (found.kind != DIE))


def evidence_of(image: Pixels, found: Detections, name: NamesTiles, read: ReadsDice) -> NDArray[np.float64]:
    """Evidence of each detection (n,): its score times what its readers give it; zero for the least certain.

    For a tile that is the probability that its crop is recognisable. For a die it is also the correlation of its pips:
    the grain of a cloth has many pieces that could be a die to one of the readers, and hardly one that is to both.
    """
    outlines_px, is_die = found.quads_px(), found.kind == DIE
    looked_at = np.zeros(len(found), np.bool_)
    looked_at[np.argsort(-found.score, kind="stable")[:MOST_LOOKED_AT]] = True
    tiles, dice = looked_at & ~is_die, looked_at & is_die
    known = np.zeros(len(found))
    known[tiles] = 1 - name(tile_crops(image, outlines_px[tiles]))[:, -1]
    quads_px, chances = refined(image, outlines_px[dice], read, None, CANDIDATE_CORRECTIONS)
    pips = read_dice(die_crops(image, quads_px))
    agree = [each.value == value for each, value in zip(pips, chances[:, :-1].argmax(1) + 1, strict=True)]
    known[dice] = (1 - chances[:, -1]) * np.where(agree, [each.match for each in pips], UNCONFIRMED)
    return known * found.score


def _scale_at(
    position: NDArray[np.float64], scale: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Logarithm of the scale at each position (n, 2) in [-1, 1], fitted to the weighted ones (n,)."""
    middle = float((weight * scale).sum() / weight.sum())
    if (weight > 0).sum() < FEWEST_FOR_SLOPE:
        return np.full(len(scale), middle)
    origin = (weight[:, None] * position).sum(0) / weight.sum()
    away = position - origin
    normal = (away * weight[:, None]).T @ away + _DAMPING * np.eye(2)
    slope = np.linalg.solve(normal, (away * (weight * (scale - middle))[:, None]).sum(0))
    return np.asarray(middle + away @ np.clip(slope, -MOST_SLOPE, MOST_SLOPE))
