"""Forms of the calibration pages: the zones of the table, and points clicked in the picture."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.table.places import DISPLAY, FLOAT, GAME_PLACES, TABLE_PLACES, Place
from calibration.table.presets import default_size
from calibration.table.zones import Layout, Zone
from service.table.monitor.calibrating import CalibrationRefusedError
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

PLACE_NAMES: Final = tuple(map(str, TABLE_PLACES))
MEASURES: Final = ("x", "y", "width", "depth", "angle")
POINT_ROWS: Final = 8
COORDINATES: Final = ("x_px", "y_px", "x_mm", "y_mm", "z_mm")
_FURTHEST: Final = 10_000.0


def place_fields(layout: Layout) -> dict[str, str]:
    """The form of the zones as it is first shown: ``PLACE.there``, ``NAME.x`` and so on; millimetres and degrees."""
    fields = {}
    for place in TABLE_PLACES:
        zone = layout.zone(place)
        if zone is not None:
            fields[f"{place}.there"] = "true"
        shown = zone or Zone(place, (0.0, 0.0), default_size(place))
        numbers = (*shown.center_mm, *shown.size_mm, shown.angle_deg)
        fields |= {f"{place}.{measure}": f"{number:.1f}" for measure, number in zip(MEASURES, numbers, strict=True)}
    return fields


def read_places(form: Mapping[str, str], known: Layout) -> Layout:
    """The layout in a form; a zone whose numbers were not changed keeps them to the last digit.

    Raises:
        CalibrationRefusedError: if a number is not one.
    """
    before = place_fields(known)
    found = {}
    for place in TABLE_PLACES:
        if not form.get(f"{place}.there"):
            continue
        written = {f"{place}.{measure}" for measure in MEASURES}
        same = known.zone(place) if all(form.get(field) == before[field] for field in written) else None
        found[place] = same or _zone(form, place)
    zones = tuple(found[place] for place in GAME_PLACES if place in found)
    return replace(known, zones=zones, chip_float=found.get(FLOAT), display=found.get(DISPLAY))


def point_fields(layout: Layout) -> dict[str, str]:
    """The form of the points as it is first shown: the corners of the playing surface, where they are known."""
    fields = {f"point{row}.z_mm": "0" for row in range(1, POINT_ROWS + 1)}
    if layout.table_mm is not None:
        wide, deep = (side / 2 for side in layout.table_mm)
        for row, (x, y) in enumerate(((-wide, deep), (wide, deep), (wide, -deep), (-wide, -deep)), start=1):
            fields |= {f"point{row}.x_mm": f"{x:g}", f"point{row}.y_mm": f"{y:g}"}
    return fields


def read_point_form(form: Mapping[str, str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points in a form; a row without a clicked pixel is left out.

    Returns:
        (n, 2) float64 pixels and (n, 3) float64 millimetres in the table frame.

    Raises:
        CalibrationRefusedError: if a number is not one.
    """
    rows = [
        [_number(form, f"point{row}.{coordinate}") for coordinate in COORDINATES]
        for row in range(1, POINT_ROWS + 1)
        if form.get(f"point{row}.x_px", "").strip()
    ]
    points = np.array(rows, np.float64).reshape(-1, len(COORDINATES))
    return points[:, :2], points[:, 2:]


def _zone(form: Mapping[str, str], place: Place) -> Zone:
    x, y, width, depth, angle = (_number(form, f"{place}.{measure}") for measure in MEASURES)
    return Zone(place, (x, y), (width, depth), angle)


def _number(form: Mapping[str, str], field: str) -> float:
    text = form.get(field, "").strip()
    try:
        number = float(text)
    except ValueError:
        unreadable = words("%(field)s: expected a number, got %(text)s", field=field, text=repr(text))
        raise CalibrationRefusedError(unreadable) from None
    if not math.isfinite(number) or abs(number) > _FURTHEST:
        span = {"least": f"-{_FURTHEST:.0f}", "most": f"{_FURTHEST:.0f}"}
        raise CalibrationRefusedError(
            words(
                "%(field)s: expected a number from %(least)s to %(most)s, got %(text)s", field=field, text=text, **span
            )
        )
    return number
