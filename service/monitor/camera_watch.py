"""The camera of a live table, watched: its pictures inspected, and what that says over time.

A picture with a fault verifies nothing, from the first one on. What shows nothing new since a picture just inspected
needs no inspection of its own. An alarm is told only once a fault lasts, for a sleeve passes and a lamp's exposure
settles, and it is over once pictures have been well for a moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias

import cv2
import numpy as np

from calibration.drift.drift import Drift
from service.codes import ServiceCode
from service.monitor.inspection import ORIENTATIONS, Fault
from service.table.live_state import Check
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

    from service.monitor.inspection import Inspection, Inspector
    from vision.capture.images import Image

NAME: Final = "camera"
WELL_S: Final = 1.0
"""For so long pictures must be well before an alarm is over."""
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
"""How long a fault lasts before an alarm is told: arms and sleeves are gone again after two seconds."""
_GAP_S: Final = 0.5
"""A fault that is away for no longer lasts on, and so does one that the picture before showed, however long ago."""
_AGAIN_S: Final = 0.2
"""What an inspection found holds no longer than this, even if nothing changes: a lamp may fade slowly."""
_SMALLER: Final = 8
"""Changes are looked for in a picture so many times smaller, in which the noise of a camera is next to nothing."""
_CHANGE_LEVELS: Final = 8
_CHANGED_AT_MOST: Final = 8
"""So many values of the smaller picture may differ by more than so many levels: a tile covers more, a pixel of print
that the camera moves by changes hundreds."""
_TURN_S: Final = 5.0
"""For so long what was found of a turned or mirrored picture holds, for it takes long to find out."""
Faults: TypeAlias = tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class _Episode:
    """A fault for as long as it lasts.

    Attributes:
        fault: as it was first told; later figures differ a little from picture to picture.
        since_s: when it began.
        last_s: when it was last seen.
    """

    fault: Fault
    since_s: float
    last_s: float


@dataclass(slots=True)
class CameraWatch:
    """Inspects one camera's pictures in their order.

    Attributes:
        inspector: the calibration and what the empty table looks like.
        live: whether the pictures are those of a camera: then no two are alike to the last bit, and a camera of which
            nobody can tell whether it has moved verifies nothing.
        check: how the camera is.
        drift_mm: how far things seem to have moved on the table, millimetres, when that was measured last; None if it
            never was.
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
    _heard_s: float = -inf
    _turned: Fault | None = None
    _turned_s: float = -inf
    _fit: bool = True

    def __post_init__(self) -> None:
        """Say what is known before the first picture."""
        able = self.inspector.able
        unable = ServiceCode.NOT_WATCHED if self.live else ServiceCode.CAMERA_RECORDED
        code = ServiceCode.CAMERA_NOT_INSPECTED if able else unable
        self.check = Check.of(NAME, code, ok=able or not self.live)

    @property
    def fit(self) -> bool:
        """Whether the last picture may be believed."""
        return self._fit

    def stands(self, t_s: float) -> bool:
        """Whether the camera has been seen for a while to stand where it was calibrated."""
        well = self._well_since_s is not None and t_s - self._well_since_s >= WELL_S
        return self.inspector.able and well and self.check.ok

    def see(self, image: Image, t_s: float) -> Faults:
        """Inspect the next picture.

        Args:
            image: (height, width, 3) uint8.
            t_s: when it was taken, seconds on a clock that only goes forward.

        Returns:
            Why nothing in it may be verified; empty if all is well.

        Raises:
            CalibrationError: it has another size than the calibration.
        """
        if not self.inspector.able:
            return (Fault(Finding(ServiceCode.NOT_WATCHED)),) if self.live else ()
        faults = self.hear(self._faults(image, t_s), t_s)
        self._fit = not faults
        return faults

    def hear(self, faults: Faults, t_s: float) -> Faults:
        """Take what the next picture says, see :meth:`see`."""
        now: dict[StrEnum, _Episode] = {
            code: episode
            for code, episode in self._episodes.items()
            if t_s - episode.last_s <= _GAP_S or episode.last_s >= self._heard_s
        }
        self._heard_s = t_s
        for fault in faults:
            known = now.get(fault.code)
            now[fault.code] = _Episode(fault, t_s, t_s) if known is None else replace(known, last_s=t_s)
        self._episodes = now
        lasting = tuple(
            each.fault for each in now.values() if each.last_s == t_s and t_s - each.since_s >= LASTS_S[each.fault.code]
        )
        if faults:
            self._well_since_s = None
        elif self._well_since_s is None:
            self._well_since_s = t_s
        if lasting:
            self._alarm = tuple({fault.code: fault for fault in (*self._alarm, *lasting)}.values())
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
                # What a picture that was inspected shows once more is no news of camera or light.
                return (Fault(Finding(ServiceCode.FROZEN)),)
        size = (max(1, image.shape[1] // _SMALLER), max(1, image.shape[0] // _SMALLER))
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        if self._inspected is not None:
            before, inspected_s, found = self._inspected
            if 0 <= t_s - inspected_s < _AGAIN_S and _unchanged(before, small):
                return found
        inspected = self.inspector.inspect(image)
        if isinstance(inspected.drift, Drift):
            self.drift_mm = inspected.drift.largest_mm
        turned = self._look_turned(image, inspected, t_s)
        found = inspected.telling if turned is None else (turned,)
        self._inspected = small, t_s, found
        return found

    def _look_turned(self, image: Image, inspected: Inspection, t_s: float) -> Fault | None:
        """Whether pictures are turned or mirrored; only where the camera does not stand as calibrated anyway."""
        if isinstance(inspected.drift, Drift) and inspected.drift.holds:
            self._turned, self._turned_s = None, -inf
        elif t_s - self._turned_s >= _TURN_S:
            self._turned, self._turned_s = self.inspector.turned(image, inspected), t_s
        return self._turned


def _alike(one: Image, other: Image) -> bool:
    """Whether two pictures are alike to the last bit; a few rows of living ones tell them apart."""
    return np.array_equal(one[::64], other[::64]) and np.array_equal(one, other)


def _unchanged(before: Image, now: Image) -> bool:
    """Whether nothing has changed from one small picture to another but noise."""
    if before.shape != now.shape:
        return False
    return int(np.count_nonzero(cv2.absdiff(before, now) > _CHANGE_LEVELS)) <= _CHANGED_AT_MOST
