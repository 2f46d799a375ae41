"""Checks of detections and of the picture: overlap, cut off at the border, size, colour, sharpness, light."""

import math
from typing import Final

import cv2
import numpy as np

from vision.arrays import Floats, Mask, Pixels, Quads, TileCrops
from vision.findings import Code, Finding

OVERLAP_MOST: Final = 0.12
"""Share of the smaller tile that another may cover in a faultless lay: touching tiles with outlines a little off."""
COVERED_MOST: Final = 0.55
"""Share above which two outlines may even be of one and the same tile; the upper of two crossed tiles stays below."""
OUTSIDE_MOST: Final = 0.03
"""Share of a tile that may lie outside the picture: the error of its outline."""
SIZE_ERROR_CALIBRATED: Final = 0.18
"""Relative error of a tile's length or width on the table: the spread of the detector's boxes, and one stacked tile."""
SIZE_ERROR_UNCALIBRATED: Final = 0.4
"""The same against the median of the picture, where perspective makes near tiles larger than far ones."""
SMALLEST_DIE_RATIO: Final = 0.5
"""Side of a die over that of the largest: the dice of one throw are of about one size."""
FEWEST_FOR_MEDIAN: Final = 4
"""Tiles needed for a median that one wrong tile does not move."""

LIGHTNESS_WEIGHT: Final = 0.5
"""Weight of lightness beside hue where the colours of backs are compared: a lamp changes it most."""

SHARP_AT_LEAST: Final = 0.13
"""Sharpness below which pips run into each other; sharp crops measure 0.2 to 0.35."""
DARK_AT_MOST: Final = 45.0
"""Grey level below which 99 of 100 pixels lie in a picture with too little light."""
BURNT_MOST: Final = 0.35
"""Share of pixels that are blown out in a picture with too much light."""
BLOWN_OUT_LEVEL: Final = 250
"""Grey level from which a pixel shows nothing."""
_TILE_MIDDLE: Final = np.s_[12:84, 10:38]
"""Rows and columns of a tile crop that show the tile without its rim."""


def overlapping(quads_px: Quads, share: float = OVERLAP_MOST) -> set[int]:
    """Numbers of the tiles (n, 4, 2) that have more in common with another than this share of the smaller one."""
    areas = [abs(float(cv2.contourArea(quad))) for quad in quads_px]
    reach = np.linalg.norm(quads_px - quads_px.mean(1, keepdims=True), axis=-1).max(1)
    middles = quads_px.mean(1)
    found: set[int] = set()
    for one in range(len(quads_px)):
        far = np.linalg.norm(middles[one + 1 :] - middles[one], axis=1)
        for other in np.flatnonzero(far < reach[one + 1 :] + reach[one]) + one + 1:
            shared = float(cv2.intersectConvexConvex(quads_px[one], quads_px[other])[0])
            if shared > share * min(areas[one], areas[other]):
                found |= {one, int(other)}
    return found


def outside(quads_px: Quads, size: tuple[int, int]) -> set[int]:
    """Numbers of the tiles (n, 4, 2) of which a part lies outside the picture of this width and height."""
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
    """Numbers of the tiles whose length or width (n, 2) is wrong; nan is not judged.

    They are in millimetres if those of a tile are ``expected``, else in pixels and compared with each other.
    """
    if not len(sizes) or (expected is None and len(sizes) < FEWEST_FOR_MEDIAN):
        return set()
    usual = np.array(expected) if expected is not None else np.median(sizes, axis=0)
    off = np.abs(np.log(sizes / usual)).max(1)
    most = np.log(1 + (SIZE_ERROR_CALIBRATED if expected is not None else SIZE_ERROR_UNCALIBRATED))
    return set(np.flatnonzero(off > most).tolist())


def undersized(quads_px: Quads) -> set[int]:
    """Numbers of the dice whose side is not half that of the largest."""
    sides_px = np.linalg.norm(quads_px[:, 1] - quads_px[:, 0], axis=1)
    return set(np.flatnonzero(sides_px < SMALLEST_DIE_RATIO * sides_px.max(initial=0.0)).tolist())


def middle_grey(crop: Pixels) -> float:
    """Median grey level of the tile in a crop (96, 48, 3) uint8, without its rim."""
    return float(np.median(cv2.cvtColor(np.ascontiguousarray(crop[_TILE_MIDDLE]), cv2.COLOR_BGR2GRAY)))


def colour_distance(crops: TileCrops, sure: Mask) -> Floats:
    """Distance (n,) of the colours of tile crops from that of the sure ones (n,), in CIELAB; nan if none is sure.

    All backs of a set are of one colour. Lightness, which a lamp changes, counts less.
    """
    if not sure.any():
        return np.full(len(crops), np.nan, np.float32)
    middles = np.median(crops[:, *_TILE_MIDDLE].reshape(len(crops), -1, 3), axis=1).astype(np.float32)
    colours = cv2.cvtColor(middles[None] / 255, cv2.COLOR_BGR2LAB)[0]
    off = (colours - np.median(colours[sure], axis=0)) * np.array((LIGHTNESS_WEIGHT, 1, 1), np.float32)
    return np.asarray(np.linalg.norm(off, axis=1), np.float32)


def sharpness(crops: TileCrops) -> float:
    """Steepest edges of the median tile over its range of grey levels; 0 for no crops."""
    if not len(crops):
        return 0.0
    # A dozen tiles from all over the table tell as much as all of them.
    chosen = crops[:: max(1, len(crops) // 12), 8:88, 8:40]
    grey = np.stack([cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY) for crop in chosen]).astype(np.float32)
    slope = [
        np.hypot(cv2.Sobel(each, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(each, cv2.CV_32F, 0, 1, scale=1 / 8))
        for each in grey
    ]
    low, high = np.percentile(grey, (2, 98), axis=(1, 2))
    return float(np.median(np.percentile(slope, 98, axis=(1, 2)) / (high - low + 8)))


def brightness(image: Pixels) -> float:
    """Grey level of a picture's brightest hundredth."""
    return _brightest_hundredth(_sampled_grey(image))


def _brightest_hundredth(grey: Pixels) -> float:
    """The 99th percentile, by counting: there are but 256 levels."""
    counts = np.cumsum(np.bincount(grey.reshape(-1), minlength=256))
    at = 0.99 * (int(counts[-1]) - 1)
    below, above = np.searchsorted(counts, (math.floor(at) + 0.5, math.ceil(at) + 0.5)).tolist()
    return float(below + (above - below) * (at - math.floor(at)))


def _sampled_grey(image: Pixels) -> Pixels:
    """Grey levels of every eighth pixel: plenty for a share of all."""
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(image[::8, ::8]), cv2.COLOR_BGR2GRAY), np.uint8)


def light_findings(image: Pixels) -> list[Finding]:
    """Findings about the light of a picture: too dark, or blown out."""
    grey = _sampled_grey(image)
    findings = []
    if _brightest_hundredth(grey) < DARK_AT_MOST:
        findings.append(Finding(Code.TOO_DARK))
    if float((grey >= BLOWN_OUT_LEVEL).mean()) > BURNT_MOST:
        findings.append(Finding(Code.TOO_BRIGHT))
    return findings


def sharpness_findings(tile_crops: TileCrops) -> list[Finding]:
    """Say so if a picture is blurred where its tiles (n, 96, 48, 3) lie."""
    return [Finding(Code.BLURRED)] if len(tile_crops) and sharpness(tile_crops) < SHARP_AT_LEAST else []
