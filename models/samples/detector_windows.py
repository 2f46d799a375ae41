"""Windows for the detector, with the ground truth of its maps: heat, regressions, and where neither counts."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.network import REGRESSION_CHANNELS
from models.samples import augment
from models.training_bank import TrainingBank
from vision.arrays import Floats, Indices, Mask, Pixels
from vision.detect.detections import DIE, KINDS, are_duplicates
from vision.detect.detector import BODY_UNIT_PX, CELL_PX, SIZE_UNIT_PX, STRIDE_PX, TRAINED_TILE_PX, resized

BANK_TILE_PX = 64.0
"""Length of a tile in the middle of the bank's windows: from 36 to 100 px."""
SHRINK = TRAINED_TILE_PX / BANK_TILE_PX
WINDOW_PX = 240
FOUND_VISIBLE, HIDDEN_VISIBLE = 0.35, 0.1
"""Visible share from which an object must be found, and up to which it must not be; between, neither counts."""
OPEN_VISIBLE = 0.9
"""Visible share from which nothing lies upon an object: all around it counts, whatever lies below."""
SMALLEST_SIDE_PX = 7.0
"""Shorter side below which an object need not be found: two cells of the map."""

_NEIGHBOURS = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1]), -1).reshape(-1, 2)
"""The nine cells about a centre."""
_INSIDE = np.stack(np.meshgrid(np.linspace(0.05, 0.95, 8), np.linspace(0.05, 0.95, 8)), -1).reshape(-1, 2)
"""Points over a quad, in shares of its sides."""


@dataclass(frozen=True, eq=False, slots=True)
class Target:
    """A window and its ground truth on the detector's grid of (g, g) cells."""

    pixels: Pixels  # (side, side, 3) uint8 BGR
    heat: Floats  # (3, g, g); one at each centre, falling off around it
    counts: Floats  # (g, g); zero where an object is ignored
    regression: Floats  # (10, g, g), in the order of the network's channels
    weight: Floats  # (10, g, g); one where the regression is learnt


def axes_of(quads_px: Floats) -> tuple[Floats, Floats]:
    """Return the vectors along and across each quad (n, 4, 2), from edge middle to edge middle, each (n, 2)."""
    along = (quads_px[:, 2] + quads_px[:, 3] - quads_px[:, 0] - quads_px[:, 1]) / 2
    across = (quads_px[:, 1] + quads_px[:, 2] - quads_px[:, 0] - quads_px[:, 3]) / 2
    return along.astype(np.float32), across.astype(np.float32)


def training_window(bank: TrainingBank, window: int, rng: np.random.Generator) -> Target:
    """Return one of the bank's windows turned, mirrored, scaled, stretched, shifted and photographed again."""
    source = bank.pixels[window]
    scale = SHRINK * np.exp(rng.uniform(np.log(0.8), np.log(1.2)))
    stretch = np.exp(rng.normal(0.0, 0.03))
    turn = np.array([[1, 0], [0, 1]] if rng.random() < 0.5 else [[0, 1], [1, 0]], float)
    mirror = np.diag(rng.choice([-1.0, 1.0], 2))
    linear = np.diag([scale * stretch, scale / stretch]) @ turn @ mirror
    slack = np.abs(np.abs(np.diag([scale * stretch, scale / stretch])).sum(1) * len(source) - WINDOW_PX) / 2
    middle = np.full(2, (WINDOW_PX - 1) / 2) + rng.uniform(-slack - 8, slack + 8)
    offset = middle - linear @ np.full(2, (len(source) - 1) / 2)
    matrix = np.column_stack([linear, offset])
    shade = tuple(float(value) for value in rng.integers(0, 256, 3))
    pixels = cv2.warpAffine(source, matrix, (WINDOW_PX, WINDOW_PX), flags=cv2.INTER_LINEAR, borderValue=shade)
    pixels = augment.photograph(pixels.astype(np.uint8, copy=False), rng, augment.WINDOWS)
    return target_of(pixels, bank, window, matrix)


def plain_window(bank: TrainingBank, window: int) -> Target:
    """Return one of the bank's windows at the detector's scale, else unchanged, cut to a side the network takes."""
    pixels = resized(bank.pixels[window], SHRINK)
    side = len(pixels) // CELL_PX * CELL_PX
    matrix = np.column_stack([SHRINK * np.eye(2), np.full(2, (SHRINK - 1) / 2)])
    return target_of(np.ascontiguousarray(pixels[:side, :side]), bank, window, matrix)


def target_of(pixels: Pixels, bank: TrainingBank, window: int, matrix: NDArray[np.float64]) -> Target:
    """Return the ground truth of a window whose pixels were moved by ``matrix`` (2, 3)."""
    grid = len(pixels) // STRIDE_PX
    items = slice(bank.first[window], bank.first[window + 1])
    quads_px = (bank.quad_px[items] @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)
    kinds = bank.kind[items]
    visible = bank.visible[items] * _inside_share(quads_px, len(pixels))
    centres_px = quads_px.mean(axis=1)
    inside = ((centres_px >= 0) & (centres_px <= len(pixels) - 1)).all(axis=1)
    along, across = axes_of(quads_px)
    large = np.minimum(np.hypot(*along.T), np.hypot(*across.T)) >= SMALLEST_SIDE_PX
    wanted = (visible >= FOUND_VISIBLE) & inside & large
    wanted &= ~_beneath(quads_px, np.where(wanted & (kinds != DIE), bank.visible[items], 0.0))
    ignored = (visible > HIDDEN_VISIBLE) & ~wanted

    heat = np.zeros((len(KINDS), grid, grid), np.float32)
    counts = np.ones((grid, grid), np.float32)
    for quad_px in quads_px[ignored]:
        cv2.fillConvexPoly(counts, _cells(quad_px).round().astype(np.int32), 0.0)
    for quad_px in quads_px[wanted & (bank.visible[items] >= OPEN_VISIBLE)]:
        cv2.fillConvexPoly(counts, _cells(quad_px).round().astype(np.int32), 1.0)
    kinds, quads_px = kinds[wanted], quads_px[wanted]
    cells = _cells(centres_px[wanted])
    along, across = along[wanted], across[wanted]
    size_px = np.stack([np.hypot(*along.T), np.hypot(*across.T)], -1)
    dice = kinds == DIE
    size_px[dice] = np.sqrt(size_px[dice].prod(axis=1, keepdims=True))
    angle = np.arctan2(along[:, 1], along[:, 0])
    spread = np.maximum(np.where(dice[:, None], 0.14, (0.10, 0.14)) * size_px / STRIDE_PX, 0.6)
    nearest_cell = np.clip(cells.round().astype(int), 0, grid - 1)
    for index, kind in enumerate(kinds):
        _draw_peak(heat[kind], nearest_cell[index], float(angle[index]), spread[index])
    counts[nearest_cell[:, 1], nearest_cell[:, 0]] = 1.0

    doubled = np.where(dice, 4.0, 2.0) * angle
    bodies_px = np.clip(_moved_boxes(bank.body_px[items][wanted], matrix), 0, len(pixels) - 1)
    bodies_px[~dice | ~np.isfinite(bodies_px).all(axis=1)] = np.nan
    truth = np.column_stack([cells, np.log(size_px / SIZE_UNIT_PX), np.sin(doubled), np.cos(doubled), bodies_px])
    return Target(pixels, heat, counts, *_regressions(truth, nearest_cell, grid))


def _regressions(truth: Floats, nearest_cell: Indices, grid: int) -> tuple[Floats, Floats]:
    """Return the regressions and their weights, each (10, grid, grid), in the nine cells about each object's centre.

    Args:
        truth: (n, 10) in the order of the channels, but centres as fractional cells and bodies as boxes in pixels; NaN
            where unknown.
        nearest_cell: (n, 2) whole cells of the centres.
        grid: cells along a side.
    """
    around = nearest_cell[:, None] + _NEIGHBOURS  # (n, 9, 2)
    here_px = around * STRIDE_PX + (STRIDE_PX - 1) / 2
    values = np.repeat(truth[:, None], len(_NEIGHBOURS), axis=1)
    values[..., :2] -= around
    values[..., 6:8] = (here_px - values[..., 6:8]) / BODY_UNIT_PX
    values[..., 8:] = (values[..., 8:] - here_px) / BODY_UNIT_PX
    # Written from far to near, so that a cell between two objects speaks for the nearer one.
    order = np.argsort(-np.hypot(values[..., 0], values[..., 1]), axis=None, kind="stable")
    cells, values = around.reshape(-1, 2)[order], values.reshape(-1, REGRESSION_CHANNELS)[order]
    on_grid = ((cells >= 0) & (cells < grid)).all(axis=1)
    column, row = cells[on_grid].T
    maps = np.zeros((2, REGRESSION_CHANNELS, grid, grid), np.float32)
    maps[0, :, row, column] = np.nan_to_num(values[on_grid])
    maps[1, :, row, column] = np.isfinite(values[on_grid])
    return maps[0], maps[1]


def _beneath(quads_px: Floats, visible: NDArray[np.floating]) -> Mask:
    """Return which tiles (n,) another, more visible one covers so far that suppression would keep only one of both.

    Args:
        quads_px: (n, 4, 2) outlines.
        visible: (n,) how much of each is seen; nought for what covers nothing.
    """
    beneath = np.zeros(len(quads_px), np.bool_)
    areas = [cv2.contourArea(quad_px) for quad_px in quads_px]
    for lower in np.flatnonzero((visible > 0) & (visible < OPEN_VISIBLE)):
        for upper in np.flatnonzero(visible > visible[lower]):
            shared, _ = cv2.intersectConvexConvex(quads_px[lower], quads_px[upper])
            beneath[lower] |= are_duplicates(shared, areas[lower], areas[upper])
    return beneath


def _cells(points_px: Floats) -> Floats:
    """Return pixels (..., 2) as fractional cells of the grid; cell 0 is centred on pixel 1.5."""
    return ((points_px - (STRIDE_PX - 1) / 2) / STRIDE_PX).astype(np.float32)


def _inside_share(quads_px: Floats, side: int) -> Floats:
    """Return the share of each quad (n, 4, 2) that lies inside the window, (n,)."""
    along, across = axes_of(quads_px)
    points = quads_px[:, None, 0] + _INSIDE[:, :1] * along[:, None] + _INSIDE[:, 1:] * across[:, None]
    share: Floats = ((points >= 0) & (points <= side - 1)).all(axis=2).mean(axis=1)
    return share


def _moved_boxes(boxes_px: Floats, matrix: NDArray[np.float64]) -> Floats:
    """Return boxes (n, 4) after a movement that only swaps, mirrors, stretches and shifts the axes."""
    corners = boxes_px.reshape(-1, 2, 2) @ matrix[:, :2].T + matrix[:, 2]
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1).astype(np.float32)


def _draw_peak(heat: Floats, cell: Indices, angle: float, spread: NDArray[np.float64]) -> None:
    """Draw one object's peak about its cell, longer along its axis, with exactly one in that cell."""
    grid = len(heat)
    column, row = int(cell[0]), int(cell[1])
    reach = math.ceil(2.6 * max(spread))
    top, bottom = max(row - reach, 0), min(row + reach + 1, grid)
    left, right = max(column - reach, 0), min(column + reach + 1, grid)
    y = np.arange(top - row, bottom - row, dtype=np.float32)[:, None]
    x = np.arange(left - column, right - column, dtype=np.float32)
    cosine, sine = math.cos(angle), math.sin(angle)
    u, v = (x * cosine + y * sine) / spread[0], (y * cosine - x * sine) / spread[1]
    patch = heat[top:bottom, left:right]
    np.maximum(patch, np.exp((u * u + v * v) * -0.5), out=patch)
