"""Parts of a picture to search: disjoint boxes around marked cells of a grid over it."""

import cv2
import numpy as np

from vision.arrays import Box, Mask


def grown(marked: Mask, reach: int) -> Mask:
    """The marked cells (rows, columns) and those up to ``reach`` cells beside them."""
    side = 2 * reach + 1
    return cv2.dilate(marked.astype(np.uint8), np.ones((side, side), np.uint8)) > 0


def boxes_around(marked: Mask, cell_px: int) -> list[Box]:
    """Disjoint boxes around connected marked cells (rows, columns), in pixels."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(marked.astype(np.uint8))
    disjoint: list[Box] = []
    for x, y, width, height, _ in (stats[1:] * (cell_px, cell_px, cell_px, cell_px, 1)).tolist():
        box: Box = (x, y, x + width, y + height)
        while touching := [other for other in disjoint if _touch(box, other)]:
            disjoint = [other for other in disjoint if other not in touching]
            corners = np.array([box, *touching])
            (x0, y0), (x1, y1) = corners[:, :2].min(0).tolist(), corners[:, 2:].max(0).tolist()
            box = (x0, y0, x1, y1)
        disjoint.append(box)
    return disjoint


def without_rim(box: Box, size: tuple[int, int], rim_px: int) -> Box:
    """The box without its border, except where it ends with the picture of this width and height."""
    (x0, y0, x1, y1), (width, height) = box, size
    return x0 + rim_px * (x0 > 0), y0 + rim_px * (y0 > 0), x1 - rim_px * (x1 < width), y1 - rim_px * (y1 < height)


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
