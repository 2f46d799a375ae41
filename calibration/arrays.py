"""Arrays of points and rays, float64; rows without a result are nan."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

PointsPx: TypeAlias = NDArray[np.float64]
"""(n, 2) points of a picture, pixels; pixel centres are at integers."""
PointsMm: TypeAlias = NDArray[np.float64]
"""(n, 3) points in the table frame, millimetres."""
FlatMm: TypeAlias = NDArray[np.float64]
"""(n, 2) x and y of points on a plane, millimetres."""
Rays: TypeAlias = NDArray[np.float64]
"""(n, 2) ``(x / z, y / z)`` in the camera frame (x right, y down, z forward)."""
Numbers: TypeAlias = NDArray[np.float64]
"""(n,) numbers, or a matrix."""
