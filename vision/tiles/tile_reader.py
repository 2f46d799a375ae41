"""The tiles of a picture: cropped, read by both readers, and cropped again if one crop leaves doubts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from calibration.files.calibration_file import TableCalibration
from calibration.table.sizes import TILE_MM
from vision.arrays import NO_QUADS, Chances, Indices, Mask, Pixels, Quads, Rows, TileCrops
from vision.checks import wrong_size
from vision.crops import tile_crops
from vision.detect.detections import SURE_SCORE, TILE_UP, Detections
from vision.networks.classifier import TILE_CLASSES, NamesTiles
from vision.placing import Placed, own_tile_mm, place_tiles
from vision.tiles.augmentation import name_with_augmentation
from vision.tiles.edge_contrast import edge_contrast
from vision.tiles.outline_refinement import aligned, misaligned
from vision.tiles.overlapping_tiles import candidates_within, merged_detections, suppress_unread
from vision.tiles.phantom_tiles import phantom_tiles
from vision.tiles.pips import PipReading, read_tiles
from vision.verification import (
    FEWEST_CONVINCING_BACKS,
    FEWEST_KIN,
    KNOWN_AT_MOST,
    LEAST_CONVINCING_TILE,
    LEAST_KIN_NAMELESS_SCORE,
    LEAST_LIKELY_TILE,
    LEAST_NAMELESS_SCORE,
    UNKNOWN_AT_LEAST,
    is_likely,
    is_tile,
    joint_evidence,
    may_be_print,
    shows_face,
)

_Places: TypeAlias = Callable[[Detections], Placed]
"""Locates tiles of this table's size."""


@dataclass(frozen=True, eq=False, slots=True)
class CroppedTiles(Rows):
    """The tiles of one picture.

    Attributes:
        source: (n,) indices of their candidates.
        found: their detections.
        placed: their positions.
        crops: of the faces.
        faces: by the classifier.
    """

    source: Indices
    found: Detections
    placed: Placed
    crops: TileCrops
    faces: Chances


@dataclass(frozen=True, eq=False, slots=True)
class TileObservations(Rows):
    """Readings of the tiles of one picture by both readers.

    Attributes:
        cut: the cropped tiles.
        up: (n,) whether each is face up.
        pips: the second reader's readings.
        printed: (n,) whether there is no sign that it stands on the felt; false if the scale is unknown.
        halves: (n,) whether it may consist of halves of two others.
    """

    cut: CroppedTiles
    up: Mask
    pips: tuple[PipReading, ...]
    printed: Mask
    halves: Mask

    @property
    def convincing(self) -> bool:
        """Whether one of them is certainly a tile, as far as can be determined at unknown scale."""
        score = self.cut.found.score
        backs = int((~self.up & (score >= LEAST_NAMELESS_SCORE)).sum())
        by_pips = [None if pips.face is None else TILE_CLASSES.index(str(pips.face)) for pips in self.pips]
        evidence = joint_evidence(score, self.cut.faces, by_pips, [pips.match for pips in self.pips])
        return bool((evidence >= LEAST_CONVINCING_TILE).any()) or backs >= FEWEST_CONVINCING_BACKS

    def of_set(self, tile_mm: tuple[float, float], *, calibrated: bool) -> Mask:
        """Which tiles (n,) belong to the table's set, whose tiles have this length and width.

        None in a plain photograph, no print, and nothing of another size unless every pip is clear.
        """
        odd = np.isin(np.arange(len(self.up)), list(wrong_size(self.cut.placed.sizes, tile_mm)))
        clear = np.array([pips.clear for pips in self.pips], np.bool_)
        return np.asarray(calibrated & ~self.printed & (clear | ~odd))


def tile_size_mm(found: Detections, calibration: TableCalibration | None) -> tuple[float, float]:
    """Length and width of this table's tiles, from all candidates of a picture; the usual ones if undetermined."""
    if calibration is None:
        return TILE_MM[:2]
    sure = (found.kind == TILE_UP) & (found.score >= SURE_SCORE)
    return own_tile_mm(place_tiles(found.take(sure), calibration).sizes, np.ones(int(sure.sum()), np.bool_))


def observe_tiles(
    image: Pixels,
    found: Detections,
    name: NamesTiles,
    calibration: TableCalibration | None,
    tile_mm: tuple[float, float],
    lap: Callable[[str], None],
    others: TileObservations | None = None,
) -> TileObservations:
    """Crop the tiles, classify them and read their pips; candidates that are not tiles are dropped.

    Args:
        image: the picture.
        found: the candidates.
        name: the classifier.
        calibration: of the camera; None for a picture of unknown scale.
        tile_mm: length and width of this table's tiles.
        lap: called with the name of each stage at its end.
        others: known tiles beside them, which share their light and may hide their edges.
    """
    place = partial(place_tiles, calibration=calibration, tile_mm=tile_mm)
    cut = _cropped(image, found, np.arange(len(found)), name, place)
    lap("crops")
    cut = cut.take(suppress_unread(found, cut.faces))
    wrong = list(wrong_size(cut.placed.sizes, tile_mm))
    odd = np.isin(np.arange(len(cut.crops)), wrong) & (calibration is not None)
    cut = _split_merged(image, cut, odd, name, place, tile_mm)
    # A candidate that neither network is certain of is much more often a letter, a chip or a fold of a sleeve than a
    # tile.
    unknown = cut.faces[:, -1]
    cut = cut.take(is_tile(cut.found.score, shows_face(cut.found.kind == TILE_UP, unknown), unknown, odd))
    if calibration is None:
        cut = cut.take(_likely(cut))
    beside = NO_QUADS if others is None else others.cut.placed.quads_px
    printed = _printed(image, cut.placed, beside, calibration)
    # A print without a recognisable face is a letter or a frame; one with a face is a picture of a tile.
    real = ~printed | (cut.faces[:, -1] < UNKNOWN_AT_LEAST)
    cut, printed = cut.take(real), printed[real]
    up = shows_face(cut.found.kind == TILE_UP, cut.faces[:, -1])
    cut.faces[up] = name_with_augmentation(image, cut.placed.quads_px[up], cut.faces[up], name)
    lap("classify")
    known = () if others is None else others.pips
    seen = TileObservations(cut, up, tuple(read_tiles(cut.crops, known)), printed, np.zeros_like(up))
    seen = _refine_outlines(image, seen, name, place, known)
    halves = phantom_tiles(image, seen.cut.placed.quads_px, seen.up, seen.pips, beside, known)
    lap("pips")
    return replace(seen, halves=np.isin(np.arange(len(up)), list(halves)))


def _likely(cut: CroppedTiles) -> Mask:
    """Which tiles (n,) of a picture of unknown scale to report: recognised faces, and certain ones beside them."""
    known = 1 - cut.faces[:, -1]
    named = (known > 1 - UNKNOWN_AT_LEAST) & is_likely(cut.found.score, known, LEAST_LIKELY_TILE)
    least = LEAST_KIN_NAMELESS_SCORE if named.sum() >= FEWEST_KIN else LEAST_NAMELESS_SCORE
    return np.asarray(named | (cut.found.score >= least))


def _printed(image: Pixels, placed: Placed, beside: Quads, calibration: TableCalibration | None) -> Mask:
    """Which tiles (n,) may be printed on the felt, other tiles (m, 4, 2) beside them; none at unknown scale."""
    if calibration is None:
        return np.zeros(len(placed.quads_px), np.bool_)
    return may_be_print(edge_contrast(image, placed.quads_px, placed.centers_mm, calibration, beside))


def _split_merged(
    image: Pixels,
    cut: CroppedTiles,
    odd: Mask,
    name: NamesTiles,
    place: _Places,
    tile_mm: tuple[float, float],
) -> CroppedTiles:
    """Replace a detection of two overlapping tiles by the upper one, if both readers recognise its face.

    It keeps the detected size, which is not a tile's, so the tile under it remains a reason for doubt.
    """
    ratio = np.asarray(cut.placed.sizes / np.array(tile_mm), np.float32)
    which = merged_detections(cut.found, ratio, cut.faces, odd)
    if not len(which):
        return cut
    within = candidates_within(cut.found.take(which), ratio[which])
    places = len(within) // len(which)
    candidates = _cropped(image, within, np.repeat(cut.source[which], places), name, place)
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


def _cropped(image: Pixels, found: Detections, source: Indices, name: NamesTiles, place: _Places) -> CroppedTiles:
    """Crop and classify tiles from candidates with these indices (n,)."""
    placed = place(found)
    crops = tile_crops(image, placed.quads_px)
    return CroppedTiles(source, found, placed, crops, name(crops))


def _refine_outlines(
    image: Pixels, seen: TileObservations, name: NamesTiles, place: _Places, known: tuple[PipReading, ...]
) -> TileObservations:
    """Crop doubtful open tiles again at their pips, if they fit better there.

    Readings of the others and the ``known`` ones determine the light.
    """
    off = seen.up & misaligned(seen.cut.faces, seen.pips)
    which = np.flatnonzero(off)
    if not len(which):
        return seen
    before, others = ([seen.pips[index] for index in np.flatnonzero(mask).tolist()] for mask in (off, ~off))
    found = aligned(seen.cut.found.take(which), seen.cut.placed.quads_px[which], before)
    placed = place(found)
    crops = tile_crops(image, placed.quads_px)
    pips = read_tiles(crops, (*known, *others))
    better = np.array([now.match > then.match for now, then in zip(pips, before, strict=True)], np.bool_)
    which, found, placed, crops = which[better], found.take(better), placed.take(better), crops[better]
    faces = name_with_augmentation(image, placed.quads_px, name(crops), name)
    read = tuple(pips[row] for row in np.flatnonzero(better).tolist())
    fitting = replace(
        seen.take(which), cut=CroppedTiles(seen.cut.source[which], found, placed, crops, faces), pips=read
    )
    return seen.put(which, fitting)
