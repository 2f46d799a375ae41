"""The camera of a live table, watched: every picture inspected, and what that says over time.

A picture with a fault verifies nothing, from the first one on. An alarm is told only once a fault lasts, for a sleeve
passes and a lamp's exposure settles, and it is over once pictures have been well for a moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from service.monitor.inspection import Code, Fault
from service.table.live_state import Check
from vision.health.picture_health import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.monitor.inspection import Inspector
    from vision.capture.images import Image

NAME: Final = "camera"
WELL_S: Final = 1.0
"""For so long pictures must be well before an alarm is over."""
LASTS_S: Final[Mapping[Code, float]] = {
    "drifted": 0.5,
    "marker_moved": 1.0,
    "covered": 1.0,
    "dim": 1.0,
    "bright": 1.0,
    "defocused": 1.0,
    "frozen": 2.0,
    "glare": 2.0,
    "obstructed": 3.0,
    "drift_unknown": 3.0,
}
"""How long a fault lasts before an alarm is told: arms and sleeves are gone again after two seconds."""
_GAP_S: Final = 0.5
"""A fault that is away for no longer lasts on."""
WELL: Final = "the camera stands as calibrated; the picture is sharp, lit and clear"
NOT_WATCHED: Final = (
    "Whether the camera has moved cannot be told: its calibration has neither markers nor a picture of the empty "
    "table; calibrate the table again"
)
RECORDED: Final = "recorded pictures: whether their camera had moved is not known"
SAME_PICTURE: Final = "The camera gives the same picture again and again: restart it"

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
    _episodes: dict[Code, _Episode] = field(default_factory=dict)
    _alarm: Faults = ()
    _well_since_s: float | None = None
    _print: bytes = b""
    _fit: bool = True

    def __post_init__(self) -> None:
        """Say what is known before the first picture."""
        able = self.inspector.able
        unable = NOT_WATCHED if self.live else RECORDED
        self.check = Check(NAME, ok=able or not self.live, message="no picture was inspected yet" if able else unable)

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
            return (Fault("drift_unknown", NOT_WATCHED),) if self.live else ()
        faults = self.hear(self._faults(image), t_s)
        self._fit = not faults
        return faults

    def hear(self, faults: Faults, t_s: float) -> Faults:
        """Take what the next picture says, see :meth:`see`."""
        now: dict[Code, _Episode] = {
            code: episode for code, episode in self._episodes.items() if t_s - episode.last_s <= _GAP_S
        }
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
        told = "; ".join(fault.message for fault in self._alarm)
        self.check = Check(NAME, ok=not self._alarm, message=told or WELL)
        present = {fault.code: now[fault.code].fault for fault in faults}
        return tuple(({fault.code: fault for fault in self._alarm} | present).values())

    def _faults(self, image: Image) -> Faults:
        if self.live:
            mark = fingerprint(image)
            if mark == self._print:
                # What a picture that was inspected shows once more is no news of camera or light.
                return (Fault("frozen", SAME_PICTURE),)
            self._print = mark
        found = self.inspector.inspect(image).faults
        # A picture in which nothing is seen does not show either whether the camera has moved.
        told = tuple(fault for fault in found if fault.code != "drift_unknown")
        return told or found
