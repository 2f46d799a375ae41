"""The detector: decodes the network's maps into tiles and dice, over an image pyramid if the scale is unknown."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import cv2
import numpy as np

from vision.arrays import Box, Floats, Indices, Pixels
from vision.crops import cropped
from vision.detect.detections import DIE, KINDS, Detections, non_maximum_suppression
from vision.networks.runtime import Model, Network

STRIDE_PX: Final = 4
"""Pixels of the picture for each cell of the network's maps."""
CELL_PX: Final = 16
"""Side of the cells of the network's coarsest maps; input sizes must be multiples of it."""
SIZE_UNIT_PX: Final = np.array([64.0, 26.0], np.float32)
BODY_UNIT_PX: Final = 16.0
"""Units of the regressed sizes (long, short side) and of the reach of a body."""

TRAINED_TILE_PX: Final = 48.0
"""Tile length to which a picture of known scale is resized: the middle of the trained range."""
TILE_RANGE_PX: Final = (22.5, 91.5)
DIE_RANGE_PX: Final = (7.0, 40.5)
"""Lengths used from one pyramid level: an octave within the 27 to 75 px trained on, with room on both sides."""

SCORE_THRESHOLD: Final = 0.3
"""Minimum score of a detection: later stages drop those that no classifier confirms."""
GLANCED_TILE_PX: Final = 30.0
GLANCE_THRESHOLD: Final = 0.1
"""Length of a tile in the small version of a picture, and minimum score there: of 1,100 tiles, backs and dice that are
detected in the full picture the faintest scored 0.16.
"""
MIN_LEVEL_PX: Final = 36
"""Long side of the smallest pyramid level: a tile or a die may fill a picture."""
FRAME_PX: Final = 32
FRAMED_UP_TO_PX: Final = 256
"""Width of the frame added to a pyramid level so small that a tile may fill it: none is detected without a margin."""
UPSAMPLE_BELOW_PX: Final = 525
"""Long side of a picture below which the pyramid starts with an enlarged level."""
PART_PX: Final = 1024
"""Longest side of the parts that a memory-sparing detector processes."""
SEEN_AROUND_PX: Final = 12 * CELL_PX
"""Receptive field of the network: 179 pixels around a cell of its maps, rounded up to whole cells."""

_NEIGHBOURHOOD: Final = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1]), -1).reshape(-1, 2)
"""The 3 by 3 cells about a peak, right and down."""
_PEAK: Final = len(_NEIGHBOURHOOD) // 2
SAME_TILE_DISTANCE: Final = 0.2
"""Distance, in short sides, up to which two cells indicate the same tile: centres of two tiles are nearly 0.5 apart."""


def decode_maps(heat: Floats, regression: Floats, threshold: float) -> Detections:
    """Convert the network's maps to detections, one per peak of the heat, before non-maximum suppression.

    Args:
        heat: (3, h, w) scores.
        regression: (10, h, w) offset, log size, doubled (dice: fourfold) angle, body.
        threshold: minimum score.
    """
    kind, row, column = peaks(heat, threshold)
    is_die = kind == DIE
    values = _fused_regression(heat, regression, (kind, row, column))
    size_px = np.exp(values[:, 2:4]) * SIZE_UNIT_PX
    size_px[is_die] = size_px[is_die].mean(axis=1, keepdims=True)
    angle_rad = np.arctan2(values[:, 4], values[:, 5]) / np.where(is_die, 4.0, 2.0)
    cell_px = np.stack([column, row], -1) * STRIDE_PX + (STRIDE_PX - 1) / 2
    reach_px = regression[6:, row, column].T * BODY_UNIT_PX
    found = Detections(
        kind.astype(np.int8),
        heat[kind, row, column],
        values[:, :2],
        size_px,
        angle_rad.astype(np.float32),
        np.concatenate([cell_px - reach_px[:, :2], cell_px + reach_px[:, 2:]], axis=1).astype(np.float32),
    )
    quads_px = found.quads_px()
    boxes_px = np.concatenate([quads_px.min(axis=1), quads_px.max(axis=1)], axis=1)
    # A body contains its upper face, even if the regression says otherwise.
    found.body_px[:, :2] = np.where(is_die[:, None], np.minimum(found.body_px, boxes_px)[:, :2], boxes_px[:, :2])
    found.body_px[:, 2:] = np.where(is_die[:, None], np.maximum(found.body_px, boxes_px)[:, 2:], boxes_px[:, 2:])
    return found


def peaks(heat: Floats, threshold: float) -> tuple[Indices, Indices, Indices]:
    """Kind, row and column (n,) of cells above the threshold that are local maxima among their eight neighbours."""
    # Few cells are above the threshold, and only those need their neighbourhood compared.
    kind, row, column = np.unravel_index(np.flatnonzero(heat >= threshold), heat.shape)
    around = _around(heat, kind, row, column)
    peak = heat[kind, row, column] >= heat[around].max(1)
    return kind[peak], row[peak], column[peak]


def _around(heat: Floats, kind: Indices, row: Indices, column: Indices) -> tuple[Indices, Indices, Indices]:
    """Kind, row and column (n, 9) of the neighbourhood of each cell, with duplicates at the border of the maps."""
    rows = np.clip(row[:, None] + _NEIGHBOURHOOD[:, 1], 0, heat.shape[1] - 1)
    columns = np.clip(column[:, None] + _NEIGHBOURHOOD[:, 0], 0, heat.shape[2] - 1)
    return np.broadcast_to(kind[:, None], rows.shape), rows, columns


def _fused_regression(heat: Floats, regression: Floats, at: tuple[Indices, Indices, Indices]) -> Floats:
    """Centre in pixels, log size and angle (n, 6), averaged over the nine cells around each peak, weighted by heat.

    For tiles only cells that indicate the same tile count; for dice only the peak, since a neighbour may be another
    die's.
    """
    kinds, rows, columns = _around(heat, *at)
    weights = heat[kinds, rows, columns]
    weights[at[0] == DIE] *= ~_NEIGHBOURHOOD.any(1)
    values = regression[:6, rows, columns].transpose(1, 2, 0)
    cells_px = np.stack([columns, rows], -1) * STRIDE_PX + (STRIDE_PX - 1) / 2
    absolute = np.concatenate([cells_px + values[..., :2] * STRIDE_PX, values[..., 2:]], -1)
    short_px = np.exp(values[:, _PEAK, 3]) * SIZE_UNIT_PX[1]
    apart_px = np.linalg.norm(absolute[..., :2] - absolute[:, _PEAK : _PEAK + 1, :2], axis=-1)
    weights[apart_px > SAME_TILE_DISTANCE * short_px[:, None]] = 0.0
    return np.asarray(np.einsum("nk,nkv->nv", weights / weights.sum(1, keepdims=True), absolute), np.float32)


def pyramid_factors(size: tuple[int, int]) -> list[float]:
    """The scale factor of each level of the image pyramid, by a picture's size.

    >>> pyramid_factors((1600, 1200))
    [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125]
    """
    factors = [2.0] if max(size) < UPSAMPLE_BELOW_PX else []
    factor = 1.0
    while factor == 1.0 or max(size) * factor >= MIN_LEVEL_PX:
        factors.append(factor)
        factor /= 2
    return factors


class Detector(Network):
    """Detects tiles and dice in a picture.

    Args:
        model: the network.
        sparing: whether to process a large picture in parts. The results are identical; it takes up to twice the time,
            and memory for one part only.
    """

    name = "detector"
    classes = KINDS

    def __init__(self, model: Model, *, sparing: bool = False) -> None:
        super().__init__(model)
        self._part_px = PART_PX if sparing else None

    def detect(
        self, image: Pixels, scale_hint: float | None, part: Box | None = None, *, threshold: float = SCORE_THRESHOLD
    ) -> Detections:
        """Detect the objects in a picture, or in a part of it; see ``detect_parts``."""
        whole = (0, 0, image.shape[1], image.shape[0])
        return self.detect_parts(image, scale_hint, [part or whole], threshold=threshold)[0]

    def detect_parts(
        self, image: Pixels, scale_hint: float | None, parts: Sequence[Box], *, threshold: float = SCORE_THRESHOLD
    ) -> list[Detections]:
        """Detect the objects in several parts of a picture.

        All scales are searched if the ``scale_hint``, the expected length of a tile in pixels, is None; detections of
        the same object at several pyramid levels are then all kept (``vision.detect.scale_search``).
        """
        if scale_hint is None:
            return [self._detect_at_all_scales(cropped(image, part), threshold).translated(*part[:2]) for part in parts]
        factor = TRAINED_TILE_PX / scale_hint
        level = resized(image, factor)
        found = [self._detect_level(level, threshold, _aligned_to_cells(part, factor)) for part in parts]
        return [non_maximum_suppression(each.scaled(1.0 / factor), keep_rivals=True) for each in found]

    def glance(self, image: Pixels, scale_hint: float) -> Floats:
        """Centres (n, 2) of what may be a tile or a die, from two fifths of the pixels.

        It misses hardly anything that is detected, but also finds what is not, and less precisely.
        """
        factor = GLANCED_TILE_PX / scale_hint
        # In two steps, of which none skips pixels or averages areas, which is slow.
        level = resized(resized(image, TRAINED_TILE_PX / scale_hint), GLANCED_TILE_PX / TRAINED_TILE_PX)
        heat, _ = self._maps(_in_whole_cells(level))
        _, row, column = peaks(heat, GLANCE_THRESHOLD)
        middle_px = np.stack([column, row], -1) * STRIDE_PX + (STRIDE_PX - 1) / 2
        return np.asarray((middle_px + 0.5) / factor - 0.5, np.float32)

    def _detect_at_all_scales(self, image: Pixels, threshold: float) -> Detections:
        """Detect the objects at all levels of the image pyramid."""
        levels = []
        for factor in pyramid_factors((image.shape[1], image.shape[0])):
            found = self._detect_framed(resized(image, factor), threshold)
            # Each level leaves objects of unsuitable size to other levels.
            low, high = np.where((found.kind == DIE)[:, None], DIE_RANGE_PX, TILE_RANGE_PX).T
            found = found.take((found.size_px[:, 0] >= low) & (found.size_px[:, 0] <= high))
            levels.append(non_maximum_suppression(found.scaled(1.0 / factor)))
        return Detections.joined(levels)

    def _detect_framed(self, image: Pixels, threshold: float) -> Detections:
        """Detect the objects in a pyramid level; a small one is padded by replicating its border."""
        if max(image.shape[:2]) > FRAMED_UP_TO_PX:
            return self._detect_level(image, threshold, None)
        framed = cv2.copyMakeBorder(image, FRAME_PX, FRAME_PX, FRAME_PX, FRAME_PX, cv2.BORDER_REPLICATE)
        found = self._detect_level(framed.astype(np.uint8, copy=False), threshold, None).translated(
            -FRAME_PX, -FRAME_PX
        )
        end = np.array(image.shape[1::-1])
        return found.take(np.asarray(((found.centre_px >= 0) & (found.centre_px < end)).all(1)))

    def _detect_level(self, image: Pixels, threshold: float, part: Box | None) -> Detections:
        """Detect objects of about the trained size in one pyramid level, or in a part of it."""
        if part is not None:
            return self._detect_level(cropped(image, part), threshold, None).translated(*part[:2])
        return decode_maps(*self._maps(_in_whole_cells(image)), threshold)

    def _maps(self, image: Pixels) -> tuple[Floats, Floats]:
        """The network's maps of a picture with sides in whole cells: heat (3, h, w) and regression (10, h, w)."""
        parts = [(0, 0, image.shape[1], image.shape[0])] if self._part_px is None else _parts(image, self._part_px)
        if len(parts) == 1:
            heat, regression = self._run(image[None])
            return heat[0], regression[0]
        whole: list[Floats] = []
        for left, top, right, bottom in parts:
            before_x, before_y = min(left, SEEN_AROUND_PX), min(top, SEEN_AROUND_PX)
            around = (left - before_x, top - before_y, right + SEEN_AROUND_PX, bottom + SEEN_AROUND_PX)
            maps = self._run(np.ascontiguousarray(cropped(image, around))[None])
            x, y, width, height = (each // STRIDE_PX for each in (before_x, before_y, right - left, bottom - top))
            if not whole:
                shape = image.shape[0] // STRIDE_PX, image.shape[1] // STRIDE_PX
                whole = [np.empty((each.shape[1], *shape), np.float32) for each in maps]
            for all_of_it, seen in zip(whole, maps, strict=True):
                inner = seen[0, :, y : y + height, x : x + width]
                all_of_it[:, top // STRIDE_PX : bottom // STRIDE_PX, left // STRIDE_PX : right // STRIDE_PX] = inner
        heat, regression = whole
        return heat, regression


def _in_whole_cells(image: Pixels) -> Pixels:
    """The picture with a black border on the right and below, up to whole cells."""
    below, beside = -image.shape[0] % CELL_PX, -image.shape[1] % CELL_PX
    if not below and not beside:
        return image
    padded = cv2.copyMakeBorder(image, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=(0, 0, 0))
    return padded.astype(np.uint8, copy=False)


def _parts(image: Pixels, longest_px: int) -> list[Box]:
    """Split a picture into parts of whole cells and similar size."""
    edges = []
    for side in (image.shape[1], image.shape[0]):
        cells, count = side // CELL_PX, math.ceil(side / longest_px)
        edges.append([cells * number // count * CELL_PX for number in range(count + 1)])
    return [(left, top, right, bottom) for top, bottom in pairwise(edges[1]) for left, right in pairwise(edges[0])]


def _aligned_to_cells(part: Box, factor: float) -> Box:
    """Scale a part of a picture and round it outward to whole cells, to match the grid of the full picture."""
    left, top, right, bottom = part
    start = math.floor(left * factor / CELL_PX) * CELL_PX, math.floor(top * factor / CELL_PX) * CELL_PX
    end = math.ceil(right * factor / CELL_PX) * CELL_PX, math.ceil(bottom * factor / CELL_PX) * CELL_PX
    return *start, *end


def resized(image: Pixels, factor: float) -> Pixels:
    if factor == 1.0:
        return image
    # Area averaging is slow, and bilinear interpolation skips no pixel down to a half.
    interpolation = cv2.INTER_AREA if factor < 0.5 else cv2.INTER_LINEAR if factor < 1.3 else cv2.INTER_CUBIC
    return cv2.resize(image, None, fx=factor, fy=factor, interpolation=interpolation).astype(np.uint8, copy=False)
