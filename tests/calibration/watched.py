"""A rendered table under a calibrated camera, to be nudged, blurred, dimmed and covered."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.files.calibration_file import TableCalibration
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.markers import MarkerSpot, find_markers, solve_markers
from calibration.table.presets import preset_layout
from calibration.table.table_fit import PoseFit
from tests.calibration.views import LENS, Scenery, View, over_table, table_scenery

SIZE = (1152, 648)
TRUE_LENS = Lens(np.array([[660.0, 0, 585.0], [0, 658.0, 318.0], [0, 0, 1]]), LENS.distortion)
MARKERS = {0: (-975.0, 470.0, 4.0), 1: (970.0, 465.0, -12.0), 2: (975.0, -470.0, 0.0), 3: (-970.0, -475.0, 30.0)}
SPOTS = tuple(MarkerSpot(number, x, y) for number, (x, y, _) in MARKERS.items())


@dataclass(frozen=True, eq=False)
class Watched:
    """The table, the camera, and the calibration made from one noisy picture of it."""

    camera: View
    scenery: Scenery
    pose: Pose
    fit: PoseFit
    calibration: TableCalibration
    clean: NDArray[np.uint8]
    empty: NDArray[np.uint8]

    def seen_from(self, x: float = 12.0, y: float = -20.0, z: float = 1480.0) -> NDArray[np.uint8]:
        """The table from elsewhere, without noise."""
        return self.camera.render(self.scenery, over_table(x=x, y=y, z=z))


def shot(clean: NDArray[Any], *, noise: float = 2.0, seed: int = 5) -> NDArray[np.uint8]:
    """A picture as a sensor gives it: noise, 8 bit, three channels."""
    noisy = np.clip(clean + np.random.default_rng(seed).normal(0, noise, clean.shape), 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(noisy, cv2.COLOR_GRAY2BGR), np.uint8)


@cache
def watched_table() -> Watched:
    camera, scenery, pose = View(TRUE_LENS, SIZE), table_scenery(MARKERS), over_table()
    clean = camera.render(scenery, pose)
    empty = shot(clean, seed=1)
    found = solve_markers(find_markers(empty), SPOTS, TRUE_LENS)
    assert found, found
    calibration = TableCalibration(SIZE, TRUE_LENS, found.fit.pose, preset_layout("crown-a"), markers=found.markers)
    return Watched(camera, scenery, pose, found.fit, calibration, clean, empty)
