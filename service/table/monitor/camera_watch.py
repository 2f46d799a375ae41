"""Watches the camera of a live table: inspects its pictures, and follows faults over time.

Nothing is verified in a picture with a fault. A picture that shows no change since the last inspection is not inspected
again. An alarm is raised only once a fault lasts, since sleeves pass and exposures settle, and ends once pictures have
been free of faults for a moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias

import cv2
import numpy as np

from calibration.drift.drift import Drift
from service.record.health import Check
from service.table.monitor.inspection import ORIENTATIONS, InspectionFault
from service.words.codes import ServiceCode
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

    from service.table.monitor.inspection import Inspection, Inspector
    from vision.capture.images import Image

NAME: Final = "camera"
WELL_S: Final = 1.0
"""How long pictures must be free of faults before an alarm ends."""
LASTS_S: Final[Mapping[StrEnum, float]] = {
    ServiceCode.DRIFTED: 0.5,
    ServiceCode.MARKER_MOVED: 1.0,
    **dict.fromkeys(ORIENTATIONS.values(), 0.5),
    Code.COVERED: 1.0,
    Code.DIM: 1.0,
    Code.BRIGHT: 1.0,
    Code.DEFOCUSED: 1.0,
    ServiceCode.FROZEN: 2.0,
    Code.GLARE: 2.0,
    Code.OBSTRUCTED: 3.0,
    ServiceCode.DRIFT_UNKNOWN: 3.0,
    ServiceCode.NOT_WATCHED: 3.0,
}
"""How long a fault must last before an alarm is raised: arms and sleeves are gone after two seconds."""
_GAP_S: Final = 0.5
"""A fault continues over a gap up to this, and if the previous picture showed it, however long ago that was."""
_AGAIN_S: Final = 0.2
"""Longest validity of an inspection, even without changes: a lamp may fade slowly."""
_SMALLER: Final = 8
"""Changes are detected in a picture reduced by this factor, in which camera noise is negligible."""
_CHANGE_LEVELS: Final = 8
_CHANGED_AT_MOST: Final = 8
"""Number of values of the reduced picture that may differ by more than ``_CHANGE_LEVELS``: a tile covers more, and a
camera movement of one pixel changes hundreds."""
_TURN_S: Final = 5.0
"""Validity of the check for turned or mirrored pictures, which takes long."""
Faults: TypeAlias = tuple[InspectionFault, ...]


@dataclass(frozen=True, slots=True)
class _Episode:
    """A continuous fault.

    Attributes:
        fault: as first found; later figures differ a little from picture to picture.
        since_s: when it started.
        last_s: when it was last seen.
    """

    fault: InspectionFault
    since_s: float
    last_s: float


@dataclass(slots=True)
class CameraWatch:
    """Inspects one camera's pictures in order.

    Attributes:
        inspector: the calibration and the reference of the empty table.
        live: whether the pictures come from a camera: then no two are identical, and nothing is verified if drift of
            the camera cannot be detected.
        check: state of the camera.
        drift_mm: last measured apparent shift on the table, millimetres; None if it was never measured.
    """

    inspector: Inspector
    live: bool = True
    check: Check = field(init=False)
    drift_mm: float | None = None
    _episodes: dict[StrEnum, _Episode] = field(default_factory=dict)
    _alarm: Faults = ()
    _well_since_s: float | None = None
    _last: Image | None = None
    _inspected: tuple[Image, float, Faults] | None = None
    _updated_s: float = -inf
    _turned: InspectionFault | None = None
    _turned_s: float = -inf
    _fit: bool = True

    def __post_init__(self) -> None:
        """Set the check before the first picture."""
        comparable = self.inspector.comparable
        unwatched = ServiceCode.NOT_WATCHED if self.live else ServiceCode.CAMERA_RECORDED
        code = ServiceCode.CAMERA_NOT_INSPECTED if comparable else unwatched
        self.check = Check.of(NAME, code, ok=comparable or not self.live)

    @property
    def fit(self) -> bool:
        """Whether the last picture had no fault."""
        return self._fit

    def is_in_place(self, t_s: float) -> bool:
        """Return whether the camera has been where it was calibrated for at least ``WELL_S``."""
        well = self._well_since_s is not None and t_s - self._well_since_s >= WELL_S
        return self.inspector.comparable and well and self.check.ok

    def see(self, image: Image, t_s: float) -> Faults:
        """Inspect the next picture.

        Args:
            image: (height, width, 3) uint8.
            t_s: when it was taken, monotonic seconds.

        Returns:
            Why nothing in it may be verified; empty without faults.

        Raises:
            CalibrationError: it has another size than the calibration.
        """
        if not self.inspector.comparable:
            return (InspectionFault(Finding(ServiceCode.NOT_WATCHED)),) if self.live else ()
        faults = self.update(self._faults(image, t_s), t_s)
        self._fit = not faults
        return faults

    def update(self, faults: Faults, t_s: float) -> Faults:
        """Update the check with the faults of the next picture; see :meth:`see` for the result."""
        now: dict[StrEnum, _Episode] = {
            code: episode
            for code, episode in self._episodes.items()
            if t_s - episode.last_s <= _GAP_S or episode.last_s >= self._updated_s
        }
        self._updated_s = t_s
        for fault in faults:
            known = now.get(fault.code)
            now[fault.code] = _Episode(fault, t_s, t_s) if known is None else replace(known, last_s=t_s)
        self._episodes = now
        majority_faults = tuple(
            each.fault for each in now.values() if each.last_s == t_s and t_s - each.since_s >= LASTS_S[each.fault.code]
        )
        if faults:
            self._well_since_s = None
        elif self._well_since_s is None:
            self._well_since_s = t_s
        if majority_faults:
            self._alarm = tuple({fault.code: fault for fault in (*self._alarm, *majority_faults)}.values())
            self._alarm = tuple(fault for fault in self._alarm if fault.code in now)
        elif self._well_since_s is not None and t_s - self._well_since_s >= WELL_S:
            self._alarm = ()
        state = tuple(fault.finding for fault in self._alarm) or (Finding(ServiceCode.CAMERA_WELL),)
        self.check = Check(NAME, not self._alarm, state)
        present = {fault.code: now[fault.code].fault for fault in faults}
        return tuple(({fault.code: fault for fault in self._alarm} | present).values())

    def _faults(self, image: Image, t_s: float) -> Faults:
        if self.live:
            last, self._last = self._last, image
            if last is not None and _alike(last, image):
                # A repeated picture says nothing new about camera and light.
                return (InspectionFault(Finding(ServiceCode.FROZEN)),)
        size = (max(1, image.shape[1] // _SMALLER), max(1, image.shape[0] // _SMALLER))
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        if self._inspected is not None:
            before, inspected_s, found = self._inspected
            if 0 <= t_s - inspected_s < _AGAIN_S and _unchanged(before, small):
                return found
        inspected = self.inspector.inspect(image)
        if isinstance(inspected.drift, Drift):
            self.drift_mm = inspected.drift.largest_mm
        turned = self._turned_fault(image, inspected, t_s)
        found = inspected.main_faults if turned is None else (turned,)
        self._inspected = small, t_s, found
        return found

    def _turned_fault(self, image: Image, inspected: Inspection, t_s: float) -> InspectionFault | None:
        """Check whether pictures are turned or mirrored, if the camera is not where it was calibrated."""
        if isinstance(inspected.drift, Drift) and inspected.drift.holds:
            self._turned, self._turned_s = None, -inf
        elif t_s - self._turned_s >= _TURN_S:
            self._turned, self._turned_s = self.inspector.turned(image, inspected), t_s
        return self._turned


def _alike(one: Image, other: Image) -> bool:
    """Return whether two pictures are identical; a few rows are enough to tell live pictures apart."""
    return np.array_equal(one[::64], other[::64]) and np.array_equal(one, other)


def _unchanged(before: Image, now: Image) -> bool:
    """Return whether two reduced pictures differ only by noise."""
    if before.shape != now.shape:
        return False
    return int(np.count_nonzero(cv2.absdiff(before, now) > _CHANGE_LEVELS)) <= _CHANGED_AT_MOST
