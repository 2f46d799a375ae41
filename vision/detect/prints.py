"""What is printed on the table: finds where the picture of the empty table already shows the same.

The crop of a find is held against the same piece of the picture of the empty table, once the light of either is taken
out (a gain and a level for each colour) and the little that a camera shakes. What was laid on plain felt resembles it
in nothing; of a tile on a print of a tile, its pips differ, or its sides.
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
"""Share of a crop that has changed up to which it shows a print, and from which it shows something laid there: of
prints all but a few measure less than 0.05; of 2,000 tiles and dice on simulated felts with lines and letters none that
is sure measures less than 0.8."""
_REACH_PX: Final = 2
"""How far crops are moved against each other; they are compared at half their resolution, against noise."""
_AROUND_DIE_PX: Final = DIE_MARGIN_PX - 6
"""So much of a die's crop is left out at each side: what it stands on is no part of it."""
_LEAST_ALIKE: Final = 0.5
"""Correlation below which nothing of the empty table is seen again; of one tile in a hundred it is above 0.5."""
_LEAST_PRINT_LEVELS: Final = 4.0
"""Standard deviation of grey levels below which the empty table shows nothing but felt there."""
_LEAST_LEVELS: Final = 16.0
"""Range of grey levels of a crop below which there is nothing to compare."""
_NOISE_LEVELS: Final = 7.0
_SHARE_OF_RANGE: Final = 0.15
"""Difference above which a pixel has changed: above noise, and in parts of the crop's range of grey levels."""
_STEPS: Final = 4
_MOST: Final = 0.6
"""Fits of the light, and the share of pixels, those that fit best so far, from which the next one is made."""
_LOCAL_LIGHT: Final = 2.0
"""How much more or less the light may have changed here than in all the picture: what changed more is another thing."""
_BLOWN_OUT_LEVEL: Final = 250
"""Level from which a colour shows nothing of the light."""
_SAMPLED: Final = 16
"""Every so many pixels of a row, and rows, tell the light of the picture."""


@dataclass(frozen=True, eq=False, slots=True)
class Sifted:
    """The finds of one picture, held against the picture of the empty table.

    Attributes:
        real: all but the prints.
        prints: those that look as they did on the empty table.
        doubtful_px: (n, 4, 2) outlines of those among the real ones that look much as it did there.
    """

    real: Detections
    prints: Detections
    doubtful_px: Quads

    @classmethod
    def of(cls, found: Detections, changed: Floats) -> Self:
        """Sift the finds of a picture by their shares (n,) that have changed (``changed_shares``)."""
        prints = cls.are_prints(changed)
        return cls(found.take(~prints), found.take(prints), found.take(~prints & (changed < LEAST_CHANGED)).quads_px())

    @staticmethod
    def are_prints(changed: Floats) -> Mask:
        """Which finds (n,) look as they did on the empty table, by the shares that have changed."""
        return np.asarray(changed <= MOST_CHANGED_PRINT)

    def doubtful(self, quads_px: Quads) -> set[int]:
        """Numbers of the outlines (n, 4, 2) whose middle lies within one of the doubtful ones."""
        middles = quads_px.mean(1).tolist()
        return {
            index
            for index, (x, y) in enumerate(middles)
            if any(cv2.pointPolygonTest(each, (x, y), measureDist=False) >= 0 for each in self.doubtful_px)
        }


@dataclass(frozen=True, eq=False, slots=True)
class _Pair:
    """Pixels (n, 3) of a crop now and on the empty table, and the difference from which one has changed."""

    now: Floats
    before: Floats
    least: float


def changed_shares(image: Pixels, empty: Pixels | None, found: Detections) -> Floats:
    """Share (n,) of each find that does not look as it does in the picture of the empty table, of the same size.

    It is 1 where there is no such picture.
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
    """Crops (n, 26, 26, 3) of dice by their upper faces, without what they stand on."""
    inner = slice(_AROUND_DIE_PX, -_AROUND_DIE_PX)
    return _halved(die_crops(image, quads_px)[:, inner, inner])


def _halved(crops: Pixels) -> Pixels:
    """Crops at half their resolution."""
    count, height, width, _ = crops.shape
    small = np.empty((count, height // 2, width // 2, 3), np.uint8)
    for half, crop in zip(small, crops, strict=True):
        cv2.resize(crop, (width // 2, height // 2), half, interpolation=cv2.INTER_AREA)
    return small


def _pair(now: Pixels, before: Pixels) -> _Pair | None:
    """A crop with what the empty table showed there; None if it shows another thing, or too little to tell."""
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
    """Share of the pixels that have changed, in the light that most of them show."""
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
    """How bright each colour (3,) of a picture is against that of the empty table."""
    now, before = (each[::_SAMPLED, ::_SAMPLED].reshape(-1, 3).astype(np.float32) for each in (image, empty))
    return np.asarray(np.median((now + 1) / (before + 1), axis=0), np.float32)


def _moved(before: Pixels, alike: Floats) -> Pixels:
    """The part of a crop that fits best, to a part of a pixel, by how well each part fits."""
    y, x = (int(each) for each in np.unravel_index(int(alike.argmax()), alike.shape))
    height, width = (side - count + 1 for side, count in zip(before.shape, alike.shape, strict=False))
    middle = x + _peak(alike[y], x) + (width - 1) / 2, y + _peak(alike[:, x], y) + (height - 1) / 2
    return np.asarray(cv2.getRectSubPix(before, (width, height), middle), np.uint8)


def _peak(values: Floats, at: int) -> float:
    """Where a parabola through the largest value and its neighbours has its top, from there; 0 at either end."""
    if not 0 < at < len(values) - 1:
        return 0.0
    left, middle, right = values[at - 1 : at + 2].tolist()
    bend = left - 2 * middle + right
    return 0.5 * (left - right) / bend if bend < 0 else 0.0
