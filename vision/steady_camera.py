"""State of one stationary camera: positions of objects, and their readings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from vision.detect.motion_gate import MotionGatedDetector
from vision.rereading import Rereading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Box, Indices, Pixels
    from vision.detect.detections import Detections, FindsObjects
    from vision.findings import Finding
    from vision.observing import Observed
    from vision.reading import Reading


@dataclass(frozen=True, eq=False, slots=True)
class Setting:
    """Settings for reading a picture; two are equal only if nothing was replaced.

    Attributes:
        calibration: of the camera.
        empty: the picture of the empty table.
        versions: of everything that reads.
        hands: whether hands are assembled.
    """

    calibration: TableCalibration | None
    empty: Pixels | None
    versions: dict[str, str]
    hands: bool

    def gives_same_observations(self, other: Setting) -> bool:
        """Whether the same observations of a tile or die result."""
        return self.calibration is other.calibration and self.empty is other.empty

    def gives_same_reading(self, other: Setting) -> bool:
        """Whether the same reading results from them."""
        return self.gives_same_observations(other) and self.versions == other.versions and self.hands == other.hands


class SteadyCamera:
    """Reads only changes; see ``vision.rereading`` for how long a reading is trusted.

    Attributes:
        repeated: whether the last picture is identical to the one before: a frozen camera.
    """

    def __init__(self, detector: FindsObjects) -> None:
        self.repeated = False
        self._gate = MotionGatedDetector(detector)
        self._rereading = Rereading()
        self._setting: Setting | None = None
        self._last: Reading | None = None
        self._light: Sequence[Finding] = ()
        self._remembers = False

    def detect(self, image: Pixels, tile_px: float | None, region: Box | None, t_s: float | None) -> Detections:
        """Find the candidates of the next picture; arguments as for ``MotionGatedDetector.detect``."""
        before = self._gate.seen
        found = self._gate.detect(image, tile_px, region, t_s)
        now = self._gate.seen
        self.repeated = before is not None and now is not None and np.array_equal(before.grey, now.grey)
        return found

    def same(
        self, found: Detections, setting: Setting, tile_px: float | None, t_s: float | None
    ) -> tuple[Observed | None, Indices]:
        """The previous picture's observations, and its candidate that each (n,) still matches; -1 to be read."""
        view, then, self._setting = self._gate.seen, self._setting, setting
        self._remembers = t_s is not None and tile_px is not None
        if view is None or tile_px is None or t_s is None:
            self._rereading, self._last = Rereading(), None
            return None, np.full(len(found), -1)
        if then is None or not setting.gives_same_observations(then):
            self._rereading = Rereading()
        if then is None or not setting.gives_same_reading(then):
            self._last = None
        return self._rereading.same(view, found, tile_px, t_s)

    def unchanged(self, same: Indices, light: Sequence[Finding]) -> Reading | None:
        """The last reading, if nothing has changed and the light is the same; else None."""
        observed, last = self._rereading.observed, self._last
        if observed is None or last is None or tuple(light) != tuple(self._light):
            return None
        return last if len(same) == len(observed.found) and bool((same >= 0).all()) else None

    def remember(
        self, observed: Observed, same: Indices, reading: Reading, tile_px: float | None, light: Sequence[Finding]
    ) -> None:
        view = self._gate.seen
        if view is None or tile_px is None or not self._remembers:
            return
        doubted = np.zeros(len(same), np.bool_)
        doubted[observed.tiles.cut.source[[tile.status != "verified" for tile in reading.tiles]]] = True
        doubted[observed.dice.source[[die.status != "verified" for die in reading.dice]]] = True
        self._rereading.remember(view, observed, same, tile_px, doubted)
        self._light = light
        self._last = replace(
            reading,
            tiles=tuple(replace(tile, fresh=False) for tile in reading.tiles),
            dice=tuple(replace(die, fresh=False) for die in reading.dice),
        )
