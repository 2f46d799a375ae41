"""The pose of the camera over the table, and the planes it sees: felt, tops of tiles, tops of dice.

A tile's face is 9.5 mm above the felt, which shifts it by several millimetres for an oblique camera; so every
conversion names the height of its plane.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from calibration.arrays import FlatMm, Numbers, PointsMm, PointsPx, Rays

DealerSide: TypeAlias = Literal["bottom of image", "top of image"]

_STEP_MM: Final = 0.5
"""Half the step for measuring the local scale; far below the size of any object on the table."""
_AROUND_MM: Final = np.array(((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0))) * _STEP_MM
_FARTHEST_MM: Final = 1e9
"""Distance beyond which a ray counts as parallel to a plane."""


@dataclass(frozen=True, eq=False, slots=True)
class Pose:
    """The camera over the table: ``X_camera = rotation @ X_table + translation``, (3, 3) and (3,), millimetres."""

    rotation: Numbers
    translation: Numbers

    @property
    def camera_mm(self) -> Numbers:
        """The camera's centre in the table frame, (3,)."""
        return -self.rotation.T @ self.translation

    @property
    def dealer_side(self) -> DealerSide:
        """The side of the picture the dealer is at: the image direction of movement toward the dealer."""
        toward_dealer = self.rotation @ (0.0, -1.0, 0.0)
        return "bottom of image" if toward_dealer[1] > 0 else "top of image"

    def rays_from_table(self, points_mm: PointsMm) -> Rays:
        """The rays toward points; nan for points beside or behind the camera."""
        seen = points_mm @ self.rotation.T + self.translation
        ahead = seen[:, 2] > 1e-6
        depth = np.where(ahead, seen[:, 2], 1.0)
        return np.where(ahead[:, None], seen[:, :2] / depth[:, None], np.nan)

    def plane_from_rays(self, rays: Rays, z_mm: float | Numbers) -> FlatMm:
        """Intersections of rays with level planes at heights above the felt; nan otherwise."""
        toward = np.column_stack([rays, np.ones(len(rays))]) @ self.rotation
        camera = self.camera_mm
        with np.errstate(divide="ignore", invalid="ignore"):
            depth = (z_mm - camera[2]) / toward[:, 2]
            ahead = (depth > 0) & (depth < _FARTHEST_MM)
            return np.where(ahead[:, None], camera[:2] + depth[:, None] * toward[:, :2], np.nan)


def scale_at(project: Callable[[PointsMm], PointsPx], points_mm: PointsMm) -> Numbers:
    """Pixels per millimetre of a level surface, (n,): the square root of how much a small area grows."""
    around = (points_mm + _AROUND_MM[:, None]).reshape(-1, 3)
    right, left, ahead, back = project(around).reshape(4, -1, 2)
    dx, dy = right - left, ahead - back
    area: Numbers = np.abs(dx[:, 0] * dy[:, 1] - dx[:, 1] * dy[:, 0]) / (2 * _STEP_MM) ** 2
    return np.sqrt(area)
