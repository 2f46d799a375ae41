"""Measurements of the table for its calibration, and their drawings: positions of markers, and whether it is empty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from calibration.files.calibration_file import CalibrationError
from calibration.table.markers import TableFit, find_markers, mean_markers, solve_markers
from calibration.table.table_fit import ACCEPT_MM
from service.table.monitor.calibrating import CalibrationRefusedError
from service.table.setup.camera_views import fit_to_page
from service.words.wording import words
from vision.health.picture_health import health, reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from calibration.arrays import PointsPx
    from calibration.files.calibration_file import TableCalibration
    from calibration.finding import NotSolved
    from calibration.lens.lens_fit import LensFit
    from calibration.table.markers import MarkerSpot
    from calibration.table.table_fit import PoseFit
    from service.table.live_pictures import Snapshot
    from service.table.monitor.calibrating import Calibrating
    from service.table.monitor.calibrations import LensQuality
    from vision.capture.images import Image
    from vision.reading import PictureReader, Polygon

_PICTURES: Final = 3
"""Number of pictures in a measurement."""
_GREEN: Final = (80, 200, 80)
_AMBER: Final = (0, 170, 255)
_RED: Final = (60, 60, 235)
_MOVES: Final = 0.004
"""Share of the table that may differ between two pictures because of noise; a moving hand exceeds it."""


@dataclass(frozen=True, eq=False, slots=True)
class MarkerMeasurement:
    """The positions of markers.

    Attributes:
        snapshot: the last picture.
        seen: four corners by number, pixels, averaged over all pictures.
        found: the camera's pose, or why it cannot be solved; None if no positions were given.
    """

    snapshot: Snapshot
    seen: Mapping[int, PointsPx]
    found: TableFit | NotSolved | None


def measure_markers(calibrating: Calibrating, spots: Sequence[MarkerSpot]) -> MarkerMeasurement:
    """Find markers in pictures, and solve the camera's pose from their given positions.

    Raises:
        CalibrationError: there is no lens or no picture, or the lens is for another picture size.
    """
    taken = _take(calibrating)
    lens = calibrating.lens
    if lens is None:
        raise CalibrationRefusedError(words("Calibrate the lens first."))
    check_size(lens, taken[-1])
    seen = mean_markers([find_markers(each.image) for each in taken])
    found = solve_markers(seen, spots, lens.lens) if spots else None
    return MarkerMeasurement(taken[-1], seen, found)


def check_size(lens: LensQuality | LensFit, taken: Snapshot) -> None:
    """Raise CalibrationError unless the lens is for pictures of this size."""
    size = (taken.image.shape[1], taken.image.shape[0])
    if size != lens.size:
        now, of_lens = (f"{width} x {height}" for width, height in (size, lens.size))
        raise CalibrationRefusedError(
            words(
                "The camera gives pictures of %(now)s pixels, the lens was calibrated at %(of_lens)s: calibrate the "
                "lens again, or set the size of the pictures back.",
                now=now,
                of_lens=of_lens,
            )
        )


@dataclass(frozen=True, eq=False, slots=True)
class EmptyTableCheck:
    """Whether the table is empty.

    Attributes:
        snapshot: the last picture.
        lying: outlines of tiles and dice, pixels.
        moves: whether something changed between the pictures.
    """

    snapshot: Snapshot
    lying: tuple[Polygon, ...]
    moves: bool

    @property
    def empty(self) -> bool:
        """Whether nothing lies on the table and nothing moves."""
        return not self.lying and not self.moves


def check_empty(calibrating: Calibrating, known: TableCalibration, reader: PictureReader) -> EmptyTableCheck:
    """Check that nothing lies on the table or moves over it; CalibrationError without a picture of the right size."""
    taken = _take(calibrating)
    last = taken[-1]
    known.check_size((last.image.shape[1], last.image.shape[0]), "the camera's picture")
    read = reader.read(last.image, calibration=known, name="the camera's picture", hands=False)
    lying = (*(tile.polygon for tile in read.tiles), *(die.polygon for die in read.dice))
    # Compare each picture with the first: a part that is hidden or lit differently has moved.
    first = reference(taken[0].image, known.surface())
    moves = any(health(first, each.image).hidden > _MOVES for each in taken[1:])
    return EmptyTableCheck(last, lying, moves)


def _take(calibrating: Calibrating) -> list[Snapshot]:
    taken = [picture for _ in range(_PICTURES) if (picture := calibrating.picture()) is not None]
    if not taken:
        raise CalibrationRefusedError(words("The camera gives no picture now; see the page Health."))
    if len({each.image.shape for each in taken}) > 1:
        raise CalibrationError("the camera's pictures differ in size")
    return taken


def draw_markers(
    image: Image, seen: Mapping[int, PointsPx], spots: Sequence[MarkerSpot], fit: PoseFit | None = None
) -> Image:
    """Draw the visible markers with their numbers, and the deviation of each from its given position.

    Args:
        image: (height, width, 3) uint8 BGR.
        seen: four corners by number, pixels.
        spots: the given positions.
        fit: the camera's pose; its residuals are in the order of the visible spots.

    Returns:
        (height, width, 3) uint8 BGR, no wider than a page needs.
    """
    drawn, scale = fit_to_page(image)
    named = [spot.number for spot in spots]
    there = [number for number in named if number in seen]
    off = {} if fit is None else dict(zip(there, fit.residual_mm.tolist(), strict=True))
    for number, corners in seen.items():
        colour = _GREEN if number in named and off.get(number, 0.0) <= ACCEPT_MM else _AMBER
        outline = np.round(corners * scale).astype(np.int32)
        cv2.polylines(drawn, [outline], isClosed=True, color=colour, thickness=4, lineType=cv2.LINE_AA)
        text = f"{number}: {off[number]:.1f} mm" if number in off else str(number)
        (wide, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.9, 2)
        left = int(outline[:, 0].max()) + 6
        if left + wide > drawn.shape[1]:
            left = int(outline[:, 0].min()) - 6 - wide
        for thickness, shade in ((7, (0, 0, 0)), (2, colour)):
            at = (left, int(outline[:, 1].mean()) + 8)
            cv2.putText(drawn, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.9, shade, thickness, cv2.LINE_AA)
    return drawn


def draw_found(image: Image, polygons: Iterable[Polygon]) -> Image:
    """Draw in red what lies on a table that should be empty."""
    drawn, scale = fit_to_page(image)
    for polygon in polygons:
        outline = np.round(np.asarray(polygon, np.float64) * scale).astype(np.int32)
        cv2.polylines(drawn, [outline], isClosed=True, color=_RED, thickness=4, lineType=cv2.LINE_AA)
    return drawn
