"""What looking for drift and bad pictures costs, beside decoding the same picture from JPEG.

``python -m benchmarks.inspect_frame [--picture F --calibration F]``; drift by markers only where there are any.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from benchmarks.measure import by_turns, parser_of, report, with_ratios
from calibration.drift.drift import drift
from calibration.drift.landmarks import landmarks
from calibration.files.calibration_file import load_calibration
from vision.capture.images import load_image
from vision.health.picture_health import fingerprint, health, reference

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE = Path(__file__).resolve().parents[1] / "service" / "sample"


def main() -> None:
    """Time each inspection by turns."""
    parser = parser_of(__doc__)
    parser.add_argument("--picture", type=Path, default=SAMPLE / "pictures" / "house-wrong.jpg")
    parser.add_argument("--calibration", type=Path, default=SAMPLE / "calibration.json")
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    image, calibration = load_image(options.picture), load_calibration(options.calibration)
    surface = calibration.surface()
    marks, good = landmarks(image, surface), reference(image, surface)
    unmarked = replace(calibration, markers=())
    data = np.frombuffer(cv2.imencode(".jpg", image)[1].tobytes(), np.uint8)
    work: dict[str, Callable[[int], object]] = {
        "decode JPEG": lambda _: cv2.imdecode(data, cv2.IMREAD_COLOR),
        "drift by layout": lambda _: drift(unmarked, image, marks),
        "health": lambda _: health(good, image),
        "fingerprint": lambda _: fingerprint(image),
    }
    if calibration.markers:
        work["drift by markers"] = lambda _: drift(calibration, image)
    report(with_ratios(by_turns(work, options.runs), "decode JPEG"), as_json=options.as_json)


if __name__ == "__main__":
    main()
