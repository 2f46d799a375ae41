import numpy as np
import pytest

from calibration.files.calibration_file import TableCalibration
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.zones import Layout
from vision.crops import in_sides
from vision.detect.detections import DIE, Detections
from vision.dice.outlines import (
    AUGMENTATION_STEPS,
    augmented,
    corrected,
    facing,
    foot_of,
    mean_over_augmentations,
    with_midpoints,
    without_duplicates,
)


def test_of_duplicate_outlines_the_surer_stays() -> None:
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
    quads = np.stack([square, square + np.array([10, 0]), square + np.array([25, 0])])
    assert without_duplicates(quads, np.array([0.5, 0.9, 0.8], np.float32)).tolist() == [False, True, True]
    assert without_duplicates(quads[[0, 2]], np.array([0.5, 0.9], np.float32)).tolist() == [True, True]
    assert without_duplicates(quads[:0], np.empty(0, np.float32)).tolist() == []


def test_pips_on_a_side_are_no_die_however_sure() -> None:
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20]], np.float32)
    quads = np.stack([square, square * 0.3 + np.array([20, 7])])
    assert without_duplicates(quads, np.array([0.95, 0.99], np.float32)).tolist() == [True, False]
    assert without_duplicates(quads, np.array([0.6, 0.99], np.float32)).tolist() == [False, True]
    apart = quads + np.array([[[0, 0]], [[9, 0]]], np.float32)
    assert without_duplicates(apart, np.array([0.95, 0.99], np.float32)).tolist() == [True, True]


def test_augmentation_shifts_to_all_corners() -> None:
    square = np.array([[[0, 0], [10, 0], [10, 10], [0, 10]]], np.float32)
    cuts = augmented(square)
    assert cuts.shape == (1, 5, 4, 2)
    assert np.array_equal(cuts[0, 0], square[0])
    middles = sorted(cuts[0].mean(1).tolist())
    assert np.array(middles) == pytest.approx(np.array([(4.5, 4.5), (4.5, 5.5), (5, 5), (5.5, 4.5), (5.5, 5.5)]))


def test_five_weighted_crops_equal_nine_on_a_grid() -> None:
    def answer(across: float, along: float) -> float:
        return 0.2 + 0.3 * across - 0.1 * along + 0.4 * across**2 + 0.2 * along**2 + 0.1 * across * along

    nine = np.mean([answer(across, along) for across in (-1, 0, 1) for along in (-1, 0, 1)])
    five = mean_over_augmentations(np.array([[answer(*step) for step in AUGMENTATION_STEPS]], np.float32))
    assert five == pytest.approx(nine)


@pytest.mark.parametrize("side_mm", [14.0, 19.0])
def test_the_foot_of_a_flat_die_is_where_it_stands(side_mm: float) -> None:
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


def test_the_foot_is_unknown_without_a_calibration() -> None:
    assert np.isnan(foot_of(np.zeros((3, 4, 2), np.float32), None)).all()
    assert foot_of(np.zeros((0, 4, 2), np.float32), None).shape == (0, 2)


def test_a_correction_moves_grows_and_turns_an_outline() -> None:
    turned = np.array([[[10, 0], [10, 10], [0, 10], [0, 0]]], np.float32)  # its right is the picture's down
    assert corrected(turned, np.array([[0.5, 0.0, 0.0, 0.0]]))[0] == pytest.approx(turned[0] + (0, 5))
    assert corrected(turned, np.array([[0.0, 0.1, np.log(2.0), 0.0]]))[0] == pytest.approx(
        np.array([[14, -5], [14, 15], [-6, 15], [-6, -5]])
    )
    assert corrected(turned, np.array([[0.0, 0.0, 0.0, np.pi / 2]]))[0] == pytest.approx(
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


def test_an_outline_without_a_foot_keeps_its_order() -> None:
    quads = np.array([[[0, 0], [20, 0], [20, 20], [0, 20]]], np.float32)
    assert (facing(quads, np.full((1, 2), np.nan, np.float32)) == quads).all()
    assert facing(quads[:0], np.empty((0, 2), np.float32)).shape == (0, 4, 2)


def test_two_dice_too_close_add_a_candidate_between_them() -> None:
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

    found, source = with_midpoints(of((0, 0), (16, 0), (40, 0)))
    assert source.tolist() == [0, 1, 2, 0]
    assert found.centre_px.tolist() == [[0, 0], [16, 0], [40, 0], [8, 0]]
    assert found.body_px[3].tolist() == [-4, -12, 20, 12]
    # The surer of the two lends its size and direction.
    assert (found.score[3], found.angle_rad[3]) == (found.score[0], found.angle_rad[0])
    for few in (of(), of((0, 0)), of((0, 0), (19, 0))):
        assert len(with_midpoints(few)[0]) == len(few)
