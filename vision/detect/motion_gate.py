"""Looking again only where something moved: a camera that stands still shows the same table from picture to picture.

What was found stays where nothing changed; the detector looks at the rest. Only places are remembered: every tile and
die is cut out of the new picture and read anew. Every few pictures all of it is looked at again, for what changes too
little to be seen here, such as a dark tile taken off dark felt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.detect.detector import Detections, choose, cut_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.detect.detector import Box, Picture
    from vision.pip_matching import Floats
    from vision.reader import FindsObjects

SMALL: Final = 8
"""The pictures are compared at this fraction of their size, where noise has averaged out."""
CHANGED_AT_LEAST: Final = 5.0
"""Grey levels by which a place must differ to have changed; noise in poor light stays below 3."""
LOOK_AGAIN_AFTER: Final = 10
"""Pictures after which all of it is looked at again."""
MOST_OF_PICTURE: Final = 0.6
"""Share of the picture above which looking at parts costs as much as looking at all."""
USUAL_TILE_PX: Final = 64.0
MARGIN_TILES: Final = 1.2
"""How far around a change is looked, in lengths of a tile: what reaches into it is seen whole."""


@dataclass(frozen=True, eq=False, slots=True)
class _Seen:
    """What is remembered of a picture.

    Attributes:
        small: (height / 8, width / 8) float32 grey levels each place had when it was last looked at.
        found: what lay there.
        hint: the scale it was looked at with.
    """

    small: Floats
    found: Detections
    hint: float | None


class SteadyDetector:
    """Finds tiles and dice in one camera's pictures, one after the other.

    Args:
        detector: looks at a picture or a part of it.
    """

    def __init__(self, detector: FindsObjects) -> None:
        self._detector = detector
        self._seen: _Seen | None = None
        self._pictures = 0

    def detect(self, image: Picture, scale_hint: float | None, part: Box | None = None) -> Detections:
        """Find the objects in the next picture (height, width, 3) uint8 BGR; arguments as those of the detector."""
        if part is not None:
            return self.detect(cut_out(image, part), scale_hint).moved(*part[:2])
        small, seen = _small(image), self._seen
        self._pictures += 1
        known = seen is not None and seen.small.shape == small.shape and seen.hint == scale_hint
        if seen is None or not known or self._pictures > LOOK_AGAIN_AFTER:
            return self._look_at_all(image, small, scale_hint)
        margin_px = round(MARGIN_TILES * (scale_hint or USUAL_TILE_PX))
        boxes = changed_boxes(
            _light_removed(seen.small, small), seen.small, margin_px, (image.shape[1], image.shape[0])
        )
        if sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes) > MOST_OF_PICTURE * image.shape[0] * image.shape[1]:
            return self._look_at_all(image, small, scale_hint)
        if not boxes:
            return seen.found
        found, levels = seen.found, seen.small.copy()
        for box in boxes:
            x0, y0, x1, y1 = box
            near = self._detector.detect(image, scale_hint, box)
            # What the rim of the part cuts through is seen better by the look before.
            inner = _inner(box, (image.shape[1], image.shape[0]), margin_px // 2)
            found = Detections.joined([found.take(~_within(found, inner)), near.take(_within(near, inner))])
            rows, columns = slice(y0 // SMALL, -(-y1 // SMALL)), slice(x0 // SMALL, -(-x1 // SMALL))
            levels[rows, columns] = small[rows, columns]
        self._seen = _Seen(levels, choose(found, rivals=scale_hint is not None), scale_hint)
        return self._seen.found

    def _look_at_all(self, image: Picture, small: Floats, scale_hint: float | None) -> Detections:
        self._pictures = 0
        self._seen = _Seen(small, self._detector.detect(image, scale_hint), scale_hint)
        return self._seen.found


def changed_boxes(small: Floats, before: Floats, margin_px: int, size: tuple[int, int]) -> list[Box]:
    """Where two small pictures (rows, columns) differ.

    Args:
        small: the new picture, at an eighth of the size.
        before: the old one.
        margin_px: added on all sides, in pixels of the whole picture.
        size: width and height of the whole picture.

    Returns:
        Boxes x0, y0, x1, y1 in pixels of the whole picture, none touching another.
    """
    changed = (np.abs(small - before) > CHANGED_AT_LEAST).astype(np.uint8)
    reach = 2 * (margin_px // SMALL) + 1
    wide = cv2.dilate(changed, np.ones((reach, reach), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(wide)
    boxes = [
        (x * SMALL, y * SMALL, min((x + width) * SMALL, size[0]), min((y + height) * SMALL, size[1]))
        for x, y, width, height, _ in stats[1:].tolist()
    ]
    return _apart(boxes)


def _apart(boxes: list[Box]) -> list[Box]:
    """Boxes that share something become one."""
    kept: list[Box] = []
    for box in boxes:
        grown = box
        while touching := [other for other in kept if _touch(grown, other)]:
            kept = [other for other in kept if other not in touching]
            corners = np.array([grown, *touching])
            low, high = corners[:, :2].min(0).tolist(), corners[:, 2:].max(0).tolist()
            grown = (low[0], low[1], high[0], high[1])
        kept.append(grown)
    return kept


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _small(image: Picture) -> Floats:
    """Grey levels at an eighth of the size, float32."""
    size = (-(-image.shape[1] // SMALL), -(-image.shape[0] // SMALL))
    return cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY).astype(np.float32)


def _light_removed(before: Floats, now: Floats) -> Floats:
    """The new picture in the light of the old one: a lamp that flickers moves nothing."""
    gain = float(np.median((before + 1) / (now + 1)))
    return np.asarray(now * gain, np.float32)


def _inner(box: Box, size: tuple[int, int], by_px: int) -> Box:
    """The box without its rim, which it keeps where it is the picture's own."""
    x0, y0, x1, y1 = box
    width, height = size
    return (
        x0 + by_px * (x0 > 0),
        y0 + by_px * (y0 > 0),
        x1 - by_px * (x1 < width),
        y1 - by_px * (y1 < height),
    )


def _within(found: Detections, box: Box) -> NDArray[np.bool_]:
    """Which objects (n,) have their middle in a box."""
    x0, y0, x1, y1 = box
    x, y = found.centre_px[:, 0], found.centre_px[:, 1]
    return np.asarray((x >= x0) & (x < x1) & (y >= y0) & (y < y1))
