"""Initial layouts, one for each diagram in the rulebooks, and editing of layouts.

The rulebooks name the areas and their sides; the dimensions are ours. A technician scales a preset to the table and
moves its zones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from calibration.codes import CalibrationCode
from calibration.finding import Finding, Param
from calibration.table.places import (
    BOX_PLACES,
    BOXES,
    DICE,
    DISCARD,
    DISPLAY,
    FLOAT,
    GAME_PLACES,
    HOUSE,
    Place,
    PlaceKind,
)
from calibration.table.sizes import TABLE_MM, TILE_MM
from calibration.table.zones import BOX_SIZE_MM, USUAL_SIZE_MM, Layout, Zone, box_zones

if TYPE_CHECKING:
    from collections.abc import Iterator

Shape: TypeAlias = Literal["straight", "arc"]

_PITCH_MM: Final = 232.0
_BOX_Y_MM: Final = 270.0
_ARC_PER_MM: Final = 6.0e-5
"""Curvature of the arc: millimetres per square millimetre of distance from the middle."""
_FLOAT_MM: Final = (560.0, 176.0)
_DISPLAY_MM: Final = (760.0, 330.0)
"""Space for 32 tiles in four rows of eight pairs."""
MIN_ZONE_MM: Final = TILE_MM[0]
"""Minimum side of a zone: the length of a tile."""
OVERLAP_MM: Final = 5.0
"""Allowed overlap of two zones: hands are assigned by their centres."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A diagram: its name on the command line, and its citation."""

    name: str
    title: str
    cite: str
    boxes: int = 8


PRESETS: Final = {
    preset.name: preset
    for preset in (
        Preset("crown-a", "Crown, Diagram A: wagers of a box one behind the other", "crown-6.1 2.2, 8.8.2"),
        Preset("crown-b", "Crown, Diagram B: wagers of a box side by side", "crown-6.1 2.2, 8.8.3"),
        Preset("nz", "New Zealand, Appendix 1: eight numbered boxes", "nz-1998 3.1, 3.2"),
        Preset("star-2024-a", "The Star, Diagram A", "star-2024 2.2"),
        Preset("star-2024-b", "The Star, Diagram B: with House Way playing areas", "star-2024 2.2, 9.13"),
        Preset("star-classic-a", "The Star's older rules, Diagram A", "star-classic 2.2"),
        Preset("uk", "UK poster: positions 1 to 7 and the dealer", "uk-poster point 3", boxes=7),
    )
}
"""By name; box 1 is at the dealer's right (Crown 10.3.1(a), 4.4.2; The Star 6.10) unless a felt has it at the left."""


def preset_for(rulebook: str) -> str:
    """Name the preset to start with under a rulebook; the first one if no diagram matches.

    >>> preset_for("star-2024"), preset_for("uk-poster"), preset_for("our-own")
    ('star-2024-a', 'uk', 'crown-a')
    """
    return next((each.name for each in PRESETS.values() if each.cite.split()[0] == rulebook), next(iter(PRESETS)))


def preset_layout(
    name: str,
    *,
    table_mm: tuple[float, float] = TABLE_MM,
    shape: Shape = "arc",
    box1_at_right: bool = True,
) -> Layout:
    """An initial layout; KeyError if there is no such preset.

    Args:
        name: one of ``PRESETS``.
        table_mm: width and depth of the playing surface; distances from the middle scale with it, places do not.
        shape: whether the boxes lie in a line or on an arc.
        box1_at_right: whether the felt numbers its boxes from the dealer's right.
    """
    count = PRESETS[name].boxes
    wide, deep = table_mm[0] / TABLE_MM[0], table_mm[1] / TABLE_MM[1]
    centers: dict[int, tuple[float, float, float]] = {}
    for number in range(1, count + 1):
        x = ((count + 1) / 2 - number) * _PITCH_MM * (BOXES / count) * wide * (1 if box1_at_right else -1)
        fall = _ARC_PER_MM * x if shape == "arc" else 0.0
        centers[number] = (x, _BOX_Y_MM * deep - fall * x, -math.degrees(2 * fall))
    return Layout(
        zones=(
            Zone(HOUSE, (0.0, -235.0 * deep), USUAL_SIZE_MM[HOUSE]),
            *box_zones(centers),
            Zone(DISCARD, (-620.0 * wide, -285.0 * deep), USUAL_SIZE_MM[DISCARD]),
            Zone(DICE, (560.0 * wide, -265.0 * deep), USUAL_SIZE_MM[DICE]),
        ),
        table_mm=table_mm,
        chip_float=Zone(FLOAT, (0.0, -432.0 * deep), _FLOAT_MM),
        display=Zone(DISPLAY, (0.0, 0.0), _DISPLAY_MM),
        box1_at_dealers_right=box1_at_right,
    )


def renumbered(layout: Layout, *, box1_at_right: bool) -> Layout:
    """The layout with its boxes numbered from the dealer's right or left; the places do not move."""
    turn = layout.boxes_counter_clockwise
    numbers = sorted(turn) if box1_at_right else sorted(turn, reverse=True)
    place = {old: Place(PlaceKind.BOX, new) for old, new in zip(turn, numbers, strict=True)}
    zones = (replace(each, place=place.get(each.place.box or 0, each.place)) for each in layout.zones)
    in_order = tuple(sorted(zones, key=lambda zone: zone.place))
    return replace(layout, zones=in_order, box1_at_dealers_right=box1_at_right)


def with_zone(layout: Layout, zone: Zone) -> Layout:
    """The layout with a zone added or replaced; KeyError if no table has such a place."""
    if zone.place == FLOAT:
        return replace(layout, chip_float=zone)
    if zone.place == DISPLAY:
        return replace(layout, display=zone)
    if zone.place not in GAME_PLACES:
        raise KeyError(zone.name)
    zones = {each.place: each for each in layout.zones} | {zone.place: zone}
    return replace(layout, zones=tuple(zones[place] for place in sorted(zones)))


def without_zone(layout: Layout, place: Place) -> Layout:
    """The layout without the zone of a place; KeyError if it has none."""
    if layout.zone(place) is None:
        raise KeyError(str(place))
    if place == FLOAT:
        return replace(layout, chip_float=None)
    if place == DISPLAY:
        return replace(layout, display=None)
    return replace(layout, zones=tuple(each for each in layout.zones if each.place != place))


def default_size(place: Place) -> tuple[float, float]:
    """Default width and depth of a zone; KeyError if no table has such a place."""
    return {**USUAL_SIZE_MM, **dict.fromkeys(BOX_PLACES, BOX_SIZE_MM), FLOAT: _FLOAT_MM, DISPLAY: _DISPLAY_MM}[place]


def layout_faults(layout: Layout) -> tuple[Finding, ...]:
    """All faults of a layout; empty if it can be used."""
    faults = []
    boxes = sorted(zone.place.box for zone in layout.zones if zone.place.box is not None)
    if layout.zone(HOUSE) is None:
        faults.append(Finding(CalibrationCode.NO_HOUSE))
    if boxes != list(range(1, len(boxes) + 1)) or not boxes:
        numbers: dict[str, Param] = {"boxes": ", ".join(map(str, boxes))} if boxes else {}
        faults.append(Finding.of(CalibrationCode.BOXES_WITH_GAPS, **numbers))
    faults.extend(_numbering_faults(layout))
    for zone in layout.all_zones:
        if min(zone.size_mm) < MIN_ZONE_MM:
            width, depth = (f"{side:.0f}" for side in zone.size_mm)
            sizes = {"width": width, "depth": depth, "least": f"{MIN_ZONE_MM:.0f}"}
            faults.append(Finding.of(CalibrationCode.ZONE_TOO_SMALL, place=zone.name, **sizes))
        if layout.table_mm is not None and not _inside(zone, layout.table_mm):
            x, y = (f"{at:.0f}" for at in zone.center_mm)
            faults.append(Finding.of(CalibrationCode.ZONE_OFF_TABLE, place=zone.name, x=x, y=y))
    faults.extend(
        Finding.of(CalibrationCode.ZONES_OVERLAP, place=one.name, other_place=other.name, deep=f"{deep:.0f}")
        for one, other in combinations(layout.zones, 2)
        if (deep := _overlap_mm(one, other)) > OVERLAP_MM
    )
    return tuple(faults)


def _numbering_faults(layout: Layout) -> Iterator[Finding]:
    """Contradictions between the dealer's position and the numbering of the boxes."""
    house, turn = layout.zone(HOUSE), layout.boxes_counter_clockwise
    boxes = [zone for zone in layout.zones if zone.place.box is not None]
    if house is not None and any(zone.center_mm[1] <= house.center_mm[1] for zone in boxes):
        yield Finding(CalibrationCode.DEALER_BEHIND_BOXES)
    elif list(turn) not in (sorted(turn), sorted(turn, reverse=True)):
        yield Finding.of(CalibrationCode.NUMBERS_OUT_OF_TURN, boxes=", ".join(map(str, turn)))
    elif layout.numbered_from_right is None:
        at_right = layout.box1_at_dealers_right
        yield Finding(CalibrationCode.BOX1_NOT_AT_RIGHT if at_right else CalibrationCode.BOX1_NOT_AT_LEFT)


def _inside(zone: Zone, table_mm: tuple[float, float]) -> bool:
    return all(abs(at) <= side / 2 for at, side in zip(zone.center_mm, table_mm, strict=True))


def _overlap_mm(one: Zone, other: Zone) -> float:
    """Overlap depth of two rectangles: the minimum over the four directions of their sides."""
    smallest = math.inf
    for angle_deg in (one.angle_deg, one.angle_deg + 90, other.angle_deg, other.angle_deg + 90):
        dx, dy = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
        mine = [x * dx + y * dy for x, y in one.corners_mm]
        theirs = [x * dx + y * dy for x, y in other.corners_mm]
        smallest = min(smallest, min(max(mine), max(theirs)) - max(min(mine), min(theirs)))
    return smallest
