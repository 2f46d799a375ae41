"""Template matching of patterns of round pips, by normalised cross-correlation.

Each crop is filtered with discs of the pips' sizes. The correlation of a pattern is then a sum of a few values, and one
sparse matrix gives it for all patterns at all shifts.
"""

from collections.abc import Sequence
from functools import cache
from statistics import median

import cv2
import numpy as np
from scipy import sparse

from vision.arrays import Floats, Indices


@cache
def disc(radius_px: float) -> Floats:
    """A disc of unit sum, its rim in proportion to the area it covers.

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


def disc_means(planes: Floats, radii_px: Sequence[float]) -> Floats:
    """Means over discs around every pixel of planes (n, rows, columns), zero outside: (n, radii, rows, columns)."""
    return np.stack([_convolved(planes, disc(radius)) for radius in radii_px], axis=1)


def _convolved(planes: Floats, kernel: Floats) -> Floats:
    """Filter small planes (n, rows, columns) in one call, stacked with gaps between them."""
    reach = kernel.shape[0] // 2
    gap = np.zeros((len(planes), reach, planes.shape[2]), np.float32)
    tall = np.concatenate([gap, planes, gap], axis=1).reshape(-1, planes.shape[2])
    out = cv2.filter2D(tall, cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT)
    return out.reshape(len(planes), -1, planes.shape[2])[:, reach:-reach].astype(np.float32, copy=False)


def interpolated(table: Floats, layer: Indices, places: Floats, shape: tuple[int, int]) -> Floats:
    """Values (..., channels) at places (..., 2) between pixels, row and column, by bilinear interpolation.

    Args:
        table: (layers * rows * columns, channels) the maps as one list of pixels.
        layer: (...) which map.
        places: row and column.
        shape: rows and columns of a map.
    """
    rows, columns = shape
    at = np.clip(places, 0, np.array((rows - 1.001, columns - 1.001), np.float32))
    corner = at.astype(np.int64)
    part = (at - corner).astype(np.float32)
    down, right = part[..., :1], part[..., 1:]
    pixel = (layer * rows + corner[..., 0]) * columns + corner[..., 1]
    upper, lower = (_between(table, first, right) for first in (pixel, pixel + columns))
    return np.asarray(upper + down * (lower - upper), np.float32)


def _between(table: Floats, pixel: Indices, right: Floats) -> Floats:
    """Values between each pixel and the one to its right."""
    left = table.take(pixel, 0)
    return np.asarray(left + right * (table.take(pixel + 1, 0) - left), np.float32)


def template_matrix(places: Floats, layer: Indices, weight: Floats, shape: tuple[int, int, int]) -> sparse.csr_matrix:
    """Matrix (t * s, layers * rows * columns) that sums maps over the pips of each template, bilinearly interpolated.

    Args:
        places: (t, s, p, 2) row and column of p pips of t templates under s shifts.
        layer: (t, p) the map of each pip.
        weight: (t, p) its weight; 0 for padding.
        shape: layers, rows and columns of the maps.
    """
    layers, rows, columns = shape
    templates, shifts = places.shape[:2]
    corner = np.floor(places).astype(np.int64)
    part = places - corner
    row_of = np.arange(templates * shifts).reshape(templates, shifts, 1)
    entries: list[tuple[Floats, Indices, Indices]] = []
    for down in (0, 1):
        for right in (0, 1):
            share = np.abs(1 - down - part[..., 0]) * np.abs(1 - right - part[..., 1]) * weight[:, None]
            pixel = (layer[:, None] * rows + corner[..., 0] + down) * columns + corner[..., 1] + right
            keep = share > 0
            entries.append((share[keep].astype(np.float32), np.broadcast_to(row_of, share.shape)[keep], pixel[keep]))
    values, at_row, at_column = (np.concatenate(part) for part in zip(*entries, strict=True))
    return sparse.csr_matrix((values, (at_row, at_column)), shape=(templates * shifts, layers * rows * columns))


def middle(values: Floats) -> float:
    """Median of a few values, quicker than NumPy's."""
    return float(median(values.tolist()))
