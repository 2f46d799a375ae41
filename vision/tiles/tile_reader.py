"""The tiles of a picture: cropped, named by both readers, and cropped again where one crop leaves them in doubt."""

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
        source: (n,) numbers of the candidates that they come from.
        found: their detections.
        placed: where they lie.
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
        cut: the tiles.
        up: (n,) whether each shows a face.
        pips: the second reader's readings.
        printed: (n,) whether nothing shows that it stands on the felt; false where the scale is not known.
        halves: (n,) whether it may be made up of the halves of two others.
    """

    cut: CroppedTiles
    up: Mask
    pips: tuple[PipReading, ...]
    printed: Mask
    halves: Mask

    @property
    def convincing(self) -> bool:
        """Whether one of them is surely a tile, as far as a picture of unknown scale tells."""
        score = self.cut.found.score
        backs = int((~self.up & (score >= LEAST_NAMELESS_SCORE)).sum())
        by_pips = [None if pips.face is None else TILE_CLASSES.index(str(pips.face)) for pips in self.pips]
        evidence = joint_evidence(score, self.cut.faces, by_pips, [pips.match for pips in self.pips])
        return bool((evidence >= LEAST_CONVINCING_TILE).any()) or backs >= FEWEST_CONVINCING_BACKS

    def of_set(self, tile_mm: tuple[float, float], *, calibrated: bool) -> Mask:
        """Which tiles (n,) are of the table's one set, whose tiles have this length and width.

        None of a plain photograph, no print, and nothing of another size than a tile's but where every pip is clear.
        """
        odd = np.isin(np.arange(len(self.up)), list(wrong_size(self.cut.placed.sizes, tile_mm)))
        clear = np.array([pips.clear for pips in self.pips], np.bool_)
        return np.asarray(calibrated & ~self.printed & (clear | ~odd))


def tile_size_mm(found: Detections, calibration: TableCalibration | None) -> tuple[float, float]:
    """Length and width of this table's tiles, by all candidates of a picture; the usual ones where nothing tells."""
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
    """Crop the tiles, name them and read their pips; candidates that are none are left out.

    Args:
        image: the picture.
        found: the candidates.
        name: the classifier.
        calibration: of the camera; None for a picture of unknown scale.
        tile_mm: length and width of this table's tiles.
        lap: called at the end of each stage with its name.
        others: the tiles beside them that are known already; they share their light, and may hide their edges.
    """
    place = partial(place_tiles, calibration=calibration, tile_mm=tile_mm)
    cut = _cropped(image, found, np.arange(len(found)), name, place)
    lap("crops")
    cut = cut.take(suppress_unread(found, cut.faces))
    wrong = list(wrong_size(cut.placed.sizes, tile_mm))
    odd = np.isin(np.arange(len(cut.crops)), wrong) & (calibration is not None)
    cut = _split_merged(image, cut, odd, name, place, tile_mm)
    # A candidate of which neither network is sure is a letter, a chip or a fold of a sleeve far more often than a tile.
    unknown = cut.faces[:, -1]
    cut = cut.take(is_tile(cut.found.score, shows_face(cut.found.kind == TILE_UP, unknown), unknown, odd))
    if calibration is None:
        cut = cut.take(_likely(cut))
    beside = NO_QUADS if others is None else others.cut.placed.quads_px
    printed = _printed(image, cut.placed, beside, calibration)
    # A print that looks like no face is a letter or a frame; one that does is a picture of a tile.
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
    """Which tiles (n,) of a picture of unknown scale are worth reporting: known faces, and sure ones beside them."""
    known = 1 - cut.faces[:, -1]
    named = (known > 1 - UNKNOWN_AT_LEAST) & is_likely(cut.found.score, known, LEAST_LIKELY_TILE)
    least = LEAST_KIN_NAMELESS_SCORE if named.sum() >= FEWEST_KIN else LEAST_NAMELESS_SCORE
    return np.asarray(named | (cut.found.score >= least))


def _printed(image: Pixels, placed: Placed, beside: Quads, calibration: TableCalibration | None) -> Mask:
    """Which tiles (n,) may be printed on the felt, other tiles (m, 4, 2) beside them; none at an unknown scale."""
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
    """Replace a detection of two overlapping tiles by the upper one, where both readers know its face.

    It keeps the size that was found, which is no tile's: that something lies under it stays a reason to doubt it.
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
    """Crop and name tiles, which come from candidates of these numbers (n,)."""
    placed = place(found)
    crops = tile_crops(image, placed.quads_px)
    return CroppedTiles(source, found, placed, crops, name(crops))


def _refine_outlines(
    image: Pixels, seen: TileObservations, name: NamesTiles, place: _Places, known: tuple[PipReading, ...]
) -> TileObservations:
    """Crop the open tiles in doubt once more where their pips lie, if they fit better there.

    Readings of the others and the ``known`` ones tell the light.
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
