"""Table points with their pixel positions, from a file, for layouts with exact measurements."""

import csv
from pathlib import Path
from typing import Final

import numpy as np
from pydantic import BaseModel, ConfigDict

from calibration.arrays import PointsMm, PointsPx
from calibration.files.calibration_file import CalibrationError
from calibration.files.json_file import named_faults

_COLUMNS: Final = ["x_mm", "x_px", "y_mm", "y_px"]


class _Point(BaseModel):
    """A row of the file: a pixel and its point on the table."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    x_px: float
    y_px: float
    x_mm: float
    y_mm: float
    z_mm: float = 0.0


def read_points(path: Path) -> tuple[PointsPx, PointsMm]:
    """Read a CSV file ``x_px, y_px, x_mm, y_mm`` and optionally ``z_mm``; CalibrationError if it is invalid."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, skipinitialspace=True, strict=True, restkey="more values than columns")
            rows.fieldnames = [name.strip() for name in rows.fieldnames or ()]
            if sorted(rows.fieldnames) not in (_COLUMNS, [*_COLUMNS, "z_mm"]):
                raise CalibrationError(f"{path}: expected the columns x_px, y_px, x_mm, y_mm and if wanted z_mm")
            points = []
            for row in rows:
                with named_faults(f"{path}, line {rows.line_num}", CalibrationError):
                    point = _Point.model_validate(row)
                points.append((point.x_px, point.y_px, point.x_mm, point.y_mm, point.z_mm))
    except OSError as fault:
        raise CalibrationError(f"{path}: cannot be read ({fault.strerror})") from fault
    except (UnicodeDecodeError, csv.Error) as fault:
        raise CalibrationError(f"{path}: is not a CSV file ({fault})") from fault
    table = np.array(points, np.float64).reshape(-1, 5)
    return table[:, :2], table[:, 2:]
