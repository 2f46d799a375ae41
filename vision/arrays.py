"""Array types shared by the vision modules, and dataclasses of arrays with equal length."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self, TypeAlias

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
"""(n, 22) probabilities of a tile's faces or (n, 7) of a die's values; the last class is "unrecognisable"."""
NO_QUADS: Final[Quads] = np.zeros((0, 4, 2), np.float32)
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in whole pixels; right and bottom are exclusive."""
Colour: TypeAlias = tuple[float, float, float]
"""Blue, green and red, 0 to 255."""


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Base of a dataclass whose fields are arrays (n, ...), tuples of n things, or other ``Rows`` of n rows."""

    def take(self, which: Indices | Mask) -> Self:
        return type(self)(*(_taken(each, which) for each in _columns(self)))

    def put(self, which: Indices, rows: Self) -> Self:
        """Return a copy with some rows replaced."""
        return type(self)(*(_put(old, which, new) for old, new in zip(_columns(self), _columns(rows), strict=True)))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        return cls(*(_joined(column) for column in zip(*map(_columns, parts), strict=True)))


def _columns(rows: Rows) -> list[Any]:
    return [getattr(rows, field.name) for field in fields(rows)]


def _taken(column: Any, which: Indices | Mask) -> Any:  # noqa: ANN401 - an array, a tuple or rows
    if isinstance(column, Rows):
        return column.take(which)
    if isinstance(column, tuple):
        return tuple(column[index] for index in np.arange(len(column))[which].tolist())
    return column[which]


def _put(column: Any, which: Indices, new: Any) -> Any:  # noqa: ANN401 - an array, a tuple or rows
    if isinstance(column, Rows):
        return column.put(which, new)
    if isinstance(column, tuple):
        fresh = dict(zip(which.tolist(), new, strict=True))
        return tuple(fresh.get(index, old) for index, old in enumerate(column))
    copy = column.copy()
    copy[which] = new
    return copy


def _joined(parts: tuple[Any, ...]) -> Any:  # noqa: ANN401 - arrays, tuples or rows
    if isinstance(parts[0], Rows):
        return type(parts[0]).joined(parts)
    return sum(parts, ()) if isinstance(parts[0], tuple) else np.concatenate(parts)
