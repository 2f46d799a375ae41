"""Motion gating: for a stationary camera, only the changed parts of a picture are searched again.

Detections are kept where nothing changed. Once a second everything is searched, for changes that are too faint, such as
a dark tile removed from dark felt. ``vision.rereading`` decides which detections are read again.
"""

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.arrays import Box, Floats, Pixels
from vision.crops import cropped
from vision.detect.detections import Detections, FindsObjects, non_maximum_suppression
from vision.detect.search_regions import boxes_around, grown, without_rim

DOWNSCALE: Final = 8
"""Pictures are compared at this fraction of their size, where noise averages out."""
MIN_CHANGE_LEVELS: Final = 5.0
"""Minimum change of the grey level; noise in poor light stays below 3."""
FULL_SEARCH_INTERVAL: Final = 10
FULL_SEARCH_S: Final = 1.0
"""Pictures between two full searches, or seconds if the capture times are known."""
MAX_CHANGED_SHARE: Final = 0.6
"""Share of the picture above which searching parts costs as much as searching all."""
DEFAULT_TILE_PX: Final = 64.0
"""Assumed tile length if the scale is unknown."""
MARGIN_TILES: Final = 1.2
"""Margin around a change, in tile lengths, so that objects reaching into it are seen completely."""


@dataclass(frozen=True, eq=False, slots=True)
class Levels:
    """A picture, or a part of one, at an eighth of its size.

    Attributes:
        grey: grey levels (rows, columns), float32.
        origin_px: top left corner of the part, x and y in pixels of the picture.
    """

    grey: Floats
    origin_px: tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class _Background:
    """The detections of a picture searched at a scale, and the grey levels of each place at its last search."""

    grey: Floats
    found: Detections
    scale_hint: float | None


class MotionGatedDetector:
    """Detects tiles and dice in consecutive pictures of one camera.

    Attributes:
        seen: the last picture; None before the first.
    """

    def __init__(self, detector: FindsObjects) -> None:
        self._detector = detector
        self._background: _Background | None = None
        self._pictures = 0
        self._searched_s = -math.inf
        self.seen: Levels | None = None

    def detect(
        self, image: Pixels, scale_hint: float | None, part: Box | None = None, t_s: float | None = None
    ) -> Detections:
        """Detect the objects in the next picture, taken at ``t_s``; other arguments as for the detector."""
        left, top = (0, 0) if part is None else part[:2]
        image = image if part is None else cropped(image, part)
        grey = downscaled(image)
        self.seen = Levels(grey, (left, top))
        return self._detect(image, grey, scale_hint, t_s).translated(left, top)

    def _detect(self, image: Pixels, grey: Floats, scale_hint: float | None, t_s: float | None) -> Detections:
        before = self._background
        self._pictures += 1
        comparable = before is not None and before.grey.shape == grey.shape and before.scale_hint == scale_hint
        due = self._pictures > FULL_SEARCH_INTERVAL if t_s is None else t_s - self._searched_s >= FULL_SEARCH_S
        if before is None or not comparable or due:
            return self._search_all(image, grey, scale_hint, t_s)
        height, width = image.shape[:2]
        margin_px = round(MARGIN_TILES * (scale_hint or DEFAULT_TILE_PX))
        # Normalised to the light of the old picture, since a flickering lamp moves nothing.
        matched = np.asarray(grey * float(np.median((before.grey + 1) / (grey + 1))), np.float32)
        boxes = changed_boxes(matched, before.grey, margin_px, (width, height))
        if sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes) > MAX_CHANGED_SHARE * height * width:
            return self._search_all(image, grey, scale_hint, t_s)
        if not boxes:
            return before.found
        found, levels = before.found, before.grey.copy()
        for box, near in zip(boxes, self._detector.detect_parts(image, scale_hint, boxes), strict=True):
            x0, y0, x1, y1 = box
            # Objects cut by the border of the part were seen better before.
            inner = without_rim(box, (width, height), margin_px // 2)
            found = Detections.joined([found.take(~found.within(inner)), near.take(near.within(inner))])
            cells = np.s_[y0 // DOWNSCALE : -(-y1 // DOWNSCALE), x0 // DOWNSCALE : -(-x1 // DOWNSCALE)]
            levels[cells] = grey[cells]
        found = non_maximum_suppression(found, keep_rivals=scale_hint is not None)
        self._background = _Background(levels, found, scale_hint)
        return found

    def _search_all(self, image: Pixels, grey: Floats, scale_hint: float | None, t_s: float | None) -> Detections:
        self._pictures = 0
        self._searched_s = -math.inf if t_s is None else t_s
        self._background = _Background(grey, self._detector.detect(image, scale_hint), scale_hint)
        return self._background.found


def changed_boxes(grey: Floats, before: Floats, margin_px: int, size: tuple[int, int]) -> list[Box]:
    """Regions where two pictures at an eighth of their size differ, grown by a margin; disjoint boxes.

    Margin, size (width and height) and boxes are in pixels of the full picture.
    """
    changed = grown(np.abs(grey - before) > MIN_CHANGE_LEVELS, margin_px // DOWNSCALE)
    boxes = boxes_around(changed, DOWNSCALE)
    return [(x0, y0, min(x1, size[0]), min(y1, size[1])) for x0, y0, x1, y1 in boxes]


def downscaled(image: Pixels) -> Floats:
    """Grey levels at an eighth of the size, float32; without the last row or column of an odd number."""
    height, width = image.shape[0] // 2, image.shape[1] // 2
    # OpenCV averages whole blocks several times as fast as parts of pixels, and grey ones faster than coloured ones.
    halved = cv2.resize(cropped(image, (0, 0, 2 * width, 2 * height)), (width, height), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(halved, cv2.COLOR_BGR2GRAY)
    block = DOWNSCALE // 2
    grey = cv2.copyMakeBorder(grey, 0, -height % block, 0, -width % block, cv2.BORDER_REPLICATE)
    size = (grey.shape[1] // block, grey.shape[0] // block)
    return cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.float32)
