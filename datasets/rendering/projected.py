"""Projection of table points, and outlines for drawing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from datasets.scenes.scene import CameraModel

Points = NDArray[np.float64]


def project(camera: CameraModel, points_mm: Points) -> Points:
    """Project (n, 3) table points to (n, 2) pixels, pixel centres at integers."""
    rvec = cv2.Rodrigues(camera.r)[0]
    points = np.ascontiguousarray(points_mm, np.float64).reshape(-1, 1, 3)
    out = cv2.projectPoints(points, rvec, camera.t, camera.k, camera.dist)[0]
    return np.asarray(out, np.float64).reshape(-1, 2)


def at_height(points: Points, z: float) -> Points:
    """Lift (n, 2) table points to a height; return (n, 3)."""
    return np.column_stack([points, np.full(len(points), z)])


def circle(radius: float, n: int = 24) -> Points:
    """Return (n, 2) points of a circle about the origin."""
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return radius * np.stack([np.cos(a), np.sin(a)], 1)


@lru_cache(maxsize=64)
def rounded_outline(length: float, width: float, radius: float, steps: int = 4) -> Points:
    """Return (4 * steps, 2) points of a rounded rectangle about the origin, not to be written to."""
    arc = np.linspace(0, np.pi / 2, steps)
    sides = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    corners = [
        (sx * (length / 2 - radius) + radius * np.cos(angle), sy * (width / 2 - radius) + radius * np.sin(angle))
        for (sx, sy), angle in zip(sides, (arc + k * np.pi / 2 for k in range(4)), strict=True)
    ]
    outline = np.concatenate([np.stack(corner, 1) for corner in corners])
    outline.setflags(write=False)
    return outline
