"""Placement of labels on a picture: close to their targets, without covering anything else if there is room."""

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Box

Point: TypeAlias = tuple[float, float]

_DISTANCE_COST: Final = 0.1
"""Cost of a pixel of distance, in covered square pixels per pixel of a label's width and height."""
_TARGET_WEIGHT, _KEEP_WEIGHT, _LABEL_WEIGHT = 4, 4, 3
"""Weights of covered square pixels: of the label's target, of other tiles and dice, and of other labels."""


class LabelPlacer:
    """Finds room for labels on a picture of this width and height, avoiding the ``keep`` boxes if possible."""

    def __init__(self, size: tuple[int, int], keep: Sequence[Box]) -> None:
        self._size = size
        self._keep = np.array(keep, np.float64).reshape(-1, 4)
        self._labels = np.empty((0, 4))

    def place(self, target: Box, size: tuple[int, int]) -> Box:
        """Place a label of this width and height close to its target, covering nothing else if possible."""
        width, height = size
        x0, y0, x1, y1 = target
        gap = max(6.0, 0.05 * (x1 - x0))
        others = np.vstack([self._keep, self._labels, np.array([target], np.float64)])
        weights = np.repeat((_KEEP_WEIGHT, _LABEL_WEIGHT, _TARGET_WEIGHT), (len(self._keep), len(self._labels), 1))
        choices: list[tuple[float, Box]] = []
        for reach in (gap + ring * 0.15 * max(width, height) for ring in range(8)):
            left, right = x0 - reach - width, x1 + reach
            top, bottom = y0 - reach - height, y1 + reach
            boxes: list[Box] = []
            for share in (0.5, 0.0, 1.0, -0.5, 1.5):
                slide_x = x0 + share * (x1 - x0 - width)
                slide_y = y0 + share * (y1 - y0 - height)
                for x, y in ((slide_x, top), (slide_x, bottom), (left, slide_y), (right, slide_y)):
                    boxes.append(self._inside(x, y, width, height))
            covered = _overlaps(np.array(boxes, np.float64), others) @ weights
            choices += [(cost + _far(box, target), box) for cost, box in zip(covered.tolist(), boxes, strict=True)]
            if not covered.all():
                break  # further away the cost only rises
        _, chosen = min(choices, key=lambda choice: choice[0])
        self._labels = np.vstack([self._labels, chosen])
        return chosen

    def _inside(self, x: float, y: float, width: int, height: int) -> Box:
        left = round(min(max(0.0, x), max(0, self._size[0] - width)))
        top = round(min(max(0.0, y), max(0, self._size[1] - height)))
        return left, top, left + width, top + height


def _far(box: Box, target: Box) -> float:
    """The cost of a label's distance."""
    return _DISTANCE_COST * math.dist(*nearest_points(target, box)) * (box[2] - box[0] + box[3] - box[1])


def _overlaps(boxes: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intersection area of each box with each of the others in square pixels, (boxes, others)."""
    one = boxes[:, None]
    wide = np.minimum(one[..., 2], others[:, 2]) - np.maximum(one[..., 0], others[:, 0])
    high = np.minimum(one[..., 3], others[:, 3]) - np.maximum(one[..., 1], others[:, 1])
    return np.asarray(np.maximum(wide, 0) * np.maximum(high, 0), np.float64)


def bounds(points: Sequence[Point]) -> Box:
    """The smallest box of whole pixels around points."""
    corners = np.array(points)
    (x0, y0), (x1, y1) = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0))
    return int(x0), int(y0), int(x1), int(y1)


def union(boxes: Sequence[Box]) -> Box:
    return bounds([corner for x0, y0, x1, y1 in boxes for corner in ((x0, y0), (x1, y1))])


def nearest_points(one: Box, other: Box) -> tuple[Point, Point]:
    """The ends of the shortest line between two boxes."""
    ends: list[Point] = []
    for axis in (0, 1):
        low, high = max(one[axis], other[axis]), min(one[axis + 2], other[axis + 2])
        if low <= high:
            ends.append(((low + high) / 2, (low + high) / 2))
        else:
            ends.append((one[axis + 2], other[axis]) if one[axis + 2] < other[axis] else (one[axis], other[axis + 2]))
    (x_one, x_other), (y_one, y_other) = ends
    return (float(x_one), float(y_one)), (float(x_other), float(y_other))
