"""Whether a picture is fit to be read: in focus, lit as it was, without glare, not covered, and alive.

All is measured against the picture of the empty table taken at calibration, in a grid of cells: what is normal for one
table, lamp and lens is not for another. Things laid on the felt change single cells, so every verdict asks many. One
picture takes a few milliseconds.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.capture.images import Image

__all__ = ["LIMITS", "Finding", "Health", "HealthReference", "Limits", "fingerprint", "frozen", "health", "reference"]


GRID: Final = (32, 18)
"""Columns and rows of cells."""
_WIDTH_PX: Final = 1024
"""Cells are measured in a picture of this width; only sharpness is measured at full resolution."""
_LEAST_PX: Final = 24
"""Cells have so many pixels each way, or the picture is enlarged for it."""
_SHARP_CELLS: Final = 32
"""How many of the cells with the most print are asked for sharpness."""
_SMOOTH: Final = 1.0
_COARSE: Final = 3.0
"""Spread of what neither a nudge nor a soft focus changes, in pixels of the reduced picture."""
_WHITE: Final = 250
"""From this grey level on nothing can be made out."""
_PLAIN: Final = 3.0
"""Standard deviation of the grey levels of a cell, below which it has no print to compare."""
_ALIKE: Final = 0.5
"""Correlation with the reference below which a cell with print does not show that print."""
_OTHER: Final = float(np.log(1.35))
"""A cell without print is covered if it is this much (natural logarithm) off what the rest has become."""
_ALL: Final = 0.85
"""Where this share of the print is gone, plain cells that look like felt are none."""
_ON_TABLE: Final = 0.95
"""Share of a cell that must lie on the table."""
_MIN_CELLS: Final = 6
"""Sharpness is not judged from fewer cells."""


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on a picture is not fit to be read.

    Attributes:
        dim: brightness against the reference.
        bright: brightness against the reference.
        dark: brightness against the reference below which nothing is seen at all.
        sharpness: sharpness against the reference.
        glare: share of the picture blown out that was not so.
        glare_cell: share of a cell blown out that makes it one of glare.
        obstructed: share of the picture that does not show the table.
        covered: share of the picture from which on it counts as covered altogether.
    """

    dim: float = 0.7
    bright: float = 1.45
    dark: float = 0.15
    sharpness: float = 0.72
    glare: float = 0.005
    glare_cell: float = 0.15
    obstructed: float = 0.25
    covered: float = 0.8


LIMITS: Final = Limits()


@dataclass(frozen=True, eq=False, slots=True)
class HealthReference:
    """What a good picture of the empty table measures.

    Attributes:
        size: width and height in pixels.
        coarse: (h / 2, w / 2) float32, the reduced picture without fine detail and without the mean of each cell.
        power: (rows, columns) float32, mean square of that in each cell.
        means: (rows, columns) float32, mean grey level of each cell.
        white: (rows, columns) float32, share of each cell that is blown out.
        table: (rows, columns) bool, the cells that show the table; the others are asked nothing.
        sharp_cells: (n, 2) int64, row and column of the cells asked for sharpness.
        sharpness: (n,) float64, their sharpness, one over square pixels.
        variances: (n,) float64, their variance at full resolution.
    """

    size: tuple[int, int]
    coarse: NDArray[np.float32]
    power: NDArray[np.float32]
    means: NDArray[np.float32]
    white: NDArray[np.float32]
    table: NDArray[np.bool_]
    sharp_cells: NDArray[np.int64]
    sharpness: NDArray[np.float64]
    variances: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PictureFault:
    """One thing wrong with a picture.

    Attributes:
        finding: what it is, with what was measured and what is allowed in percent.
        boxes_px: the cells that show it, ``(left, top, right, bottom)``.
    """

    finding: Finding
    boxes_px: tuple[tuple[int, int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """What a picture measures against the reference, and what is wrong with it.

    Attributes:
        brightness: 1 if lit as the reference.
        sharpness: 1 if as sharp as the reference; None if too little print is in sight to tell.
        glare: share of the table newly blown out.
        hidden: share of the table that is hidden.
        faults: what is wrong; empty if the picture is fit to be read.
    """

    brightness: float
    sharpness: float | None
    glare: float
    hidden: float
    faults: tuple[PictureFault, ...]


def reference(image: Image, surface: NDArray[np.bool_] | None = None) -> HealthReference:
    """What a picture of the empty table, sharp and lit as it should be, measures.

    Args:
        image: (height, width, 3) uint8.
        surface: (height, width) bool, where the table is; everywhere if left out.
    """
    grey = _grey(image)
    small, means, white = _cells(grey)
    spreads = np.sqrt(_by_cell(np.square(small - _over_cells(means, small))))
    table = np.ones(spreads.shape, np.bool_)
    if surface is not None and surface.any():
        table = cv2.resize(surface.astype(np.float32), GRID, interpolation=cv2.INTER_AREA) > _ON_TABLE
    order = np.argsort(np.where(table, spreads, -1.0), axis=None)[::-1][: min(_SHARP_CELLS, int(table.sum()))]
    cells = np.column_stack(np.unravel_index(order, spreads.shape)).astype(np.int64)
    sharpness, variances = _sharpness(grey, cells)
    told = variances > _PLAIN**2
    height, width = grey.shape
    coarse, power = _coarse(small)
    return HealthReference(
        (width, height), coarse, power, means, white, table, cells[told], sharpness[told], variances[told]
    )


def health(good: HealthReference, image: Image, limits: Limits = LIMITS) -> Health:
    """How a picture compares with the reference.

    Args:
        good: the reference, of the same camera and picture size.
        image: (height, width, 3) uint8.
        limits: from where on it is not fit to be read.

    Raises:
        ValueError: if the sizes differ.
    """
    grey = _grey(image)
    if grey.shape[::-1] != good.size:
        raise ValueError(f"the reference is {good.size} pixels, the picture {grey.shape[::-1]}")
    small, means, white = _cells(grey)
    ratios = (means + 1.0) / (good.means + 1.0)
    brightness = float(np.median(ratios[good.table]))
    hidden = _hidden(good, small, ratios, brightness)
    glare = (white > limits.glare_cell) & (good.white < limits.glare_cell / 3) & good.table
    sharpness = _relative_sharpness(good, grey, hidden)
    count = int(good.table.sum())
    figures = Health(brightness, sharpness, float(glare.sum()) / count, float(hidden.sum()) / count, ())
    found = _faults(figures, _boxes(good.size, glare), _boxes(good.size, hidden), limits)
    return replace(figures, faults=found)


def _faults(
    figures: Health,
    glare_px: tuple[tuple[int, int, int, int], ...],
    hidden_px: tuple[tuple[int, int, int, int], ...],
    limits: Limits,
) -> tuple[PictureFault, ...]:
    """What the figures mean."""
    brightness = _percent(figures.brightness)
    if figures.brightness < limits.dark or figures.hidden > limits.covered:
        covered = Finding.of(Code.COVERED, hidden=_percent(figures.hidden), brightness=brightness)
        return (PictureFault(covered, hidden_px),)
    found: list[PictureFault] = []
    if figures.hidden > limits.obstructed:
        hidden = Finding.of(Code.OBSTRUCTED, hidden=_percent(figures.hidden), limit=_percent(limits.obstructed))
        found.append(PictureFault(hidden, hidden_px))
    if figures.brightness < limits.dim:
        found.append(PictureFault(Finding.of(Code.DIM, brightness=brightness, limit=_percent(limits.dim))))
    if figures.brightness > limits.bright:
        found.append(PictureFault(Finding.of(Code.BRIGHT, brightness=brightness, limit=_percent(limits.bright))))
    if figures.glare > limits.glare:
        glare = Finding.of(Code.GLARE, share=round(100 * figures.glare, 1), limit=round(100 * limits.glare, 1))
        found.append(PictureFault(glare, glare_px))
    if figures.sharpness is not None and figures.sharpness < limits.sharpness:
        soft = Finding.of(Code.DEFOCUSED, sharpness=_percent(figures.sharpness), limit=_percent(limits.sharpness))
        found.append(PictureFault(soft))
    return tuple(found)


def _percent(share: float) -> int:
    return round(100 * share)


def fingerprint(image: Image) -> bytes:
    """A hash of the pixels: two pictures of a living sensor never share it, for noise is never twice the same."""
    return hashlib.blake2b(np.ascontiguousarray(image[::4]).tobytes(), digest_size=16).digest()


def frozen(fingerprints: Sequence[bytes], alike: int = 3) -> bool:
    """Whether a live source gives one and the same picture again and again.

    Args:
        fingerprints: of the last pictures, the newest last.
        alike: how many alike in a row mean a frozen source.
    """
    last = fingerprints[-alike:]
    return len(last) == alike and len(set(last)) == 1


def _grey(image: Image) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def _cells(grey: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """The reduced picture, and for each cell mean and share of white."""
    height, width = grey.shape
    columns, rows = GRID
    # Whole cells of whole pixels, so that means of cells are plain means; by a whole number where that is possible,
    # which is far quicker.
    times = max(1, round(width / _WIDTH_PX))
    side, tall = width // columns // times, height // rows // times
    if (side * columns * times, tall * rows * times) != (width, height) or min(side, tall) < _LEAST_PX:
        side = max(4, round(_WIDTH_PX / columns))
        tall = max(4, round(side * columns * height / width / rows))
    small = cv2.resize(grey, (side * columns, tall * rows), interpolation=cv2.INTER_AREA)
    white = _by_cell(np.asarray(small >= _WHITE, np.float32))
    smooth = np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), _SMOOTH), np.float32)
    return smooth, _by_cell(smooth), white


def _by_cell(small: NDArray[np.float32]) -> NDArray[np.float32]:
    """(rows, columns): the mean of each cell."""
    return np.asarray(cv2.resize(small, GRID, interpolation=cv2.INTER_AREA), np.float32)


def _over_cells(values: NDArray[np.float32], small: NDArray[np.float32]) -> NDArray[np.float32]:
    """(h, w): a value of each cell at each of its pixels."""
    size = (small.shape[1], small.shape[0])
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_NEAREST), np.float32)


def _coarse(small: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What is left of print without fine detail, so that neither a nudge nor a soft focus changes it; and its power."""
    half = cv2.resize(small, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    blurred = np.asarray(cv2.GaussianBlur(half, (0, 0), _COARSE / 2), np.float32)
    coarse = blurred - _over_cells(_by_cell(blurred), blurred)
    return coarse, _by_cell(np.square(coarse))


def _hidden(
    good: HealthReference, small: NDArray[np.float32], ratios: NDArray[np.float32], brightness: float
) -> NDArray[np.bool_]:
    """(rows, columns): which cells do not show what they showed of the empty table."""
    now, power = _coarse(small)
    alike = _by_cell(now * good.coarse) / np.maximum(np.sqrt(power * good.power), 1e-3)
    printed = (np.sqrt(good.power) > _PLAIN) & good.table
    elsewhere = np.abs(np.log(ratios / brightness)) > _OTHER
    gone = alike < _ALIKE
    if printed.any() and float(gone[printed].mean()) > _ALL:
        return good.table.copy()
    return np.asarray(np.where(printed, gone | (elsewhere & (alike < 0.9)), elsewhere) & good.table, np.bool_)


def _sharpness(grey: NDArray[np.uint8], cells: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each cell the mean squared gradient over the variance, and the variance, both (n,).

    Neither light nor gain changes the first; the noise in both is measured and taken off.
    """
    sharpness, variances = np.zeros(len(cells)), np.zeros(len(cells))
    for index, (left, top, right, bottom) in enumerate(_boxes_of((grey.shape[1], grey.shape[0]), cells)):
        raw = grey[top:bottom, left:right].astype(np.float32)
        piece = cv2.GaussianBlur(raw, (0, 0), _SMOOTH)
        across, down = np.diff(piece, axis=1)[:-1], np.diff(piece, axis=0)[:, :-1]
        gradient = np.square(across) + np.square(down)
        # White noise of standard deviation s leaves s^2 times these two through a Gaussian of one pixel.
        noise = _noise_variance(raw)
        variance = max(float(piece.var()) - 0.080 * noise, 1e-6)
        sharpness[index] = max(float(gradient.mean()) - 0.070 * noise, 0.0) / variance
        variances[index] = variance
    return sharpness, variances


def _noise_variance(raw: NDArray[np.float32]) -> float:
    """Variance of the noise, by the median of the differences of a mesh that lets neither edges nor slopes through."""
    mesh = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
    return float((np.median(np.abs(cv2.filter2D(raw, -1, mesh))) / 0.6745) ** 2)


def _relative_sharpness(good: HealthReference, grey: NDArray[np.uint8], hidden: NDArray[np.bool_]) -> float | None:
    """Sharpness against the reference: the median over the cells that still show their print."""
    if not len(good.sharp_cells):
        return None
    shown = ~hidden[good.sharp_cells[:, 0], good.sharp_cells[:, 1]]
    if int(shown.sum()) < _MIN_CELLS:
        return None
    now, _ = _sharpness(grey, good.sharp_cells[shown])
    return float(np.median(now / good.sharpness[shown]))


def _boxes(size: tuple[int, int], which: NDArray[np.bool_]) -> tuple[tuple[int, int, int, int], ...]:
    return _boxes_of(size, np.argwhere(which))


def _boxes_of(size: tuple[int, int], cells: NDArray[np.int64]) -> tuple[tuple[int, int, int, int], ...]:
    """The cells in pixels: left, top, right, bottom."""
    width, height = size
    columns, rows = GRID
    return tuple(
        (column * width // columns, row * height // rows, (column + 1) * width // columns, (row + 1) * height // rows)
        for row, column in cells.tolist()
    )
