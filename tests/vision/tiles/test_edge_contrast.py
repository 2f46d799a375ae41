"""A tile that stands on the felt, and a picture of one printed there."""

import cv2
import numpy as np
import pytest

from calibration.files.calibration_file import TableCalibration
from calibration.table.sizes import TILE_MM, TILE_TOP_MM, rectangle_corners
from tests.vision.tilted import tilted_camera
from vision.arrays import Floats, Pixels, Quads
from vision.tiles.edge_contrast import edge_contrast
from vision.verification import LEAST_EDGE_CONTRAST

FELT, BODY, INK = (60, 110, 20), (24, 22, 20), (60, 190, 230)
MIDDLES_MM = np.array([(-700.0, -350.0), (-350.0, 250.0), (450.0, -150.0), (750.0, 300.0)])
ANGLES = np.radians([10.0, 80.0, 35.0, 140.0])


def felt(*, printed: bool) -> Pixels:
    """Grainy felt, with or without letters."""
    rng = np.random.default_rng(3)
    picture = np.full((1296, 2304, 3), FELT, np.uint8)
    if printed:
        for x in range(0, 2304, 150):
            for y in range(60, 1296, 120):
                cv2.putText(picture, "W8", (x, y), cv2.FONT_HERSHEY_COMPLEX, 2.0, INK, 4, cv2.LINE_AA)
    return np.clip(picture + rng.normal(0, 5, picture.shape), 0, 255).astype(np.uint8)


def outlines(calibration: TableCalibration, height_mm: float) -> Quads:
    corners = rectangle_corners(MIDDLES_MM, ANGLES, TILE_MM[:2])
    points = np.concatenate([corners, np.full((*corners.shape[:2], 1), height_mm)], -1)
    return calibration.project(points.reshape(-1, 3)).reshape(-1, 4, 2).astype(np.float32)


def fill(picture: Pixels, outline: Floats, colour: tuple[int, int, int]) -> None:
    """Paint an outline, to a sixteenth of a pixel."""
    cv2.fillConvexPoly(picture, (outline * 16).round().astype(np.int32), colour, cv2.LINE_AA, 4)


def contrast(picture: Pixels, calibration: TableCalibration, *, standing: bool) -> Floats:
    """Contrast of tiles drawn there, which stand on the felt and hide some of it, or are printed."""
    tops = outlines(calibration, TILE_TOP_MM)
    for top, foot in zip(tops, outlines(calibration, 0.0), strict=True):
        if standing:
            fill(picture, np.asarray(cv2.convexHull(np.concatenate([top, foot])), np.float32), (40, 60, 90))
        fill(picture, top, BODY)
    return edge_contrast(cv2.GaussianBlur(picture, (0, 0), 0.8).astype(np.uint8), tops, MIDDLES_MM, calibration)


@pytest.mark.parametrize("tilt_deg", [0.0, 25.0])
@pytest.mark.parametrize("printed", [False, True], ids=["plain felt", "letters"])
def test_a_print_has_no_edge_and_a_tile_has_one(tilt_deg: float, *, printed: bool) -> None:
    calibration = tilted_camera(tilt_deg)
    assert (contrast(felt(printed=printed), calibration, standing=True) > LEAST_EDGE_CONTRAST).all()
    flat = contrast(felt(printed=printed), calibration, standing=False)
    # The stroke of a letter that runs along the edge of a print may pass for a side.
    assert sorted(flat)[2 if printed else 3] < LEAST_EDGE_CONTRAST


def test_a_tile_beside_another_is_not_judged() -> None:
    calibration = tilted_camera(0.0)
    middles = np.array([(0.0, 0.0), (0.0, TILE_MM[1] + 1), (500.0, 0.0)])
    corners = rectangle_corners(middles, np.zeros(3), TILE_MM[:2])
    points = np.concatenate([corners, np.full((3, 4, 1), TILE_TOP_MM)], -1)
    tops = calibration.project(points.reshape(-1, 3)).reshape(-1, 4, 2).astype(np.float32)
    answer = edge_contrast(felt(printed=False), tops, middles.astype(np.float32), calibration)
    assert np.isnan(answer).tolist() == [True, True, False]


def test_a_tile_outside_the_lens_model_is_not_judged() -> None:
    calibration = tilted_camera(0.0)
    tops = outlines(calibration, TILE_TOP_MM)
    answer = edge_contrast(felt(printed=False), tops, np.full((4, 2), np.nan, np.float32), calibration)
    assert np.isnan(answer).all()
