"""The felt in top view, and how much each point resembles the centre of a disc."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Floats

STEP_MM: Final = 2.5
"""Size of a pixel of the full view on the felt."""
_USUAL_TABLE_MM: Final = (2104.0, 1104.0)
_CLEAR_EDGE: Final = 14.0
"""Grey-level difference over two pixels from which an edge has full weight, so that stronger ones do not count more."""


@dataclass(frozen=True, eq=False, slots=True)
class FeltView:
    """A rectified part of the felt, or of a parallel plane above it.

    Attributes:
        left_mm: x of the first column.
        far_mm: y of the first row; y decreases downwards, so that the dealer is at the bottom.
        step_mm: length of a pixel.
        map_px: (height, width, 2) float32: position of each pixel in the picture; far outside if not visible.
    """

    left_mm: float
    far_mm: float
    step_mm: float
    map_px: Floats

    @classmethod
    def of(
        cls,
        calibration: TableCalibration,
        z_mm: float,
        box: tuple[float, float, float, float] | None = None,
        step_mm: float = STEP_MM,
    ) -> FeltView:
        """A view of a part (x0, y0, x1, y1 in mm) of the plane ``z_mm`` above the felt; of the entire plane if None."""
        if box is None:
            width, depth = calibration.layout.table_mm or _USUAL_TABLE_MM
            box = (-width / 2, -depth / 2, width / 2, depth / 2)
        x = np.arange(box[0], box[2], step_mm)
        y = np.arange(box[3], box[1], -step_mm)
        grid = np.stack(np.meshgrid(x, y), -1)
        points = np.concatenate([grid, np.full((*grid.shape[:2], 1), z_mm)], -1).reshape(-1, 3)
        pixels = calibration.project(points)
        width_px, height_px = calibration.size
        known = np.nan_to_num(pixels, nan=-9.0)
        seen = (known.min(axis=1) > -1) & (known[:, 0] < width_px) & (known[:, 1] < height_px)
        return cls(
            box[0], box[3], step_mm, np.where(seen.reshape(-1, 1), known, -9.0).reshape(grid.shape).astype(np.float32)
        )

    def take(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The view of a picture, (height, width, 3) uint8; black outside the picture."""
        return np.asarray(cv2.remap(image, self.map_px[..., 0], self.map_px[..., 1], cv2.INTER_LINEAR), np.uint8)

    def place_mm(self, column: float, row: float) -> tuple[float, float]:
        """Position of a view pixel on the table."""
        return self.left_mm + column * self.step_mm, self.far_mm - row * self.step_mm

    def pixel(self, x_mm: float, y_mm: float) -> tuple[int, int]:
        """Column and row in the view of a point on the table."""
        height, width = self.map_px.shape[:2]
        column, row = round((x_mm - self.left_mm) / self.step_mm), round((self.far_mm - y_mm) / self.step_mm)
        return min(max(column, 0), width - 1), min(max(row, 0), height - 1)


@dataclass(frozen=True, eq=False, slots=True)
class Edges:
    """Directions of the edges of a view: (height, width) float32 each, together at most of length one."""

    across: Floats
    down: Floats

    @classmethod
    def of(cls, view: NDArray[np.uint8]) -> Edges:
        """The edges of a rectified view, each from the channel with the strongest edge."""
        soft = np.asarray(cv2.GaussianBlur(view, (3, 3), 0), np.float32)
        across = np.asarray(cv2.Sobel(soft, cv2.CV_32F, 1, 0, scale=0.25), np.float32)
        down = np.asarray(cv2.Sobel(soft, cv2.CV_32F, 0, 1, scale=0.25), np.float32)
        size = across**2 + down**2
        best = size.argmax(-1)[..., None]
        length = np.sqrt(np.take_along_axis(size, best, -1)[..., 0])
        by = 1 / np.maximum(length, _CLEAR_EDGE)
        return cls(np.take_along_axis(across, best, -1)[..., 0] * by, np.take_along_axis(down, best, -1)[..., 0] * by)

    def roundness(self, radius_px: float) -> Floats:
        """How radial the edges at that distance around each pixel are: (height, width) in [0, 1]."""
        reach = int(np.ceil(radius_px + 2))
        y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float32)
        distance = np.maximum(np.hypot(x, y), 1e-3)
        ring = np.clip(1.5 - np.abs(distance - radius_px), 0, 1)
        ring /= ring.sum()
        across = np.asarray(cv2.filter2D(self.across, cv2.CV_32F, ring * x / distance), np.float32)
        down = np.asarray(cv2.filter2D(self.down, cv2.CV_32F, ring * y / distance), np.float32)
        return np.asarray(np.abs(across + down), np.float32)


def peaks(roundness: Floats, least: float, apart_px: float, most: int) -> Sequence[tuple[int, int, float]]:
    """The best disc centres, (column, row, roundness), strongest first with a minimum distance."""
    size = 2 * max(1, round(apart_px)) + 1
    top = (roundness >= cv2.dilate(roundness, np.ones((size, size), np.uint8))) & (roundness >= least)
    rows, columns = np.nonzero(top)
    order = np.argsort(-roundness[rows, columns])[:most]
    return [(int(columns[n]), int(rows[n]), float(roundness[rows[n], columns[n]])) for n in order]
