"""What looking for drift and bad pictures costs, beside decoding the same picture from JPEG, in one run.

``python benchmarks/inspect_frame.py --picture F --calibration F``: medians in milliseconds and as a ratio to decoding.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import cv2
import numpy as np

from calibration.drift.drift import drift
from calibration.drift.landmarks import landmarks
from calibration.files.calibration_file import load_calibration
from vision.capture.images import load_image
from vision.health.picture_health import fingerprint, health, reference

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path, required=True)
    parser.add_argument("--calibration", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    image, calibration = load_image(options.picture), load_calibration(options.calibration)
    surface = calibration.surface()
    marks, good = landmarks(image, surface), reference(image, surface)
    unmarked = replace(calibration, markers=())
    data = np.frombuffer(cv2.imencode(".jpg", image)[1].tobytes(), np.uint8)
    tasks: dict[str, Callable[[], object]] = {
        "decode JPEG": lambda: cv2.imdecode(data, cv2.IMREAD_COLOR),
        "drift by layout": lambda: drift(unmarked, image, marks),
        "drift by markers": lambda: drift(calibration, image),
        "health": lambda: health(good, image),
        "fingerprint": lambda: fingerprint(image),
    }
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(options.runs):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            times[name].append(1000 * (time.perf_counter() - start))
    unit = median(times["decode JPEG"])
    for name, taken in times.items():
        print(f"{name:17s} {median(taken):7.1f} ms  {median(taken) / unit:5.2f} x decoding")


if __name__ == "__main__":
    main()
