"""The scale of a picture without a calibration, from what is found and what the crops show."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from tests.vision.detect.test_detector import lying
from vision.arrays import Chances, DieCrops, Floats, Pixels, TileCrops
from vision.detect.detections import Detections
from vision.detect.scale_search import of_one_scale
from vision.networks.classifier import DICE_CLASSES, TILE_CLASSES

SIZE = (400, 1200)
"""Height and width of the picture; objects in its right half are recognised, those on the left are not."""


def marked(found: Detections) -> Pixels:
    """A picture that is white where the classifiers know what they see, with a pip on each die."""
    picture = np.zeros((*SIZE, 3), np.uint8)
    picture[:, SIZE[1] // 2 :] = 255
    for kind, (x, y), (side, _) in zip(found.kind, found.centre_px, found.size_px, strict=True):
        if kind == int(DIE):
            cv2.circle(
                picture, (round(float(x)), round(float(y))), round(float(side) * 0.12), (0, 0, 0), -1, cv2.LINE_AA
            )
    return picture


def chances(crops: Pixels, classes: int) -> Chances:
    """Certain of the first class in white crops, and of "cannot tell" in black ones."""
    white = crops.mean((1, 2, 3)) > 128
    answer = np.zeros((len(crops), classes), np.float32)
    answer[np.arange(len(crops)), np.where(white, 0, classes - 1)] = 1.0
    return answer


def name(crops: TileCrops) -> Chances:
    return chances(crops, len(TILE_CLASSES))


def read(crops: DieCrops, foot: Floats) -> tuple[Chances, Floats]:
    del foot
    return chances(crops, len(DICE_CLASSES)), np.zeros((len(crops), 4), np.float32)


KNOWN, UNKNOWN = 900.0, 300.0
TILE, BACK, DIE = 0.0, 1.0, 2.0


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param(
            [(DIE, 0.6, KNOWN, 50, 20), (DIE, 0.6, KNOWN, 150, 22), (TILE, 0.9, UNKNOWN, 100, 300)],
            [20, 22],
            id="dice tell the scale, a tile in a cloth does not",
        ),
        pytest.param(
            [(TILE, 0.7, KNOWN, 100, 64), (DIE, 0.8, KNOWN, 200, 18), (DIE, 0.9, KNOWN, 300, 90)],
            [64, 18],
            id="a group of dice is no die",
        ),
        pytest.param(
            [(TILE, 0.7, KNOWN, 100, 64), (BACK, 0.5, UNKNOWN, 200, 62), (BACK, 0.9, UNKNOWN, 300, 20)],
            [64, 62],
            id="a back of the size of an open tile",
        ),
        pytest.param(
            [(BACK, 0.9, UNKNOWN, 200, 62), (BACK, 0.9, UNKNOWN, 300, 200)], [62, 200], id="no evidence at all"
        ),
    ],
)
def test_what_fits_one_scale_stays(rows: list[tuple[float, ...]], kept: list[float]) -> None:
    found = lying(*((int(kind), score, x, y, long, 0.0) for kind, score, x, y, long in rows))
    assert sorted(of_one_scale(marked(found), found, name, read).size_px[:, 0]) == sorted(kept)


def row_of_tiles(growth: Callable[[float], float]) -> list[float]:
    """Lengths of a row of known tiles across the picture, and what is kept of them."""
    places = np.linspace(650, 1150, 8)
    found = lying(*((0, 0.8, x, 200.0, 40 * growth((x - 650) / 500), 90.0) for x in places))
    return list(map(float, of_one_scale(marked(found), found, name, read).size_px[:, 0]))


def test_the_scale_may_change_across_a_picture() -> None:
    assert len(row_of_tiles(lambda along: 1 + along)) == 8


def test_every_tile_needs_a_size_like_its_neighbours() -> None:
    assert len(row_of_tiles(lambda along: 3.0 if along > 0.9 else 1.0)) == 7
