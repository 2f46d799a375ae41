"""The calibration of a simulated table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibration.files.calibration_file import TableCalibration
from calibration.lens.projection import Lens
from calibration.table.homography import Pose as CameraPose
from calibration.table.places import DICE, DISCARD, FLOAT, HOUSE
from calibration.table.presets import TABLE_MM
from calibration.table.zones import USUAL_SIZE_MM, Layout, Zone, box_zones

if TYPE_CHECKING:
    from calibration.files.calibration_file import DealerSide
    from datasets.scenes.scene import CameraModel
    from datasets.simulator.script import Script


def calibration_of(made: Script) -> TableCalibration:
    """Calibration of a session's table and of its camera as it was hung."""
    return calibration_seen_by(made, made.setup.camera)


def calibration_seen_by(made: Script, camera: CameraModel) -> TableCalibration:
    """Calibration of a session's table for a camera, as ``Script.calibration`` writes it to a file."""
    plan = made.setup.plan

    def spot(x: float, y: float, angle: float) -> tuple[float, float, float]:
        # Rounded as the calibration file is, so that both are one and the same.
        return round(x, 2), round(y, 2), round(float(np.degrees(angle)), 2)

    hx, hy, turn = spot(*plan.places["house"])
    boxes = {int(name.removeprefix("box")): spot(*at) for name, at in plan.places.items() if name != "house"}
    (dx, dy, _), (ax, ay, _) = spot(*plan.dice_mm, 0.0), spot(*plan.discard_mm, 0.0)
    x, y, w, h = (round(value, 2) for value in plan.float_rect)
    layout = Layout(
        (
            Zone(HOUSE, (hx, hy), USUAL_SIZE_MM[HOUSE], turn),
            *box_zones(boxes),
            Zone(DISCARD, (ax, ay), USUAL_SIZE_MM[DISCARD]),
            Zone(DICE, (dx, dy), USUAL_SIZE_MM[DICE]),
        ),
        TABLE_MM,
        Zone(FLOAT, (x, y), (w, h)),
    )
    side: DealerSide = "bottom of image" if made.setup.bare.dealer_side == "bottom of image" else "top of image"
    return TableCalibration(camera.size, Lens(camera.k, camera.dist), CameraPose(camera.r, camera.t), layout, side)
