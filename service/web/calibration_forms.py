"""What a technician sends from the calibration pages: the places of the table, and points clicked in the picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.files.calibration_file import CalibrationError
from calibration.table.presets import default_size, find_place
from calibration.table.zones import PLACE_NAMES, Layout, Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

ALL_PLACES: Final = (*PLACE_NAMES, "float", "display")
MEASURES: Final = ("x", "y", "width", "depth", "angle")
POINT_ROWS: Final = 8
COORDINATES: Final = ("x_px", "y_px", "x_mm", "y_mm", "z_mm")
_FURTHEST: Final = 10_000.0


def place_fields(layout: Layout) -> dict[str, str]:
    """The form of the places as it is first shown: ``NAME.there``, ``NAME.x`` and so on; millimetres and degrees."""
    fields = {}
    for name in ALL_PLACES:
        place = find_place(layout, name)
        if place is not None:
            fields[f"{name}.there"] = "true"
        shown = place or Place(name, (0.0, 0.0), default_size(name))
        numbers = (*shown.center_mm, *shown.size_mm, shown.angle_deg)
        fields |= {f"{name}.{measure}": f"{number:.1f}" for measure, number in zip(MEASURES, numbers, strict=True)}
    return fields


def read_places(form: Mapping[str, str], known: Layout) -> Layout:
    """The layout that a form says; a place that was not touched stays to the last digit.

    Raises:
        CalibrationError: a number is none.
    """
    before = place_fields(known)
    found = {}
    for name in ALL_PLACES:
        if not form.get(f"{name}.there"):
            continue
        written = {f"{name}.{measure}" for measure in MEASURES}
        same = find_place(known, name) if all(form.get(field) == before[field] for field in written) else None
        found[name] = same or _place(form, name)
    places = tuple(found[name] for name in PLACE_NAMES if name in found)
    return Layout(places, known.table_mm, found.get("float"), found.get("display"))


def point_fields(layout: Layout) -> dict[str, str]:
    """The form of the points as it is first shown: the corners of the playing surface, where they are known."""
    fields = {f"point{row}.z_mm": "0" for row in range(1, POINT_ROWS + 1)}
    if layout.table_mm is not None:
        wide, deep = (side / 2 for side in layout.table_mm)
        for row, (x, y) in enumerate(((-wide, deep), (wide, deep), (wide, -deep), (-wide, -deep)), start=1):
            fields |= {f"point{row}.x_mm": f"{x:g}", f"point{row}.y_mm": f"{y:g}"}
    return fields


def read_point_form(form: Mapping[str, str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points that a form says; a row that was not clicked is none.

    Returns:
        (n, 2) float64 pixels and (n, 3) float64 millimetres in the table frame.

    Raises:
        CalibrationError: a number is none.
    """
    rows = [
        [_number(form, f"point{row}.{coordinate}") for coordinate in COORDINATES]
        for row in range(1, POINT_ROWS + 1)
        if form.get(f"point{row}.x_px", "").strip()
    ]
    points = np.array(rows, np.float64).reshape(-1, len(COORDINATES))
    return points[:, :2], points[:, 2:]


def _place(form: Mapping[str, str], name: str) -> Place:
    x, y, width, depth, angle = (_number(form, f"{name}.{measure}") for measure in MEASURES)
    return Place(name, (x, y), (width, depth), angle)


def _number(form: Mapping[str, str], field: str) -> float:
    text = form.get(field, "").strip()
    try:
        number = float(text)
    except ValueError:
        raise CalibrationError(f"{field}: expected a number, got {text!r}") from None
    if not math.isfinite(number) or abs(number) > _FURTHEST:
        raise CalibrationError(f"{field}: expected a number from -{_FURTHEST:.0f} to {_FURTHEST:.0f}, got {text}")
    return number
