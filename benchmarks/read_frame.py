"""How long a whole-table frame takes, stage by stage: `python benchmarks/read_frame.py [--picture F --calibration F]`.

Two threads against one, with a calibration against without, and a camera that stands still (which looks again only
where something moved) against looking at all, alternately in one run, so that a noisy machine disturbs all alike.
Medians over the runs.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from rich.console import Console
from rich.table import Table

from calibration.files.calibration_file import TableCalibration, load_calibration
from vision.capture.images import load_image
from vision.reader import Reader

SAMPLE = Path(__file__).resolve().parents[1] / "service" / "sample"


def main() -> None:
    """Time the readers side by side and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path, default=SAMPLE / "frames" / "frame_004.jpg")
    parser.add_argument("--calibration", type=Path, default=SAMPLE / "calibration.json")
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    image = load_image(options.picture)
    calibration = load_calibration(options.calibration)
    two, one = Reader.load(threads=2), Reader.load(threads=1)
    ways: dict[str, tuple[Reader, TableCalibration | None]] = {
        "2 threads": (two, calibration),
        "1 thread": (one, calibration),
        "2 threads, no calibration": (two, None),
        "2 threads, standing still": (two.steady(), calibration),
    }
    times: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for run in range(options.runs + 2):
        for name, (reader, known) in ways.items():
            elapsed = reader.read(image, calibration=known).elapsed_ms
            if run >= 2:  # the first runs fill caches
                times[name].append(elapsed)
    table = Table(title=f"{options.picture.name}, {image.shape[1]} x {image.shape[0]}, median of {options.runs}, ms")
    table.add_column("stage")
    for name in ways:
        table.add_column(name, justify="right")
    stages = times["2 threads"][0]
    medians = {name: {s: statistics.median(t[s] for t in runs) for s in stages} for name, runs in times.items()}
    for stage in stages:
        table.add_row(stage, *(f"{medians[name][stage]:.1f}" for name in ways))
    base = medians["2 threads"]["total"]
    table.add_row("total, ratio", *(f"{medians[name]['total'] / base:.2f}" for name in ways))
    Console().print(table)


if __name__ == "__main__":
    main()
