"""Whether a picture is rotated or mirrored relative to its calibration.

A camera that was remounted upside down, or set to mirror or rotate its pictures, shows the same table; the calibration
then assigns every hand to another place. This is detected by undoing each transformation and comparing again.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.drift.drift import Drift, drift

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from calibration.drift.drift import DriftUnknown
    from calibration.drift.landmarks import Landmarks
    from calibration.files.calibration_file import TableCalibration


class Orientation(StrEnum):
    """Rotation or reflection of a picture relative to its calibration."""

    TURNED = "turned"
    """By 180 degrees."""
    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter_clockwise"
    """By 90 degrees: what was at the top of the picture is now at its right, or at its left."""
    MIRRORED = "mirrored"
    """Left and right swapped."""
    FLIPPED = "flipped"
    """Top and bottom swapped."""


_BACK: Final[Mapping[Orientation, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]]] = {
    Orientation.TURNED: lambda image: image[::-1, ::-1],
    Orientation.CLOCKWISE: np.rot90,
    Orientation.COUNTER_CLOCKWISE: lambda image: np.rot90(image, -1),
    Orientation.MIRRORED: lambda image: image[:, ::-1],
    Orientation.FLIPPED: lambda image: image[::-1],
}
_SMALL_MM: Final = 50.0
"""Maximum movement of a camera that was only nudged or remounted."""
_SURE: Final = 0.5
"""Share of landmarks in place that leaves no doubt; a symmetric layout matches partly when mirrored too."""


def orientation(
    calibration: TableCalibration,
    image: NDArray[np.uint8],
    marks: Landmarks | None,
    unturned: Drift | DriftUnknown,
) -> Orientation | None:
    """Return the rotation or reflection of a picture; None for an unchanged picture, or if not visible.

    Args:
        calibration: as for :func:`calibration.drift.drift.drift`.
        image: (height, width, 3) uint8, of the calibration's size.
        marks: landmarks of the picture of the empty table, if any.
        unturned: the result of ``drift`` for the picture.
    """
    in_place = _in_place(unturned)
    if isinstance(unturned, Drift) and in_place:
        known = len(marks.points_px) if unturned.by == "layout" and marks is not None else len(unturned.numbers)
        if in_place >= _SURE * known:
            return None
    return _turned_back(calibration, image, marks, in_place)


def quarter_turn(
    calibration: TableCalibration, image: NDArray[np.uint8], marks: Landmarks | None
) -> Orientation | None:
    """The direction of a picture rotated by 90 degrees relative to the calibration; None if not visible.

    Args:
        calibration: as for :func:`orientation`.
        image: (height, width, 3) uint8, width and height swapped.
        marks: as for :func:`orientation`.
    """
    return _turned_back(calibration, image, marks, 0)


def _turned_back(
    calibration: TableCalibration, image: NDArray[np.uint8], marks: Landmarks | None, in_place: int
) -> Orientation | None:
    """The transformation that puts most landmarks in place, and more than without it."""
    found = {}
    for each, back in _BACK.items():
        upright = np.ascontiguousarray(back(image))
        if (upright.shape[1], upright.shape[0]) == calibration.size:
            found[each] = _in_place(drift(calibration, upright, marks, search=False))
    best = max(found, key=found.__getitem__)
    return best if found[best] > in_place else None


def _in_place(seen: Drift | DriftUnknown) -> int:
    """Number of markers or landmarks in place, allowing for a small movement of the camera."""
    return len(seen.numbers) if isinstance(seen, Drift) and seen.largest_mm <= _SMALL_MM else 0
