"""Health of a camera's picture: focus, lighting, glare, obstruction, liveness.

Everything is measured relative to the picture of the empty table from calibration, in a grid of cells: tables, lamps
and lenses differ. Objects on the felt change single cells, so every fault requires many.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Box, Floats, Indices, Mask
from vision.capture.images import Image
from vision.crops import cropped
from vision.findings import Code, Finding

MIN_BRIGHTNESS: Final = 0.7
MAX_BRIGHTNESS: Final = 1.45
"""Relative brightness; outside this range tiles are read less reliably."""
DARK_BRIGHTNESS: Final = 0.15
"""Relative brightness below which nothing is visible."""
MIN_SHARPNESS: Final = 0.72
"""Relative sharpness below which pips blur."""
MAX_GLARE_SHARE: Final = 0.005
"""Share of the table newly blown out: about a tile."""
GLARE_CELL_SHARE: Final = 0.15
"""Share of a cell blown out from which it is one of glare."""
MAX_HIDDEN_SHARE: Final = 0.25
"""Share of the table hidden: more than hands and tiles in a game."""
COVERED_SHARE: Final = 0.8
"""Share of the table hidden from which the camera is covered."""

GRID: Final = (32, 18)
"""Columns and rows of cells."""
_WIDTH_PX: Final = 1024
"""Width of the downscaled picture used to measure cells; sharpness is measured at full resolution."""
_LEAST_CELL_PX: Final = 24
"""Minimum side of a cell for its statistics; smaller pictures are enlarged."""
_SHARPNESS_CELLS: Final = 32
"""Number of cells with the most print used for sharpness: enough for a median."""
_FEWEST_SHARPNESS_CELLS: Final = 6
"""Visible cells needed for a median sharpness."""
_SMOOTHING_PX: Final = 1.0
_COARSE_SMOOTHING_PX: Final = 3.0
"""Sigma of the Gaussian against noise, and of one that hides small shifts and defocus, in downscaled pixels."""
_BLOWN_OUT_LEVEL: Final = 250
"""Grey level from which a pixel is blown out."""
_LEAST_PRINT_LEVELS: Final = 3.0
"""Standard deviation of grey levels below which a cell has no print to compare."""
_LEAST_CORRELATION: Final = 0.5
"""Correlation with the reference below which a cell does not show its print."""
_SURE_CORRELATION: Final = 0.9
"""Correlation from which a cell shows its print at any brightness."""
_MAX_LOG_BRIGHTNESS: Final = float(np.log(1.35))
"""Log ratio of brightness to the rest of the table from which a plain cell is covered."""
_ALL_PRINT_SHARE: Final = 0.85
"""Share of the print lost from which plain cells that look like felt count as hidden as well."""
_LEAST_TABLE_SHARE: Final = 0.95
"""Minimum share of a cell on the table."""


@dataclass(frozen=True, eq=False, slots=True)
class HealthReference:
    """Measurements of a good picture of the empty table.

    Attributes:
        size: width and height in pixels.
        coarse: (h / 2, w / 2) float32, the downscaled picture without fine detail and each cell's mean.
        power: (rows, columns) float32, its mean square in each cell.
        means: (rows, columns) float32, mean grey level of each cell.
        white: (rows, columns) float32, blown-out share of each cell.
        table: (rows, columns) bool, the cells that show the table; only they are measured.
        sharp_cells: (n, 2) int64, row and column of the cells used for sharpness.
        sharpness: (n,) float64, their sharpness, in 1/px^2.
    """

    size: tuple[int, int]
    coarse: Floats
    power: Floats
    means: Floats
    white: Floats
    table: Mask
    sharp_cells: Indices
    sharpness: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PictureFault:
    """A fault of a picture, with the measurement and the limit in percent, and the cells concerned."""

    finding: Finding
    boxes_px: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """Measurements of a picture relative to the reference, and its faults.

    Attributes:
        brightness: 1 if equal to the reference.
        sharpness: 1 if equal to the reference; None if too little print is visible.
        glare: share of the table newly blown out.
        hidden: hidden share of the table.
        faults: empty if the picture is fit for reading.
    """

    brightness: float
    sharpness: float | None
    glare: float
    hidden: float
    faults: tuple[PictureFault, ...]


def reference(image: Image, surface: Mask | None = None) -> HealthReference:
    """Measure a sharp, well-lit picture of the empty table; ``surface`` is where it shows the table."""
    grey = _grey(image)
    small, means, white = _cells(grey)
    spreads = np.sqrt(_by_cell(np.square(small - _over_cells(means, small))))
    table = np.ones(spreads.shape, np.bool_)
    if surface is not None and surface.any():
        table = cv2.resize(surface.astype(np.float32), GRID, interpolation=cv2.INTER_AREA) > _LEAST_TABLE_SHARE
    order = np.argsort(np.where(table, spreads, -1.0), axis=None)[::-1][: min(_SHARPNESS_CELLS, int(table.sum()))]
    cells = np.column_stack(np.unravel_index(order, spreads.shape)).astype(np.int64)
    sharpness, variances = _sharpness(grey, cells)
    printed = variances > _LEAST_PRINT_LEVELS**2
    height, width = grey.shape
    coarse, power = _coarse(small)
    return HealthReference((width, height), coarse, power, means, white, table, cells[printed], sharpness[printed])


def health(good: HealthReference, image: Image) -> Health:
    """Compare a picture with the reference of the same camera; ValueError if their sizes differ."""
    grey = _grey(image)
    if grey.shape[::-1] != good.size:
        raise ValueError(f"the reference is {good.size} pixels, the picture {grey.shape[::-1]}")
    small, means, white = _cells(grey)
    ratios = (means + 1.0) / (good.means + 1.0)
    brightness = float(np.median(ratios[good.table]))
    hidden = _hidden(good, small, ratios, brightness)
    glare = (white > GLARE_CELL_SHARE) & (good.white < GLARE_CELL_SHARE / 3) & good.table
    sharpness = _relative_sharpness(good, grey, hidden)
    count = int(good.table.sum())
    figures = Health(brightness, sharpness, float(glare.sum()) / count, float(hidden.sum()) / count, ())
    found = _faults(figures, _boxes(good.size, np.argwhere(glare)), _boxes(good.size, np.argwhere(hidden)))
    return replace(figures, faults=found)


def _faults(figures: Health, glare_px: tuple[Box, ...], hidden_px: tuple[Box, ...]) -> tuple[PictureFault, ...]:
    """Faults from the measurements; a covered picture has no other fault."""
    brightness, hidden = _percent(figures.brightness), _percent(figures.hidden)
    if figures.brightness < DARK_BRIGHTNESS or figures.hidden > COVERED_SHARE:
        return (PictureFault(Finding.of(Code.COVERED, hidden=hidden, brightness=brightness), hidden_px),)
    found: list[PictureFault] = []
    if figures.hidden > MAX_HIDDEN_SHARE:
        obstructed = Finding.of(Code.OBSTRUCTED, hidden=hidden, limit=_percent(MAX_HIDDEN_SHARE))
        found.append(PictureFault(obstructed, hidden_px))
    if figures.brightness < MIN_BRIGHTNESS:
        found.append(PictureFault(Finding.of(Code.DIM, brightness=brightness, limit=_percent(MIN_BRIGHTNESS))))
    if figures.brightness > MAX_BRIGHTNESS:
        found.append(PictureFault(Finding.of(Code.BRIGHT, brightness=brightness, limit=_percent(MAX_BRIGHTNESS))))
    if figures.glare > MAX_GLARE_SHARE:
        glare = Finding.of(Code.GLARE, share=round(100 * figures.glare, 1), limit=round(100 * MAX_GLARE_SHARE, 1))
        found.append(PictureFault(glare, glare_px))
    if figures.sharpness is not None and figures.sharpness < MIN_SHARPNESS:
        soft = Finding.of(Code.DEFOCUSED, sharpness=_percent(figures.sharpness), limit=_percent(MIN_SHARPNESS))
        found.append(PictureFault(soft))
    return tuple(found)


def _percent(share: float) -> int:
    return round(100 * share)


def fingerprint(image: Image) -> bytes:
    """Hash the pixels: two pictures of a working sensor never share it because of noise."""
    return hashlib.blake2b(np.ascontiguousarray(image[::4]).tobytes(), digest_size=16).digest()


def frozen(fingerprints: Sequence[bytes]) -> bool:
    """Whether a live source repeats one picture: its last three fingerprints are identical."""
    last = fingerprints[-3:]
    return len(last) == 3 and len(set(last)) == 1


def _grey(image: Image) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def _cells(grey: NDArray[np.uint8]) -> tuple[Floats, Floats, Floats]:
    """Return the downscaled picture, and the mean and the blown-out share of each cell."""
    height, width = grey.shape
    columns, rows = GRID
    # Cells of whole pixels, so that cell means are plain means; an integer factor if possible, which is much faster.
    # which is far quicker.
    times = max(1, round(width / _WIDTH_PX))
    side, tall = width // columns // times, height // rows // times
    if (side * columns * times, tall * rows * times) != (width, height) or min(side, tall) < _LEAST_CELL_PX:
        side = max(4, round(_WIDTH_PX / columns))
        tall = max(4, round(side * columns * height / width / rows))
    small = cv2.resize(grey, (side * columns, tall * rows), interpolation=cv2.INTER_AREA)
    white = _by_cell(np.asarray(small >= _BLOWN_OUT_LEVEL, np.float32))
    smooth = np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), _SMOOTHING_PX), np.float32)
    return smooth, _by_cell(smooth), white


def _by_cell(small: Floats) -> Floats:
    """(rows, columns): the mean of each cell."""
    return np.asarray(cv2.resize(small, GRID, interpolation=cv2.INTER_AREA), np.float32)


def _over_cells(values: Floats, small: Floats) -> Floats:
    """(h, w): each cell's value at its pixels."""
    size = (small.shape[1], small.shape[0])
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_NEAREST), np.float32)


def _coarse(small: Floats) -> tuple[Floats, Floats]:
    """Return print without fine detail, so that small shifts and defocus have no effect, and its power by cell."""
    half = cv2.resize(small, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    blurred = np.asarray(cv2.GaussianBlur(half, (0, 0), _COARSE_SMOOTHING_PX / 2), np.float32)
    coarse = blurred - _over_cells(_by_cell(blurred), blurred)
    return coarse, _by_cell(np.square(coarse))


def _hidden(good: HealthReference, small: Floats, ratios: Floats, brightness: float) -> Mask:
    """(rows, columns): the cells that do not show the same as on the empty table."""
    now, power = _coarse(small)
    correlation = _by_cell(now * good.coarse) / np.maximum(np.sqrt(power * good.power), 1e-3)
    printed = (np.sqrt(good.power) > _LEAST_PRINT_LEVELS) & good.table
    elsewhere = np.abs(np.log(ratios / brightness)) > _MAX_LOG_BRIGHTNESS
    gone = correlation < _LEAST_CORRELATION
    if printed.any() and float(gone[printed].mean()) > _ALL_PRINT_SHARE:
        return good.table.copy()
    return np.asarray(
        np.where(printed, gone | (elsewhere & (correlation < _SURE_CORRELATION)), elsewhere) & good.table, np.bool_
    )


def _sharpness(grey: NDArray[np.uint8], cells: Indices) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean squared gradient over variance, and the variance, (n,) for each cell, less the measured noise.

    The first is invariant to light and gain.
    """
    sharpness, variances = np.zeros(len(cells)), np.zeros(len(cells))
    for index, box in enumerate(_boxes((grey.shape[1], grey.shape[0]), cells)):
        raw = cropped(grey, box).astype(np.float32)
        piece = cv2.GaussianBlur(raw, (0, 0), _SMOOTHING_PX)
        across, down = np.diff(piece, axis=1)[:-1], np.diff(piece, axis=0)[:, :-1]
        gradient = np.square(across) + np.square(down)
        # White noise of standard deviation s contributes s^2 times these two through a Gaussian of one pixel.
        noise = _noise_variance(raw)
        variance = max(float(piece.var()) - 0.080 * noise, 1e-6)
        sharpness[index] = max(float(gradient.mean()) - 0.070 * noise, 0.0) / variance
        variances[index] = variance
    return sharpness, variances


def _noise_variance(raw: Floats) -> float:
    """Noise variance from the median response of a mesh filter that suppresses edges and slopes."""
    mesh = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32) / 6
    return float((np.median(np.abs(cv2.filter2D(raw, -1, mesh))) / 0.6745) ** 2)


def _relative_sharpness(good: HealthReference, grey: NDArray[np.uint8], hidden: Mask) -> float | None:
    """Relative sharpness: the median over the cells that still show their print."""
    if not len(good.sharp_cells):
        return None
    shown = ~hidden[good.sharp_cells[:, 0], good.sharp_cells[:, 1]]
    if int(shown.sum()) < _FEWEST_SHARPNESS_CELLS:
        return None
    now, _ = _sharpness(grey, good.sharp_cells[shown])
    return float(np.median(now / good.sharpness[shown]))


def _boxes(size: tuple[int, int], cells: Indices) -> tuple[Box, ...]:
    width, height = size
    columns, rows = GRID
    return tuple(
        (column * width // columns, row * height // rows, (column + 1) * width // columns, (row + 1) * height // rows)
        for row, column in cells.tolist()
    )
