"""Where tiles lie on the table, and how large they are, whatever the camera's tilt and the maker."""

import numpy as np
import pytest

from calibration.files.calibration_file import TableCalibration
from calibration.table.sizes import TILE_MM, TILE_TOP_MM, rectangle_corners
from tests.vision.tilted import tilted_camera
from vision.arrays import Floats
from vision.detect.detections import TILE_UP, Detections
from vision.placing import own_tile_mm, place_tiles

RNG = np.random.default_rng(5)
MIDDLES_MM = np.stack(np.meshgrid([-600.0, -200.0, 200.0, 600.0], [-300.0, 0.0, 300.0]), -1).reshape(-1, 2)


def detected(calibration: TableCalibration, size_mm: tuple[float, float], spread: float = 0.0) -> Detections:
    """Tiles of a size as the detector answers: with a tile's own proportions, however it is foreshortened."""
    angles = RNG.uniform(0, np.pi, len(MIDDLES_MM))
    corners = rectangle_corners(MIDDLES_MM, angles, size_mm)
    points = np.concatenate([corners, np.full((*corners.shape[:2], 1), TILE_TOP_MM)], -1)
    quads_px = calibration.project(points.reshape(-1, 3)).reshape(-1, 4, 2)
    along = (quads_px[:, 2] + quads_px[:, 3] - quads_px[:, 0] - quads_px[:, 1]) / 2
    across = (quads_px[:, 1] + quads_px[:, 2] - quads_px[:, 0] - quads_px[:, 3]) / 2
    area = np.abs(along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0]) * np.exp(RNG.normal(0, spread, len(along)))
    ratio = size_mm[0] / size_mm[1]
    count = len(MIDDLES_MM)
    return Detections(
        np.full(count, TILE_UP, np.int8),
        np.full(count, 0.9, np.float32),
        quads_px.mean(1).astype(np.float32),
        np.stack([np.sqrt(area * ratio), np.sqrt(area / ratio)], 1).astype(np.float32),
        np.arctan2(along[:, 1], along[:, 0]).astype(np.float32),
        np.zeros((count, 4), np.float32),
    )


@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 35.0])
def test_tiles_keep_their_size_under_a_tilted_camera(tilt_deg: float) -> None:
    calibration = tilted_camera(tilt_deg)
    placed = place_tiles(detected(calibration, TILE_MM[:2]), calibration)
    assert np.allclose(placed.sizes, TILE_MM[:2], rtol=0.03)
    assert np.allclose(placed.centers_mm, MIDDLES_MM, atol=3.0)


@pytest.mark.parametrize("size_mm", [(57.0, 23.0), (76.0, 31.0)])
@pytest.mark.parametrize("tilt_deg", [0.0, 30.0])
def test_a_set_of_another_size_is_known_by_its_tiles(size_mm: tuple[float, float], tilt_deg: float) -> None:
    calibration = tilted_camera(tilt_deg)
    placed = place_tiles(detected(calibration, size_mm, spread=0.03), calibration)
    assert np.allclose(own_tile_mm(placed.sizes, np.ones(len(MIDDLES_MM), np.bool_)), size_mm, rtol=0.04)


def same(size: tuple[float, float], count: int = 10) -> Floats:
    """``n`` tiles of one size, with outline errors."""
    return (np.array(size) * np.exp(RNG.normal(0, 0.02, (count, 1)))).astype(np.float32)


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(same((65.0, 26.0)), id="the usual size"),
        pytest.param(same((76.0, 31.0), 4), id="too few"),
        pytest.param(np.concatenate([same((76.0, 31.0), 5), same((50.0, 20.0), 5)]), id="of two sizes"),
        pytest.param(same((120.0, 50.0)), id="larger than any tile"),
        pytest.param(np.full((10, 2), np.nan, np.float32), id="not known"),
    ],
)
def test_the_usual_size_is_kept_in_doubt(sizes: Floats) -> None:
    assert own_tile_mm(sizes, np.ones(len(sizes), np.bool_)) == TILE_MM[:2]
