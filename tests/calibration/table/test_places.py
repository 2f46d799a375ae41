"""Places parse from their written form, sort in order, and know whose hand is played there."""

import pytest

from calibration.table.places import BOX_PLACES, DICE, DISCARD, HOUSE, TABLE_PLACES, Place, PlaceKind
from engine.game.box_order import BOXES


@pytest.mark.parametrize("place", [*TABLE_PLACES, Place(PlaceKind.HAND, 12), Place(PlaceKind.RETRIEVED)], ids=str)
def test_a_place_reads_as_it_is_written(place: Place) -> None:
    assert Place.parse(str(place)) == place


def test_places_are_written_as_in_files_and_messages() -> None:
    assert [str(each) for each in (HOUSE, BOX_PLACES[0], DISCARD, DICE)] == ["house", "box1", "discard", "dice"]


@pytest.mark.parametrize(
    "text", ["", "bar", "box", "box0", "box9", "box01", "box1 ", "Box1", "house1", "dice2", "hand", "hand0", "box-1"]
)
def test_what_is_no_place_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(ValueError, match=f"there is no place '{text}'"):
        Place.parse(text)


def test_the_house_comes_first_then_boxes_and_hands_by_number() -> None:
    ordered = ["house", "box1", "box2", "box8", "discard", "hand1", "hand2", "hand10"]
    assert [str(each) for each in sorted(map(Place.parse, sorted(ordered)))] == ordered


def test_a_box_is_known_by_its_number() -> None:
    places = {text: Place.parse(text) for text in ("house", "box3", "hand1", "discard", "dice", "display")}
    assert {text: place.box for text, place in places.items() if place.box} == {"box3": 3}


def test_a_table_has_as_many_boxes_as_the_rulebooks_count() -> None:
    assert len(BOX_PLACES) == BOXES
