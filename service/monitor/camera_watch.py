"""The camera of a live table, watched: every picture inspected, and what that says over time.

A picture with a fault verifies nothing, from the first one on. An alarm is told only once a fault lasts, for a sleeve
passes and a lamp's exposure settles, and it is over once pictures have been well for a moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Final, TypeAlias

from calibration.drift.drift import Drift
from service.codes import ServiceCode
from service.monitor.inspection import ORIENTATIONS, Fault
from service.table.live_state import Check
from vision.findings import Code, Finding
from vision.health.picture_health import fingerprint

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
    """

    inspector: Inspector
    live: bool = True
    check: Check = field(init=False)
    _episodes: dict[StrEnum, _Episode] = field(default_factory=dict)
    _alarm: Faults = ()
    _well_since_s: float | None = None
    _print: bytes = b""
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
            mark = fingerprint(image)
            if mark == self._print:
                # What a picture that was inspected shows once more is no news of camera or light.
                return (Fault(Finding(ServiceCode.FROZEN)),)
            self._print = mark
        inspected = self.inspector.inspect(image)
        turned = self._look_turned(image, inspected, t_s)
        return inspected.telling if turned is None else (turned,)

    def _look_turned(self, image: Image, inspected: Inspection, t_s: float) -> Fault | None:
        """Whether pictures are turned or mirrored; only where the camera does not stand as calibrated anyway."""
        if isinstance(inspected.drift, Drift) and inspected.drift.holds:
            self._turned, self._turned_s = None, -inf
        elif t_s - self._turned_s >= _TURN_S:
            self._turned, self._turned_s = self.inspector.turned(image, inspected), t_s
        return self._turned
