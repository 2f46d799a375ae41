"""Guidance drawn on the camera's picture. What it means is also said in words beside the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from calibration.lens.board import BoardView
from calibration.lens.view_coverage import GRID
from calibration.table.table_fit import ACCEPT_MM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from calibration.arrays import PointsPx
    from calibration.lens.view_coverage import ViewCoverage
    from calibration.lens.view_taking import Look
    from calibration.table.markers import MarkerSpot
    from calibration.table.table_fit import PoseFit
    from vision.capture.images import Image
    from vision.reading import Polygon

_GREEN: Final = (80, 200, 80)
_AMBER: Final = (0, 170, 255)
_RED: Final = (60, 60, 235)
_WHITE: Final = (255, 255, 255)
_SHOWN_PX: Final = 1280
"""Width to which pictures are brought down: a page needs no more."""


def shown(image: Image) -> tuple[Image, float]:
    """A copy no wider than a page needs, and its scale."""
    width = image.shape[1]
    if width <= _SHOWN_PX:
        return image.copy(), 1.0
    scale = _SHOWN_PX / width
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8), scale


def draw_board(image: Image, look: Look, covered: ViewCoverage) -> Image:
    """The parts of the picture that have views in green, the one to hold the board in next in amber, and the board.

    Args:
        image: (height, width, 3) uint8 BGR.
        look: what the picture shows of the board.
        covered: what the views have.

    Returns:
        (height, width, 3) uint8 BGR, no wider than a page needs.
    """
    drawn, scale = shown(image)
    height, width = drawn.shape[:2]
    columns, rows = GRID
    tint = drawn.copy()
    target = next(
        ((row, column) for row, parts in enumerate(covered.seen) for column, there in enumerate(parts) if not there),
        None,
    )
    for row, parts in enumerate(covered.seen):
        for column, there in enumerate(parts):
            box = _part(width, height, columns, rows, column, row)
            if there or (row, column) == target:
                cv2.rectangle(tint, *box, _GREEN if there else _AMBER, -1)
            cv2.rectangle(drawn, *box, _WHITE, 1)
    cv2.addWeighted(tint, 0.22, drawn, 0.78, 0, dst=drawn)
    if target is not None:
        row, column = target
        (left, top), (right, bottom) = _part(width, height, columns, rows, column, row)
        cv2.rectangle(drawn, (left + 4, top + 4), (right - 4, bottom - 4), _AMBER, 6)
    if isinstance(look.found, BoardView):
        colour = _GREEN if look.taken or look.still else _WHITE
        outline = cv2.convexHull((look.found.points_px * scale).astype(np.float32))
        rim = outline.astype(np.int32)
        cv2.polylines(drawn, [rim], isClosed=True, color=colour, thickness=5, lineType=cv2.LINE_AA)
        for x, y in look.found.points_px * scale:
            cv2.circle(drawn, (round(x), round(y)), 3, colour, -1, cv2.LINE_AA)
    return drawn


def draw_markers(
    image: Image, seen: Mapping[int, PointsPx], spots: Sequence[MarkerSpot], fit: PoseFit | None = None
) -> Image:
    """The markers that are seen with their numbers, and how far each is from where it was said to lie.

    Args:
        image: (height, width, 3) uint8 BGR.
        seen: four corners by number, pixels.
        spots: where they are said to lie.
        fit: the camera's place; its residuals are in the order of the spots that are seen.

    Returns:
        (height, width, 3) uint8 BGR, no wider than a page needs.
    """
    drawn, scale = shown(image)
    named = [spot.number for spot in spots]
    there = [number for number in named if number in seen]
    off = {} if fit is None else dict(zip(there, fit.residual_mm.tolist(), strict=True))
    for number, corners in seen.items():
        colour = _GREEN if number in named and off.get(number, 0.0) <= ACCEPT_MM else _AMBER
        outline = np.round(corners * scale).astype(np.int32)
        cv2.polylines(drawn, [outline], isClosed=True, color=colour, thickness=4, lineType=cv2.LINE_AA)
        text = f"{number}: {off[number]:.1f} mm" if number in off else str(number)
        (wide, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.9, 2)
        left = int(outline[:, 0].max()) + 6
        if left + wide > drawn.shape[1]:
            left = int(outline[:, 0].min()) - 6 - wide
        for thickness, shade in ((7, (0, 0, 0)), (2, colour)):
            at = (left, int(outline[:, 1].mean()) + 8)
            cv2.putText(drawn, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.9, shade, thickness, cv2.LINE_AA)
    return drawn


def draw_found(image: Image, polygons: Iterable[Polygon]) -> Image:
    """What lies on a table that should be empty, in red."""
    drawn, scale = shown(image)
    for polygon in polygons:
        outline = np.round(np.asarray(polygon, np.float64) * scale).astype(np.int32)
        cv2.polylines(drawn, [outline], isClosed=True, color=_RED, thickness=4, lineType=cv2.LINE_AA)
    return drawn


def _part(
    width: int, height: int, columns: int, rows: int, column: int, row: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two corners of a part of the picture."""
    across, down = width / columns, height / rows
    return (round(column * across), round(row * down)), (round((column + 1) * across), round((row + 1) * down))
