"""Checks whether a picture may be read: the camera where it was calibrated, the picture as good as it was then.

A live table is watched continuously (:mod:`service.table.monitor.camera_watch`). A picture from a file or a request is
compared once with its calibration, by the same measures (:func:`checked_against_table`). If a calibration has nothing
to compare with, the reading is unchanged, with a finding that says so: the sender is responsible for it. Only the hands
themselves may contradict it: a picture turned by half a turn has fewer hands at its places than on the table.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from calibration.drift.drift import Drift, DriftUnknown, drift
from calibration.drift.landmarks import Landmarks, landmarks
from calibration.drift.orientation import Orientation, orientation, quarter_turn
from calibration.drift.reference import load_reference
from calibration.table.places import GAME_PLACES, HOUSE
from calibration.table.sizes import TABLE_MM, TILE_TOP_MM
from service.rounds.readings import doubted
from service.words.codes import ServiceCode
from service.words.findings import english
from vision.findings import Finding
from vision.health.picture_health import Health, HealthReference, health, reference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from enum import StrEnum
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from calibration.table.places import Place
    from calibration.table.zones import Layout
    from vision.capture.images import Image
    from vision.reading import Reading

_RED: Final = (40, 40, 230)
_AMBER: Final = (0, 170, 255)
_GREEN: Final = (80, 200, 80)
_AROUND_MM: Final = 60.0
"""Margin around the playing surface."""
ORIENTATIONS: Final[Mapping[Orientation, ServiceCode]] = {
    Orientation.TURNED: ServiceCode.PICTURE_TURNED,
    Orientation.CLOCKWISE: ServiceCode.PICTURE_CLOCKWISE,
    Orientation.COUNTER_CLOCKWISE: ServiceCode.PICTURE_COUNTER_CLOCKWISE,
    Orientation.MIRRORED: ServiceCode.PICTURE_MIRRORED,
    Orientation.FLIPPED: ServiceCode.PICTURE_FLIPPED,
}
"""Faults of a picture that is turned or mirrored relative to its calibration."""
_QUARTER_TURNS: Final[Mapping[Orientation, str]] = {
    Orientation.CLOCKWISE: "clockwise",
    Orientation.COUNTER_CLOCKWISE: "counter-clockwise",
}
_BY_EXIF: Final[Mapping[int, Orientation]] = {6: Orientation.CLOCKWISE, 8: Orientation.COUNTER_CLOCKWISE}
"""Direction in which a stored picture of the calibration's size was turned, by the orientation in its EXIF data."""
_ARROW: Final = 10
"""Magnification of drawn shifts: a few millimetres are only a few pixels."""


@dataclass(frozen=True, slots=True)
class InspectionFault:
    """A reason not to trust the reading of a picture.

    Attributes:
        finding: the fault.
        boxes_px: regions of the picture, ``(left, top, right, bottom)``.
    """

    finding: Finding
    boxes_px: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def code(self) -> StrEnum:
        return self.finding.code


@dataclass(frozen=True, eq=False, slots=True)
class Inspection:
    """The inspection of camera and light in one picture.

    Attributes:
        drift: how far the camera has moved, or why that is unknown.
        health: the picture compared with the reference; None if the calibration has none.
        faults: reasons not to trust the reading.
    """

    drift: Drift | DriftUnknown
    health: Health | None
    faults: tuple[InspectionFault, ...]

    @property
    def main_faults(self) -> tuple[InspectionFault, ...]:
        """The faults without unknown drift, which follows from any other fault that hides the table."""
        main = tuple(fault for fault in self.faults if fault.code is not ServiceCode.DRIFT_UNKNOWN)
        return main or self.faults


@dataclass(frozen=True, eq=False, slots=True)
class Inspector:
    """A calibration with measures of its picture of the empty table.

    Attributes:
        calibration: the calibration.
        empty: the picture of the empty table, if there is one.
        marks: landmarks of the empty table; None without its picture.
        good: measures of the empty table; None without its picture.
    """

    calibration: TableCalibration
    empty: Image | None
    marks: Landmarks | None
    good: HealthReference | None

    @classmethod
    def of(cls, calibration: TableCalibration, empty: Image | None) -> Inspector:
        if empty is None:
            return cls(calibration, None, None, None)
        surface = calibration.surface()
        return cls(calibration, empty, landmarks(empty, surface), reference(empty, surface))

    @classmethod
    def load(cls, path: Path, calibration: TableCalibration) -> Inspector:
        """Load the picture of the empty table beside a calibration's file.

        Raises:
            CalibrationError: the picture is missing or a different one.
        """
        return cls.of(calibration, load_reference(path, calibration))

    @property
    def comparable(self) -> bool:
        """Whether there are markers or landmarks to compare pictures with."""
        return bool(self.calibration.markers) or self.marks is not None

    def check_size(self, image: Image, name: str = "the picture", exif: int = 1) -> None:
        """Check that a picture has the calibration's size.

        Args:
            image: (height, width, 3) uint8.
            name: of the picture, for the message.
            exif: the orientation in the EXIF data of the picture's file.

        Raises:
            CalibrationError: the size differs; for a quarter turn the message says in which direction, if known.
        """
        size, ours = (image.shape[1], image.shape[0]), self.calibration.size
        how = None
        if size == ours[::-1] != ours:
            how = quarter_turn(self.calibration, image, self.marks) or _BY_EXIF.get(exif)
        turned = "" if how is None else f"{_QUARTER_TURNS[how]}, as one looks at it"
        if how is not None and _BY_EXIF.get(exif) is how:
            turned += f", by the orientation in its EXIF data ({exif})"
        self.calibration.check_size(size, name, turned)

    def inspect(self, image: Image) -> Inspection:
        """Inspect camera and light in a picture.

        Raises:
            CalibrationError: it has another size than the calibration.
        """
        self.check_size(image)
        moved = drift(self.calibration, image, self.marks)
        state = None if self.good is None else health(self.good, image)
        faults: list[InspectionFault] = []
        if not isinstance(moved, Drift):
            faults.append(InspectionFault(Finding.of(ServiceCode.DRIFT_UNKNOWN, why=moved.reasons)))
        elif not moved.holds:
            faults.append(InspectionFault(_drifted(moved)))
        if state is not None:
            faults.extend(InspectionFault(each.finding, each.boxes_px) for each in state.faults)
        return Inspection(moved, state, tuple(faults))

    def examine(self, image: Image) -> Inspection:
        """Inspect a single picture, including whether it is turned or mirrored."""
        inspected = self.inspect(image)
        turned = self.turned(image, inspected)
        return inspected if turned is None else replace(inspected, faults=(turned,))

    def turned(self, image: Image, inspected: Inspection) -> InspectionFault | None:
        """Check whether a picture is turned or mirrored; takes about as long as three inspections."""
        how = orientation(self.calibration, image, self.marks, inspected.drift)
        return None if how is None else InspectionFault(Finding.of(ORIENTATIONS[how]))


def _drifted(moved: Drift) -> Finding:
    by = ServiceCode.MEASURED_BY_MARKERS if moved.by == "markers" else ServiceCode.MEASURED_BY_LAYOUT
    largest_mm, limit_mm = round(moved.largest_mm, 1), round(moved.limit_mm, 1)
    measured = (Finding.of(by, moved_mm=largest_mm, number=len(moved.numbers), limit_mm=limit_mm),)
    if moved.lone is None:
        return Finding.of(ServiceCode.DRIFTED, measured=measured)
    return Finding.of(ServiceCode.MARKER_MOVED, marker=moved.lone, measured=measured)


def majority_faults(seen: Sequence[Inspection]) -> tuple[int, tuple[InspectionFault, ...]]:
    """Return the faults that more than half of the pictures show; a passing sleeve is not a fault.

    Args:
        seen: at least one inspection, in the order of the pictures.

    Returns:
        The index of the last inspection with such a fault, and its faults of this kind.
    """
    often = Counter(fault.code for each in seen for fault in each.faults)
    kept = {code for code, times in often.items() if 2 * times > len(seen)}
    showing = (index for index in reversed(range(len(seen))) if kept & {fault.code for fault in seen[index].faults})
    index = next(showing, len(seen) - 1)
    return index, tuple(fault for fault in seen[index].faults if fault.code in kept)


def draw_inspection(image: Image, inspection: Inspection) -> Image:
    """Draw an inspection on its picture: magnified shifts as arrows, faulty regions, and messages."""
    drawn = image.copy()
    for fault in inspection.faults:
        for left, top, right, bottom in fault.boxes_px:
            cv2.rectangle(drawn, (left, top), (right - 1, bottom - 1), _AMBER, 2)
    moved = inspection.drift
    if isinstance(moved, Drift):
        colour = _GREEN if moved.holds else _RED
        for expected, seen in zip(moved.expected_px, moved.seen_px, strict=True):
            tip = expected + _ARROW * (seen - expected)
            start, end = (tuple(int(each) for each in np.round(point)) for point in (expected, tip))
            cv2.circle(drawn, start, 8, colour, 2)
            cv2.arrowedLine(drawn, start, end, colour, 3, cv2.LINE_AA, tipLength=0.2)
    messages = english(fault.finding for fault in inspection.faults) or ("Nothing found",)
    for index, message in enumerate(messages):
        at = (20, 40 + 34 * index)
        cv2.putText(drawn, message, at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 4, cv2.LINE_AA)
        cv2.putText(drawn, message, at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 1, cv2.LINE_AA)
    return drawn


def draw_places(image: Image, calibration: TableCalibration) -> Image:
    """Draw the places of the table on a picture, with lens distortion."""
    drawn = image.copy()
    for zone in calibration.layout.all_zones:
        corners = np.array([*zone.corners_mm, zone.corners_mm[0]])
        steps = np.linspace(0.0, 1.0, 16)[:, None]
        line = np.concatenate([a + steps * (b - a) for a, b in pairwise(corners)])
        pixels = calibration.project(np.column_stack([line, np.zeros(len(line))]))
        if not np.isfinite(pixels).all():
            continue
        colour = _GREEN if zone.place in GAME_PLACES else _AMBER
        cv2.polylines(drawn, [np.round(pixels).astype(np.int32)], isClosed=True, color=colour, thickness=2)
        at = tuple(int(each) for each in np.round(pixels.mean(axis=0)))
        cv2.putText(drawn, zone.name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.8, colour, 2, cv2.LINE_AA)
    return drawn


def top_size_mm(layout: Layout) -> tuple[float, float]:
    """Return width and depth of the area of :func:`top_view`, which is centred on the table."""
    wide, deep = layout.table_mm or TABLE_MM
    return (wide + 2 * _AROUND_MM, deep + 2 * _AROUND_MM)


def top_view(image: Image, calibration: TableCalibration, width_px: int = 1200) -> Image:
    """Rectify the plane of the felt, with a margin; objects above the plane are displaced.

    Args:
        image: a picture of the table.
        calibration: of the camera that took it.
        width_px: of the view.

    Returns:
        (h, width_px, 3) uint8, x to the right and y up, in the same scale.

    Raises:
        CalibrationError: the picture has another size than the calibration.
    """
    calibration.check_size((image.shape[1], image.shape[0]))
    wide, deep = top_size_mm(calibration.layout)
    step = wide / width_px
    height_px = round(deep / step)
    xs = (np.arange(width_px) + 0.5) * step - wide / 2
    ys = deep / 2 - (np.arange(height_px) + 0.5) * step
    felt = np.stack([*np.meshgrid(xs, ys), np.zeros((height_px, width_px))], axis=-1)
    pixels = np.nan_to_num(calibration.project(felt.reshape(-1, 3)), nan=-1.0).reshape(height_px, width_px, 2)
    seen = cv2.remap(image, pixels[..., 0].astype(np.float32), pixels[..., 1].astype(np.float32), cv2.INTER_LINEAR)
    return np.asarray(seen, np.uint8)


_OF_A_HAND: Final = (4, 5)
"""Number of tiles at a place with a hand; one may be a stray."""
_LEAST_HANDS: Final = 2
_MANY_MORE: Final = 2
"""Without a House hand, this many more places with hands indicate a turned picture."""
_EXIF_HALF_TURN: Final = 3


def checked_against_table(inspector: Inspector, image: Image, reading: Reading, exif: int = 1) -> Reading:
    """Return the reading, with nothing verified unless the picture shows the camera where it was calibrated.

    Args:
        inspector: the calibration that the picture was read with, and the empty table if there is a picture of it.
        image: (height, width, 3) uint8.
        reading: of that picture.
        exif: the orientation in the EXIF data of the picture's file.

    Raises:
        CalibrationError: the picture has another size than the calibration.
    """
    inspected = inspector.examine(image)
    if isinstance(inspected.drift, DriftUnknown) and not inspected.drift.comparable:
        return _without_comparison(inspector.calibration, reading)
    for fault in inspected.main_faults:
        found = fault.finding
        if found.code is ServiceCode.PICTURE_TURNED and exif == _EXIF_HALF_TURN:
            found = Finding.of(ServiceCode.PICTURE_TURNED, exif=exif)
        reading = doubted(reading, found, as_finding=True)
    return reading


def _without_comparison(calibration: TableCalibration, reading: Reading) -> Reading:
    if calibration.reference is not None:
        missing = Finding.of(ServiceCode.REFERENCE_NOT_SENT, file=calibration.reference.name)
        return doubted(reading, missing, as_finding=True)
    seen, turned = (_places_of_hands(calibration, reading, turned=turned) for turned in (False, True))
    more = len(turned) - len(seen)
    if len(turned) >= _LEAST_HANDS and more >= (1 if HOUSE in turned else _MANY_MORE):
        found = Finding.of(ServiceCode.HANDS_LIE_TURNED, turned=len(turned), seen=len(seen))
        return doubted(reading, found, as_finding=True)
    return replace(reading, findings=(*reading.findings, Finding(ServiceCode.STAND_NOT_CHECKED)))


def _places_of_hands(calibration: TableCalibration, reading: Reading, *, turned: bool) -> set[Place]:
    """Return the places with complete hands, in the picture or in the picture turned by half a turn."""
    if not reading.tiles:
        return set()
    middles = np.array([np.mean(tile.polygon, axis=0) for tile in reading.tiles])
    if turned:
        middles = np.array(reading.size) - 1 - middles
    on_table = calibration.to_plane(middles, TILE_TOP_MM)
    known = (calibration.place_of(x, y) for x, y in on_table[np.isfinite(on_table).all(axis=1)].tolist())
    tiles = Counter(place for place in known if place is not None and place.has_hand)
    return {place for place, count in tiles.items() if count in _OF_A_HAND}
