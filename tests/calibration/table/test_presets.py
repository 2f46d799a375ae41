"""Every preset is a usable layout, and every slip in editing one is named."""

from __future__ import annotations

import pytest

from calibration.table.presets import (
    PRESETS,
    Shape,
    all_places,
    find_place,
    layout_faults,
    preset_layout,
    with_place,
    without_place,
)
from calibration.table.zones import Layout, Place

CROWN = preset_layout("crown-a")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("shape", ["straight", "arc"])
@pytest.mark.parametrize("table_mm", [(2104.0, 1104.0), (2300.0, 1200.0), (2000.0, 1050.0)])
def test_every_preset_can_be_used(name: str, shape: Shape, table_mm: tuple[float, float]) -> None:
    layout = preset_layout(name, table_mm=table_mm, shape=shape)
    assert layout_faults(layout) == ()
    boxes = [place for place in layout.places if place.name.startswith("box")]
    assert len(boxes) == PRESETS[name].boxes
    # Numbered from the dealer's right, counter-clockwise.
    assert [place.center_mm[0] for place in boxes] == sorted((p.center_mm[0] for p in boxes), reverse=True)
    assert layout.display_mm is not None
    assert layout.place_of(*layout.display_mm.center_mm) != "display"


def test_the_uk_poster_has_seven_positions_and_the_others_eight_boxes() -> None:
    assert {name: preset.boxes for name, preset in PRESETS.items() if preset.boxes != 8} == {"uk": 7}


def test_a_felt_numbered_from_the_left_is_mirrored() -> None:
    left = preset_layout("nz", box1_at_right=False)
    for number in range(1, 9):
        here, there = left.place(f"box{number}"), CROWN.place(f"box{number}")
        assert here is not None
        assert there is not None
        assert here.center_mm == (-there.center_mm[0], there.center_mm[1])
        assert here.angle_deg == -there.angle_deg


def test_places_are_put_moved_and_taken_away() -> None:
    moved = with_place(CROWN, Place("box3", (340.0, 250.0), (200.0, 190.0), 3.0))
    assert moved.place("box3") == Place("box3", (340.0, 250.0), (200.0, 190.0), 3.0)
    assert [place.name for place in moved.places] == [place.name for place in with_place(moved, CROWN.places[0]).places]
    assert without_place(moved, "box8").place("box8") is None
    assert without_place(CROWN, "display").display_mm is None
    assert without_place(CROWN, "float").float_mm is None
    assert find_place(with_place(CROWN, Place("display", (1.0, 2.0), (700.0, 300.0))), "display") == Place(
        "display", (1.0, 2.0), (700.0, 300.0)
    )
    assert len(all_places(CROWN)) == len(CROWN.places) + 2
    for name in ("bar", "box9"):
        with pytest.raises(KeyError):
            with_place(CROWN, Place(name, (0, 0), (100, 100)))
        with pytest.raises(KeyError):
            without_place(CROWN, name)


@pytest.mark.parametrize(
    ("layout", "fault"),
    [
        (without_place(CROWN, "house"), "there is no house"),
        (without_place(CROWN, "box4"), "numbered from 1 without a gap"),
        (Layout((Place("house", (0, 0), (200, 100)),)), "here they are none"),
        (with_place(CROWN, Place("box3", (340.0, 250.0), (30.0, 190.0))), "box3 is 30 x 190 mm"),
        (with_place(CROWN, Place("dice", (560.0, -900.0), (170.0, 170.0))), "off the table"),
        (with_place(CROWN, Place("dice", (120.0, -265.0), (170.0, 170.0), 30.0)), "house and dice overlap"),
    ],
)
def test_a_layout_that_cannot_be_is_refused_in_words(layout: Layout, fault: str) -> None:
    assert any(fault in each for each in layout_faults(layout)), layout_faults(layout)


def test_turned_places_side_by_side_do_not_overlap() -> None:
    """Two slanted strips: the rectangles around them overlap, they themselves do not until one is moved along."""
    layout = with_place(CROWN, Place("dice", (600.0, -300.0), (200.0, 70.0), 45.0))
    beside = with_place(layout, Place("discard", (670.0, -370.0), (200.0, 70.0), 45.0))
    assert layout_faults(beside) == ()
    across = with_place(layout, Place("discard", (670.0, -230.0), (200.0, 70.0), 45.0))
    assert layout_faults(across) != ()
