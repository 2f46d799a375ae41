"""Positions of detections on the table, and which of them can be tiles and dice in play."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.files.calibration_file import CalibrationError
from calibration.table.places import DICE
from calibration.table.sizes import TILE_MM, TILE_TOP_MM, rectangle_corners
from vision.arrays import Rows
from vision.detect.detections import DIE
from vision.detect.detector import TRAINED_TILE_PX

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Box, Floats, Mask
    from vision.detect.detections import Detections

_DIE_SIDE_MM: Final = (10.0, 27.0)
"""Side of a detected die: 14 to 20 mm (the smallest and largest in use), plus the error of the detector's boxes."""
_EDGE_TOLERANCE_MM: Final = 10.0
"""Distance over the edge of the playing surface up to which the centre of a tile counts as on it: calibration error."""
_SEARCH_MARGIN_MM: Final = 60.0
"""Width of the border searched around the playing surface: about the length of a tile."""
_LEAST_TILE_MM: Final = np.array((52.0, 20.0))
_MOST_TILE_MM: Final = np.array((84.0, 36.0))
"""Length and width of the smallest and the largest tiles made."""
_FEWEST_FOR_SIZE: Final = 6
_MOST_SIZE_SPREAD: Final = 0.05
"""Number of tiles that must agree on a size, and the maximum median of their logarithmic differences."""
_SAME_SIZE: Final = 0.07
"""Logarithmic difference from the usual size up to which a set has that size: the error of the detector's outlines."""
_LEAST_LENGTH_PX: Final = 6.0
"""Length of a tile below which none can be read at any enlargement."""
_MOST_ENLARGED_PX: Final = 16_000_000
"""Maximum number of pixels of a picture enlarged to the trained tile size."""
_POINTS_PER_EDGE: Final = 9
"""Points of each edge projected into the picture, since lens distortion bends the edge."""


@dataclass(frozen=True, eq=False, slots=True)
class Placed(Rows):
    """Places of the tiles of one picture.

    Attributes:
        quads_px: (n, 4, 2) corners of the faces, clockwise, corner 0 to 1 along a short edge.
        sizes: (n, 2) length and width as detected, in millimetres if calibrated, else in pixels.
        centers_mm: (n, 2) on the table, nan where unknown.
        angles_deg: (n,) of the long axis on the table, in [0, 180), nan where unknown.
    """

    quads_px: Floats
    sizes: Floats
    centers_mm: Floats
    angles_deg: Floats


@lru_cache(maxsize=8)
def tile_length_px(calibration: TableCalibration | None) -> float | None:
    """Length of a tile in the middle of the picture; None if the scale is unknown.

    Raises:
        CalibrationError: with a tile of that length the picture cannot show a table, and would need excessive scaling.
    """
    if calibration is None:
        return None
    middle_px = np.array([calibration.size], np.float64) / 2
    middle_mm = calibration.to_plane(middle_px, TILE_TOP_MM)
    scale = calibration.px_per_mm(np.column_stack([middle_mm, [TILE_TOP_MM]]))
    length = float(scale[0]) * TILE_MM[0]
    if not math.isfinite(length):
        return None
    width, height = calibration.size
    enlarged_px = width * height * max(1.0, TRAINED_TILE_PX / max(length, 1e-9)) ** 2
    if not _LEAST_LENGTH_PX <= length <= max(width, height) or enlarged_px > max(_MOST_ENLARGED_PX, width * height):
        raise CalibrationError(
            f"By the calibration a tile would be {length:.3g} pixels long in the middle of a picture of {width} x "
            f"{height}, which shows no table so. See that K, R and t belong together and to this size of picture, with "
            "t in millimetres; or calibrate again."
        )
    return length


@lru_cache(maxsize=8)
def table_region(calibration: TableCalibration | None) -> Box | None:
    """Box of the picture that shows the playing surface; None for all of it."""
    if calibration is None or calibration.layout.table_mm is None:
        return None
    half_mm = np.array(calibration.layout.table_mm) / 2 + _SEARCH_MARGIN_MM
    along = np.linspace(-1, 1, _POINTS_PER_EDGE)
    ends = np.repeat((-1.0, 1.0), _POINTS_PER_EDGE)
    edge = np.concatenate([np.stack([np.tile(along, 2), ends], 1), np.stack([ends, np.tile(along, 2)], 1)]) * half_mm
    edge_px = calibration.project(np.column_stack([edge, np.zeros(len(edge))]))
    # Outside the range of the lens model, an edge far outside the picture may seem to be inside.
    if not (np.linalg.norm(calibration.to_plane(edge_px, 0.0) - edge, axis=1) < _EDGE_TOLERANCE_MM).all():
        return None
    left, top = np.clip(np.floor(edge_px.min(0)), 0, calibration.size).astype(int).tolist()
    right, bottom = np.clip(np.ceil(edge_px.max(0)), 0, calibration.size).astype(int).tolist()
    return (left, top, right, bottom) if left < right and top < bottom else None


def in_play(found: Detections, calibration: TableCalibration) -> Mask:
    """Which detections (n,) can be in play: on the felt, not in the float, dice of plausible size."""
    layout = calibration.layout
    middles = calibration.to_plane(found.centre_px.astype(np.float64), TILE_TOP_MM)
    inside = np.ones(len(found), np.bool_)
    if layout.table_mm is not None:
        inside &= (np.abs(middles) <= np.array(layout.table_mm) / 2 + _EDGE_TOLERANCE_MM).all(1)
    if layout.chip_float is not None:
        inside &= np.array([layout.chip_float.depth(x, y) > 1 for x, y in middles.tolist()], np.bool_)
    inside &= np.isfinite(middles).all(1)
    tops = np.column_stack([np.where(inside[:, None], middles, 0), np.full(len(found), TILE_TOP_MM)])
    side_mm = np.sqrt(found.size_px.astype(np.float64).prod(1)) / calibration.px_per_mm(tops)
    fits = (side_mm >= _DIE_SIDE_MM[0]) & (side_mm <= _DIE_SIDE_MM[1])
    return np.asarray(inside & ((found.kind != DIE) | fits))


def outside_dice_area(found: Detections, calibration: TableCalibration | None) -> Mask:
    """Which dice (n,) are outside the table's dice area; none if that is unknown."""
    if calibration is None or calibration.layout.zone(DICE) is None or not len(found):
        return np.zeros(len(found), np.bool_)
    middles = calibration.to_plane(found.centre_px.astype(np.float64), TILE_TOP_MM)
    return np.array([calibration.layout.place_at(x, y) != DICE for x, y in middles.tolist()], np.bool_)


def place_tiles(
    found: Detections, calibration: TableCalibration | None, tile_mm: tuple[float, float] = TILE_MM[:2]
) -> Placed:
    """Locate the tiles (n,): on the table, with outlines of the known tile size, given a calibration.

    Sizes compare the detected area with the projected area of a tile there, at any tilt.
    """
    quads_px = found.quads_px()
    if calibration is None or not len(found):
        unknown = np.full((len(found), 2), np.nan, np.float32)
        return Placed(quads_px, found.size_px, unknown, unknown[:, 0])
    middles_px = found.centre_px.astype(np.float64)
    direction = np.stack([np.cos(found.angle_rad), np.sin(found.angle_rad)], -1).astype(np.float64)
    centers = calibration.to_plane(middles_px, TILE_TOP_MM)
    ahead = calibration.to_plane(middles_px + direction * found.size_px[:, :1] / 4, TILE_TOP_MM) - centers
    angles = np.arctan2(ahead[:, 1], ahead[:, 0])
    exact = _projected_outlines(centers, angles, calibration, tile_mm)
    # The detector always outputs a tile's own proportions, regardless of foreshortening: only areas are comparable.
    across, along = exact[:, 1] - exact[:, 0], exact[:, 3] - exact[:, 0]
    area_px = np.abs(across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0])
    px_per_mm = np.sqrt(area_px / (tile_mm[0] * tile_mm[1]))
    # A tile outside the range of the lens model keeps its detected outline.
    usable = np.isfinite(exact.reshape(len(exact), -1).sum(1))
    return Placed(
        quads_px=np.where(usable[:, None, None], exact, quads_px).astype(np.float32),
        sizes=(found.size_px / px_per_mm[:, None]).astype(np.float32),
        centers_mm=np.where(usable[:, None], centers, np.nan).astype(np.float32),
        angles_deg=np.where(usable, np.rad2deg(angles) % 180, np.nan).astype(np.float32),
    )


def own_tile_mm(sizes_mm: Floats, sure: Mask) -> tuple[float, float]:
    """Length and width of this table's tiles, from the sizes (n, 2) of the certain ones (n,); default if in doubt.

    Manufacturers' sets differ, but all tiles of a set have one size: many that agree are believed.
    """
    sizes = sizes_mm[sure & np.isfinite(sizes_mm).all(1)]
    if len(sizes) < _FEWEST_FOR_SIZE:
        return TILE_MM[:2]
    median = np.median(sizes, axis=0)
    spread = np.median(np.abs(np.log(sizes / median)), axis=0)
    off = np.log(median / np.array(TILE_MM[:2]))
    if (
        (spread > _MOST_SIZE_SPREAD).any()
        or np.abs(off).max() < _SAME_SIZE
        or not ((median >= _LEAST_TILE_MM) & (median <= _MOST_TILE_MM)).all()
    ):
        return TILE_MM[:2]
    return float(median[0]), float(median[1])


def _projected_outlines(
    centers_mm: NDArray[np.float64],
    angles_rad: NDArray[np.float64],
    calibration: TableCalibration,
    tile_mm: tuple[float, float],
) -> NDArray[np.float64]:
    """Outlines (n, 4, 2) in the picture of flat tiles of a known size, with these centres and directions."""
    corners = rectangle_corners(centers_mm, angles_rad, tile_mm)
    points = np.concatenate([corners, np.full((*corners.shape[:2], 1), TILE_TOP_MM)], -1)
    quads = calibration.project(points.reshape(-1, 3)).reshape(-1, 4, 2)
    # The order is reversed in a mirrored picture.
    first, second = quads[:, 1] - quads[:, 0], quads[:, 2] - quads[:, 1]
    turn = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return np.asarray(np.where((turn < 0)[:, None, None], quads[:, [1, 0, 3, 2]], quads))
