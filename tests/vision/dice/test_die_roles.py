import math

import numpy as np
import pytest

from tests.vision import drawn
from vision.arrays import Colour
from vision.crops import DIE_FACE
from vision.dice.die_roles import (
    body_colour,
    colour_name,
    consistent_roles,
    roles_by_colour,
    roles_by_faces_and_walls,
    wall_colour,
)
from vision.reading import Role

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
    assert colour_name(body_colour(drawn.die(value, (40, 30, 170), (230, 232, 230))[DIE_FACE, DIE_FACE])) == "red"


@pytest.mark.parametrize("odd", range(4))
def test_the_odd_die_is_the_cut_die_wherever_it_lies(odd: int) -> None:
    colours = [(28.0 + index, 25.0, 150.0 - 4 * index) for index in range(4)]
    colours[odd] = BLUE
    assert roles_by_colour(colours) == ["cut" if index == odd else "box" for index in range(4)]


@pytest.mark.parametrize(
    "colours",
    [
        pytest.param([], id="no dice"),
        pytest.param([RED, RED, RED], id="three dice"),
        pytest.param([RED] * 5, id="five dice"),
        pytest.param([RED] * 4, id="four alike"),
        pytest.param([RED, RED, WHITE, WHITE], id="two and two"),
        pytest.param(
            [(237.0, 219.0, 254.0), (85.0, 61.0, 202.0), (234.0, 218.0, 253.0), (247.0, 217.0, 223.0)],
            id="three red dice, a lamp mirrored in two, and a white one",
        ),
    ],
)
def test_dice_of_unclear_colours_have_no_roles(colours: list[tuple[float, float, float]]) -> None:
    assert roles_by_colour(colours) == [None] * len(colours)


@pytest.mark.parametrize("odd", range(4))
@pytest.mark.parametrize("scale", [0.7, 1.4])
def test_a_die_odd_in_size_is_the_cut_die_or_no_role_is_given(odd: int, scale: float) -> None:
    square = np.array([[0, 0], [18, 0], [18, 18], [0, 18]], np.float32)
    sizes = np.array([1.0, 1.03, 0.98, 1.0])
    sizes[odd] *= scale
    quads = sizes[:, None, None] * square
    for cut in range(4):
        roles: list[Role | None] = ["cut" if index == cut else "box" for index in range(4)]
        assert consistent_roles(roles, quads, [False] * 4) == (roles if cut == odd else [None] * 4)
        # One that leans looks odd in size, whatever it is.
        leaning = [index == odd for index in range(4)]
        assert consistent_roles(roles, quads, leaning) == roles


@pytest.mark.parametrize("roles", [("cut", "cut", "box"), ("cut", "cut"), ("box", "box", "box", "box")])
def test_roles_that_no_set_of_dice_has_are_dropped(roles: tuple[Role, ...]) -> None:
    """As the colours of an enrolled table's dice may have it, where a lamp makes one look like the other."""
    quads = np.array([[0, 0], [18, 0], [18, 18], [0, 18]], np.float32)[None].repeat(len(roles), 0)
    assert consistent_roles(roles, quads, [False] * len(roles)) == [None] * len(roles)
    assert consistent_roles(roles[:1], quads[:1], [False]) == [roles[0]]


def test_a_glare_on_one_of_three_alike_makes_no_cut_die() -> None:
    red, shiny_red, white = (40.0, 35.0, 170.0), (150.0, 140.0, 250.0), (200.0, 205.0, 205.0)
    assert roles_by_colour([red, red, red, white]) == ["box", "box", "box", "cut"]
    assert roles_by_colour([red, (10.0, 5.0, 60.0), red, shiny_red]) == [None] * 4


@pytest.mark.parametrize(
    ("faces", "walls"),
    [
        pytest.param(
            [(195.0, 215.0, 250.0), (71.0, 67.0, 205.0), (81.0, 80.0, 226.0), (61.0, 94.0, 206.0)],
            [(40.0, 30.0, 150.0), (55.0, 55.0, 130.0), (60.0, 60.0, 130.0), (50.0, 90.0, 200.0)],
            id="a lamp mirrored in a red face, its wall red, and an orange cut die",
        ),
        pytest.param(
            [(76.0, 116.0, 119.0), (227.0, 249.0, 249.0), (108.0, 149.0, 147.0), (66.0, 154.0, 91.0)],
            [(80.0, 250.0, 120.0), (180.0, 225.0, 230.0), (120.0, 225.0, 160.0), (50.0, 190.0, 80.0)],
            id="three of green glass over a red ground, and a white cut die",
        ),
    ],
)
def test_walls_prevent_a_wrong_cut_die(faces: list[Colour], walls: list[Colour | None]) -> None:
    """Two throws of our own tables that the faces alone got wrong."""
    assert None not in roles_by_colour(faces)
    assert roles_by_faces_and_walls(faces, walls) == [None] * 4


def test_face_or_wall_names_the_cut_die_if_the_other_agrees() -> None:
    nearly = (62.0, 62.0, 120.0)
    clear, unclear = [RED, RED, RED, WHITE], [RED, RED, (40.0, 60.0, 150.0), nearly]
    assert roles_by_colour(unclear) == [None] * 4
    for faces, walls in ((clear, unclear), (unclear, clear)):
        assert roles_by_faces_and_walls(faces, walls) == ["box", "box", "box", "cut"]
    assert roles_by_faces_and_walls(clear, [None, RED, RED, RED]) == roles_by_colour(clear)


def test_the_wall_shows_below_the_face() -> None:
    crop = drawn.die(6, (40, 30, 170), (230, 232, 230))
    crop[60:76, 20:60] = (200, 60, 20)
    assert wall_colour(crop, np.array([0.1, 0.4], np.float32)) == (200, 60, 20)
    for hidden in (0.05, math.nan):
        assert wall_colour(crop, np.array([0.0, hidden], np.float32)) is None


CRIMSON, ORANGE = (57.0, 55.0, 134.0), (107.0, 175.0, 252.0)


def test_shades_with_one_name_are_distinguished_by_faces_and_walls() -> None:
    faces = [(44.0, 41.0, 117.0), CRIMSON, (70.0, 68.0, 150.0), ORANGE]
    walls = [(50.0, 46.0, 112.0), (60.0, 56.0, 135.0), (64.0, 60.0, 141.0), (34.0, 94.0, 173.0)]
    assert {colour_name(face) for face in faces} == {"red"}
    assert roles_by_faces_and_walls(faces, walls) == ["box", "box", "box", "cut"]
    assert roles_by_faces_and_walls(faces, [walls[3], *walls[:3]]) == [None] * 4


@pytest.mark.parametrize(("spread", "roles"), [(2.0, ["box", "box", "box", "cut"]), (12.0, [None] * 4)])
def test_faces_alone_tell_shades_only_if_far_apart(spread: float, roles: list[Role | None]) -> None:
    faces = [CRIMSON, (57.0, 55.0, 134.0 + spread), (57.0 + spread, 55.0 + spread, 134.0), (98.0, 152.0, 222.0)]
    assert {colour_name(face) for face in faces} == {"red"}
    assert roles_by_faces_and_walls(faces, [None] * 4) == roles
