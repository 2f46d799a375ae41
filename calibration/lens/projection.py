"""Lens model: from rays in front of the camera to pixels, and back.

The model is OpenCV's pinhole model with two or three radial and two tangential terms.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from calibration.arrays import Numbers, PointsPx, Rays

_STOP: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 100, 1e-12)
_ROUND_TRIP_PX: Final = 0.05
"""Maximum round-trip error of a valid ray; beyond it the distortion model folds over."""


@dataclass(frozen=True, eq=False, slots=True)
class Lens:
    """Pinhole with distortion: (3, 3) camera matrix K in pixels, and (5,) ``k1, k2, p1, p2, k3``."""

    matrix: Numbers
    distortion: Numbers

    def image_from_rays(self, rays: Rays) -> PointsPx:
        """Project rays into the picture.

        nan where the distortion model folds over and would map a ray from outside the field of view to the inside.
        """
        if not len(rays):
            return np.empty((0, 2))
        points = np.column_stack([rays, np.ones(len(rays))])
        image, _ = cv2.projectPoints(points, np.zeros(3), np.zeros(3), self.matrix, self.distortion)
        pixels = np.asarray(image, np.float64).reshape(-1, 2)
        k1, k2, _, _, k3 = self.distortion.tolist()
        # Beyond this radius the distorted radius no longer increases.
        unfolded = np.square(rays).sum(axis=1) < _turning(k1, k2, k3)
        pixels[~(np.isfinite(rays).all(axis=1) & unfolded)] = np.nan
        return pixels

    def rays_from_image(self, points_px: PointsPx) -> Rays:
        """The rays of pixels; nan otherwise."""
        points_px = np.ascontiguousarray(points_px, np.float64).reshape(-1, 2)
        if not len(points_px):
            return np.empty((0, 2))
        finite = np.asarray(np.isfinite(points_px).all(axis=1))
        safe = np.where(finite[:, None], points_px, 0.0)
        rays = np.asarray(
            cv2.undistortPoints(safe.reshape(-1, 1, 2), self.matrix, self.distortion, None, None, None, _STOP),
            np.float64,
        ).reshape(-1, 2)
        error_px = np.linalg.norm(self.image_from_rays(rays) - safe, axis=1)
        rays[~(finite & (error_px < _ROUND_TRIP_PX))] = np.nan
        return rays


@lru_cache(maxsize=64)
def _turning(k1: float, k2: float, k3: float) -> float:
    """The squared radius at which the distorted radius r (1 + k1 r^2 + k2 r^4 + k3 r^6) stops growing."""
    # The zero of its derivative, a polynomial in r^2; solved in 1 / r^2, since then the first coefficient is never
    # tiny.
    roots = np.roots([1.0, 3 * k1, 5 * k2, 7 * k3])
    largest = max((float(root.real) for root in roots if abs(root.imag) < 1e-9), default=0.0)
    return 1.0 / largest if largest > 0 else math.inf
