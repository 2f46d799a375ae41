"""Where tiles and dice lie: the detector, its picture pyramid, and the choice among overlapping answers."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.networks.runtime import Model, load_model

TILE_UP, TILE_DOWN, DIE = 0, 1, 2
KINDS = ("tile_up", "tile_down", "die")

STRIDE_PX = 4
CELL_PX = 16
"""Side of the cells of the network's coarsest maps; it takes pictures of whole cells."""
SIZE_UNIT_PX = np.array([64.0, 26.0], np.float32)
BODY_UNIT_PX = 16.0

TRAINED_TILE_PX = 48.0
"""Tile length at which the detector is at its best."""
# Tiles of 27 to 75 px were learnt; an octave fits into that with room to spare on both sides.
TILE_RANGE_PX = (22.5, 91.5)
DIE_RANGE_PX = (7.0, 40.5)

THRESHOLD = 0.3
SMALLEST_LEVEL_PX = 60
SMALLEST_DICE_LEVEL_PX = 120
"""Long side of the smallest look for tiles, and for dice: a tile that fills the picture from end to end is of the
trained size in the first; a die never does, and is placed too roughly there."""
UPSAMPLE_BELOW_PX = 525
OVERLAP_MOST = 0.35
"""Intersection over union above which two answers are one object; touching tiles come to nearly nothing."""
CONTAINED_MOST = 0.65
"""Share of the smaller of two answers that may lie in the other, and of an unsure one that may lie in all others."""
SAME_LEAST = 0.7
"""Intersection over union from which two answers are one object, whatever they read."""

SURE = 0.6
"""Score from which tiles have a say in how large tiles are in this picture."""
SIZES_MOST = 1.9
"""Largest ratio of a tile's length to the median: perspective makes no more of it on a table."""
DIE_OF_TILE = (0.12, 0.55)
"""Side of a die as a share of the median tile's length: 14 to 20 mm of 63.5, with the same slack for perspective."""

_NINE = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1]), -1).reshape(-1, 2)
"""The cells about a peak, right and down."""

PEAK = len(_NINE) // 2
SAME_TILE = 0.2
"""Distance, in short sides, up to which two cells mean the same tile: of two that are told apart at all the middles are
nearly half a short side apart."""

Picture = NDArray[np.uint8]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom in whole pixels; right and bottom lie outside."""


@dataclass(frozen=True, eq=False, slots=True)
class Detections:
    """Tiles and dice found in one picture, best first.

    Attributes:
        kind: (n,) int8; TILE_UP, TILE_DOWN or DIE.
        score: (n,) float32 in [0, 1].
        centre_px: (n, 2) float32; of the upper face.
        size_px: (n, 2) float32; long and short side, of dice the side twice.
        angle_rad: (n,) float32; direction of the long side, x right and y down, modulo pi (dice modulo pi/2).
        body_px: (n, 4) float32; box x0, y0, x1, y1 of the whole visible body; of tiles the box of the quad.
    """

    kind: NDArray[np.int8]
    score: NDArray[np.float32]
    centre_px: NDArray[np.float32]
    size_px: NDArray[np.float32]
    angle_rad: NDArray[np.float32]
    body_px: NDArray[np.float32]

    def __len__(self) -> int:
        """Return the number of objects."""
        return len(self.kind)

    def quads_px(self) -> NDArray[np.float32]:
        """Return the corners (n, 4, 2), clockwise in the picture; corners 0-1 are a short edge."""
        along = np.stack([np.cos(self.angle_rad), np.sin(self.angle_rad)], -1) * self.size_px[:, :1] / 2
        # Seen from the end that comes first, the right-hand side is the axis turned by a quarter clockwise.
        across = np.stack([-np.sin(self.angle_rad), np.cos(self.angle_rad)], -1) * self.size_px[:, 1:] / 2
        corners = [-along + across, -along - across, along - across, along + across]
        quads: NDArray[np.float32] = (self.centre_px[:, None] + np.stack(corners, 1)).astype(np.float32)
        return quads

    def take(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> "Detections":
        """Return some of the detections, by index or mask."""
        return Detections(
            self.kind[which],
            self.score[which],
            self.centre_px[which],
            self.size_px[which],
            self.angle_rad[which],
            self.body_px[which],
        )

    def scaled(self, factor: float) -> "Detections":
        """Return the detections in a picture enlarged by ``factor``, pixel centres at integers."""
        shift = (factor - 1) / 2
        return replace(
            self,
            centre_px=self.centre_px * factor + shift,
            size_px=self.size_px * factor,
            body_px=self.body_px * factor + shift,
        )

    def moved(self, x_px: int, y_px: int) -> "Detections":
        """Return the detections in the picture that this one was cut from, its upper left corner at (x, y)."""
        by = np.array((x_px, y_px), np.float32)
        return replace(self, centre_px=self.centre_px + by, body_px=self.body_px + np.tile(by, 2))

    @classmethod
    def joined(cls, parts: "list[Detections]") -> Self:
        """Put the detections of several pictures of one scene together."""
        return cls(
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.centre_px for part in parts]),
            np.concatenate([part.size_px for part in parts]),
            np.concatenate([part.angle_rad for part in parts]),
            np.concatenate([part.body_px for part in parts]),
        )


def cut_out(image: Picture, part: Box) -> Picture:
    """Return a part of a picture, a view of it: what looks at it makes its own copy."""
    left, top, right, bottom = part
    return image[top:bottom, left:right]


def decode(heat: NDArray[np.float32], regression: NDArray[np.float32], threshold: float) -> Detections:
    """Turn the network's maps into objects: one for each peak of the heat, before any choice among them.

    Args:
        heat: (3, h, w) chances.
        regression: (10, h, w) offset, log size, doubled (dice: fourfold) angle, body.
        threshold: least chance.
    """
    kinds, rows, columns, scores = [], [], [], []
    kernel = np.ones((3, 3), np.uint8)
    for kind, plane in enumerate(heat):
        peaks = (plane >= threshold) & (plane >= cv2.dilate(plane, kernel))
        row, column = np.nonzero(peaks)
        kinds.append(np.full(len(row), kind, np.int8))
        rows.append(row)
        columns.append(column)
        scores.append(plane[row, column])
    kind_of, row_of, column_of = np.concatenate(kinds), np.concatenate(rows), np.concatenate(columns)
    is_die = kind_of == DIE
    values = _of_nine(heat, regression, (kind_of, row_of, column_of))
    size_px = np.exp(values[:, 2:4]) * SIZE_UNIT_PX
    size_px[is_die] = size_px[is_die].mean(axis=1, keepdims=True)
    angle_rad = np.arctan2(values[:, 4], values[:, 5]) / np.where(is_die, 4.0, 2.0)
    here_px = np.stack([column_of, row_of], -1) * STRIDE_PX + (STRIDE_PX - 1) / 2
    reach_px = regression[6:, row_of, column_of].T * BODY_UNIT_PX
    found = Detections(
        kind_of,
        np.concatenate(scores).astype(np.float32),
        values[:, :2],
        size_px,
        angle_rad.astype(np.float32),
        np.concatenate([here_px - reach_px[:, :2], here_px + reach_px[:, 2:]], axis=1).astype(np.float32),
    )
    quads_px = found.quads_px()
    boxes_px = np.concatenate([quads_px.min(axis=1), quads_px.max(axis=1)], axis=1)
    # A body holds its upper face, whatever the network says.
    found.body_px[:, :2] = np.where(is_die[:, None], np.minimum(found.body_px, boxes_px)[:, :2], boxes_px[:, :2])
    found.body_px[:, 2:] = np.where(is_die[:, None], np.maximum(found.body_px, boxes_px)[:, 2:], boxes_px[:, 2:])
    return found


def _of_nine(
    heat: NDArray[np.float32],
    regression: NDArray[np.float32],
    peaks: tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.int64]],
) -> NDArray[np.float32]:
    """What the nine cells about each peak (kind, row, column) say of it together, each as much as its heat.

    All nine were taught where a tile lies, and err each in its own way. A die's next cell is soon another die's: of
    dice the peak speaks alone, and of tiles those that mean the same one, where two lie half upon each other.

    Returns:
        (n, 6) centre in pixels, right and down, log size, angle as in the map.
    """
    kind, row, column = peaks
    rows = np.clip(row[:, None] + _NINE[:, 1], 0, heat.shape[1] - 1)
    columns = np.clip(column[:, None] + _NINE[:, 0], 0, heat.shape[2] - 1)
    weights = heat[kind[:, None], rows, columns]
    weights[kind == DIE] *= ~_NINE.any(1)
    said = regression[:6, rows, columns].transpose(1, 2, 0)
    cells_px = np.stack([columns, rows], -1) * STRIDE_PX + (STRIDE_PX - 1) / 2
    wholes = np.concatenate([cells_px + said[..., :2] * STRIDE_PX, said[..., 2:]], -1)
    short_px = np.exp(said[:, PEAK, 3]) * SIZE_UNIT_PX[1]
    apart_px = np.linalg.norm(wholes[..., :2] - wholes[:, PEAK : PEAK + 1, :2], axis=-1)
    weights[apart_px > SAME_TILE * short_px[:, None]] = 0.0
    return np.asarray(np.einsum("nk,nkv->nv", weights / weights.sum(1, keepdims=True), wholes), np.float32)


def as_one(shared: float, one: float, other: float) -> bool:
    """Whether two outlines of these areas, of which so much is shared, count as one object."""
    return shared > OVERLAP_MOST * (one + other - shared) or shared > CONTAINED_MOST * min(one, other)


def choose(found: Detections, *, faces_first: bool = False, rivals: bool = False) -> Detections:
    """Keep the best of the answers that mean the same object; neighbours that merely touch all stay.

    Args:
        found: the answers.
        rivals: whether open tiles stay that count as one with a better one but are not quite the same: of two that lie
            half upon each other the lower one may seem surer, and only what they read tells them apart.
        faces_first: whether a sure face counts before any back: of several looks at different scales, one too close
            takes the bare middle of a tile for a back.
    """
    rank = found.score + (faces_first & (found.kind == TILE_UP) & (found.score >= SURE))
    found = found.take(np.argsort(-rank, kind="stable"))
    quads_px = found.quads_px()
    areas = found.size_px.prod(axis=1)
    reach_px = np.hypot(*found.size_px.T) / 2
    tiles, open_ = found.kind != DIE, found.kind == TILE_UP
    apart_px = np.linalg.norm(found.centre_px[:, None] - found.centre_px[None], axis=-1)
    close = (tiles[:, None] == tiles[None]) & (apart_px < reach_px[:, None] + reach_px[None])
    kept: list[int] = []
    for index in range(len(found)):
        covered = 0.0
        for other in (other for other in kept if close[index, other]):
            shared = float(cv2.intersectConvexConvex(quads_px[other], quads_px[index])[0])
            both = areas[other] + areas[index] - shared
            if not as_one(shared, areas[other], areas[index]):
                covered += shared
            elif not (rivals and open_[index] and open_[other]) or shared > SAME_LEAST * both:
                break
        else:
            # What is seen across two others without being sure is where they meet; a tile on top of them is sure.
            if covered <= CONTAINED_MOST * areas[index] or found.score[index] >= SURE:
                kept.append(index)
    return found.take(np.array(kept, np.int64))


def of_one_scale(found: Detections) -> Detections:
    """Leave out what is far too large or small beside the picture's surest tiles; everything stays if there are none.

    Looks at several scales also find tiles in letters and dice in groups of dice.
    """
    sure = choose(found.take((found.kind != DIE) & (found.score >= SURE)), faces_first=True)
    if len(sure) < 2:
        return found
    tile_px = float(np.median(sure.size_px[:, 0]))
    ratio = found.size_px[:, 0] / tile_px
    as_tile = (ratio > 1 / SIZES_MOST) & (ratio < SIZES_MOST)
    as_die = (ratio > DIE_OF_TILE[0]) & (ratio < DIE_OF_TILE[1])
    return found.take(np.where(found.kind == DIE, as_die, as_tile))


def level_factors(size: tuple[int, int], scale_hint: float | None) -> list[float]:
    """Return by how much the picture is enlarged for each look at it.

    Args:
        size: width and height in pixels.
        scale_hint: expected length of a tile in pixels, or None.

    >>> level_factors((2304, 1296), 75.0)
    [0.64]
    >>> level_factors((1600, 1200), None)
    [1.0, 0.5, 0.25, 0.125, 0.0625]
    """
    if scale_hint is not None:
        return [TRAINED_TILE_PX / scale_hint]
    factors = [2.0] if max(size) < UPSAMPLE_BELOW_PX else []
    factor = 1.0
    while factor == 1.0 or max(size) * factor >= SMALLEST_LEVEL_PX:
        factors.append(factor)
        factor /= 2
    return factors


class Detector:
    """Finds tiles and dice in a picture.

    Args:
        model: the detector network.
    """

    def __init__(self, model: Model) -> None:
        self._run = model.run

    @classmethod
    def load(cls, weights: Path, threads: int = 2) -> Self:
        """Load ``detector.onnx`` from a folder; ModelError if it cannot be used."""
        return cls(load_model(weights / "detector.onnx", name="detector", classes=KINDS, threads=threads))

    def detect(
        self, image: Picture, scale_hint: float | None, part: Box | None = None, *, threshold: float = THRESHOLD
    ) -> Detections:
        """Find the objects in a picture (height, width, 3) uint8 BGR.

        Args:
            image: the picture.
            scale_hint: expected length of a tile in pixels; None to search all scales.
            part: the part of it to look at; None for all of it.
            threshold: least chance of an object.
        """
        if part is not None and scale_hint is None:
            return self.detect(cut_out(image, part), None, threshold=threshold).moved(*part[:2])
        height, width = image.shape[:2]
        parts = []
        for factor in level_factors((width, height), scale_hint):
            found = self._look(resized(image, factor), threshold, part and _on_grid(part, factor))
            long_px = found.size_px[:, 0]
            low, high = np.where((found.kind == DIE)[:, None], DIE_RANGE_PX, TILE_RANGE_PX).T
            # One look must take everything; several looks leave to each other what they see badly.
            usable = (long_px >= low) & (long_px <= high) if scale_hint is None else long_px > 0
            if scale_hint is None and max(width, height) * factor < SMALLEST_DICE_LEVEL_PX:
                usable &= found.kind != DIE
            parts.append(found.take(usable).scaled(1.0 / factor))
        found = Detections.joined(parts)
        return choose(found, rivals=True) if scale_hint is not None else choose(of_one_scale(found), faces_first=True)

    def _look(self, image: Picture, threshold: float, part: Box | None = None) -> Detections:
        """Find the objects of about the trained size in one picture, or in a part of it."""
        if part is not None:
            return self._look(cut_out(image, part), threshold).moved(*part[:2])
        height, width = image.shape[:2]
        below, beside = -height % CELL_PX, -width % CELL_PX
        if below or beside:
            image = cv2.copyMakeBorder(image, 0, below, 0, beside, cv2.BORDER_CONSTANT, value=(0, 0, 0)).astype(
                np.uint8, copy=False
            )
        heat, regression = self._run(image[None])
        return decode(heat[0], regression[0], threshold)


def _on_grid(part: Box, factor: float) -> Box:
    """A part of a picture in that picture enlarged, begun where the network's cells begin.

    So a part is seen as it would be in the whole picture, but for what its rim cuts off.
    """
    left, top, right, bottom = part
    grid = math.floor(left * factor / CELL_PX) * CELL_PX, math.floor(top * factor / CELL_PX) * CELL_PX
    ends = math.ceil(right * factor / CELL_PX) * CELL_PX, math.ceil(bottom * factor / CELL_PX) * CELL_PX
    return *grid, *ends


def resized(image: Picture, factor: float) -> Picture:
    """Return the picture enlarged by ``factor``."""
    if factor == 1.0:
        return image
    # Averaging over areas is slow, and a bilinear look-up skips no pixel down to a half.
    way = cv2.INTER_AREA if factor < 0.5 else cv2.INTER_LINEAR if factor < 1.3 else cv2.INTER_CUBIC
    return cv2.resize(image, None, fx=factor, fy=factor, interpolation=way).astype(np.uint8, copy=False)
