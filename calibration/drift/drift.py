"""Detection of camera movement since calibration, from one picture.

The printed layout is compared with the picture of the empty table taken at calibration; if too little of it is visible,
or there is no such picture, markers are used. Cheap enough to run every few seconds: markers are searched near their
expected positions first, and in the full picture only if they are not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import cv2
import numpy as np

from calibration.codes import CalibrationCode
from calibration.drift.landmarks import Landmarks, find_landmarks
from calibration.finding import Finding
from calibration.table.markers import find_markers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration

__all__ = ["LIMIT_MM", "Drift", "DriftUnknown", "drift"]

LIMIT_MM: Final = 2.0
"""A larger shift invalidates the calibration. Noise and sharpening cause errors of some tenths."""
MIN_MARKERS: Final = 2
MIN_LANDMARKS: Final = 8
_FIT_MM: Final = 1.0
"""Landmarks further than this from the common movement are attributed to objects on the felt."""
_NOTHING_TO_COMPARE: Final = frozenset({CalibrationCode.NO_REFERENCE, CalibrationCode.FEW_MARKERS_CALIBRATED})
_AGREE: Final = 0.5
"""Minimum share of the found landmarks that follow the common movement."""


@dataclass(frozen=True, eq=False, slots=True)
class Drift:
    """Apparent movement of the table since the calibration.

    Attributes:
        by: what was compared.
        numbers: of the markers or spots compared, one for each row.
        expected_px: (n, 2) float64, expected positions.
        seen_px: (n, 2) float64, actual positions.
        shift_mm: (n, 2) float64, the differences on the table.
        limit_mm: the shift from which the calibration is invalid.
    """

    by: Literal["markers", "layout"]
    numbers: tuple[int, ...]
    expected_px: NDArray[np.float64]
    seen_px: NDArray[np.float64]
    shift_mm: NDArray[np.float64]
    limit_mm: float = LIMIT_MM

    @property
    def names(self) -> tuple[str, ...]:
        """Label of each row: ``marker 3`` or ``spot 12``."""
        return tuple(f"{'marker' if self.by == 'markers' else 'spot'} {number}" for number in self.numbers)

    @property
    def largest_mm(self) -> float:
        return float(np.linalg.norm(self.shift_mm, axis=1).max())

    @property
    def holds(self) -> bool:
        """Whether the calibration is still valid."""
        return self.largest_mm <= self.limit_mm

    @property
    def lone(self) -> int | None:
        """The only marker that moved while all others (at least two) did not: then the card slid, not the camera."""
        sizes = np.linalg.norm(self.shift_mm, axis=1)
        off = np.flatnonzero(sizes > self.limit_mm)
        still = np.delete(sizes, off)
        if self.by != "markers" or len(off) != 1 or len(still) < 2 or still.max() > self.limit_mm / 2:
            return None
        return self.numbers[int(off[0])]


@dataclass(frozen=True, slots=True)
class DriftUnknown:
    """A picture that does not show whether the camera has moved. It is falsy, unlike a drift.

    Attributes:
        reasons: why neither the layout nor the markers show it.
    """

    reasons: tuple[Finding, ...]

    @property
    def comparable(self) -> bool:
        """Whether the calibration has anything for comparison with a picture."""
        return {each.code for each in self.reasons} != _NOTHING_TO_COMPARE

    def __bool__(self) -> Literal[False]:
        return False


def drift(
    calibration: TableCalibration, image: NDArray[np.uint8], marks: Landmarks | None = None, *, search: bool = True
) -> Drift | DriftUnknown:
    """Measure the camera's movement relative to the table.

    Args:
        calibration: with the markers fixed to the table, if any.
        image: (height, width, 3) uint8, of the calibration's size.
        marks: landmarks of the picture of the empty table, if any.
        search: whether to search markers in the full picture if they are not near their places.

    Returns:
        The shift, or why the picture does not show it.

    Raises:
        CalibrationError: the picture has another size.
    """
    calibration.check_size((image.shape[1], image.shape[0]))
    # Dozens of spots together are ten times as accurate as the corners of four markers.
    by_layout = _by_layout(calibration, image, marks)
    if isinstance(by_layout, Drift):
        return by_layout
    by_markers = _by_markers(calibration, image, search=search)
    if isinstance(by_markers, Drift):
        return by_markers
    return DriftUnknown((*by_layout.reasons, *by_markers.reasons))


def _by_markers(calibration: TableCalibration, image: NDArray[np.uint8], *, search: bool) -> Drift | DriftUnknown:
    expected: dict[int, NDArray[np.float64]] = {}
    heights: dict[int, float] = {}
    width, height = calibration.size
    for marker in calibration.markers:
        corners = calibration.project(np.array([(*corner, marker.z_mm) for corner in marker.corners_mm]))
        if np.isfinite(corners).all() and (corners > 0).all() and (corners < (width - 1, height - 1)).all():
            expected[marker.number] = corners
            heights[marker.number] = marker.z_mm
    if len(expected) < MIN_MARKERS:
        return _unknown(CalibrationCode.FEW_MARKERS_CALIBRATED, inside=len(expected), needed=MIN_MARKERS)
    seen = _near(image, expected)
    if search and len(seen) < len(expected):
        everywhere = find_markers(image)
        seen |= {number: everywhere[number] for number in expected.keys() & everywhere.keys() - seen.keys()}
    if len(seen) < MIN_MARKERS:
        return _unknown(CalibrationCode.FEW_MARKERS_SEEN, seen=len(seen), known=len(expected), needed=MIN_MARKERS)
    numbers = sorted(seen)
    shifts = []
    for number in numbers:
        z_mm = heights[number]
        moved = calibration.to_plane(seen[number], z_mm) - calibration.to_plane(expected[number], z_mm)
        shifts.append(moved.mean(axis=0))
    return Drift(
        "markers",
        tuple(numbers),
        np.array([expected[number].mean(axis=0) for number in numbers]),
        np.array([seen[number].mean(axis=0) for number in numbers]),
        np.array(shifts),
    )


def _near(image: NDArray[np.uint8], expected: dict[int, NDArray[np.float64]]) -> dict[int, NDArray[np.float64]]:
    """The markers found around their expected positions."""
    found: dict[int, NDArray[np.float64]] = {}
    for number, corners in expected.items():
        reach = 0.6 * np.ptp(corners, axis=0).max()
        left, top = np.maximum(corners.min(axis=0) - reach, 0).astype(int).tolist()
        right, bottom = (corners.max(axis=0) + reach).astype(int).tolist()
        piece = np.ascontiguousarray(image[top : bottom + 1, left : right + 1])
        # Perimeter limits are relative to the region's size: in small regions none is too small.
        if (here := find_markers(piece).get(number)) is not None:
            found[number] = here + np.array((left, top))
    return found


def _by_layout(
    calibration: TableCalibration, image: NDArray[np.uint8], marks: Landmarks | None
) -> Drift | DriftUnknown:
    if marks is None:
        return _unknown(CalibrationCode.NO_REFERENCE)
    seen = find_landmarks(marks, image)
    before, after = calibration.to_plane(marks.points_px, 0.0), calibration.to_plane(seen, 0.0)
    there = np.asarray(np.isfinite(before).all(axis=1) & np.isfinite(after).all(axis=1), np.bool_)
    count = int(there.sum())
    if count < MIN_LANDMARKS:
        return _unknown(CalibrationCode.FEW_SPOTS, seen=count, known=len(there), needed=MIN_LANDMARKS)
    movement, follows = cv2.estimateAffinePartial2D(
        before[there], after[there], method=cv2.RANSAC, ransacReprojThreshold=_FIT_MM, confidence=0.999
    )
    agreed = 0 if movement is None else int(np.count_nonzero(follows))
    if agreed < max(MIN_LANDMARKS, _AGREE * count):
        return _unknown(CalibrationCode.SPOTS_DISAGREE, agreed=agreed, seen=count)
    movement = np.asarray(movement, np.float64)
    at = before[there][np.asarray(follows).ravel().astype(bool)]
    # The common movement rather than individual spots: noise averages out.
    shift_mm = at @ movement[:, :2].T + movement[:, 2] - at
    kept = np.flatnonzero(there)[np.asarray(follows).ravel().astype(bool)]
    return Drift(
        "layout",
        tuple(kept.tolist()),
        marks.points_px[kept],
        seen[kept],
        shift_mm,
    )


def _unknown(code: CalibrationCode, **counts: int) -> DriftUnknown:
    return DriftUnknown((Finding.of(code, **counts),))
