"""Learning a table's own markers from one picture with known positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.table.places import Place
from vision.enrolment.enrolment import felt_colour
from vision.markers.disc import sample
from vision.markers.face import take_face
from vision.markers.felt_view import Edges, FeltView, peaks
from vision.markers.marker_kinds import Meaning
from vision.markers.marker_places import BETTING_DEPTH_MM, box_at
from vision.markers.own_markers import USUAL_HEIGHT_MM, OwnMarker

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration

SIZES_MM: Final = np.arange(30.0, 72.0, 1.0)
"""Possible marker diameters."""
LEAST_ROUND: Final = 0.7
LEAST_CONTRAST: Final = 8.0
"""Minimum roundness and print contrast for a marker that can be detected again."""
_STEP_MM: Final = 1.0
_AROUND_MM: Final = 60.0
"""Search radius around a place, so that a disc on its edge is complete."""
_RIVAL: Final = 0.9
"""Roundness relative to the best disc's from which another disc makes the choice ambiguous."""

Box = tuple[float, float, float, float]


class NotAMarkerError(ValueError):
    """The indicated object cannot be learnt; the message explains why and what to do."""


@dataclass(frozen=True, slots=True)
class Pointed:
    """A marker and its position: a place, or a rectangle (x0, y0, x1, y1) of the picture; ``chung=box1``."""

    meaning: Meaning
    where: Place | Box

    @classmethod
    def parse(cls, text: str) -> Pointed:
        """Parse a text; ValueError if it is invalid."""
        name, _, where = text.partition("=")
        meaning = Meaning.parse(name.strip())
        if "," not in where:
            return cls(meaning, Place.parse(where.strip()))
        try:
            x0, y0, x1, y1 = (float(part) for part in where.split(","))
        except ValueError as error:
            raise ValueError(f"{where!r} is no rectangle; write its corners in pixels as 700,200,760,260") from error
        if not (x0 < x1 and y0 < y1):
            raise ValueError(f"{where!r} is no rectangle: its second corner is to be right of and below the first")
        return cls(meaning, (x0, y0, x1, y1))


def learn_marker(image: NDArray[np.uint8], calibration: TableCalibration, pointed: Pointed) -> OwnMarker:
    """Learn one marker from a picture, (height, width, 3) uint8 BGR, of a calibrated camera.

    Raises:
        NotAMarkerError: no disc or more than one is there, or it has no distinctive print.
    """
    seen = _discs(image, calibration, pointed)
    found = [each for each in seen if _is_meant(calibration, pointed, each[2])]
    if not found or found[0][0] < LEAST_ROUND:
        raise NotAMarkerError(f"{pointed.meaning}: no round marker is seen there; lay it free, without a hand or glare")
    roundness, diameter, center = found[0]
    rivals = [each for each in seen if each[0] > _RIVAL * roundness and np.hypot(*(each[2] - center)) > diameter / 2]
    if rivals and isinstance(pointed.where, Place):
        raise NotAMarkerError(
            f"{pointed.meaning}: several round things lie at {pointed.where}; take the chips away or give a rectangle"
        )
    disc = sample(image, calibration, center[None], diameter / 2, USUAL_HEIGHT_MM)[0]
    face = take_face(image, calibration, (float(center[0]), float(center[1])), diameter / 2, USUAL_HEIGHT_MM)
    own = OwnMarker.of(pointed.meaning, float(diameter), USUAL_HEIGHT_MM, disc, face, felt_colour(image, calibration))
    if own.print.contrast < LEAST_CONTRAST:
        raise NotAMarkerError(f"{pointed.meaning}: no print is seen on it, so it could not be told from a chip")
    return own


def _discs(
    image: NDArray[np.uint8], calibration: TableCalibration, pointed: Pointed
) -> list[tuple[float, float, np.ndarray]]:
    """Discs around the indicated position, (roundness, diameter, centre in mm), the roundest first."""
    view = FeltView.of(calibration, USUAL_HEIGHT_MM, _area(calibration, pointed), _STEP_MM)
    edges = Edges.of(view.take(image))
    found = []
    for diameter in SIZES_MM:
        for column, row, roundness in peaks(edges.roundness(diameter / 2 / view.step_mm), LEAST_ROUND, 8.0, 12):
            found.append((roundness, float(diameter), np.array(view.place_mm(column, row))))
    return sorted(found, key=lambda each: -each[0])


def _area(calibration: TableCalibration, pointed: Pointed) -> Box:
    if isinstance(pointed.where, Place):
        zone = calibration.layout.zone(pointed.where)
        if zone is None:
            raise NotAMarkerError(f"{pointed.meaning}: the calibration has no place {pointed.where}")
        corners = np.array(zone.corners_mm)
        corners = np.vstack([corners - _AROUND_MM, corners + _AROUND_MM])
        beyond = BETTING_DEPTH_MM if pointed.where.box is not None else 0.0
    else:
        x0, y0, x1, y1 = pointed.where
        corners = calibration.to_plane(np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], np.float64), USUAL_HEIGHT_MM)
        beyond = SIZES_MM[0] / 4
        corners = np.vstack([corners + beyond, corners - beyond])
    if not np.isfinite(corners).all():
        raise NotAMarkerError(f"{pointed.meaning}: the rectangle does not lie on the table")
    (x0, y0), (x1, y1) = corners.min(0), corners.max(0)
    return float(x0), float(y0), float(x1), float(y1 + beyond)


def _is_meant(calibration: TableCalibration, pointed: Pointed, center: np.ndarray) -> bool:
    if isinstance(pointed.where, Place):
        return pointed.where.box is None or box_at(calibration.layout, *center.tolist()) == pointed.where
    x, y = calibration.project(np.array([(*center, USUAL_HEIGHT_MM)]))[0]
    x0, y0, x1, y1 = pointed.where
    return bool(x0 <= x <= x1 and y0 <= y <= y1)
