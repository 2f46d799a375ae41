"""Which box a marker lies at: on its place for tiles, or on its betting area, as wide and nearer to the rail."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from calibration.table.places import Place
    from calibration.table.zones import Layout, Zone

BETTING_DEPTH_MM: Final = 160.0
"""How far the betting area reaches beyond the place for tiles, away from the dealer."""
MOST_ASIDE: Final = 0.9
"""Share of half a box's width up to which a marker lies at that box; on the border of two it lies at neither."""


def box_at(layout: Layout, x_mm: float, y_mm: float) -> Place | None:
    """The box that a marker lies at; None where it lies at none, or on the border of two."""
    near = [zone.place for zone in layout.zones if zone.place.box is not None and _lies_at(zone, x_mm, y_mm)]
    return near[0] if len(near) == 1 else None


def _lies_at(zone: Zone, x_mm: float, y_mm: float) -> bool:
    cosine, sine = math.cos(math.radians(zone.angle_deg)), math.sin(math.radians(zone.angle_deg))
    dx, dy = x_mm - zone.center_mm[0], y_mm - zone.center_mm[1]
    along, outward = dx * cosine + dy * sine, dy * cosine - dx * sine
    half_width, half_depth = zone.size_mm[0] / 2, zone.size_mm[1] / 2
    return abs(along) <= MOST_ASIDE * half_width and -half_depth <= outward <= half_depth + BETTING_DEPTH_MM


def searched(layout: Layout, *, all_of_it: bool) -> tuple[float, float, float, float]:
    """Where markers are looked for, (x0, y0, x1, y1) in mm: around the boxes, or on all of the felt."""
    width, depth = layout.table_mm or (2104.0, 1104.0)
    boxes = [zone for zone in layout.zones if zone.place.box is not None]
    near = -depth / 2
    if boxes and not all_of_it:
        near = max(near, min(y for zone in boxes for _, y in zone.corners_mm))
    return -width / 2, near, width / 2, depth / 2
