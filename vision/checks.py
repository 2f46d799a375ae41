"""Checks of detections and of the picture: overlap, cropping by the border, size, colour, sharpness, light."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

import cv2
import numpy as np

from vision.arrays import Floats, Mask, Pixels, Quads, TileCrops
from vision.findings import Code, Finding
from vision.levels import percentiles

OVERLAP_MOST: Final = 0.12
"""Maximum share of the smaller tile covered by another in a valid layout: touching tiles with slightly wrong
outlines.
"""
COVERED_MOST: Final = 0.55
"""Share above which two outlines may be of the same tile; the upper of two crossed tiles stays below."""
OUTSIDE_MOST: Final = 0.03
"""Maximum share of a tile outside the picture: the error of its outline."""
SIZE_ERROR_CALIBRATED: Final = 0.18
"""Relative error of a tile's length or width on the table: the spread of the detector's boxes, and one stacked tile."""
SIZE_ERROR_UNCALIBRATED: Final = 0.4
"""The same relative to the picture's median, since perspective makes near tiles larger than far ones."""
SMALLEST_DIE_RATIO: Final = 0.5
"""Side of a die relative to the largest: the dice of one throw have similar sizes."""
FEWEST_FOR_MEDIAN: Final = 4
"""Tiles needed for a median that one wrong tile does not move."""

LIGHTNESS_WEIGHT: Final = 0.5
"""Weight of lightness relative to hue when comparing colours of backs: lamps change it most."""

SHARP_AT_LEAST: Final = 0.13
"""Sharpness below which pips run into each other; sharp crops measure 0.2 to 0.35."""
DARK_AT_MOST: Final = 45.0
"""Grey level below which 99 of 100 pixels are in a picture with too little light."""
BURNT_MOST: Final = 0.35
"""Maximum share of blown-out pixels."""
BLOWN_OUT_LEVEL: Final = 250
"""Grey level from which a pixel is blown out."""
_TILE_MIDDLE: Final = np.s_[12:84, 10:38]
"""Rows and columns of a tile crop that exclude its rim."""


def overlaps(quads_px: Quads) -> list[tuple[int, int, float]]:
    """Pairs of overlapping tiles (n, 4, 2), with the covered share of the smaller one."""
    areas = [abs(float(cv2.contourArea(quad))) for quad in quads_px]
    middles = quads_px.mean(1)
    reach = np.linalg.norm(quads_px - middles[:, None], axis=-1).max(1)
    near = np.linalg.norm(middles[:, None] - middles, axis=-1) < reach[:, None] + reach
    pairs: list[tuple[int, int, float]] = []
    for one, other in np.argwhere(np.triu(near, 1)).tolist():
        shared = float(cv2.intersectConvexConvex(quads_px[one], quads_px[other])[0])
        if shared > 0:
            pairs.append((one, other, shared / min(areas[one], areas[other])))
    return pairs


def overlapping(quads_px: Quads) -> set[int]:
    """Indices of the tiles (n, 4, 2) that overlap another by more than in a valid layout."""
    return involved(overlaps(quads_px), OVERLAP_MOST)


def involved(pairs: Iterable[tuple[int, int, float]], share: float) -> set[int]:
    """Indices of the tiles that overlap another by more than a share."""
    return {number for one, other, common in pairs if common > share for number in (one, other)}


def outside(quads_px: Quads, size: tuple[int, int]) -> set[int]:
    """Indices of the tiles (n, 4, 2) partly outside the picture of this width and height."""
    width, height = size
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    found: set[int] = set()
    for index, quad in enumerate(quads_px):
        if (quad >= -0.5).all() and (quad <= frame[2]).all():
            continue
        inside = float(cv2.intersectConvexConvex(quad, frame)[0])
        if inside < (1 - OUTSIDE_MOST) * abs(float(cv2.contourArea(quad))):
            found.add(index)
    return found


def wrong_size(sizes: Floats, expected: tuple[float, float] | None) -> set[int]:
    """Indices of the tiles whose length or width (n, 2) is wrong; nan is ignored.

    Sizes are in millimetres if ``expected`` is given, else in pixels and compared with each other.
    """
    if not len(sizes) or (expected is None and len(sizes) < FEWEST_FOR_MEDIAN):
        return set()
    usual = np.array(expected) if expected is not None else np.median(sizes, axis=0)
    off = np.abs(np.log(sizes / usual)).max(1)
    most = np.log(1 + (SIZE_ERROR_CALIBRATED if expected is not None else SIZE_ERROR_UNCALIBRATED))
    return set(np.flatnonzero(off > most).tolist())


def undersized(quads_px: Quads) -> set[int]:
    """Indices of the dice whose side is less than half that of the largest."""
    sides_px = np.linalg.norm(quads_px[:, 1] - quads_px[:, 0], axis=1)
    return set(np.flatnonzero(sides_px < SMALLEST_DIE_RATIO * sides_px.max(initial=0.0)).tolist())


def middle_greys(crops: TileCrops) -> list[float]:
    """Median grey level of the tile in each crop (n, 96, 48, 3), without its rim."""
    if not len(crops):
        return []
    inner = crops[:, *_TILE_MIDDLE]
    grey = [cv2.cvtColor(np.ascontiguousarray(each), cv2.COLOR_BGR2GRAY) for each in inner]
    levels: list[float] = percentiles(np.array(grey, np.uint8).reshape(len(crops), -1), 50)[0].tolist()
    return levels


def colour_distance(crops: TileCrops, sure: Mask) -> Floats:
    """Distance (n,) of the colours of tile crops from the median of the certain ones (n,), in CIELAB; nan without any.

    All backs of a set have one colour. Lightness, which lamps change, has less weight.
    """
    if not sure.any():
        return np.full(len(crops), np.nan, np.float32)
    inner = crops[:, *_TILE_MIDDLE].reshape(len(crops), -1, 3)
    planes = np.swapaxes(inner, 1, 2).reshape(3 * len(crops), -1)
    middles = percentiles(planes, 50).reshape(-1, 3).astype(np.float32)
    colours = cv2.cvtColor(middles[None] / 255, cv2.COLOR_BGR2LAB)[0]
    off = (colours - np.median(colours[sure], axis=0)) * np.array((LIGHTNESS_WEIGHT, 1, 1), np.float32)
    return np.asarray(np.linalg.norm(off, axis=1), np.float32)


def sharpness(crops: TileCrops) -> float:
    """Steepest edges of the median tile over its range of grey levels; 0 for no crops."""
    if not len(crops):
        return 0.0
    # A dozen tiles from all over the table suffice.
    chosen = crops[:: max(1, len(crops) // 12), 8:88, 8:40]
    grey = np.stack([cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY) for crop in chosen])
    # OpenCV is fastest with all crops interleaved per pixel.
    beside = np.ascontiguousarray(np.moveaxis(grey, 0, -1), np.float32)
    right, down = (cv2.Sobel(beside, cv2.CV_32F, *along, scale=1 / 8) for along in ((1, 0), (0, 1)))
    slope = np.ascontiguousarray(cv2.magnitude(right, down).reshape(-1, len(grey)).T)
    low, high = percentiles(grey.reshape(len(grey), -1), 2, 98)
    return float(np.median(np.percentile(slope, 98, axis=1) / (high - low + 8)))


@dataclass(frozen=True, slots=True)
class Light:
    """Lighting of a picture.

    Attributes:
        brightest: 99th percentile of the grey levels.
        blown_out: share of blown-out pixels.
    """

    brightest: float
    blown_out: float

    @classmethod
    def of(cls, image: Pixels) -> Self:
        """Measure every eighth pixel, which suffices for a share."""
        grey = np.asarray(cv2.cvtColor(np.ascontiguousarray(image[::8, ::8]), cv2.COLOR_BGR2GRAY), np.uint8)
        return cls(float(percentiles(grey.reshape(1, -1), 99)[0, 0]), float((grey >= BLOWN_OUT_LEVEL).mean()))

    def findings(self) -> list[Finding]:
        too_dark = [Finding(Code.TOO_DARK)] if self.brightest < DARK_AT_MOST else []
        return too_dark + ([Finding(Code.TOO_BRIGHT)] if self.blown_out > BURNT_MOST else [])


def sharpness_findings(tile_crops: TileCrops) -> list[Finding]:
    """A finding if the picture is blurred at its tiles (n, 96, 48, 3)."""
    return [Finding(Code.BLURRED)] if len(tile_crops) and sharpness(tile_crops) < SHARP_AT_LEAST else []
