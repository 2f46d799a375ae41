"""A picture that is turned or mirrored against its calibration is named as such, by markers and by the layout."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.drift.drift import drift
from calibration.drift.landmarks import Landmarks, landmarks
from calibration.drift.orientation import Orientation, orientation, quarter_turn
from calibration.files.calibration_file import TableCalibration
from tests.calibration.watched import SIZE, TRUE_LENS, Watched, shot

CHANGES: dict[Orientation | None, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]] = {
    None: lambda image: image,
    Orientation.TURNED: lambda image: image[::-1, ::-1],
    Orientation.MIRRORED: lambda image: image[:, ::-1],
    Orientation.FLIPPED: lambda image: image[::-1],
}


def compared(watched: Watched, by: str) -> tuple[Landmarks | None, TableCalibration]:
    """What a picture is compared with: the markers alone, or the layout alone."""
    if by == "markers":
        return None, watched.calibration
    return landmarks(watched.empty, watched.calibration.surface()), replace(watched.calibration, markers=())


def named(watched: Watched, image: NDArray[np.uint8], *, by: str) -> Orientation | None:
    marks, calibration = compared(watched, by)
    image = np.ascontiguousarray(image)
    return orientation(calibration, image, marks, drift(calibration, image, marks))


@pytest.mark.parametrize("by", ["markers", "layout"])
@pytest.mark.parametrize("how", CHANGES, ids=str)
def test_how_a_picture_is_turned_is_named(watched: Watched, how: Orientation | None, by: str) -> None:
    assert named(watched, CHANGES[how](shot(watched.clean, seed=7)), by=by) is how


# Turned by OpenCV, whose names say which way the picture turns.
QUARTERS = {
    Orientation.CLOCKWISE: cv2.ROTATE_90_CLOCKWISE,
    Orientation.COUNTER_CLOCKWISE: cv2.ROTATE_90_COUNTERCLOCKWISE,
}


@pytest.mark.parametrize("by", ["markers", "layout"])
@pytest.mark.parametrize("way", QUARTERS, ids=str)
def test_the_way_of_a_quarter_turn_is_found(watched: Watched, way: Orientation, by: str) -> None:
    marks, calibration = compared(watched, by)
    image = np.asarray(cv2.rotate(shot(watched.clean, seed=7), QUARTERS[way]), np.uint8)
    assert quarter_turn(calibration, image, marks) is way
    assert quarter_turn(calibration, np.full_like(image, 128), marks) is None
    assert quarter_turn(calibration, np.ascontiguousarray(image[:, ::-1]), marks) is None


@pytest.mark.parametrize("way", QUARTERS, ids=str)
def test_a_square_picture_is_turned_by_a_quarter(watched: Watched, way: Orientation) -> None:
    """The middle of the picture, by a camera whose pictures are square."""
    side, aside = SIZE[1], (SIZE[0] - SIZE[1]) // 2
    matrix = TRUE_LENS.matrix - np.array([[0, 0, aside], [0, 0, 0], [0, 0, 0]])
    lens = replace(watched.calibration.lens, matrix=matrix)
    square = replace(watched.calibration, size=(side, side), lens=lens, markers=())
    marks = landmarks(watched.empty[:, aside : aside + side], square.surface())
    upright = shot(watched.clean, seed=7)[:, aside : aside + side]
    for image, expected in ((upright, None), (cv2.rotate(upright, QUARTERS[way]), way)):
        seen = np.ascontiguousarray(image, np.uint8)
        assert orientation(square, seen, marks, drift(square, seen, marks)) is expected


@pytest.mark.parametrize("by", ["markers", "layout"])
def test_a_camera_hung_up_again_the_other_way_round_is_turned(watched: Watched, by: str) -> None:
    elsewhere = shot(watched.seen_from(x=17.0), seed=7)
    assert named(watched, elsewhere[::-1, ::-1], by=by) is Orientation.TURNED


@pytest.mark.parametrize("by", ["markers", "layout"])
@pytest.mark.parametrize("level", [8, 128])
def test_a_picture_that_shows_nothing_is_not_named(watched: Watched, by: str, level: int) -> None:
    assert named(watched, np.full_like(watched.empty, level), by=by) is None


@pytest.mark.parametrize("by", ["markers", "layout"])
def test_a_nudged_camera_is_neither_turned_nor_mirrored(watched: Watched, by: str) -> None:
    assert named(watched, shot(watched.seen_from(x=17.0), seed=7), by=by) is None
