import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.crops import die_crops, in_sides, tile_crops, with_foot


def picture_of(quad_px: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.uint8]:
    """A grey picture with a quad whose first end is red, whose last end is blue, and whose first corner is white."""
    width, height = size
    picture = np.full((height, width, 3), 90, np.uint8)
    middle = (quad_px + np.roll(quad_px, -1, axis=0)) / 2  # of the four edges: top, right, bottom, left
    cv2.fillConvexPoly(
        picture, np.stack([quad_px[0], quad_px[1], middle[1], middle[3]]).round().astype(np.int32), (0, 0, 200)
    )
    cv2.fillConvexPoly(
        picture, np.stack([middle[3], middle[1], quad_px[2], quad_px[3]]).round().astype(np.int32), (200, 0, 0)
    )
    corner = quad_px[0] + 0.2 * (quad_px[1] - quad_px[0]) + 0.08 * (quad_px[3] - quad_px[0])
    radius = 0.12 * float(np.hypot(*(quad_px[1] - quad_px[0])))
    cv2.circle(picture, (round(float(corner[0])), round(float(corner[1]))), round(radius), (255, 255, 255), -1)
    return picture


def quad(centre: tuple[float, float], long_px: float, short_px: float, degrees: float) -> NDArray[np.float32]:
    angle = np.radians(degrees)
    up, right = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    corners = [up * long_px - right * short_px, up * long_px + right * short_px]
    corners += [-up * long_px + right * short_px, -up * long_px - right * short_px]
    return np.array([np.array(centre) + corner / 2 for corner in corners], np.float32)


@pytest.mark.parametrize("degrees", [0, 30, 90, 200, 315])
@pytest.mark.parametrize("long_px", [40, 160, 700])
def test_a_tile_comes_out_upright_and_not_mirrored(degrees: float, long_px: float) -> None:
    corners = quad((520, 410), long_px, long_px * 0.4, degrees)
    crop = tile_crops(picture_of(corners, (1040, 820)), corners[None])[0].astype(int)
    assert crop.shape == (96, 48, 3)
    assert crop[32, 24] == pytest.approx([0, 0, 200], abs=12)
    assert crop[76, 24] == pytest.approx([200, 0, 0], abs=12)
    assert crop[14, 14] == pytest.approx([255, 255, 255], abs=40)
    assert crop[3, 3] == pytest.approx([90, 90, 90], abs=12)
    if long_px > 100:  # drawn to whole pixels, so smaller tiles have no exact edge
        # The face covers the middle 32 x 80: its left and top edges lie half-way between pixels 7 and 8.
        assert np.abs(np.diff(crop[50, :12, 2])).argmax() == pytest.approx(7, abs=1)
        assert np.abs(np.diff(crop[:12, 30, 2])).argmax() == pytest.approx(7, abs=1)


def test_a_die_fills_the_middle() -> None:
    corners = quad((100, 90), 60, 60, 20)
    crop = die_crops(picture_of(corners, (200, 180)), corners[None])[0].astype(int)
    assert crop.shape == (80, 80, 3)
    assert crop[34, 44] == pytest.approx([0, 0, 200], abs=12)
    assert crop[10, 40] == pytest.approx([90, 90, 90], abs=12)


def test_fine_structure_is_averaged_not_skipped() -> None:
    stripes = np.zeros((900, 900, 3), np.uint8)
    stripes[:, ::2] = 200
    crop = tile_crops(stripes, quad((450, 450), 800, 320, 0)[None])[0]
    assert crop.astype(int).min() > 80
    assert crop.astype(int).max() < 120


def test_a_quad_over_the_edge_repeats_the_edge() -> None:
    corners = quad((2, 2), 300, 120, 45)
    assert tile_crops(np.full((50, 40, 3), 77, np.uint8), corners[None]).min() == 77


def test_many_at_once_and_none() -> None:
    picture = np.zeros((60, 90, 3), np.uint8)
    corners = np.stack([quad((30, 30), 40, 16, degrees) for degrees in (0, 10, 20)])
    assert tile_crops(picture, corners).shape == (3, 96, 48, 3)
    assert die_crops(picture, corners).shape == (3, 80, 80, 3)
    assert tile_crops(picture, corners[:0]).shape == (0, 96, 48, 3)
    assert die_crops(picture, corners[:0]).shape == (0, 80, 80, 3)


def test_a_vector_is_expressed_in_sides_of_the_crop() -> None:
    turned = np.stack([quad((50, 50), 40, 40, degrees) for degrees in (0, 90)])
    down = np.array([[0, 20], [0, 20]], np.float32)
    assert in_sides(turned, down) == pytest.approx(np.array([[0, 0.5], [0.5, 0]]), abs=1e-6)
    assert np.isnan(in_sides(turned, np.full((2, 2), np.nan, np.float32))).all()


def test_the_foot_of_a_flat_die_is_a_fourth_channel() -> None:
    crops = np.full((3, 80, 80, 3), 77, np.uint8)
    shown = with_foot(crops, np.array([[0, 0], [0.25, -0.5125], [np.nan, np.nan]], np.float32))
    assert shown.shape == (3, 80, 80, 4)
    assert (shown[..., :3] == 77).all()
    middle = np.zeros((80, 80), np.uint8)
    middle[20:60, 20:60] = 255
    assert (shown[0, ..., 3] == middle).all()
    moved = shown[1, ..., 3].astype(int)
    assert moved[10, 30] == 255
    assert [moved[:, 29].max(), moved[:, 69].max(), moved[:, 70].max()] == [0, 255, 0]
    # Half a pixel of the last row of the foot is covered.
    assert moved[39, 50] == pytest.approx(128, abs=1)
    assert not shown[2, ..., 3].any()
