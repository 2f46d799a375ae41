"""Motion gating: for a stationary camera, only the changed parts of a picture are searched again.

Detections are kept where nothing changed. Once a second a small version of the picture is searched, for changes that
are too faint, such as a dark tile removed from dark felt. Where that does not agree with the detections, and every ten
seconds everywhere, the picture itself is searched. ``vision.rereading`` decides which detections are read again.
"""

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.arrays import Box, Floats, Mask, Pixels
from vision.crops import cropped
from vision.detect.detections import Detections, FindsObjects, non_maximum_suppression

DOWNSCALE: Final = 8
"""Pictures are compared at this fraction of their size, where noise averages out."""
MIN_CHANGE_LEVELS: Final = 5.0
"""Minimum change of the grey level; noise in poor light stays below 3."""
GLANCE_S: Final = 1.0
FULL_SEARCH_S: Final = 10.0
"""Seconds between two searches of a small version of the picture, and between two of the full picture."""
ASSUMED_STEP_S: Final = 0.1
"""Seconds from one picture to the next if the capture times are not known."""
SAME_OBJECT_TILES: Final = 0.5
"""Distance, in tile lengths, up to which a glance shows a known object: the short side of a tile."""
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
        self._glanced_s = self._searched_s = -math.inf
        self.seen: Levels | None = None

    def detect(
        self, image: Pixels, scale_hint: float | None, part: Box | None = None, t_s: float | None = None
    ) -> Detections:
        """Detect the objects in the next picture, taken at ``t_s``; other arguments as for the detector."""
        left, top = (0, 0) if part is None else part[:2]
        image = image if part is None else cropped(image, part)
        grey = downscaled(image)
        self.seen = Levels(grey, (left, top))
        self._pictures += 1
        now_s = self._pictures * ASSUMED_STEP_S if t_s is None else t_s
        return self._detect(image, grey, scale_hint, now_s).translated(left, top)

    def _detect(self, image: Pixels, grey: Floats, scale_hint: float | None, t_s: float) -> Detections:
        before = self._background
        comparable = before is not None and before.grey.shape == grey.shape and before.scale_hint == scale_hint
        due_s = FULL_SEARCH_S if scale_hint is not None else GLANCE_S
        if before is None or not comparable or t_s - self._searched_s >= due_s:
            return self._search_all(image, grey, scale_hint, t_s)
        height, width = image.shape[:2]
        margin_px = round(MARGIN_TILES * (scale_hint or DEFAULT_TILE_PX))
        # Normalised to the light of the old picture, since a flickering lamp moves nothing.
        matched = np.asarray(grey * float(np.median((before.grey + 1) / (grey + 1))), np.float32)
        changed = np.abs(matched - before.grey) > MIN_CHANGE_LEVELS
        if scale_hint is not None and t_s - self._glanced_s >= GLANCE_S:
            self._glanced_s = t_s
            changed |= self._disagreeing(image, before.found, scale_hint, grey.shape)
        boxes = boxes_around(changed, margin_px, (width, height))
        if sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes) > MAX_CHANGED_SHARE * height * width:
            return self._search_all(image, grey, scale_hint, t_s)
        if not boxes:
            return before.found
        found, levels = before.found, before.grey.copy()
        for box, near in zip(boxes, self._detector.detect_parts(image, scale_hint, boxes), strict=True):
            x0, y0, x1, y1 = box
            # Objects cut by the border of the part were seen better before.
            inner = _without_rim(box, (width, height), margin_px // 2)
            found = Detections.joined([found.take(~_within(found, inner)), near.take(_within(near, inner))])
            cells = np.s_[y0 // DOWNSCALE : -(-y1 // DOWNSCALE), x0 // DOWNSCALE : -(-x1 // DOWNSCALE)]
            levels[cells] = grey[cells]
        found = non_maximum_suppression(found, keep_rivals=scale_hint is not None)
        self._background = _Background(levels, found, scale_hint)
        return found

    def _disagreeing(self, image: Pixels, found: Detections, scale_hint: float, shape: tuple[int, ...]) -> Mask:
        """Cells of the downscaled picture (rows, columns) where a glance shows what is not known, or not what is."""
        seen_px = self._detector.glance(image, scale_hint)
        apart_px = np.linalg.norm(seen_px[:, None] - found.centre_px, axis=-1)
        same_px = SAME_OBJECT_TILES * scale_hint
        new = apart_px.min(1, initial=np.inf) > same_px
        lost = apart_px.min(0, initial=np.inf) > same_px
        cells = (np.concatenate([seen_px[new], found.centre_px[lost]]) // DOWNSCALE).astype(int)
        marked = np.zeros(shape, np.bool_)
        marked[cells[:, 1].clip(0, shape[0] - 1), cells[:, 0].clip(0, shape[1] - 1)] = True
        return marked

    def _search_all(self, image: Pixels, grey: Floats, scale_hint: float | None, t_s: float) -> Detections:
        self._glanced_s = self._searched_s = t_s
        self._background = _Background(grey, self._detector.detect(image, scale_hint), scale_hint)
        return self._background.found


def boxes_around(changed: Mask, margin_px: int, size: tuple[int, int]) -> list[Box]:
    """Disjoint boxes around changed cells (rows, columns) of the downscaled picture, with a margin.

    Margin, size (width and height) and boxes are in pixels of the full picture.
    """
    reach = 2 * (margin_px // DOWNSCALE) + 1
    near = cv2.dilate(changed.astype(np.uint8), np.ones((reach, reach), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(near)
    merged: list[Box] = []
    for x, y, width, height, _ in (stats[1:] * (DOWNSCALE, DOWNSCALE, DOWNSCALE, DOWNSCALE, 1)).tolist():
        grown: Box = (x, y, min(x + width, size[0]), min(y + height, size[1]))
        while touching := [other for other in merged if _touch(grown, other)]:
            merged = [other for other in merged if other not in touching]
            corners = np.array([grown, *touching])
            (x0, y0), (x1, y1) = corners[:, :2].min(0).tolist(), corners[:, 2:].max(0).tolist()
            grown = (x0, y0, x1, y1)
        merged.append(grown)
    return merged


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


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


def _without_rim(box: Box, size: tuple[int, int], rim_px: int) -> Box:
    """The box without its border, except where it ends with the picture."""
    (x0, y0, x1, y1), (width, height) = box, size
    return x0 + rim_px * (x0 > 0), y0 + rim_px * (y0 > 0), x1 - rim_px * (x1 < width), y1 - rim_px * (y1 < height)


def _within(found: Detections, box: Box) -> Mask:
    """Which objects (n,) have their centre in a box."""
    middle = found.centre_px
    return np.asarray((middle >= box[:2]).all(1) & (middle < box[2:]).all(1))
