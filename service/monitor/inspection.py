"""Whether a table may be read as it is now: the camera where it was calibrated, the picture as good as it was then."""

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
from calibration.table.places import GAME_PLACES
from calibration.table.sizes import TABLE_MM
from service.codes import ServiceCode
from service.words.findings import english
from vision.findings import Finding
from vision.health.picture_health import Health, HealthReference, health, reference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from enum import StrEnum
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from calibration.table.zones import Layout
    from vision.capture.images import Image

_RED: Final = (40, 40, 230)
_AMBER: Final = (0, 170, 255)
_GREEN: Final = (80, 200, 80)
_AROUND_MM: Final = 60.0
"""So much is shown beyond the edge of the playing surface."""
ORIENTATIONS: Final[Mapping[Orientation, ServiceCode]] = {
    Orientation.TURNED: ServiceCode.PICTURE_TURNED,
    Orientation.CLOCKWISE: ServiceCode.PICTURE_CLOCKWISE,
    Orientation.COUNTER_CLOCKWISE: ServiceCode.PICTURE_COUNTER_CLOCKWISE,
    Orientation.MIRRORED: ServiceCode.PICTURE_MIRRORED,
    Orientation.FLIPPED: ServiceCode.PICTURE_FLIPPED,
}
"""The faults of a picture that is turned or mirrored against its calibration."""
_QUARTER_TURNS: Final[Mapping[Orientation, str]] = {
    Orientation.CLOCKWISE: "clockwise",
    Orientation.COUNTER_CLOCKWISE: "counter-clockwise",
}
_BY_EXIF: Final[Mapping[int, Orientation]] = {6: Orientation.CLOCKWISE, 8: Orientation.COUNTER_CLOCKWISE}
"""Which way a stored picture of the calibration's size was turned, by the orientation in its EXIF data."""
_ARROW: Final = 10
"""Shifts are drawn this many times as long as they are: a few millimetres are a few pixels."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason not to trust what is read now.

    Attributes:
        finding: what it is.
        boxes_px: where the picture shows it, ``(left, top, right, bottom)``.
    """

    finding: Finding
    boxes_px: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def code(self) -> StrEnum:
        """What it is."""
        return self.finding.code


@dataclass(frozen=True, eq=False, slots=True)
class Inspection:
    """What one picture says of camera and light.

    Attributes:
        drift: how far the camera has moved, or why the picture does not show it.
        health: the picture against the reference; None if the calibration has none.
        faults: why not to trust what is read; empty if all is well.
    """

    drift: Drift | DriftUnknown
    health: Health | None
    faults: tuple[Fault, ...]

    @property
    def telling(self) -> tuple[Fault, ...]:
        """The faults without what follows of another: where nothing is seen, that no movement is seen either."""
        told = tuple(fault for fault in self.faults if fault.code is not ServiceCode.DRIFT_UNKNOWN)
        return told or self.faults


@dataclass(frozen=True, eq=False, slots=True)
class Inspector:
    """A calibration with what was measured once of its picture of the empty table.

    Attributes:
        calibration: the calibration.
        empty: the picture of the empty table; None if there is none.
        marks: landmarks of the empty table; None without its picture.
        good: measures of the empty table; None without its picture.
    """

    calibration: TableCalibration
    empty: Image | None
    marks: Landmarks | None
    good: HealthReference | None

    @classmethod
    def of(cls, calibration: TableCalibration, empty: Image | None) -> Inspector:
        """From a calibration and the picture of the empty table, if there is one."""
        if empty is None:
            return cls(calibration, None, None, None)
        surface = calibration.surface()
        return cls(calibration, empty, landmarks(empty, surface), reference(empty, surface))

    @classmethod
    def load(cls, path: Path, calibration: TableCalibration) -> Inspector:
        """From a calibration's file.

        Raises:
            CalibrationError: if its picture of the empty table is gone or another.
        """
        return cls.of(calibration, load_reference(path, calibration))

    @property
    def able(self) -> bool:
        """Whether there is anything to compare with."""
        return bool(self.calibration.markers) or self.marks is not None

    def check_size(self, image: Image, name: str = "the picture", exif: int = 1) -> None:
        """Make sure that a picture has the calibration's size.

        Args:
            image: (height, width, 3) uint8.
            name: of the picture, for the message.
            exif: the orientation that the EXIF data of the picture's file asked for.

        Raises:
            CalibrationError: it has another; of a quarter turn it says which way, if that can be told.
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
        """What a picture says of camera and light.

        Raises:
            CalibrationError: if it has another size than the calibration.
        """
        self.check_size(image)
        moved = drift(self.calibration, image, self.marks)
        state = None if self.good is None else health(self.good, image)
        faults: list[Fault] = []
        if not isinstance(moved, Drift):
            faults.append(Fault(Finding.of(ServiceCode.DRIFT_UNKNOWN, why=moved.reasons)))
        elif not moved.holds:
            faults.append(Fault(_drifted(moved)))
        if state is not None:
            faults.extend(Fault(each.finding, each.boxes_px) for each in state.faults)
        return Inspection(moved, state, tuple(faults))

    def examine(self, image: Image) -> Inspection:
        """The same of a picture on its own, with a look whether it is turned or mirrored."""
        inspected = self.inspect(image)
        turned = self.turned(image, inspected)
        return inspected if turned is None else replace(inspected, faults=(turned,))

    def turned(self, image: Image, inspected: Inspection) -> Fault | None:
        """Whether a picture is turned or mirrored, which takes about as long as three inspections."""
        how = orientation(self.calibration, image, self.marks, inspected.drift)
        return None if how is None else Fault(Finding.of(ORIENTATIONS[how]))


def _drifted(moved: Drift) -> Finding:
    by = ServiceCode.MEASURED_BY_MARKERS if moved.by == "markers" else ServiceCode.MEASURED_BY_LAYOUT
    largest_mm, limit_mm = round(moved.largest_mm, 1), round(moved.limit_mm, 1)
    measured = (Finding.of(by, moved_mm=largest_mm, number=len(moved.numbers), limit_mm=limit_mm),)
    if moved.lone is None:
        return Finding.of(ServiceCode.DRIFTED, measured=measured)
    return Finding.of(ServiceCode.MARKER_MOVED, marker=moved.lone, measured=measured)


def lasting(seen: Sequence[Inspection]) -> tuple[int, tuple[Fault, ...]]:
    """What more than half of the pictures show, and the last picture that shows it; a sleeve that passes is no fault.

    Args:
        seen: at least one inspection, in the order of the pictures.

    Returns:
        Which of them to show, and its faults that last.
    """
    often = Counter(fault.code for each in seen for fault in each.faults)
    kept = {code for code, times in often.items() if 2 * times > len(seen)}
    showing = (index for index in reversed(range(len(seen))) if kept & {fault.code for fault in seen[index].faults})
    index = next(showing, len(seen) - 1)
    return index, tuple(fault for fault in seen[index].faults if fault.code in kept)


def draw_inspection(image: Image, inspection: Inspection) -> Image:
    """The picture with what was found drawn on it: shifts as arrows, ten times as long as they are, and cells."""
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
    """The picture with the places of the table drawn on the felt, as the lens bends them."""
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
    """Width and depth of what :func:`top_view` shows; the middle of the table is its middle."""
    wide, deep = layout.table_mm or TABLE_MM
    return (wide + 2 * _AROUND_MM, deep + 2 * _AROUND_MM)


def top_view(image: Image, calibration: TableCalibration, width_px: int = 1200) -> Image:
    """The felt as it would look from straight above, with its edge around it; what stands up is drawn out of place.

    Args:
        image: a picture of the table.
        calibration: of the camera that took it.
        width_px: of the view.

    Returns:
        (h, width_px, 3) uint8, x to the right and y up, both to one scale.

    Raises:
        CalibrationError: if the picture has another size than the calibration.
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
