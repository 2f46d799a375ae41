"""Printed markers: detection, and the pose from their centres.

A technician measures only the centre of each card, so the card may have any rotation. The resulting side length must
match the printed one, a check that is independent of the tape measure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FlatMm, Numbers, PointsPx
from calibration.codes import CalibrationCode
from calibration.files.calibration_file import Marker
from calibration.finding import Finding, NotSolved, Param
from calibration.lens.projection import Lens
from calibration.table.table_fit import PoseFit, solve_pose

MARKER_MM: Final = 60.0
"""Side of the black square."""
CARD_MM: Final = 80.0
"""Side of the white card with the marker."""
MARKERS: Final = 8
"""Number of printed markers, numbered from 0."""
_SIDE_TOLERANCE: Final = 0.04
_SIDE_TOLERANCE_PX: Final = 3.0
"""Tolerance of a side's length: a bright card makes its marker look 1.5 pixels too small."""


@dataclass(frozen=True, slots=True)
class MarkerSpot:
    """Measured centre of a marker; ``z_mm`` is 0 on the felt, more on the rail."""

    number: int
    x_mm: float
    y_mm: float
    z_mm: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class TableFit:
    """A pose solved from markers, the detected markers in order, and the numbers of undetected ones."""

    fit: PoseFit
    markers: tuple[Marker, ...]
    missing: tuple[int, ...]


def find_markers(image: NDArray[np.uint8]) -> dict[int, PointsPx]:
    """Detect the table markers (DICT_4X4_50) in a picture: id to 4 corners in OpenCV's order.

    An id seen twice is omitted: one of the two is wrong.
    """
    corners, numbers, _ = _detector().detectMarkers(image)
    if numbers is None:
        return {}
    ids = [int(number) for number in np.asarray(numbers).reshape(-1)]
    return {
        number: np.asarray(four, np.float64).reshape(4, 2)
        for number, four in zip(ids, corners, strict=True)
        if ids.count(number) == 1
    }


def mean_markers(seen: Sequence[Mapping[int, PointsPx]]) -> dict[int, PointsPx]:
    """Markers of several pictures of a still table: median of each corner, for those in at least half of them."""
    numbers = {number for each in seen for number in each}
    grouped = {number: [each[number] for each in seen if number in each] for number in sorted(numbers)}
    return {
        number: np.asarray(np.median(views, axis=0), np.float64)
        for number, views in grouped.items()
        if 2 * len(views) >= len(seen)
    }


def solve_markers(seen: Mapping[int, PointsPx], spots: Sequence[MarkerSpot], lens: Lens) -> TableFit | NotSolved:
    """Solve the pose from markers at these spots, or return why that is impossible."""
    numbers = [spot.number for spot in spots]
    if twice := sorted({number for number in numbers if numbers.count(number) > 1}):
        return NotSolved.of(CalibrationCode.MARKER_TWICE, CalibrationCode.GIVE_MARKER_ONE_PLACE, marker=twice[0])
    there = [spot for spot in spots if spot.number in seen]
    missing = tuple(spot.number for spot in spots if spot.number not in seen)
    unseen: dict[str, Param] = {"unseen": ", ".join(map(str, missing))} if missing else {}
    if len(there) < 4:
        counts = {"seen": len(there), "given": len(spots)}
        return NotSolved.of(CalibrationCode.FEW_MARKERS_SEEN_OF_GIVEN, CalibrationCode.SHOW_MARKERS, **counts, **unseen)
    middles_px = np.array([_middle(seen[spot.number], lens) for spot in there])
    middles_mm = np.array([(spot.x_mm, spot.y_mm, spot.z_mm) for spot in there])
    fit = solve_pose(middles_px, middles_mm, lens)
    if isinstance(fit, NotSolved):
        order = ", ".join(f"{index} is marker {spot.number}" for index, spot in enumerate(there, 1))
        also = Finding.of(CalibrationCode.MARKERS_UNSEEN_TOO, reason=(fit.reason,), **unseen) if unseen else fit.reason
        return NotSolved(also, Finding.of(CalibrationCode.POINTS_ARE_MARKERS, advice=(fit.advice,), order=order))
    markers = []
    for spot in there:
        rays = lens.rays_from_image(seen[spot.number])
        corners_mm = fit.pose.plane_from_rays(rays, spot.z_mm)
        side_mm = _side(corners_mm)
        allowed_mm = max(_SIDE_TOLERANCE * MARKER_MM, _SIDE_TOLERANCE_PX * side_mm / _side(seen[spot.number]))
        if not abs(side_mm - MARKER_MM) <= allowed_mm:
            sizes = {"side": f"{side_mm:.1f}", "printed": f"{MARKER_MM:.1f}"}
            return NotSolved.of(
                CalibrationCode.MARKER_SIZE_WRONG, CalibrationCode.CHECK_MARKER, marker=spot.number, **sizes
            )
        markers.append(Marker(spot.number, _square(corners_mm), spot.z_mm))
    return TableFit(fit, tuple(markers), missing)


def _middle(corners_px: PointsPx, lens: Lens) -> Numbers:
    """(2,): the intersection of the diagonals, computed without distortion and projected back into the picture."""
    rays = lens.rays_from_image(corners_px)
    first, second = rays[2] - rays[0], rays[3] - rays[1]
    along = np.linalg.solve(np.column_stack([first, -second]), rays[1] - rays[0])[0]
    middle: Numbers = lens.image_from_rays((rays[0] + along * first)[None])[0]
    return middle


def _side(corners: Numbers) -> float:
    """The mean length of the four sides."""
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())


def _square(corners_mm: FlatMm) -> tuple[tuple[float, float], ...]:
    """The square of the printed size at a marker's position."""
    middle = corners_mm.mean(axis=0)
    # The four corners rotated onto each other: their mean is the half diagonal to the first of them.
    quarter = np.array([[0.0, -1.0], [1.0, 0.0]])
    if np.linalg.det(np.diff(corners_mm[:3], axis=0)) < 0:
        quarter = quarter.T
    turns = [np.linalg.matrix_power(quarter, number) for number in range(4)]
    first = np.mean([turn.T @ (corner - middle) for turn, corner in zip(turns, corners_mm, strict=True)], axis=0)
    first *= MARKER_MM / np.sqrt(2) / np.linalg.norm(first)
    return tuple((float(x), float(y)) for x, y in (middle + turn @ first for turn in turns))


@cache
def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    # A 60 mm marker is about 70 px wide in a picture of a full table; much smaller ones are not ours.
    parameters.minMarkerPerimeterRate = 0.02
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), parameters)


def marker_pattern(number: int) -> NDArray[np.bool_]:
    """Mask of a marker's black modules with its border: (6, 6) bool, from the upper left."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    black: NDArray[np.bool_] = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, 6), np.uint8) < 128
    return black
