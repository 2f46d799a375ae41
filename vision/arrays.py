"""Array types that the vision modules share, and dataclasses whose fields are arrays of equal length."""

from dataclasses import dataclass, fields
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Pixels: TypeAlias = NDArray[np.uint8]
"""A picture (height, width, 3) or crops (n, height, width, 3), blue-green-red."""
TileCrops: TypeAlias = NDArray[np.uint8]
"""(n, 96, 48, 3) upright crops of tiles, blue-green-red."""
DieCrops: TypeAlias = NDArray[np.uint8]
"""(n, 80, 80, 3) crops of dice by their upper faces, blue-green-red."""
Quads: TypeAlias = NDArray[np.float32]
"""(n, 4, 2) outlines of tiles or upper faces of dice, in pixels and clockwise; corner 0-1 is the top of a crop."""
Chances: TypeAlias = NDArray[np.float32]
"""(n, 22) probabilities of a tile's faces or (n, 7) of a die's values; the last is that none can be told."""
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in whole pixels; right and bottom lie outside."""
Colour: TypeAlias = tuple[float, float, float]
"""Blue, green and red, 0 to 255."""


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Base of a dataclass whose fields are arrays (n, ...) or other ``Rows`` of n rows."""

    def take(self, which: Indices | Mask) -> Self:
        """Return some of the rows, by index or mask."""
        return type(self)(*(each.take(which) if isinstance(each, Rows) else each[which] for each in _columns(self)))

    def put(self, which: Indices, rows: Self) -> Self:
        """Return the same with other rows in some places."""
        return type(self)(*(_put(old, which, new) for old, new in zip(_columns(self), _columns(rows), strict=True)))


def _columns(rows: Rows) -> list[Any]:
    return [getattr(rows, field.name) for field in fields(rows)]


def _put(column: Any, which: Indices, new: Any) -> Any:  # noqa: ANN401 - an array or rows
    if isinstance(column, Rows):
        return column.put(which, new)
    copy = column.copy()
    copy[which] = new
    return copy
