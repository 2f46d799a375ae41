"""Whether a picture is turned or mirrored against the one a calibration was made with.

A camera that was hung up again the other way round, or was set to mirror or turn its pictures, shows the same table; a
calibration then puts every hand at another place. That is seen by turning the picture back and looking again.
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
    """How a picture is turned or mirrored against its calibration."""

    TURNED = "turned"
    """By half a turn."""
    CLOCKWISE = "clockwise"
    COUNTER_CLOCKWISE = "counter_clockwise"
    """By a quarter turn, as one looks at the picture: what was at its top is now at its right, or at its left."""
    MIRRORED = "mirrored"
    """Left and right exchanged."""
    FLIPPED = "flipped"
    """Top and bottom exchanged."""


_BACK: Final[Mapping[Orientation, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]]] = {
    Orientation.TURNED: lambda image: image[::-1, ::-1],
    Orientation.CLOCKWISE: np.rot90,
    Orientation.COUNTER_CLOCKWISE: lambda image: np.rot90(image, -1),
    Orientation.MIRRORED: lambda image: image[:, ::-1],
    Orientation.FLIPPED: lambda image: image[::-1],
}
_SMALL_MM: Final = 50.0
"""A camera that was only nudged or hung up again has moved by less."""
_SURE: Final = 0.5
"""So many of the landmarks where they should be leave no doubt; of a symmetric layout a part is there mirrored too."""


def orientation(
    calibration: TableCalibration,
    image: NDArray[np.uint8],
    marks: Landmarks | None,
    as_it_is: Drift | DriftUnknown,
) -> Orientation | None:
    """How a picture is turned or mirrored; None if it is not, or does not show it.

    Args:
        calibration: as for :func:`calibration.drift.drift.drift`.
        image: (height, width, 3) uint8, of the calibration's size.
        marks: landmarks of the picture of the empty table, if there is one.
        as_it_is: what ``drift`` says of the picture.
    """
    in_place = _in_place(as_it_is)
    if isinstance(as_it_is, Drift) and in_place:
        known = len(marks.points_px) if as_it_is.by == "layout" and marks is not None else len(as_it_is.numbers)
        if in_place >= _SURE * known:
            return None
    return _turned_back(calibration, image, marks, in_place)


def quarter_turn(
    calibration: TableCalibration, image: NDArray[np.uint8], marks: Landmarks | None
) -> Orientation | None:
    """Which way a picture is turned that is as wide as the calibration's is high; None if it does not show it.

    Args:
        calibration: as for :func:`orientation`.
        image: (height, width, 3) uint8, width and height exchanged.
        marks: as for :func:`orientation`.
    """
    return _turned_back(calibration, image, marks, 0)


def _turned_back(
    calibration: TableCalibration, image: NDArray[np.uint8], marks: Landmarks | None, in_place: int
) -> Orientation | None:
    """What puts most landmarks in their places, and more than are there as it is."""
    found = {}
    for each, back in _BACK.items():
        upright = np.ascontiguousarray(back(image))
        if (upright.shape[1], upright.shape[0]) == calibration.size:
            found[each] = _in_place(drift(calibration, upright, marks, search=False))
    best = max(found, key=found.__getitem__)
    return best if found[best] > in_place else None


def _in_place(seen: Drift | DriftUnknown) -> int:
    """How many markers or landmarks are where they should be, give or take a small movement of the camera."""
    return len(seen.numbers) if isinstance(seen, Drift) and seen.largest_mm <= _SMALL_MM else 0
