"""Layouts to start from, one for each diagram the rulebooks name, and how a layout is edited.

The diagrams say which areas there are and on which side; none of them gives a measure, and their drawings are lost from
the texts we have. So the measures are ours: a table of 2104 x 1104 mm with eight boxes side by side, in a straight line
or on the usual shallow arc. A technician scales a preset to the table and moves places to where its felt has them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal, TypeAlias

from calibration.table.zones import (
    BOX_SIZE_MM,
    DICE_SIZE_MM,
    DISCARD_SIZE_MM,
    HOUSE_SIZE_MM,
    PLACE_NAMES,
    TILE_MM,
    Layout,
    Place,
    box_places,
)

Shape: TypeAlias = Literal["straight", "arc"]

TABLE_MM: Final = (2104.0, 1104.0)
"""The playing surface the measures below are for."""
_PITCH_MM: Final = 232.0
_BOX_Y_MM: Final = 270.0
_ARC_PER_MM: Final = 6.0e-5
"""How fast the arc falls off to the sides: millimetres for each square millimetre from the middle."""
_FLOAT_MM: Final = (560.0, 176.0)
_DISPLAY_MM: Final = (760.0, 330.0)
"""32 tiles in four rows of eight pairs, with room."""
MIN_PLACE_MM: Final = TILE_MM[0]
"""A place is at least as wide and deep as a tile is long."""
OVERLAP_MM: Final = 5.0
"""Places may overlap by this much: hands are told apart by their middles."""
_FREE: Final = ("float", "display")
"""Places without a part in the reading of hands."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The areas a rulebook's diagram has.

    Attributes:
        name: what it is called on the command line.
        title: what it is.
        cite: where the rulebook speaks of it.
        boxes: how many boxes there are.
    """

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
"""By name. In each of them box 1 is at the dealer's right: the house banks on the box furthest to the dealer's right
(Crown 10.3.1(a)) or on area one (The Star 6.10), and counting from it goes counter-clockwise (Crown 4.4.2)."""


def preset_layout(
    name: str,
    *,
    table_mm: tuple[float, float] = TABLE_MM,
    shape: Shape = "arc",
    box1_at_right: bool = True,
    discard_at_right: bool = False,
) -> Layout:
    """A layout to start from.

    Args:
        name: one of ``PRESETS``.
        table_mm: width and depth of the playing surface; distances from the middle scale with it, places do not.
        shape: whether the boxes lie in a line or on an arc.
        box1_at_right: whether the felt numbers its boxes from the dealer's right.
        discard_at_right: at which hand of the dealer tiles are put away; the dice stand at the other.

    Raises:
        KeyError: if there is no such preset.
    """
    count = PRESETS[name].boxes
    wide, deep = table_mm[0] / TABLE_MM[0], table_mm[1] / TABLE_MM[1]
    centers: dict[int, tuple[float, float, float]] = {}
    for number in range(1, count + 1):
        x = ((count + 1) / 2 - number) * _PITCH_MM * (8 / count) * wide * (1 if box1_at_right else -1)
        fall = _ARC_PER_MM * x if shape == "arc" else 0.0
        centers[number] = (x, _BOX_Y_MM * deep - fall * x, -math.degrees(2 * fall))
    side = 1.0 if discard_at_right else -1.0
    return Layout(
        places=(
            Place("house", (0.0, -235.0 * deep), HOUSE_SIZE_MM),
            *box_places(centers),
            Place("discard", (side * 620.0 * wide, -285.0 * deep), DISCARD_SIZE_MM),
            Place("dice", (-side * 560.0 * wide, -265.0 * deep), DICE_SIZE_MM),
        ),
        table_mm=table_mm,
        float_mm=Place("float", (0.0, -432.0 * deep), _FLOAT_MM),
        display_mm=Place("display", (0.0, 0.0), _DISPLAY_MM),
    )


def with_place(layout: Layout, place: Place) -> Layout:
    """The layout with a place put where it is told, in place of the one of that name if there was one.

    Raises:
        KeyError: if the name is none of a table's places, ``float`` or ``display``.
    """
    if place.name == "float":
        return replace(layout, float_mm=place)
    if place.name == "display":
        return replace(layout, display_mm=place)
    others = {each.name: each for each in layout.places} | {place.name: place}
    if place.name not in PLACE_NAMES:
        raise KeyError(place.name)
    return replace(layout, places=tuple(sorted(others.values(), key=lambda each: PLACE_NAMES.index(each.name))))


def without_place(layout: Layout, name: str) -> Layout:
    """The layout without a place.

    Raises:
        KeyError: if it has none of that name.
    """
    if find_place(layout, name) is None:
        raise KeyError(name)
    if name in _FREE:
        return replace(layout, float_mm=None) if name == "float" else replace(layout, display_mm=None)
    return replace(layout, places=tuple(each for each in layout.places if each.name != name))


def find_place(layout: Layout, name: str) -> Place | None:
    """The place of this name, ``float`` and ``display`` included."""
    free = {"float": layout.float_mm, "display": layout.display_mm}
    return free[name] if name in free else layout.place(name)


def all_places(layout: Layout) -> tuple[Place, ...]:
    """All places, ``float`` and ``display`` included."""
    return tuple(each for each in (*layout.places, layout.float_mm, layout.display_mm) if each is not None)


def default_size(name: str) -> tuple[float, float]:
    """How wide and deep a place is if nobody says.

    Raises:
        KeyError: if the name is none of a table's places.
    """
    sizes = {"house": HOUSE_SIZE_MM, "discard": DISCARD_SIZE_MM, "dice": DICE_SIZE_MM}
    sizes |= {"float": _FLOAT_MM, "display": _DISPLAY_MM} | dict.fromkeys(PLACE_NAMES[1:9], BOX_SIZE_MM)
    return sizes[name]


def layout_faults(layout: Layout) -> tuple[str, ...]:
    """What is wrong with a layout, all of it, in words; empty if it can be used."""
    faults = []
    names = {place.name for place in layout.places}
    boxes = [number for number in range(1, 9) if f"box{number}" in names]
    if "house" not in names:
        faults.append("there is no house: without it no House hand is ever read")
    if boxes != list(range(1, len(boxes) + 1)) or not boxes:
        faults.append(f"boxes are numbered from 1 without a gap, here they are {', '.join(map(str, boxes)) or 'none'}")
    for place in all_places(layout):
        if min(place.size_mm) < MIN_PLACE_MM:
            small = " x ".join(f"{side:.0f}" for side in place.size_mm)
            faults.append(f"{place.name} is {small} mm, a tile alone is {MIN_PLACE_MM:.0f} mm long")
        if layout.table_mm is not None and not _inside(place, layout.table_mm):
            faults.append(
                f"{place.name} has its middle at {place.center_mm[0]:.0f}, {place.center_mm[1]:.0f}: off the table"
            )
    faults.extend(
        f"{one.name} and {other.name} overlap by {deep:.0f} mm: a hand there could be either's"
        for one, other in combinations(layout.places, 2)
        if (deep := _overlap_mm(one, other)) > OVERLAP_MM
    )
    return tuple(faults)


def _inside(place: Place, table_mm: tuple[float, float]) -> bool:
    return all(abs(at) <= side / 2 for at, side in zip(place.center_mm, table_mm, strict=True))


def _overlap_mm(one: Place, other: Place) -> float:
    """How far two rectangles reach into each other: their smallest overlap over the four directions of their sides."""
    smallest = math.inf
    for angle_deg in (one.angle_deg, one.angle_deg + 90, other.angle_deg, other.angle_deg + 90):
        dx, dy = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
        mine = [x * dx + y * dy for x, y in one.corners_mm]
        theirs = [x * dx + y * dy for x, y in other.corners_mm]
        smallest = min(smallest, min(max(mine), max(theirs)) - max(min(mine), min(theirs)))
    return smallest
