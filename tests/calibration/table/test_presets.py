"""Every preset is a usable layout, and every slip in editing one is named."""

from dataclasses import replace

import pytest

from calibration.table.places import BOX_PLACES, DICE, DISCARD, DISPLAY, FLOAT, HOUSE, Place, PlaceKind
from calibration.table.presets import PRESETS, Shape, layout_faults, preset_layout, renumbered, with_zone, without_zone
from calibration.table.zones import Layout, Zone

CROWN = preset_layout("crown-a")


def _swapped(one: Place, other: Place) -> Layout:
    here, there = CROWN.zone(one), CROWN.zone(other)
    assert here is not None
    assert there is not None
    return with_zone(with_zone(CROWN, replace(here, place=other)), replace(there, place=one))


def _turned(layout: Layout) -> Layout:
    """A layout measured from the players' side."""
    zones = (replace(each, center_mm=(-each.center_mm[0], -each.center_mm[1])) for each in layout.zones)
    return replace(layout, zones=tuple(zones))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("shape", ["straight", "arc"])
@pytest.mark.parametrize("table_mm", [(2104.0, 1104.0), (2300.0, 1200.0), (2000.0, 1050.0)])
def test_every_preset_can_be_used(name: str, shape: Shape, table_mm: tuple[float, float]) -> None:
    layout = preset_layout(name, table_mm=table_mm, shape=shape)
    assert layout_faults(layout) == ()
    boxes = [zone for zone in layout.zones if zone.place.box is not None]
    assert len(boxes) == PRESETS[name].boxes
    # Numbered from the dealer's right, counter-clockwise.
    assert [zone.center_mm[0] for zone in boxes] == sorted((each.center_mm[0] for each in boxes), reverse=True)
    assert layout.display is not None
    assert layout.place_at(*layout.display.center_mm) != DISPLAY


def test_the_uk_poster_has_seven_positions_others_eight_boxes() -> None:
    assert {name: preset.boxes for name, preset in PRESETS.items() if preset.boxes != 8} == {"uk": 7}


def test_a_felt_numbered_from_the_left_is_mirrored() -> None:
    left = preset_layout("nz", box1_at_right=False)
    assert left.boxes_counter_clockwise == (8, 7, 6, 5, 4, 3, 2, 1)
    assert (CROWN.numbered_from_right, left.numbered_from_right) == (True, False)
    for place in BOX_PLACES:
        here, there = left.zone(place), CROWN.zone(place)
        assert here is not None
        assert there is not None
        assert here.center_mm == (-there.center_mm[0], there.center_mm[1])
        assert here.angle_deg == -there.angle_deg


def test_boxes_are_renumbered_where_they_lie() -> None:
    left = renumbered(CROWN, box1_at_right=False)
    assert left == preset_layout("crown-a", box1_at_right=False)
    assert renumbered(left, box1_at_right=True) == CROWN
    assert renumbered(left, box1_at_right=False) == left


def test_the_places_say_the_numbering_where_the_layout_does_not() -> None:
    for right in (True, False):
        silent = replace(preset_layout("uk", box1_at_right=right), box1_at_dealers_right=None)
        assert silent.numbered_from_right is right
        assert layout_faults(silent) == ()


def test_boxes_round_the_corners_of_a_table_come_in_turn() -> None:
    layout = with_zone(CROWN, Zone(BOX_PLACES[0], (810.0, -80.0), (200.0, 190.0), 70.0))
    layout = with_zone(layout, Zone(BOX_PLACES[1], (815.0, 160.0), (200.0, 190.0), 40.0))
    assert layout.boxes_counter_clockwise == (1, 2, 3, 4, 5, 6, 7, 8)


def test_zones_are_put_moved_and_taken_away() -> None:
    box3 = Zone(BOX_PLACES[2], (340.0, 250.0), (200.0, 190.0), 3.0)
    moved = with_zone(CROWN, box3)
    assert moved.zone(box3.place) == box3
    assert [zone.place for zone in moved.zones] == [zone.place for zone in CROWN.zones]
    assert without_zone(moved, BOX_PLACES[7]).zone(BOX_PLACES[7]) is None
    for place in (DISPLAY, FLOAT):
        without = without_zone(CROWN, place)
        assert without.zone(place) is None
        again = Zone(place, (1.0, 2.0), (700.0, 300.0))
        assert with_zone(without, again).zone(place) == again
    assert len(CROWN.all_zones) == len(CROWN.zones) + 2


@pytest.mark.parametrize("place", [Place(PlaceKind.HAND, 1), Place(PlaceKind.RETRIEVED)], ids=str)
def test_a_layout_has_no_zone_for_what_lies_anywhere(place: Place) -> None:
    with pytest.raises(KeyError):
        with_zone(CROWN, Zone(place, (0, 0), (100, 100)))
    with pytest.raises(KeyError):
        without_zone(CROWN, place)


@pytest.mark.parametrize(
    ("layout", "fault"),
    [
        (without_zone(CROWN, HOUSE), "no_house"),
        (without_zone(CROWN, BOX_PLACES[3]), "boxes_with_gaps(boxes=1, 2, 3"),
        (Layout((Zone(HOUSE, (0, 0), (200, 100)),)), "boxes_with_gaps"),
        (
            with_zone(CROWN, Zone(BOX_PLACES[2], (340.0, 250.0), (30.0, 190.0))),
            "zone_too_small(place=box3, width=30, depth=190",
        ),
        (with_zone(CROWN, Zone(DICE, (560.0, -900.0), (170.0, 170.0))), "zone_off_table"),
        (
            with_zone(CROWN, Zone(DICE, (120.0, -265.0), (170.0, 170.0), 30.0)),
            "zones_overlap(place=house, other_place=dice",
        ),
        (_swapped(BOX_PLACES[2], BOX_PLACES[5]), "numbers_out_of_turn(boxes=1, 2, 6, 4, 5, 3, 7, 8"),
        (replace(CROWN, box1_at_dealers_right=False), "box1_not_at_left"),
        (replace(preset_layout("nz", box1_at_right=False), box1_at_dealers_right=True), "box1_not_at_right"),
        (_turned(CROWN), "dealer_behind_boxes"),
    ],
)
def test_what_is_wrong_with_a_layout_is_named(layout: Layout, fault: str) -> None:
    assert any(str(each).startswith(fault) for each in layout_faults(layout)), layout_faults(layout)


def test_turned_zones_side_by_side_do_not_overlap() -> None:
    """Two slanted strips: the rectangles around them overlap, they themselves do not until one is moved along."""
    layout = with_zone(CROWN, Zone(DICE, (600.0, -300.0), (200.0, 70.0), 45.0))
    beside = with_zone(layout, Zone(DISCARD, (670.0, -370.0), (200.0, 70.0), 45.0))
    assert layout_faults(beside) == ()
    across = with_zone(layout, Zone(DISCARD, (670.0, -230.0), (200.0, 70.0), 45.0))
    assert layout_faults(across) != ()
