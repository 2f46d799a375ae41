"""Template matching of patterns of round pips, by normalised cross-correlation.

Each crop is filtered with discs of the pips' sizes. The correlation of a pattern is then a sum of a few values. As
patterns share most pip positions, one sparse matrix gives the values at all positions, and another sums them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import median
from typing import Any, Final, Self

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from vision.arrays import Floats, Indices, Mask

_MOST_CHANNELS: Final = 128
"""Maximum number of channels for OpenCV."""
_SAME_PLACE_DECIMALS: Final = 3
"""Decimals of a pixel to which the positions of two pips must agree to count as one."""


@cache
def disc(radius_px: float) -> Floats:
    """A disc with unit sum and antialiased rim.

    >>> disc(0.5).shape, round(float(disc(2.3).sum()), 6)
    ((3, 3), 1.0)
    """
    fine, reach = 8, int(np.ceil(radius_px))
    axis = (np.arange((2 * reach + 1) * fine) + 0.5) / fine - reach - 0.5
    inside = (axis[:, None] ** 2 + axis[None] ** 2 <= radius_px**2).astype(np.float32)
    covered = inside.reshape(2 * reach + 1, fine, 2 * reach + 1, fine).mean((1, 3))
    weights = np.asarray(covered / covered.sum(), np.float32)
    weights.flags.writeable = False
    return weights


def filtered(planes: Floats, work: Callable[[Floats], Any]) -> Floats:
    """Apply an OpenCV filter to planes (rows, columns, n) interleaved per pixel.

    This is several times as fast as one after the other.
    """
    groups = range(0, planes.shape[-1], _MOST_CHANNELS)
    parts = [work(np.ascontiguousarray(planes[..., first : first + _MOST_CHANNELS])) for first in groups]
    return np.concatenate([np.reshape(part, (*planes.shape[:2], -1)) for part in parts], -1)


def disc_means(planes: Floats, radii_px: Sequence[float]) -> Floats:
    """Means over discs around all pixels of planes (n, rows, columns), zero outside: maps (radii, rows, columns, n)."""
    beside = np.ascontiguousarray(np.moveaxis(planes, 0, -1))

    def means(radius_px: float, some: Floats) -> Any:  # noqa: ANN401 - as OpenCV has it
        return cv2.filter2D(some, cv2.CV_32F, disc(radius_px), borderType=cv2.BORDER_CONSTANT)

    return np.stack([filtered(beside, partial(means, radius)) for radius in radii_px])


def interpolated(maps: Floats, layer: Indices, plane: Indices, places: Floats) -> Floats:
    """Values (...) at sub-pixel positions, by bilinear interpolation.

    Args:
        maps: (layers, rows, columns, planes).
        layer: (...) which map.
        plane: (...) of which plane.
        places: (2, ...) row and column; their shape and those of layers and planes are broadcast.
    """
    _, rows, columns, planes = maps.shape
    row, column = np.clip(places[0], 0, np.float32(rows - 1.001)), np.clip(places[1], 0, np.float32(columns - 1.001))
    above, left = row.astype(np.int64), column.astype(np.int64)
    down, right = (row - above).astype(np.float32), (column - left).astype(np.float32)
    at = layer * (rows * columns * planes) + plane + (above * columns + left) * planes
    flat = maps.reshape(-1)
    upper, lower = (_between(flat, first, first + planes, right) for first in (at, at + columns * planes))
    return np.asarray(upper + down * (lower - upper), np.float32)


def _between(flat: Floats, left: Indices, right: Indices, share: Floats) -> Floats:
    start = flat.take(left)
    return np.asarray(start + share * (flat.take(right) - start), np.float32)


@dataclass(frozen=True, eq=False, slots=True)
class Templates:
    """Templates (t) of pips under shifts (s), which share most positions (k) of possible pips.

    Attributes:
        at_places: (k * s, layers * rows * columns) interpolates maps at each position under each shift.
        place: (t, p) the position of each pip.
    """

    at_places: sparse.csr_matrix
    place: Indices

    @classmethod
    def of(cls, places: Floats, layer: Indices, shifts: Floats, shape: tuple[int, int, int]) -> Self:
        """Templates of pips at (t, p, 2), row and column, on maps (t, p), under shifts (s, 2); shape as of the maps."""
        layers, rows, columns = shape
        known = np.round(np.concatenate([layer[..., None], places], -1).reshape(-1, 3), _SAME_PLACE_DECIMALS)
        _, first, place = np.unique(known, axis=0, return_index=True, return_inverse=True)
        at = places.reshape(-1, 1, 2)[first] + shifts
        corner = np.floor(at).astype(np.int64)
        part = at - corner
        pixel = (layer.reshape(-1, 1)[first] * rows + corner[..., 0]) * columns + corner[..., 1]
        corners = [(down, right) for down in (0, 1) for right in (0, 1)]
        shares = [np.abs(1 - down - part[..., 0]) * np.abs(1 - right - part[..., 1]) for down, right in corners]
        pixels = [pixel + down * columns + right for down, right in corners]
        values, at_column = np.stack(shares, -1).astype(np.float32), np.stack(pixels, -1)
        row_ends = np.arange(0, values.size + 1, len(corners))
        matrix = sparse.csr_matrix(
            (values.reshape(-1), at_column.reshape(-1), row_ends), shape=(len(row_ends) - 1, layers * rows * columns)
        )
        matrix.eliminate_zeros()
        return cls(matrix, place.reshape(layer.shape))

    def weighted(self, weight: Floats) -> sparse.csr_matrix:
        """Matrix (t, k) that sums values at the positions over the pips of each template, by weights (t, p)."""
        template, pip = np.nonzero(weight)
        shape = len(weight), int(self.place.max()) + 1
        return sparse.csr_matrix((weight[template, pip], (template, self.place[template, pip])), shape=shape)

    def values(self, maps: Floats) -> Floats:
        """Maps (layers, rows, columns, m) at all positions under all shifts, (k, s * m)."""
        at_places = self.at_places @ maps.reshape(-1, maps.shape[-1])
        return np.asarray(at_places.reshape(int(self.place.max()) + 1, -1), np.float32)


def middle(values: Floats) -> float:
    """Median of a few values, faster than NumPy's."""
    return float(median(values.tolist()))


def middles(values: Floats, which: Mask, empty: float | Floats = np.nan) -> NDArray[np.float64]:
    """Median (...) of those values (..., p) selected by ``which``; ``empty`` if there are none."""
    ordered = np.sort(np.where(which, values, np.inf)).astype(np.float64)
    count = which.sum(-1, keepdims=True)
    low, high = (np.take_along_axis(ordered, at, -1) for at in ((count - 1) // 2, count // 2))
    return np.where(count > 0, (low + high) / 2, empty)[..., 0]
