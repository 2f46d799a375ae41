"""The renderer's canvas: linear light, and the owner of each pixel."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
Points = NDArray[np.float64]
Box = tuple[int, int, int, int]
"""x0, y0, x1, y1, pixels."""

SUBPIXEL_BITS = 4
"""OpenCV polygon corners are given in sixteenths of a pixel."""


class Canvas:
    """A picture being rendered.

    Attributes:
        light: (h, w, 3) float32 linear blue-green-red.
        owner: (h, w) int16; index of the tile or die seen there, -1 the ground, below -1 a prop.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        w, h = size
        self.light: F32 = np.zeros((h, w, 3), np.float32)
        self.owner = np.full((h, w), -1, np.int16)

    def box(self, points_px: Points, margin: int = 2) -> Box | None:
        """Return x0, y0, x1, y1 of the part of the sheet that holds the points, or None outside."""
        h, w = self.owner.shape
        low, high = np.floor(points_px.min(0)) - margin, np.ceil(points_px.max(0)) + margin + 1
        x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
        x1, y1 = min(w, int(high[0])), min(h, int(high[1]))
        return None if x1 - x0 < 1 or y1 - y0 < 1 else (x0, y0, x1, y1)

    def blend(
        self, box: Box, colour: NDArray[np.floating[Any]], alpha: NDArray[np.floating[Any]], owner: int | None
    ) -> None:
        """Paint `colour` ((3,) or (h, w, 3)) over a box with (h, w) alpha; claim what is more than half covered."""
        x0, y0, x1, y1 = box
        target, colour = self.light[y0:y1, x0:x1], np.asarray(colour, np.float32)
        covered = alpha > 0
        if colour.ndim == 1 and np.count_nonzero(covered) < covered.size // 8:  # a line in a large box
            under = target[covered]
            target[covered] = under + (colour - under) * np.asarray(alpha[covered], np.float32)[:, None]
        else:
            target += (colour - target) * np.asarray(alpha, np.float32)[..., None]
        self._claim(box, alpha, owner)

    def _claim(self, box: Box, alpha: NDArray[np.floating[Any]], owner: int | None) -> None:
        x0, y0, x1, y1 = box
        if owner is not None:
            self.owner[y0:y1, x0:x1][alpha > 0.5] = owner

    def fill(self, points_px: Points, colour: Points, owner: int | None, *, opacity: float = 1.0) -> None:
        """Paint the convex hull of the points; the claim does not depend on the opacity."""
        box = self.box(points_px)
        if box is None:
            return
        x0, y0, x1, y1 = box
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        _fill_hull(mask, points_px, (x0, y0))
        alpha = np.asarray(mask, np.float32) / np.float32(255)
        self.blend(box, colour, alpha * np.float32(opacity), None)
        self._claim(box, alpha, owner)

    def _warp(self, texture: NDArray[np.floating[Any]], cover: F32, quad_px: Points) -> tuple[Box, F32, F32] | None:
        box = self.box(quad_px)
        if box is None:
            return None
        x0, y0, x1, y1 = box
        h, w = cover.shape
        sides = np.linalg.norm(quad_px - np.roll(quad_px, -1, 0), axis=1)
        shrink = max(sides[[0, 2]].max() / w, sides[[1, 3]].max() / h)
        if shrink < 0.7:
            size = (max(4, round(w * shrink * 1.1)), max(4, round(h * shrink * 1.1)))
            texture = np.asarray(cv2.resize(texture, size, interpolation=cv2.INTER_AREA), np.float32)
            cover = np.asarray(cv2.resize(cover, size, interpolation=cv2.INTER_AREA), np.float32)
            h, w = cover.shape
        source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - np.float32(0.5)
        matrix = cv2.getPerspectiveTransform(source, (quad_px - [x0, y0]).astype(np.float32))
        stacked = np.dstack([texture * cover[..., None], cover])
        warped = cv2.warpPerspective(stacked, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        return box, np.asarray(warped[..., :3], np.float32), np.asarray(warped[..., 3], np.float32)

    def lay(
        self, texture: NDArray[np.floating[Any]], cover: F32, quad_px: Points, owner: int | None, *, gain: float = 1.0
    ) -> None:
        """Lay (h, w, 3) light with (h, w) coverage on a quad given top-left, top-right, bottom-right, bottom-left."""
        warped = self._warp(texture, cover, quad_px)
        if warped is None:
            return
        box, light, alpha = warped
        x0, y0, x1, y1 = box
        target = self.light[y0:y1, x0:x1]
        target *= (1 - alpha)[..., None]
        target += light * np.float32(gain)
        self._claim(box, alpha, owner)

    def add(self, texture: F32, cover: F32, quad_px: Points) -> None:
        """Add light on a quad, as a mirror reflection does."""
        warped = self._warp(texture, cover, quad_px)
        if warped is not None:
            (x0, y0, x1, y1), light, _ = warped
            self.light[y0:y1, x0:x1] += light

    def stencil(self, mask: NDArray[np.uint8], points_px: Points) -> None:
        """Set the convex hull of the points to 255 in a whole-sheet mask."""
        if self.box(points_px) is not None:
            _fill_hull(mask, points_px)

    def darken(self, mask: cv2.typing.MatLike, strength: float, blur_px: float = 0.0) -> None:
        """Take `strength` of the light away where the mask, blurred, is 255."""
        x, y, w, h = cv2.boundingRect(np.asarray(mask, np.uint8))
        if not w:
            return
        reach = int(np.ceil(4 * blur_px))
        part = np.s_[max(0, y - reach) : y + h + reach, max(0, x - reach) : x + w + reach]
        soft = cv2.GaussianBlur(mask[part], (0, 0), blur_px) if blur_px else mask[part]
        left = 1 - soft.astype(np.float32) * np.float32(strength / 255)
        self.light[part] = cv2.multiply(self.light[part], cv2.merge([left, left, left]))


def _fill_hull(mask: NDArray[np.uint8], points_px: Points, corner: tuple[int, int] = (0, 0)) -> None:
    """Set the convex hull of the points to 255 in a mask whose first pixel is `corner`."""
    hull = cv2.convexHull(points_px.astype(np.float32)).reshape(-1, 2)
    corners = np.rint((hull - corner) * (1 << SUBPIXEL_BITS)).astype(np.int32)
    cv2.fillConvexPoly(mask, corners, 255, cv2.LINE_AA, SUBPIXEL_BITS)
