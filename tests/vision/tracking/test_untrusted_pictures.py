"""Pictures by which nothing may be verified: they take nothing back and complete nothing."""

from dataclasses import replace

import pytest

from tests.vision.tracking.laid_tables import HOUSE, Table, hand, status
from vision.reading import TileReading


@pytest.mark.parametrize("wrong", ["drifted", "defocused", "dim"])
@pytest.mark.parametrize(
    "lying",
    [
        pytest.param(hand("house", HOUSE, sure=False, off=9.0), id="moved"),
        pytest.param(hand("house", "4-3 2-1 3-3 3-2", sure=False), id="misread"),
        pytest.param([*hand("house", HOUSE, sure=False), *hand("box2", HOUSE, sure=False)], id="contradicted"),
    ],
)
def test_unfit_pictures_leave_verified_hands_verified(wrong: str, lying: list[TileReading]) -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    for _ in range(30):
        seen = table.see(lying, wrong=wrong)
        assert status(seen) == "verified"
        assert status(seen, "box2") != "verified"
    # Good again: read again, and still the same.
    assert {status(table.see(hand("house", HOUSE))) for _ in range(20)} == {"verified"}


def test_tiles_under_fingers_do_not_delay_a_hand() -> None:
    """A tile that could not be named was not seen then; one that was read as another was seen, and is doubted."""
    table = Table()
    unnamed = [replace(each, face=None, runner_up=None, status="uncertain") for each in hand("house", HOUSE)]
    assert status(table.see(unnamed, 4)) is None
    assert status(table.see(hand("house", HOUSE), 3)) == "verified"
    other = Table()
    other.see(hand("house", HOUSE.replace("6-3", "5-4"), sure=False), 4)
    assert status(other.see(hand("house", HOUSE), 3)) != "verified"


def test_unfit_pictures_complete_no_hand() -> None:
    """However many of them come, and push what spoke against it out of what is kept."""
    table = Table()
    table.see(hand("house", HOUSE.replace("6-3", "5-4"), sure=False), 3)
    assert status(table.see(hand("house", HOUSE), 5)) != "verified"
    for _ in range(30):
        assert status(table.see(hand("house", HOUSE, sure=False), wrong="drifted")) != "verified"
    assert status(table.see(hand("house", HOUSE), 12)) == "verified"


def test_a_hand_that_changed_while_unfit_is_doubted() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    table.see(hand("house", HOUSE, sure=False), 15, wrong="defocused")
    assert status(table.see(hand("house", "4-3 2-1 3-3 3-2", off=10.0), 12)) == "uncertain"


def test_a_hand_first_seen_in_unfit_pictures_is_in_doubt() -> None:
    table = Table()
    assert status(table.see(hand("house", HOUSE, sure=False), 12, wrong="dim")) == "uncertain"
    assert status(table.see(hand("house", HOUSE), 12)) == "verified"
