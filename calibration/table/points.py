"""Points of a table with their places in the picture, from a file: for layouts known to the millimetre."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.files.calibration_file import CalibrationError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_COLUMNS: Final = ("x_px", "y_px", "x_mm", "y_mm")


def read_points(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points in a CSV file with the columns ``x_px, y_px, x_mm, y_mm`` and, if wanted, ``z_mm``.

    Returns:
        (n, 2) float64 pixels and (n, 3) float64 millimetres in the table frame.

    Raises:
        CalibrationError: if the file cannot be read or a value is no number.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, skipinitialspace=True, strict=True)
            names = [name.strip() for name in rows.fieldnames or ()]
            rows.fieldnames = names
            if sorted(names) not in (sorted(_COLUMNS), sorted((*_COLUMNS, "z_mm"))):
                raise CalibrationError(f"{path}: expected the columns x_px, y_px, x_mm, y_mm and if wanted z_mm")
            points = [_point(row, f"{path}, line {rows.line_num}") for row in rows]
    except OSError as fault:
        raise CalibrationError(f"{path}: cannot be read ({fault.strerror})") from fault
    except (UnicodeDecodeError, csv.Error) as fault:
        raise CalibrationError(f"{path}: is not a CSV file ({fault})") from fault
    table = np.array(points, np.float64).reshape(-1, 5)
    return table[:, :2], table[:, 2:]


def _point(row: dict[str, str], where: str) -> tuple[float, ...]:
    values = []
    for name in (*_COLUMNS, "z_mm"):
        text = row.get(name, "0") if name == "z_mm" else row[name]
        try:
            value = float(text)
        except (TypeError, ValueError) as fault:
            raise CalibrationError(f"{where}, {name}: expected a number, got {text!r}") from fault
        if not math.isfinite(value):
            raise CalibrationError(f"{where}, {name}: expected a finite number, got {text!r}")
        values.append(value)
    if None in row:
        raise CalibrationError(f"{where}: has more values than there are columns")
    return tuple(values)
