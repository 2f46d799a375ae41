"""Prints on the table: detections where the picture of the empty table already shows the same.

The crop of a detection is compared with the same region of the picture of the empty table, after compensating for light
(gain and offset per colour) and small camera movements. An object on plain felt does not resemble it at all; a tile on
a printed tile differs in its pips or sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import cv2
import numpy as np

from vision.crops import DIE_MARGIN_PX, die_crops, tile_crops
from vision.detect.detections import DIE
from vision.levels import percentiles

if TYPE_CHECKING:
    from vision.arrays import Floats, Mask, Pixels, Quads
    from vision.detect.detections import Detections

MOST_CHANGED_PRINT: Final = 0.05
LEAST_CHANGED: Final = 0.6
"""Changed share of a crop up to which it is a print, and from which it is an object: nearly all prints measure less
than 0.05; of 2,000 tiles and dice on simulated felts with lines and letters no certain one measures less than 0.8.
"""
_REACH_PX: Final = 2
"""Maximum shift between crops; they are compared at half resolution, against noise."""
_AROUND_DIE_PX: Final = DIE_MARGIN_PX - 6
"""Border of a die's crop excluded at each side, to exclude the ground."""
_LEAST_ALIKE: Final = 0.5
"""Correlation below which nothing of the empty table is recognised; for one tile in a hundred it is above 0.5."""
_LEAST_PRINT_LEVELS: Final = 4.0
"""Standard deviation of grey levels below which the empty table shows only felt there."""
_LEAST_LEVELS: Final = 16.0
"""Range of grey levels of a crop below which there is nothing to compare."""
_NOISE_LEVELS: Final = 7.0
_SHARE_OF_RANGE: Final = 0.15
"""Change threshold of a pixel: above noise, and relative to the crop's range of grey levels."""
_STEPS: Final = 4
_MOST: Final = 0.6
"""Number of light fits, and the share of best-fitting pixels used for the next fit."""
_LOCAL_LIGHT: Final = 2.0
"""Maximum local factor between this light change and that of the full picture; more means another object."""
_BLOWN_OUT_LEVEL: Final = 250
"""Level from which a colour is blown out."""
_SAMPLED: Final = 16
"""Subsampling of pixels and rows for estimating the light."""


@dataclass(frozen=True, eq=False, slots=True)
class Sifted:
    """The detections of one picture, compared with the picture of the empty table.

    Attributes:
        real: all except prints.
        prints: those that look the same on the empty table.
        doubtful_px: (n, 4, 2) outlines of real ones that look similar on the empty table.
    """

    real: Detections
    prints: Detections
    doubtful_px: Quads

    @classmethod
    def of(cls, found: Detections, changed: Floats) -> Self:
        """Classify the detections of a picture by their changed shares (n,) (``changed_shares``)."""
        prints = cls.are_prints(changed)
        return cls(found.take(~prints), found.take(prints), found.take(~prints & (changed < LEAST_CHANGED)).quads_px())

    @staticmethod
    def are_prints(changed: Floats) -> Mask:
        """Which detections (n,) look the same on the empty table, by their changed shares."""
        return np.asarray(changed <= MOST_CHANGED_PRINT)

    def doubtful(self, quads_px: Quads) -> set[int]:
        """Indices of the outlines (n, 4, 2) whose centre is within a doubtful one."""
        middles = quads_px.mean(1).tolist()
        return {
            index
            for index, (x, y) in enumerate(middles)
            if any(cv2.pointPolygonTest(each, (x, y), measureDist=False) >= 0 for each in self.doubtful_px)
        }


@dataclass(frozen=True, eq=False, slots=True)
class _Pair:
    """Pixels (n, 3) of a crop now and on the empty table, and their change thresholds."""

    now: Floats
    before: Floats
    least: float


def changed_shares(image: Pixels, empty: Pixels | None, found: Detections) -> Floats:
    """Changed share (n,) of each detection relative to the picture of the empty table, of the same size.

    It is 1 without such a picture.
    """
    if empty is None:
        return np.ones(len(found), np.float32)
    quads_px, dice = found.quads_px(), found.kind == DIE
    alike: dict[int, _Pair] = {}
    for which, cut in ((dice, _die_crops), (~dice, _tile_crops)):
        before = cut(empty, quads_px[which])
        drawn = np.array([cv2.meanStdDev(each)[1].max() for each in before]) >= _LEAST_PRINT_LEVELS
        numbers = np.flatnonzero(which)[drawn]
        pairs = map(_pair, cut(image, quads_px[numbers]), before[drawn])
        alike |= {number: pair for number, pair in zip(numbers.tolist(), pairs, strict=True) if pair is not None}
    shares = np.ones(len(found), np.float32)
    if alike:
        light = _light(image, empty)
        shares[list(alike)] = [_share_off(pair, light) for pair in alike.values()]
    return shares


def _tile_crops(image: Pixels, quads_px: Quads) -> Pixels:
    """Crops (n, 48, 24, 3) of tiles."""
    return _halved(tile_crops(image, quads_px))


def _die_crops(image: Pixels, quads_px: Quads) -> Pixels:
    """Crops (n, 26, 26, 3) of dice by their upper faces, without the ground."""
    inner = slice(_AROUND_DIE_PX, -_AROUND_DIE_PX)
    return _halved(die_crops(image, quads_px)[:, inner, inner])


def _halved(crops: Pixels) -> Pixels:
    count, height, width, _ = crops.shape
    small = np.empty((count, height // 2, width // 2, 3), np.uint8)
    for half, crop in zip(small, crops, strict=True):
        cv2.resize(crop, (width // 2, height // 2), half, interpolation=cv2.INTER_AREA)
    return small


def _pair(now: Pixels, before: Pixels) -> _Pair | None:
    """A crop and the matching empty-table crop; None if they differ entirely, or are too uniform to compare."""
    seen = now[_REACH_PX:-_REACH_PX, _REACH_PX:-_REACH_PX].copy()
    grey, grey_before = (cv2.cvtColor(each, cv2.COLOR_BGR2GRAY) for each in (seen, before))
    alike = np.asarray(cv2.matchTemplate(grey_before, grey, cv2.TM_CCOEFF_NORMED), np.float32)
    if alike.max() < _LEAST_ALIKE:
        return None
    levels = float(np.ptp(percentiles(np.asarray(grey, np.uint8).reshape(1, -1), 2, 98)))
    if levels < _LEAST_LEVELS:
        return None
    pixels, shown = (each.reshape(-1, 3).astype(np.float32) for each in (seen, _moved(before, alike)))
    return _Pair(pixels, shown, max(_NOISE_LEVELS, _SHARE_OF_RANGE * levels))


def _share_off(pair: _Pair, light: Floats) -> float:
    """Share of changed pixels, given the light of the majority."""
    now, before = pair.now, pair.before
    seen = now.max(1) < _BLOWN_OUT_LEVEL
    gain = light
    for _ in range(_STEPS):
        off = np.abs(now - np.minimum(gain * before, 255)).max(1)
        kept = seen & (off <= np.quantile(off, _MOST))
        gain = (now[kept] * before[kept]).sum(0) / np.maximum((before[kept] ** 2).sum(0), 1.0)
    off = np.abs(now - np.minimum(gain * before, 255)).max(1)
    fits = (gain > light / _LOCAL_LIGHT) & (gain < light * _LOCAL_LIGHT)
    return float((off > pair.least).mean()) if fits.all() else 1.0


def _light(image: Pixels, empty: Pixels) -> Floats:
    """Brightness of each colour (3,) of a picture relative to the empty table."""
    now, before = (each[::_SAMPLED, ::_SAMPLED].reshape(-1, 3).astype(np.float32) for each in (image, empty))
    return np.asarray(np.median((now + 1) / (before + 1), axis=0), np.float32)


def _moved(before: Pixels, alike: Floats) -> Pixels:
    """The best-fitting part of a crop, at sub-pixel resolution, given the fit of each part."""
    y, x = (int(each) for each in np.unravel_index(int(alike.argmax()), alike.shape))
    height, width = (side - count + 1 for side, count in zip(before.shape, alike.shape, strict=False))
    middle = x + _peak(alike[y], x) + (width - 1) / 2, y + _peak(alike[:, x], y) + (height - 1) / 2
    return np.asarray(cv2.getRectSubPix(before, (width, height), middle), np.uint8)


def _peak(values: Floats, at: int) -> float:
    """Sub-pixel offset of the maximum from a parabola through its neighbours; 0 at either end."""
    if not 0 < at < len(values) - 1:
        return 0.0
    left, middle, right = values[at - 1 : at + 2].tolist()
    bend = left - 2 * middle + right
    return 0.5 * (left - right) / bend if bend < 0 else 0.0
