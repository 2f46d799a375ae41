"""The layouts of all faces as pip templates, drawn once, and the geometry for matching them.

Everything is measured at half the resolution of a tile crop, on the face and a small border.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np
from scipy import sparse

from vision.arrays import Floats, Indices, Mask
from vision.template_matching import Templates
from vision.tiles.faces import FACE_NAMES, Pip, layouts

_BORDER, LENGTH_PX, WIDTH_PX = 2, 40, 16
ROWS, COLUMNS = LENGTH_PX + 2 * _BORDER, WIDTH_PX + 2 * _BORDER
SHAPE: Final = (ROWS, COLUMNS)
"""Rows and columns of a crop at half resolution; the face has LENGTH_PX by WIDTH_PX of them."""
# The rounded edge and its highlight are excluded: 2 pixels at the ends, 1 at the sides.
FACE_AREA: Final = (slice(_BORDER + 2, _BORDER + LENGTH_PX - 2), slice(_BORDER + 1, _BORDER + WIDTH_PX - 1))
DIAMETERS: Final = (0.21, 0.32, 0.33)
"""Diameters of pips over the width of a tile, as in ``vision.tiles.faces``."""
SHIFTS_PX: Final = (-2.0, -1.0, 0.0, 1.0, 2.0)
"""Shifts, down and right, tried for every template."""

_MAX_PIPS: Final = 12
_MIN_CLEARANCE: Final = 0.95
"""Distance from the pips of a layout, in diameters, from which a pip position shows bare body."""


@dataclass(frozen=True, eq=False, slots=True)
class LayoutBank:
    """Templates of the layouts, one row for each layout and orientation (t), pips padded to twelve.

    Attributes:
        face: (t,) index into FACE_NAMES.
        faces: the rows of each of FACE_NAMES, which are contiguous.
        uv: (t, 12, 2) pip centres.
        size: (t, 12) index into DIAMETERS.
        red, plain: (t, 12) 1 for such a pip, 0 otherwise and in the padding.
        gram: (t, 3) plain.plain, plain.red and red.red products of the drawn pips, detrended.
        templates: the same pips as templates for ``SHIFTS_PX`` down and right.
        plain_sums, red_sums: (t, places) sums over the plain and the red pips of a template, by covered pixels.
        slots: (2, k, 2) every position where a manufacturer puts a pip, in sets with large and with small pips.
        bare: (t, k) which of them are clear of all pips of the layout.
        single: (t, 12) which pips are the single red one of a half.
    """

    face: Indices
    faces: tuple[slice, ...]
    uv: Floats
    size: Indices
    red: Floats
    plain: Floats
    gram: Floats
    templates: Templates
    plain_sums: sparse.csr_matrix
    red_sums: sparse.csr_matrix
    slots: Floats
    bare: Mask
    single: Mask


@cache
def layout_bank() -> LayoutBank:
    """Templates of all layouts, in both orientations."""
    entries: dict[tuple[int, tuple[tuple[float, float, bool, float], ...]], None] = {}
    for face, name in enumerate(FACE_NAMES):
        for pips in layouts(name):
            for turned in (False, True):
                entries[face, _key(pips, turned=turned)] = None
    count = len(entries)
    uv = np.full((count, _MAX_PIPS, 2), 0.5, np.float32)
    size = np.full((count, _MAX_PIPS), 2, np.int64)
    red, plain = np.zeros((2, count, _MAX_PIPS), np.float32)
    for row, (_, places) in enumerate(entries):
        for column, (u, v, is_red, diameter) in enumerate(places):
            uv[row, column] = u, v
            size[row, column] = DIAMETERS.index(diameter)
            (red if is_red else plain)[row, column] = 1
        # Padding repeats the kind of the first pip, so that it does not make a layout of large pips look small.
        size[row, len(places) :] = size[row, 0]
    slots = _slots(uv, size, red + plain)
    small = (size == 0).any(1).astype(int)
    gap = (uv[:, None] - slots[small][:, :, None]) * np.array([LENGTH_PX / WIDTH_PX, 1], np.float32)
    apart = np.hypot(*np.moveaxis(gap, -1, 0)) / np.array(DIAMETERS, np.float32)[size][:, None]
    near = (apart < _MIN_CLEARANCE) & ((red + plain) > 0)[:, None]
    of_face = np.array([face for face, _ in entries])
    shifts = np.array([(down, right) for down in SHIFTS_PX for right in SHIFTS_PX], np.float32)
    flat = np.moveaxis(pip_places(uv, np.zeros((count, 4), np.float32)), 0, -1)
    templates = Templates.of(flat, size, shifts, (len(DIAMETERS), ROWS, COLUMNS))
    first = np.searchsorted(of_face, np.arange(len(FACE_NAMES) + 1)).tolist()
    return LayoutBank(
        face=of_face,
        faces=tuple(slice(start, end) for start, end in pairwise(first)),
        uv=uv,
        size=size,
        red=red,
        plain=plain,
        gram=_gram(uv, size, red, plain),
        templates=templates,
        plain_sums=templates.weighted(plain * pip_area_px(size)),
        red_sums=templates.weighted(red * pip_area_px(size)),
        slots=slots,
        bare=~near.any(-1),
        single=(red > 0) & (np.abs(uv[..., 1] - 0.5) < 1e-3),
    )


def _key(pips: tuple[Pip, ...], *, turned: bool) -> tuple[tuple[float, float, bool, float], ...]:
    """The pips in a canonical order, so that a layout with 180-degree symmetry is kept once."""
    turn = [(1 - pip.u, 1 - pip.v) if turned else (pip.u, pip.v) for pip in pips]
    return tuple(
        sorted((round(u, 4), round(v, 4), pip.red, pip.diameter) for (u, v), pip in zip(turn, pips, strict=True))
    )


def _slots(uv: Floats, size: Indices, used: Floats) -> Floats:
    """Every pip position in sets with large (0) and with small pips (1), near ones merged: (2, k, 2)."""
    small = (size == 0).any(1)
    lists = []
    for kind in (False, True):
        places: list[Floats] = []
        for place in uv[small == kind][used[small == kind] > 0]:
            if all(abs(place[0] - u) > 0.03 or abs(place[1] - v) > 0.05 for u, v in places):
                places.append(place)
        lists.append(places)
    longest = max(map(len, lists))
    # Padding by repetition: a position measured twice adds no information.
    return np.array([places + [places[0]] * (longest - len(places)) for places in lists], np.float32)


def _gram(uv: Floats, size: Indices, red: Floats, plain: Floats) -> Floats:
    """Products of the drawn layouts, detrended: (t, 3)."""
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS].astype(np.float32)
    down, right = pip_places(uv, np.zeros((len(uv), 4), np.float32))[..., None, None]
    distance = np.hypot(rows - down, columns - right)
    radius = np.array(DIAMETERS, np.float32)[size][..., None, None] * WIDTH_PX / 2
    discs = np.clip(radius - distance + 0.5, 0, 1)[:, :, *FACE_AREA].reshape(len(uv), _MAX_PIPS, -1)
    drawn_plain = _detrended(np.einsum("tpx,tp->tx", discs, plain))
    drawn_red = _detrended(np.einsum("tpx,tp->tx", discs, red))
    pairs = ((drawn_plain, drawn_plain), (drawn_plain, drawn_red), (drawn_red, drawn_red))
    return np.stack([np.einsum("tx,tx->t", one, other) for one, other in pairs], -1)


def pip_places(uv: Floats, pose: Floats) -> Floats:
    """Row and column (2, ..., p) of positions (..., p, 2), in lengths and widths of the face, under an alignment.

    The alignment (..., 4) shifts down and right in pixels, rotates in radians, and stretches.
    """
    down, right, turn, stretch = (pose[..., part, None] for part in range(4))
    along = (uv[..., 0] - 0.5) * LENGTH_PX * (1 + stretch)
    across = (uv[..., 1] - 0.5) * WIDTH_PX * (1 + stretch)
    middle_row, middle_column = (ROWS - 1) / 2, (COLUMNS - 1) / 2
    return np.stack([middle_row + down + along + turn * across, middle_column + right + across - turn * along])


@cache
def _trend_basis() -> Floats:
    """Orthonormal basis (pixels, 3) of constant and sloping light over the face."""
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS].astype(np.float32)
    basis = np.stack([np.ones_like(rows), rows - rows.mean(), columns - columns.mean()])[:, *FACE_AREA].reshape(3, -1)
    return np.linalg.qr(basis.T)[0].astype(np.float32)


def _detrended(values: Floats) -> Floats:
    """Values over the face (..., pixels) without their constant and slope."""
    basis = _trend_basis()
    return np.asarray(values - (values @ basis) @ basis.T, np.float32)


def detrended(planes: Floats) -> Floats:
    """Planes (n, rows, columns) without constant and slope over the face, and zero around it."""
    face = planes[:, *FACE_AREA]
    out = np.zeros_like(planes)
    out[:, *FACE_AREA] = _detrended(face.reshape(len(planes), -1)).reshape(face.shape)
    return out


def pip_area_px(size: Indices) -> Floats:
    """Pixels covered by pips, by index into DIAMETERS."""
    return np.array([np.pi * (diameter * WIDTH_PX / 2) ** 2 for diameter in DIAMETERS], np.float32)[size]
