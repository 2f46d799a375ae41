"""Matching of detections to labelled objects by overlap of outlines."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from datasets.labels.labels import DieLabel, TileLabel

MIN_OVERLAP: Final = 0.5
"""Minimum intersection over union of a match."""
MAX_BOX_AREA_RATIO: Final = 4.0
"""Ratio of the areas of a face and of a box up to which the box may be drawn around the face's die."""
MIN_VISIBLE: Final = 0.5
"""Visible share of an upper face from which a detection counts as true."""

Outline: TypeAlias = "Sequence[tuple[float, float]]"
MatchKind: TypeAlias = Literal["true", "excused", "false"]
"""Whether a detection matches an object, only one that does not count, or nothing."""


def match(
    outlines: Sequence[Outline], labels: Sequence[TileLabel | DieLabel], overlap: Callable[[Outline, Outline], float]
) -> tuple[list[int | None], list[MatchKind]]:
    """Visible objects have priority: tiles at the bottom of a stack are at nearly the same position as the top one.

    Visible objects choose first: the tiles at the bottom of a stack lie in nearly the same place as the one on top.

    Returns:
        For each label the index of its detection or None; for each detection whether it is true.
    """
    partner: list[int | None] = [None] * len(labels)
    matches: list[MatchKind] = ["false"] * len(outlines)
    plain = [index for index, each in enumerate(labels) if each.visible >= MIN_VISIBLE and not each.ignore]
    rest = [index for index in range(len(labels)) if index not in set(plain)]
    kinds: tuple[tuple[list[int], MatchKind], ...] = ((plain, "true"), (rest, "excused"))
    for wanted, kind in kinds:
        free = [index for index in range(len(outlines)) if matches[index] == "false"]
        table = np.zeros((len(wanted), len(free)))
        for (row, label), (column, outline) in product(enumerate(wanted), enumerate(free)):
            table[row, column] = overlap(labels[label].polygon, outlines[outline])
        table[table < MIN_OVERLAP] = 0
        for row, column in zip(*linear_sum_assignment(table, maximize=True), strict=True):
            if table[row, column] > 0:
                partner[wanted[row]] = free[column]
                matches[free[column]] = kind
    return partner, matches


def outline_overlap(label: Outline, outline: Outline) -> float:
    """Intersection over union of two convex outlines."""
    if _apart(label, outline):  # most pairs on a table
        return 0.0
    one, other = (cv2.convexHull(np.array(each, np.float32)) for each in (label, outline))
    if len(one) < 3 or len(other) < 3:
        return 0.0
    common = float(cv2.intersectConvexConvex(one, other)[0])
    return common / (cv2.contourArea(one) + cv2.contourArea(other) - common)


def die_overlap(label: Outline, outline: Outline) -> float:
    """Overlap of a labelled die and an upper face; by ``_box_overlap`` if the label is an upright rectangle.

    Upper faces hardly ever are one: such a label is a box drawn around a die in a photograph.
    """
    (left, top), (right, bottom) = np.min(label, axis=0), np.max(label, axis=0)
    box = {(left, top), (right, top), (right, bottom), (left, bottom)}
    return _box_overlap(label, outline) if {tuple(point) for point in label} == box else outline_overlap(label, outline)


def _box_overlap(box: Outline, outline: Outline) -> float:
    """Share of the smaller of two areas in common: the box, and an upper face's bounding box.

    Boxes are drawn around entire dice, some generously, some tightly: the upper face lies anywhere in them. 0 if the
    areas differ by more than ``MAX_BOX_AREA_RATIO``.
    """
    (left, top), (right, bottom) = np.min(outline, axis=0), np.max(outline, axis=0)
    around = ((left, top), (right, top), (right, bottom), (left, bottom))
    one, other = (np.array(each, np.float32) for each in (box, around))
    areas = cv2.contourArea(one), cv2.contourArea(other)
    if _apart(box, around) or max(areas) > MAX_BOX_AREA_RATIO * min(areas):
        return 0.0
    return float(cv2.intersectConvexConvex(one, other)[0]) / min(areas)


def _apart(one: Outline, other: Outline) -> bool:
    """Whether the bounding boxes of two outlines are disjoint."""
    return any(
        max(point[axis] for point in a) < min(point[axis] for point in b)
        for axis in (0, 1)
        for a, b in ((one, other), (other, one))
    )


def center(polygon: Outline) -> tuple[float, float]:
    """Centre of an outline, pixels, to a tenth."""
    x, y = np.array(polygon, np.float64).mean(axis=0)
    return round(float(x), 1), round(float(y), 1)
