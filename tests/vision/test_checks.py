import cv2
import numpy as np
import pytest

from tests.vision import drawn
from vision.checks import (
    Light,
    colour_distance,
    involved,
    outside,
    overlapping,
    overlaps,
    sharpness,
    sharpness_findings,
    undersized,
    wrong_size,
)
from vision.tiles.faces import FACE_NAMES, Maker, pips_of


def quad(
    x: float, y: float, length: float = 60, width: float = 24
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """An upright tile with its upper left corner at x, y."""
    return np.array([[x, y], [x + width, y], [x + width, y + length], [x, y + length]], np.float32)


def test_touching_tiles_do_not_overlap_and_crossed_ones_do() -> None:
    assert overlapping(np.stack([quad(0, 0), quad(23, 0), quad(200, 0)])) == set()
    assert overlapping(np.stack([quad(0, 0), quad(200, 0), quad(12, 10)])) == {0, 2}
    crossed = overlaps(np.stack([quad(0, 0), quad(12, 10)]))
    assert [(one, other) for one, other, _ in crossed] == [(0, 1)]
    assert crossed[0][2] == pytest.approx(12 * 50 / (60 * 24))
    assert (involved(crossed, 0.4), involved(crossed, 0.42)) == ({0, 1}, set())
    assert overlapping(np.zeros((0, 4, 2), np.float32)) == set()


def test_a_tile_cut_by_the_border_lies_outside() -> None:
    quads = np.stack([quad(10, 10), quad(-8, 10), quad(80, 10), quad(10, 0)])
    assert outside(quads, (100, 80)) == {1, 2}
    assert outside(quads, (200, 80)) == {1}


def test_sizes_are_compared_with_a_tile_or_the_median() -> None:
    sizes = np.array([[63, 25], [64, 26], [62, 25], [63, 25], [90, 36], [63, 12]], np.float32)
    assert wrong_size(sizes, (63.5, 25.4)) == {4, 5}
    assert wrong_size(sizes * 3, None) == {4, 5}
    assert wrong_size(sizes[3:5] * 3, None) == set()
    assert wrong_size(np.full((5, 2), np.nan, np.float32), (63.5, 25.4)) == set()
    assert wrong_size(np.zeros((0, 2), np.float32), None) == set()


def crops(blur: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    drawings = [drawn.tile(pips_of(face, Maker())) for face in FACE_NAMES]
    return np.stack([cv2.GaussianBlur(crop, (0, 0), blur).astype(np.uint8) if blur else crop for crop in drawings])


def test_blur_lowers_sharpness() -> None:
    values = [sharpness(crops(blur)) for blur in (0, 1, 2, 4)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("level", "blur", "codes"),
    [(90, 0.0, []), (4, 0.0, ["too_dark"]), (255, 0.0, ["too_bright"]), (90, 4.5, ["blurred"])],
)
def test_dark_bright_and_blurred_pictures_have_findings(level: int, blur: float, codes: list[str]) -> None:
    picture = np.full((320, 480, 3), level, np.uint8)
    assert [finding.code for finding in (*Light.of(picture).findings(), *sharpness_findings(crops(blur)))] == codes


def test_a_picture_without_tiles_is_not_called_blurred() -> None:
    assert Light.of(np.full((320, 480, 3), 90, np.uint8)).findings() == []
    assert sharpness_findings(np.zeros((0, 96, 48, 3), np.uint8)) == []


@pytest.mark.parametrize("seed", range(5))
def test_brightness_is_the_99th_percentile(seed: int) -> None:
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, rng.integers(2, 256), (rng.integers(8, 200), rng.integers(8, 200), 1)).astype(np.uint8)
    assert Light.of(np.repeat(picture, 3, 2)).brightest == pytest.approx(float(np.percentile(picture[::8, ::8], 99)))


def test_backs_of_one_set_differ_from_felt_in_colour() -> None:
    colours = [(40, 40, 40), (60, 60, 60), (45, 44, 42), (60, 110, 20)]
    crops = np.stack([np.full((96, 48, 3), colour, np.uint8) for colour in colours])
    sure = np.array([True, True, False, False])
    assert (colour_distance(crops, sure) < 8).tolist() == [True, True, True, False]
    assert np.isnan(colour_distance(crops, np.zeros(4, np.bool_))).all()


@pytest.mark.parametrize(("sides", "small"), [((), set()), ((40,), set()), ((40, 27, 30), set()), ((40, 12, 30), {1})])
def test_a_die_not_half_as_large_as_another_is_undersized(sides: tuple[int, ...], small: set[int]) -> None:
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    quads = np.array([square * side for side in sides], np.float32).reshape(-1, 4, 2)
    assert undersized(quads) == small
