"""A camera over a table, upright or tilted, for tests of geometry."""

import numpy as np

from calibration.files.calibration_file import TableCalibration
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.zones import Layout


def tilted_camera(tilt_deg: float) -> TableCalibration:
    """A camera that looks at the middle of the table from 1.5 m, with a full HD picture and more."""
    tilt = np.radians(tilt_deg)
    down = np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]])
    lean = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    matrix = np.array([[1300.0, 0, 1151.5], [0, 1300.0, 647.5], [0, 0, 1]])
    pose = Pose(lean @ down, np.array([0, 0, 1500.0]))
    return TableCalibration((2304, 1296), Lens(matrix, np.zeros(5)), pose, Layout(()))
