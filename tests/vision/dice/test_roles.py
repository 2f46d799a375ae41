from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from calibration.files.calibration_file import TableCalibration
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.zones import Layout
from tests.vision import drawn
from vision.crops import in_sides
from vision.detect.detector import DIE, Detections
from vision.dice.roles import (
    CUTS,
    body_colour,
    colour_name,
    distinct,
    facing,
    foot_of,
    moved,
    over_cuts,
    roles,
    roles_by_both,
    shifted,
    wall_colour,
    with_between,
    without_contradiction,
)

if TYPE_CHECKING:
    from vision.pip_matching import Colour
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
        pytest.param(
            [(237.0, 219.0, 254.0), (85.0, 61.0, 202.0), (234.0, 218.0, 253.0), (247.0, 217.0, 223.0)],
            id="three red dice, a lamp mirrored in two, and a white one",
        ),
    ],
)
def test_dice_that_do_not_say_have_no_roles(colours: list[tuple[float, float, float]]) -> None:
    assert roles(colours) == [None] * len(colours)


@pytest.mark.parametrize("odd", range(4))
@pytest.mark.parametrize("scale", [0.7, 1.4])
def test_the_die_odd_in_size_is_the_cut_die_or_none_is_told(odd: int, scale: float) -> None:
    square = np.array([[0, 0], [18, 0], [18, 18], [0, 18]], np.float32)
    sizes = np.array([1.0, 1.03, 0.98, 1.0])
    sizes[odd] *= scale
    quads = sizes[:, None, None] * square
    for cut in range(4):
        said: list[Role | None] = ["cut" if index == cut else "box" for index in range(4)]
        assert without_contradiction(said, quads, [False] * 4) == (said if cut == odd else [None] * 4)
        # One that leans looks odd in size, whatever it is.
        leaning = [index == odd for index in range(4)]
        assert without_contradiction(said, quads, leaning) == said


@pytest.mark.parametrize("said", [("cut", "cut", "box"), ("cut", "cut"), ("box", "box", "box", "box")])
def test_roles_that_no_set_of_dice_has_are_not_told(said: tuple[Role, ...]) -> None:
    """As the colours of an enrolled table's dice may have it, where a lamp makes one look like the other."""
    quads = np.array([[0, 0], [18, 0], [18, 18], [0, 18]], np.float32)[None].repeat(len(said), 0)
    assert without_contradiction(said, quads, [False] * len(said)) == [None] * len(said)
    assert without_contradiction(said[:1], quads[:1], [False]) == [said[0]]


def test_of_two_outlines_of_one_die_the_surer_stays() -> None:
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
    quads = np.stack([square, square + np.array([10, 0]), square + np.array([25, 0])])
    assert distinct(quads, np.array([0.5, 0.9, 0.8], np.float32)).tolist() == [False, True, True]
    assert distinct(quads[[0, 2]], np.array([0.5, 0.9], np.float32)).tolist() == [True, True]
    assert distinct(quads[:0], np.empty(0, np.float32)).tolist() == []


def test_pips_of_a_dies_side_are_no_die_however_sure() -> None:
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
    quads = np.stack([square, square * 0.3 + np.array([20, 7])])
    assert distinct(quads, np.array([0.95, 0.99], np.float32)).tolist() == [True, False]
    assert distinct(quads, np.array([0.6, 0.99], np.float32)).tolist() == [False, True]
    apart = quads + np.array([[[0, 0]], [[9, 0]]], np.float32)
    assert distinct(apart, np.array([0.95, 0.99], np.float32)).tolist() == [True, True]


def test_a_die_is_cut_out_as_found_and_to_all_corners() -> None:
    square = np.array([[[0, 0], [10, 0], [10, 10], [0, 10]]], np.float32)
    cuts = shifted(square)
    assert cuts.shape == (1, 5, 4, 2)
    assert np.array_equal(cuts[0, 0], square[0])
    middles = sorted(cuts[0].mean(1).tolist())
    assert np.array(middles) == pytest.approx(np.array([(4.5, 4.5), (4.5, 5.5), (5, 5), (5.5, 4.5), (5.5, 5.5)]))


def test_five_cuts_say_what_the_mean_of_nine_on_a_grid_would() -> None:
    def answer(across: float, along: float) -> float:
        return 0.2 + 0.3 * across - 0.1 * along + 0.4 * across**2 + 0.2 * along**2 + 0.1 * across * along

    nine = np.mean([answer(across, along) for across in (-1, 0, 1) for along in (-1, 0, 1)])
    five = over_cuts(np.array([[answer(*step) for step in CUTS]], np.float32))
    assert five == pytest.approx(nine)


def test_a_glare_on_one_of_three_alike_makes_no_cut_die() -> None:
    red, shiny_red, white = (40.0, 35.0, 170.0), (150.0, 140.0, 250.0), (200.0, 205.0, 205.0)
    assert roles([red, red, red, white]) == ["box", "box", "box", "cut"]
    assert roles([red, (10.0, 5.0, 60.0), red, shiny_red]) == [None] * 4


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
def test_the_walls_keep_from_a_wrong_cut_die(faces: list[Colour], walls: list[Colour | None]) -> None:
    """As two throws of our own tables were told wrongly by the faces alone."""
    assert None not in roles(faces)
    assert roles_by_both(faces, walls) == [None] * 4


def test_either_face_or_wall_may_tell_the_cut_die_if_the_other_agrees() -> None:
    nearly = (62.0, 62.0, 120.0)
    clear, unclear = [RED, RED, RED, WHITE], [RED, RED, (40.0, 60.0, 150.0), nearly]
    assert roles(unclear) == [None] * 4
    for faces, walls in ((clear, unclear), (unclear, clear)):
        assert roles_by_both(faces, walls) == ["box", "box", "box", "cut"]
    assert roles_by_both(clear, [None, RED, RED, RED]) == roles(clear)


def test_the_wall_is_what_shows_below_the_face() -> None:
    crop = drawn.die(6, (40, 30, 170), (230, 232, 230))
    crop[60:76, 20:60] = (200, 60, 20)
    assert wall_colour(crop, np.array([0.1, 0.4], np.float32)) == (200, 60, 20)
    for hidden in (0.05, math.nan):
        assert wall_colour(crop, np.array([0.0, hidden], np.float32)) is None


@pytest.mark.parametrize("side_mm", [14.0, 19.0])
def test_a_flat_die_is_expected_to_stand_where_it_does(side_mm: float) -> None:
    matrix = np.array([[1800.0, 0.0, 599.5], [0.0, 1800.0, 349.5], [0.0, 0.0, 1.0]])
    pose = Pose(np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, 1500.0]))
    camera = TableCalibration((1200, 700), Lens(matrix, np.zeros(5)), pose, Layout(()))
    corners = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * side_mm / 2 + (400, -200)
    top = camera.project(np.column_stack([corners, np.full(4, side_mm)]))
    below = camera.project(np.column_stack([corners, np.zeros(4)]))
    foot = foot_of(top[None].astype(np.float32), camera)
    assert foot[0] == pytest.approx(below.mean(0) - top.mean(0), abs=0.02)
    # Away from the axis the camera looks at the outer sides of nothing: what shows is the side turned to it.
    assert foot[0] @ (top.mean(0) - (599.5, 349.5)) < 0


def test_where_a_die_stands_is_not_known_without_a_camera() -> None:
    assert np.isnan(foot_of(np.zeros((3, 4, 2), np.float32), None)).all()
    assert foot_of(np.zeros((0, 4, 2), np.float32), None).shape == (0, 2)


def test_an_outline_moves_grows_and_turns_in_its_own_axes() -> None:
    turned = np.array([[[10, 0], [10, 10], [0, 10], [0, 0]]], np.float32)  # its right is the picture's down
    assert moved(turned, np.array([[0.5, 0.0, 0.0, 0.0]]))[0] == pytest.approx(turned[0] + (0, 5))
    assert moved(turned, np.array([[0.0, 0.1, np.log(2.0), 0.0]]))[0] == pytest.approx(
        np.array([[14, -5], [14, 15], [-6, 15], [-6, -5]])
    )
    assert moved(turned, np.array([[0.0, 0.0, 0.0, np.pi / 2]]))[0] == pytest.approx(
        np.roll(turned[0], -1, 0), abs=1e-5
    )


@pytest.mark.parametrize("degrees", range(0, 360, 24))
@pytest.mark.parametrize("mirrored", [False, True])
def test_crops_of_dice_face_their_foot(degrees: int, mirrored: bool) -> None:  # noqa: FBT001 - cases
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
    quads = (square[[1, 0, 3, 2]] if mirrored else square)[None]
    foot = 6 * np.array([[np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))]], np.float32)
    faced = facing(quads, foot)
    right, down = in_sides(faced, foot)[0]
    assert 0 <= right <= down + 1e-6
    assert np.hypot(right, down) == pytest.approx(0.3)
    assert {tuple(corner) for corner in faced[0]} == {tuple(corner) for corner in square}


def test_where_no_foot_is_known_an_outline_stays() -> None:
    quads = np.array([[[0, 0], [20, 0], [20, 20], [0, 20]]], np.float32)
    assert (facing(quads, np.full((1, 2), np.nan, np.float32)) == quads).all()
    assert facing(quads[:0], np.empty((0, 2), np.float32)).shape == (0, 4, 2)


def test_between_two_dice_too_close_to_be_two_there_may_be_one() -> None:
    def of(*middles: tuple[float, float]) -> Detections:
        count = len(middles)
        centre = np.array(middles, np.float32).reshape(-1, 2)
        return Detections(
            np.full(count, DIE, np.int8),
            np.linspace(0.9, 0.5, count).astype(np.float32),
            centre,
            np.full((count, 2), 20, np.float32),
            np.linspace(0, 1, count).astype(np.float32),
            np.concatenate([centre - 12, centre + 12], 1),
        )

    found = with_between(of((0, 0), (16, 0), (40, 0)))
    assert found.centre_px.tolist() == [[0, 0], [16, 0], [40, 0], [8, 0]]
    assert found.body_px[3].tolist() == [-4, -12, 20, 12]
    # The surer of the two lends its size and direction.
    assert (found.score[3], found.angle_rad[3]) == (found.score[0], found.angle_rad[0])
    for few in (of(), of((0, 0)), of((0, 0), (19, 0))):
        assert len(with_between(few)) == len(few)
