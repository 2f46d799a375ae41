"""The tiles of a picture, cut out and looked at by both readers, once more where one look leaves them in doubt."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import numpy as np

from calibration.table.sizes import TILE_MM
from vision.checks import wrong_size
from vision.crops import tile_crops
from vision.detect.detector import TILE_UP, Detections
from vision.networks.classifier import TILE_CLASSES
from vision.placing import Placed, place_tiles
from vision.tiles.outline_refinement import off_their_pips, onto_pips
from vision.tiles.pips import read_tiles
from vision.tiles.second_look import best_read, in_its_corners, look_again, two_in_one
from vision.verification import KNOWN_AT_MOST, is_tile, shows_face

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.pip_matching import Floats
    from vision.tiles.pips import PipReading


class NamesTiles(Protocol):
    """What is needed of the tile classifier."""

    def __call__(self, crops: NDArray[np.uint8]) -> Floats:
        """Probabilities (n, 22) for crops (n, 96, 48, 3)."""


@dataclass(frozen=True, eq=False, slots=True)
class CutTiles:
    """The tiles of one picture as they were cut out, and what the classifier says of the cuts.

    Attributes:
        found: (n,) detections.
        placed: where they lie.
        crops: (n, 96, 48, 3).
        faces: (n, 22) the classifier's chances.
    """

    found: Detections
    placed: Placed
    crops: NDArray[np.uint8]
    faces: Floats

    def take(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> Self:
        """Return some of the tiles, by index or mask."""
        return type(self)(self.found.take(which), self.placed.take(which), self.crops[which], self.faces[which])

    def put(self, which: NDArray[np.int64], rows: CutTiles) -> Self:
        """Return the same with other tiles in some places."""
        return type(self)(
            _put(self.found, which, rows.found),
            _put(self.placed, which, rows.placed),
            _written(self.crops, which, rows.crops),
            _written(self.faces, which, rows.faces),
        )


@dataclass(frozen=True, eq=False, slots=True)
class SeenTiles:
    """What both readers say of the tiles of one picture.

    Attributes:
        cut: the tiles as they were cut out.
        up: (n,) whether a face shows.
        pips: the second reader's word on each.
    """

    cut: CutTiles
    up: NDArray[np.bool_]
    pips: Sequence[PipReading]


def look_at_tiles(
    image: NDArray[np.uint8],
    found: Detections,
    name: NamesTiles,
    calibration: TableCalibration | None,
    lap: Callable[[str], None],
) -> SeenTiles:
    """Cut the tiles out, name them and read their pips; what is none is left out.

    Args:
        image: the picture, (height, width, 3) uint8 BGR.
        found: what may be tiles.
        name: the classifier.
        calibration: of the camera; None for a picture of unknown scale.
        lap: told at the end of each stage.
    """
    placed = place_tiles(found, calibration)
    crops = tile_crops(image, placed.quads_px)
    lap("crops")
    cut = CutTiles(found, placed, crops, name(crops))
    cut = cut.take(best_read(found, cut.faces))
    wrong = list(wrong_size(cut.placed.sizes, TILE_MM[:2]))
    odd = np.isin(np.arange(len(cut.crops)), wrong) & (calibration is not None)
    cut = _upper_ones(image, cut, odd, name, calibration)
    # What neither network is sure of is a letter, a chip or a fold of a sleeve far more often than a tile or a die.
    unknown = cut.faces[:, -1]
    cut = cut.take(is_tile(cut.found.score, shows_face(cut.found.kind == TILE_UP, unknown), unknown, odd))
    up = shows_face(cut.found.kind == TILE_UP, cut.faces[:, -1])
    cut.faces[up] = look_again(image, cut.placed.quads_px[up], cut.faces[up], name)
    lap("classify")
    seen = _onto_pips(image, SeenTiles(cut, up, read_tiles(cut.crops)), name, calibration)
    lap("pips")
    return seen


def _upper_ones(
    image: NDArray[np.uint8],
    cut: CutTiles,
    odd: NDArray[np.bool_],
    name: NamesTiles,
    calibration: TableCalibration | None,
) -> CutTiles:
    """Put the upper one of two tiles in the place of what was found as one too large, where both readers know it.

    It keeps the size that was found, which is no tile's: that something lies under it stays a reason to doubt it.
    """
    which = two_in_one(cut.found, cut.placed.sizes, cut.faces, odd)
    if not len(which):
        return cut
    found = in_its_corners(cut.found.take(which), cut.placed.sizes[which])
    placed = place_tiles(found, calibration)
    crops = tile_crops(image, placed.quads_px)
    tries = CutTiles(found, placed, crops, name(crops))
    best = tries.faces[:, -1].reshape(len(which), -1).argmin(1) + np.arange(len(which)) * (len(found) // len(which))
    there = tries.take(best)
    known = np.array(
        [
            chances[-1] < KNOWN_AT_MOST and seen.clear and str(seen.face) == TILE_CLASSES[chances.argmax()]
            for chances, seen in zip(there.faces, read_tiles(there.crops), strict=True)
        ],
        np.bool_,
    )
    which, there = which[known], there.take(known)
    return cut.put(which, replace(there, placed=replace(there.placed, sizes=cut.placed.sizes[which])))


def _onto_pips(
    image: NDArray[np.uint8], seen: SeenTiles, name: NamesTiles, calibration: TableCalibration | None
) -> SeenTiles:
    """Cut the open tiles that are left in doubt out once more where their pips lie, if they fit better there."""
    off = seen.up & off_their_pips(seen.cut.faces, seen.pips)
    which = np.flatnonzero(off)
    if not len(which):
        return seen
    before, beside = ([seen.pips[index] for index in np.flatnonzero(mask).tolist()] for mask in (off, ~off))
    found = onto_pips(seen.cut.found.take(which), seen.cut.placed.quads_px[which], before)
    placed = place_tiles(found, calibration)
    crops = tile_crops(image, placed.quads_px)
    pips = read_tiles(crops, beside)
    better = np.array([now.match > then.match for now, then in zip(pips, before, strict=True)], np.bool_)
    which, found, placed, crops = which[better], found.take(better), placed.take(better), crops[better]
    faces = look_again(image, placed.quads_px, name(crops), name)
    fitting = {index: pips[row] for index, row in zip(which.tolist(), np.flatnonzero(better).tolist(), strict=True)}
    return replace(
        seen,
        cut=seen.cut.put(which, CutTiles(found, placed, crops, faces)),
        pips=[fitting.get(index, then) for index, then in enumerate(seen.pips)],
    )


_Rows = TypeVar("_Rows", Detections, Placed)
_Array = TypeVar("_Array", bound="NDArray[np.generic]")


def _put(into: _Rows, which: NDArray[np.int64], rows: _Rows) -> _Rows:
    names = [field.name for field in fields(into)]
    return type(into)(*(_written(getattr(into, name), which, getattr(rows, name)) for name in names))


def _written(into: _Array, which: NDArray[np.int64], rows: _Array) -> _Array:
    copy = into.copy()
    copy[which] = rows
    return copy
