"""Sizes of what lies on a table, and the corners of rectangles that lie there at any angle."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

BOXES: Final = 8
"""Betting boxes of a table at most; the rulebooks count to the same number (``engine.vocabulary.facts.BOXES``)."""
TILE_MM: Final = (63.5, 25.4, 9.5)
"""Length, width and thickness of a tile."""
TILE_TOP_MM: Final = TILE_MM[2]
"""Height of the face of a tile that lies on the felt."""


def rectangle_corners(middles: ArrayLike, angles_rad: ArrayLike, size: tuple[float, float]) -> NDArray[np.float64]:
    """The corners of rectangles of one size.

    Args:
        middles: (n, 2).
        angles_rad: (n,), directions of the first side, counter-clockwise from +x where +y is to the left of +x.
        size: lengths of the first and the second side.

    Returns:
        (n, 4, 2) float64: at the far end of the first side left and right, then at its near end right and left.
    """
    angles = np.asarray(angles_rad, np.float64).reshape(-1)
    along = np.column_stack([np.cos(angles), np.sin(angles)]) * size[0] / 2
    across = np.column_stack([-np.sin(angles), np.cos(angles)]) * size[1] / 2
    turned = np.stack([along + across, along - across, -along - across, -along + across], 1)
    corners: NDArray[np.float64] = np.asarray(middles, np.float64).reshape(-1, 1, 2) + turned
    return corners
