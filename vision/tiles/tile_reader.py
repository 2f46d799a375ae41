"""The tiles of a picture: cropped, named by both readers, and cropped again where one crop leaves them in doubt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.files.calibration_file import TableCalibration
from calibration.table.sizes import TILE_MM
from vision.arrays import Chances, Mask, Pixels, Rows, TileCrops
from vision.checks import wrong_size
from vision.crops import tile_crops
from vision.detect.detections import TILE_UP, Detections
from vision.networks.classifier import TILE_CLASSES, NamesTiles
from vision.placing import Placed, place_tiles
from vision.tiles.augmentation import name_with_augmentation
from vision.tiles.outline_refinement import aligned, misaligned
from vision.tiles.overlapping_tiles import candidates_within, merged_detections, suppress_unread
from vision.tiles.pips import PipReading, read_tiles
from vision.verification import KNOWN_AT_MOST, is_tile, shows_face


@dataclass(frozen=True, eq=False, slots=True)
class CroppedTiles(Rows):
    """The tiles of one picture: their detections, where they lie, and their faces by the classifier."""

    found: Detections
    placed: Placed
    crops: TileCrops
    faces: Chances


@dataclass(frozen=True, eq=False, slots=True)
class TileObservations:
    """Readings of the tiles of one picture by both readers, and whether each shows a face (``up``)."""

    cut: CroppedTiles
    up: Mask
    pips: Sequence[PipReading]


def observe_tiles(
    image: Pixels,
    found: Detections,
    name: NamesTiles,
    calibration: TableCalibration | None,
    lap: Callable[[str], None],
) -> TileObservations:
    """Crop the tiles, name them and read their pips; candidates that are none are left out.

    Args:
        image: the picture.
        found: the candidates.
        name: the classifier.
        calibration: of the camera; None for a picture of unknown scale.
        lap: called at the end of each stage with its name.
    """
    placed = place_tiles(found, calibration)
    crops = tile_crops(image, placed.quads_px)
    lap("crops")
    cut = CroppedTiles(found, placed, crops, name(crops))
    cut = cut.take(suppress_unread(found, cut.faces))
    wrong = list(wrong_size(cut.placed.sizes, TILE_MM[:2]))
    odd = np.isin(np.arange(len(cut.crops)), wrong) & (calibration is not None)
    cut = _split_merged(image, cut, odd, name, calibration)
    # A candidate of which neither network is sure is a letter, a chip or a fold of a sleeve far more often than a tile.
    unknown = cut.faces[:, -1]
    cut = cut.take(is_tile(cut.found.score, shows_face(cut.found.kind == TILE_UP, unknown), unknown, odd))
    up = shows_face(cut.found.kind == TILE_UP, cut.faces[:, -1])
    cut.faces[up] = name_with_augmentation(image, cut.placed.quads_px[up], cut.faces[up], name)
    lap("classify")
    seen = _refine_outlines(image, TileObservations(cut, up, read_tiles(cut.crops)), name, calibration)
    lap("pips")
    return seen


def _split_merged(
    image: Pixels,
    cut: CroppedTiles,
    odd: Mask,
    name: NamesTiles,
    calibration: TableCalibration | None,
) -> CroppedTiles:
    """Replace a detection of two overlapping tiles by the upper one, where both readers know its face.

    It keeps the size that was found, which is no tile's: that something lies under it stays a reason to doubt it.
    """
    which = merged_detections(cut.found, cut.placed.sizes, cut.faces, odd)
    if not len(which):
        return cut
    candidates = _cropped(image, candidates_within(cut.found.take(which), cut.placed.sizes[which]), name, calibration)
    places = len(candidates.crops) // len(which)
    best = candidates.faces[:, -1].reshape(len(which), -1).argmin(1) + np.arange(len(which)) * places
    upper = candidates.take(best)
    known = np.array(
        [
            chances[-1] < KNOWN_AT_MOST and pips.clear and str(pips.face) == TILE_CLASSES[chances.argmax()]
            for chances, pips in zip(upper.faces, read_tiles(upper.crops), strict=True)
        ],
        np.bool_,
    )
    which, upper = which[known], upper.take(known)
    return cut.put(which, replace(upper, placed=replace(upper.placed, sizes=cut.placed.sizes[which])))


def _cropped(image: Pixels, found: Detections, name: NamesTiles, calibration: TableCalibration | None) -> CroppedTiles:
    """Crop and name tiles."""
    placed = place_tiles(found, calibration)
    crops = tile_crops(image, placed.quads_px)
    return CroppedTiles(found, placed, crops, name(crops))


def _refine_outlines(
    image: Pixels, seen: TileObservations, name: NamesTiles, calibration: TableCalibration | None
) -> TileObservations:
    """Crop the open tiles in doubt once more where their pips lie, if they fit better there."""
    off = seen.up & misaligned(seen.cut.faces, seen.pips)
    which = np.flatnonzero(off)
    if not len(which):
        return seen
    before, others = ([seen.pips[index] for index in np.flatnonzero(mask).tolist()] for mask in (off, ~off))
    found = aligned(seen.cut.found.take(which), seen.cut.placed.quads_px[which], before)
    placed = place_tiles(found, calibration)
    crops = tile_crops(image, placed.quads_px)
    pips = read_tiles(crops, others)
    better = np.array([now.match > then.match for now, then in zip(pips, before, strict=True)], np.bool_)
    which, found, placed, crops = which[better], found.take(better), placed.take(better), crops[better]
    faces = name_with_augmentation(image, placed.quads_px, name(crops), name)
    fitting = {index: pips[row] for index, row in zip(which.tolist(), np.flatnonzero(better).tolist(), strict=True)}
    return replace(
        seen,
        cut=seen.cut.put(which, CroppedTiles(found, placed, crops, faces)),
        pips=[fitting.get(index, then) for index, then in enumerate(seen.pips)],
    )
