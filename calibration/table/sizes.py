"""Sizes of objects on a table, and corners of rotated rectangles."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

TABLE_MM: Final = (2104.0, 1104.0)
"""Default playing surface, if a layout does not specify one."""
TILE_MM: Final = (63.5, 25.4, 9.5)
"""Length, width and thickness of a tile."""
TILE_TOP_MM: Final = TILE_MM[2]
"""Height of the face of a tile on the felt."""


def rectangle_corners(middles: ArrayLike, angles_rad: ArrayLike, size: tuple[float, float]) -> NDArray[np.float64]:
    """The corners (n, 4, 2) of rectangles of one size, from their centres and the directions of their first sides.

    Angles run counter-clockwise from +x where +y is to the left of +x. The corners come at the far end of the first
    side left and right, then at its near end right and left.
    """
    angles = np.asarray(angles_rad, np.float64).reshape(-1)
    along = np.column_stack([np.cos(angles), np.sin(angles)]) * size[0] / 2
    across = np.column_stack([-np.sin(angles), np.cos(angles)]) * size[1] / 2
    turned = np.stack([along + across, along - across, -along - across, -along + across], 1)
    corners: NDArray[np.float64] = np.asarray(middles, np.float64).reshape(-1, 1, 2) + turned
    return corners
