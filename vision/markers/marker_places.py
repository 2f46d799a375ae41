"""The boxes of markers, and their joint interpretation: the bank's box, and boxes out of play.

A marker belongs to a box by its place for tiles, or by its betting area of the same width nearer to the rail.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from vision.markers.marker_kinds import CHUNGS, MarkerKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibration.table.places import Place
    from calibration.table.zones import Layout, Zone
    from vision.reading import MarkerReading

BETTING_DEPTH_MM: Final = 160.0
"""Depth of the betting area beyond the place for tiles, away from the dealer."""
MOST_ASIDE: Final = 1.3
"""Maximum lateral distance of a marker from its box, in half widths, if no other box is as near."""
LEAST_NEARER: Final = 0.2
"""Minimum difference in half widths to any other box; on a border it belongs to neither."""


def box_at(layout: Layout, x_mm: float, y_mm: float) -> Place | None:
    """The box of a marker; None outside every box, or on the border of two."""
    aside = [(_aside(zone, x_mm, y_mm), zone.place) for zone in layout.zones if zone.place.box is not None]
    near = sorted(((each, place) for each, place in aside if each is not None), key=lambda each: each[0])
    if not near or near[0][0] > MOST_ASIDE:
        return None
    if len(near) > 1 and near[1][0] - near[0][0] < LEAST_NEARER:
        return None
    return near[0][1]


def _aside(zone: Zone, x_mm: float, y_mm: float) -> float | None:
    """Lateral distance from the middle of a box, in half widths; None in front of or behind it."""
    cosine, sine = math.cos(math.radians(zone.angle_deg)), math.sin(math.radians(zone.angle_deg))
    dx, dy = x_mm - zone.center_mm[0], y_mm - zone.center_mm[1]
    along, outward = dx * cosine + dy * sine, dy * cosine - dx * sine
    half_width, half_depth = zone.size_mm[0] / 2, zone.size_mm[1] / 2
    return abs(along) / half_width if -half_depth <= outward <= half_depth + BETTING_DEPTH_MM else None


def searched(layout: Layout, *, all_of_it: bool) -> tuple[float, float, float, float]:
    """Search region for markers, (x0, y0, x1, y1) in mm: around the boxes, or all of the felt."""
    width, depth = layout.table_mm or (2104.0, 1104.0)
    boxes = [zone for zone in layout.zones if zone.place.box is not None]
    near = -depth / 2
    if boxes and not all_of_it:
        near = max(near, min(y for zone in boxes for _, y in zone.corners_mm))
    return -width / 2, near, width / 2, depth / 2


def chung_of(markers: Iterable[MarkerReading]) -> MarkerReading | None:
    """The one chung that is verified at a box; None otherwise, also if another one is possible."""
    chungs = [each for each in markers if each.kind in CHUNGS]
    if len(chungs) != 1 or chungs[0].status != "verified" or chungs[0].place is None:
        return None
    return chungs[0]


def banker_place(markers: Iterable[MarkerReading]) -> Place | None:
    """The box of the bank's chung; None if unknown.

    At the first box the chung may also mean that the House banks; the place is the same, but the owner of the tiles is
    not implied.
    """
    chung = chung_of(markers)
    return None if chung is None else chung.place


def out_of_play(markers: Iterable[MarkerReading]) -> tuple[Place, ...]:
    """The boxes with a verified off button, by number."""
    off = (each for each in markers if each.kind is MarkerKind.OFF_BUTTON and each.status == "verified")
    return tuple(sorted({each.place for each in off if each.place is not None}))
