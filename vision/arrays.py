"""Array types that the vision modules share."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Pixels: TypeAlias = NDArray[np.uint8]
"""A picture (height, width, 3) or crops (n, height, width, 3), blue-green-red."""
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in whole pixels; right and bottom lie outside."""
Colour: TypeAlias = tuple[float, float, float]
"""Blue, green and red, 0 to 255."""
