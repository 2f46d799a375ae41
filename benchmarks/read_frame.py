"""How long a whole-table frame takes, stage by stage: `python -m benchmarks.read_frame [--picture F --calibration F]`.

Two threads against one, with a calibration against without, and a camera that stands still (which looks again only
where something moved) against looking everywhere, by turns. Medians in milliseconds; ratios of totals to the first.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measure import parser_of, report
from calibration.files.calibration_file import TableCalibration, load_calibration
from vision.capture.images import load_image
from vision.reader import Reader

if TYPE_CHECKING:
    import argparse

SAMPLE = Path(__file__).resolve().parents[1] / "service" / "sample"
WARM_UP = 2


def add_picture(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a frame and its calibration, the sample's unless given."""
    parser.add_argument("--picture", type=Path, default=SAMPLE / "pictures" / "house-wrong.jpg")
    parser.add_argument("--calibration", type=Path, default=SAMPLE / "calibration.json")


def main() -> None:
    """Time the readers by turns."""
    parser = parser_of(__doc__)
    add_picture(parser)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    image, calibration = load_image(options.picture), load_calibration(options.calibration)
    two, one = Reader.load(threads=2), Reader.load(threads=1)
    ways: dict[str, tuple[Reader, TableCalibration | None]] = {
        "2 threads": (two, calibration),
        "1 thread": (one, calibration),
        "2 threads, no calibration": (two, None),
        "2 threads, standing still": (two.steady(), calibration),
    }
    times: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for run in range(options.runs + WARM_UP):
        for name, (reader, known) in ways.items():
            elapsed = reader.read(image, calibration=known).elapsed_ms
            if run >= WARM_UP:
                times[name].append(dict(elapsed))
    medians = {
        name: {stage: statistics.median(t[stage] for t in runs) for stage in runs[0]} for name, runs in times.items()
    }
    base = medians["2 threads"]["total"]
    report({name: {**each, "ratio": each["total"] / base} for name, each in medians.items()}, as_json=options.as_json)


if __name__ == "__main__":
    main()
