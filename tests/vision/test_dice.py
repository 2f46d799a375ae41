from __future__ import annotations

import pytest

from tests.vision import drawn
from vision.dice import body_colour, colour_name, roles

RED, WHITE, BLUE = (30.0, 25.0, 150.0), (235.0, 240.0, 238.0), (150.0, 60.0, 20.0)


@pytest.mark.parametrize(
    ("bgr", "name"),
    [
        (RED, "red"),
        ((45, 40, 90), "red"),
        (WHITE, "white"),
        ((150, 160, 158), "white"),
        ((30, 30, 32), "black"),
        (BLUE, "blue"),
        ((60, 120, 30), "green"),
        ((30, 200, 230), "yellow"),
        ((130, 40, 120), "purple"),
        ((190, 225, 235), "ivory"),
    ],
)
def test_body_colours_are_named(bgr: tuple[float, float, float], name: str) -> None:
    assert colour_name(bgr) == name


@pytest.mark.parametrize("value", range(1, 7))
def test_pips_do_not_change_the_colour_of_the_body(value: int) -> None:
    assert colour_name(body_colour(drawn.die(value, (40, 30, 170), (230, 232, 230)))) == "red"


@pytest.mark.parametrize("odd", range(4))
def test_the_odd_die_is_the_cut_die_wherever_it_lies(odd: int) -> None:
    colours = [(28.0 + index, 25.0, 150.0 - 4 * index) for index in range(4)]
    colours[odd] = BLUE
    assert roles(colours) == ["cut" if index == odd else "box" for index in range(4)]


@pytest.mark.parametrize(
    "colours",
    [
        pytest.param([], id="no dice"),
        pytest.param([RED, RED, RED], id="three dice"),
        pytest.param([RED] * 5, id="five dice"),
        pytest.param([RED] * 4, id="four alike"),
        pytest.param([RED, RED, WHITE, WHITE], id="two and two"),
    ],
)
def test_dice_that_do_not_say_have_no_roles(colours: list[tuple[float, float, float]]) -> None:
    assert roles(colours) == [None] * len(colours)
