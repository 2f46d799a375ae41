"""Zones turn with their angle, the deeper one counts where two overlap, and boxes leave each other room."""

import pytest

from calibration.table.places import BOX_PLACES
from calibration.table.zones import Layout, Zone, box_zones

BOX1, BOX2 = BOX_PLACES[:2]


def test_zones_turn_with_their_angle() -> None:
    zone = Zone(BOX1, (100.0, 50.0), (200.0, 20.0), 90.0)
    layout = Layout((zone,))
    assert layout.place_at(100, 149) == BOX1
    assert layout.place_at(100, 151) is None
    assert layout.place_at(111, 50) is None
    assert layout.zone(BOX1) == zone
    assert layout.zone(BOX2) is None
    assert zone.corners_mm[0] == pytest.approx((110.0, -50.0))


def test_where_zones_overlap_the_deeper_one_counts() -> None:
    layout = Layout((Zone(BOX1, (0, 0), (100, 100)), Zone(BOX2, (80, 0), (100, 100))))
    assert [layout.place_at(x, 0) for x in (35, 39, 41, 45)] == [BOX1, BOX1, BOX2, BOX2]


def test_boxes_are_no_wider_than_their_neighbours_allow() -> None:
    near = box_zones({1: (0.0, 0.0, 0.0), 2: (150.0, 0.0, 0.0)})
    assert [zone.size_mm[0] for zone in near] == [146.0, 146.0]
    alone = box_zones({4: (0.0, 0.0, 0.0)})
    assert [(zone.name, zone.size_mm[0]) for zone in alone] == [("box4", 220.0)]
