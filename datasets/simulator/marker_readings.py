"""Readings of the house's markers without pictures: the chung and the button as they lie, with a reader's doubts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from datasets.simulator.sight import visible_share
from vision.findings import Code, Finding
from vision.markers.marker_kinds import Meaning
from vision.markers.marker_places import box_at
from vision.reading import MarkerReading

if TYPE_CHECKING:
    from calibration.files.calibration_file import TableCalibration
    from datasets.scenes.scene import Prop
    from datasets.simulator.script import Script
    from datasets.simulator.timeline import Instant

_FOUND: Final = 0.5
"""Visible share below which a marker is not found."""
_WHOLE: Final = 0.9
"""Visible share below which it is doubted."""


def read_markers(
    made: Script, now: Instant, calibration: TableCalibration, health: tuple[Finding, ...]
) -> tuple[MarkerReading, ...]:
    """The markers of a moment as they seem to lie; one on its way from place to place is not found.

    `calibration` is the reader's, `health` its doubts about the picture.
    """
    lying = [prop for prop in (*made.still, *now.markers) if prop.means]
    on_their_way = {each.at(now.t_s) for each in made.line.markers if each.moves(now.t_s)}
    found = []
    for prop in lying:
        share = visible_share(now, prop)
        if share < _FOUND or prop in on_their_way:
            continue
        x, y = _seen_at(made, now, calibration, prop)
        doubts = (*health, *((Finding(Code.MARKER_PARTLY_HIDDEN),) if share < _WHOLE else ()))
        found.append(_reading(replace(prop, x_mm=x, y_mm=y), doubts, calibration))
    return tuple(found)


def _seen_at(made: Script, now: Instant, calibration: TableCalibration, prop: Prop) -> tuple[float, float]:
    """Where its middle seems to lie: elsewhere once the camera was knocked."""
    camera, top = now.view.camera, prop.z_mm + prop.height_mm
    if camera is made.setup.bare.camera:
        return prop.x_mm, prop.y_mm
    pixels = made.table_calibration(camera).project(np.array([[prop.x_mm, prop.y_mm, top]]))
    x, y = calibration.to_plane(pixels, top)[0]
    return float(x), float(y)


def _reading(prop: Prop, doubts: tuple[Finding, ...], calibration: TableCalibration) -> MarkerReading:
    meaning = Meaning.parse(prop.means)
    turns, middle = np.linspace(0, 2 * np.pi, 16, endpoint=False), np.array([prop.x_mm, prop.y_mm])
    rim = middle + prop.size_mm[0] / 2 * np.stack([np.cos(turns), np.sin(turns)], 1)
    points = np.vstack([rim, middle])
    pixels = calibration.project(np.column_stack([points, np.full(len(points), prop.z_mm + prop.height_mm)])).tolist()
    return MarkerReading(
        kind=meaning.kind,
        value=meaning.value,
        center_px=(pixels[-1][0], pixels[-1][1]),
        center_mm=(prop.x_mm, prop.y_mm),
        outline=tuple((x, y) for x, y in pixels[:-1]),
        diameter_mm=prop.size_mm[0],
        confidence=0.95,
        status="uncertain" if doubts else "verified",
        doubts=doubts,
        place=box_at(calibration.layout, prop.x_mm, prop.y_mm),
    )
