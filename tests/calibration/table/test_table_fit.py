"""The camera's place is found again from markers and points; what does not fit is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibration.codes import CalibrationCode
from calibration.files.calibration_file import CalibrationError, Marker, TableCalibration, load_calibration
from calibration.finding import Finding, NotSolved
from calibration.lens.projection import Lens
from calibration.table.markers import MarkerSpot, find_markers, mean_markers, solve_markers
from calibration.table.points import read_points
from calibration.table.table_fit import PoseFit, solve_pose
from calibration.table.zones import Layout
from tests.calibration.views import over_table
from tests.calibration.watched import SIZE, SPOTS, TRUE_LENS, Watched
from vision.capture.images import load_image

PLACES = np.array([(-970, 470, 0), (975, 465, 0), (980, -470, 0), (-960, -480, 0), (0, 300, 0), (300, -100, 0.0)])


def seen(places: NDArray[np.float64], **at: float) -> NDArray[np.float64]:
    return TableCalibration(SIZE, TRUE_LENS, over_table(**at), Layout(())).project(places)


@settings(deadline=None, max_examples=40)
@given(
    x=st.floats(-300, 300),
    y=st.floats(-200, 200),
    z=st.floats(1100, 1900),
    lean=st.floats(-0.15, 0.15),
    turn=st.floats(-3.1, 3.1),
    rail=st.floats(0, 40),
)
def test_exact_points_give_the_exact_pose(x: float, y: float, z: float, lean: float, turn: float, rail: float) -> None:
    """On one plane and on two, from anywhere a camera could hang; points the lens cannot see are refused."""
    places = PLACES + np.array([[0, 0, rail], [0, 0, rail], *[[0, 0, 0]] * 4])
    pixels = seen(places, x=x, y=y, z=z, lean_x=lean, turn=turn)
    fit = solve_pose(pixels, places, TRUE_LENS)
    if not np.isfinite(pixels).all():
        assert not fit
        return
    assert isinstance(fit, PoseFit), fit
    assert fit.pose.camera_mm == pytest.approx([x, y, z], abs=0.05)
    assert fit.residual_mm.max() < 0.01
    assert fit.left_out_mm is not None
    assert fit.left_out_mm.max() < 0.05


def test_all_planes_follow_from_the_felt(watched: Watched) -> None:
    """Tile tops and die tops are known where hands are laid, though only the felt was measured, at 0.45 px/mm."""
    x, y = (each.ravel() for each in np.meshgrid(np.linspace(-850, 850, 9), np.linspace(-400, 400, 5)))
    truth = replace(watched.calibration, pose=watched.pose)
    for z_mm in (0.0, 9.5, 19.7):
        places = np.column_stack([x, y, np.full(len(x), z_mm)])
        off = watched.calibration.to_plane(truth.project(places), z_mm) - places[:, :2]
        assert np.linalg.norm(off, axis=1).max() < 1.5, z_mm


def test_markers_say_where_they_lie_and_how_well(watched: Watched) -> None:
    assert watched.fit.good
    assert watched.fit.residual_mm.max() < 0.8
    for marker, spot in zip(watched.calibration.markers, SPOTS, strict=True):
        corners = np.array(marker.corners_mm)
        assert corners.mean(axis=0) == pytest.approx([spot.x_mm, spot.y_mm], abs=1.0)
        assert np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) == pytest.approx([60.0] * 4)
        seen_px = find_markers(watched.empty)[marker.number]
        drawn_px = watched.calibration.project(np.column_stack([corners, np.zeros(4)]))
        assert np.linalg.norm(drawn_px - seen_px, axis=1).max() < 2.0


def test_a_marker_measured_wrongly_is_refused(watched: Watched) -> None:
    wrong = [replace(SPOTS[0], x_mm=SPOTS[0].x_mm + 30), *SPOTS[1:]]
    refused = solve_markers(find_markers(watched.empty), wrong, TRUE_LENS)
    assert isinstance(refused, NotSolved)
    assert refused.reason.code is CalibrationCode.POINTS_DISAGREE


def test_markers_measured_in_centimetres_are_refused(watched: Watched) -> None:
    small = [MarkerSpot(spot.number, spot.x_mm / 2, spot.y_mm / 2) for spot in SPOTS]
    refused = solve_markers(find_markers(watched.empty), small, TRUE_LENS)
    assert isinstance(refused, NotSolved)
    assert dict(refused.reason.params)["printed"] == "60.0"


def test_markers_not_seen_are_named(watched: Watched) -> None:
    found = find_markers(watched.empty)
    more = [*SPOTS, MarkerSpot(6, 0.0, 500.0)]
    fit = solve_markers(found, more, TRUE_LENS)
    assert fit
    assert fit.missing == (6,)
    refused = solve_markers({0: found[0], 1: found[1]}, SPOTS, TRUE_LENS)
    assert isinstance(refused, NotSolved)
    assert dict(refused.reason.params)["unseen"] == "2, 3"
    assert not solve_markers(found, [*SPOTS, SPOTS[0]], TRUE_LENS)


def test_the_mean_of_pictures_leaves_out_what_few_of_them_show() -> None:
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]])
    mean = mean_markers([{1: square, 2: square}, {1: square + 2}, {1: square + 1}])
    assert list(mean) == [1]
    assert np.array_equal(mean[1], square + 1)


POINTS = seen(PLACES)


@pytest.mark.parametrize(
    ("pixels", "places", "reason"),
    [
        pytest.param(POINTS[:3], PLACES[:3], "few_points(points=3", id="three points"),
        pytest.param(POINTS[:4], PLACES, "unequal_points(picture=4, table=6)", id="not as many"),
        pytest.param(
            POINTS, np.column_stack([PLACES[:, 0], PLACES[:, 0] * 0, PLACES[:, 2]]), "points_in_line", id="a line"
        ),
        pytest.param(POINTS, np.where(PLACES == 470, np.nan, PLACES), "point_not_finite", id="not a number"),
        pytest.param(POINTS[[1, 0, 2, 3, 4, 5]], PLACES, "two_poses_fit", id="two exchanged"),
        pytest.param(POINTS, PLACES * (1, -1, 1), "", id="y the other way"),
    ],
)
def test_points_that_cannot_be_are_refused(
    pixels: NDArray[np.float64], places: NDArray[np.float64], reason: str
) -> None:
    refused = solve_pose(pixels, places, TRUE_LENS)
    assert isinstance(refused, NotSolved)
    assert str(refused.reason).startswith(reason)


def test_a_point_the_lens_cannot_see_is_named() -> None:
    narrow = Lens(TRUE_LENS.matrix, np.array([-0.2, 0, 0, 0, 0.0]))
    refused = solve_pose(np.vstack([POINTS[:5], [(9e3, 9e3)]]), PLACES, narrow)
    assert isinstance(refused, NotSolved)
    assert refused.reason == Finding.of(CalibrationCode.POINT_UNSEEN_BY_LENS, point=6)


MARKERS = np.array([(-970, 470, 0), (975, 465, 0), (980, -470, 0), (-960, -480, 0), (10, 480, 0), (-20, -475, 0.0)])


@pytest.mark.parametrize("size_mm", [20.0, 40.0, 100.0, 300.0])
@pytest.mark.parametrize("direction_deg", [0, 45, 90, 180, 260])
@pytest.mark.parametrize("noise_px", [0.0, 0.3])
@pytest.mark.parametrize("count", [5, 6])
def test_the_point_at_fault_is_named(size_mm: float, direction_deg: float, noise_px: float, count: int) -> None:
    """Each in turn; if it is ambiguous, none is named."""
    noise = np.random.default_rng(7).normal(0.0, noise_px, (6, 2))
    pixels = (seen(MARKERS, lean_x=0.05, turn=0.3) + noise)[:count]
    found = 0
    for index in range(count):
        slipped = MARKERS[:count].copy()
        slipped[index, :2] += size_mm * np.array([np.cos(np.radians(direction_deg)), np.sin(np.radians(direction_deg))])
        refused = solve_pose(pixels, slipped, TRUE_LENS)
        assert isinstance(refused, NotSolved)
        assert refused.advice is not None
        if refused.advice.code is CalibrationCode.MEASURE_POINT_AGAIN:
            found += 1
            assert dict(refused.advice.params)["point"] == index + 1
            assert float(str(dict(refused.advice.params)["off"])) == pytest.approx(size_mm, rel=0.2, abs=5.0)
    if count == 6 and size_mm >= 40.0:
        assert found == count


@pytest.mark.parametrize(
    ("slipped", "code"),
    [
        pytest.param(MARKERS[:4] + np.eye(4, 3) * 100, CalibrationCode.ADD_POINT_TO_TELL, id="four"),
        pytest.param(MARKERS + np.eye(6, 3) * 100, CalibrationCode.MEASURE_ALL_AGAIN, id="two-of-six"),
    ],
)
def test_it_reports_where_it_cannot_decide(slipped: NDArray[np.float64], code: CalibrationCode) -> None:
    slipped[:, 2] = 0.0
    refused = solve_pose(seen(MARKERS)[: len(slipped)], slipped, TRUE_LENS)
    assert isinstance(refused, NotSolved)
    assert refused.advice == Finding(code)


def test_columns_of_a_wider_table_are_taken_too() -> None:
    table = np.column_stack([POINTS, PLACES])
    assert solve_pose(table[:, :2], table[:, 2:], TRUE_LENS)
    assert solve_pose(table[:, :2], table[:, 2:4], TRUE_LENS)


def test_points_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("x_px, y_px, x_mm, y_mm\n1,2,3,4\n5,6,7,-8.5\n")
    pixels, places = read_points(path)
    assert pixels.tolist() == [[1, 2], [5, 6]]
    assert places.tolist() == [[3, 4, 0], [7, -8.5, 0]]
    path.write_text("z_mm,x_px,y_px,x_mm,y_mm\n30,1,2,3,4\n")
    assert read_points(path)[1].tolist() == [[3, 4, 30]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n", "expected the columns"),
        ("", "expected the columns"),
        ("x_px,y_px,x_mm,y_mm\n1,2,three,4\n", 'line 2, x_mm: expected a valid number, .*got "three"'),
        ("x_px,y_px,x_mm,y_mm\n1,2,3\n", "line 2, y_mm: expected a valid number, got null"),
        ("x_px,y_px,x_mm,y_mm\n1,2,3,nan\n", "finite"),
        ("x_px,y_px,x_mm,y_mm\n1,2,3,4,5\n", "more values"),
    ],
)
def test_bad_files_of_points_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text)
    with pytest.raises(CalibrationError, match=message):
        read_points(path)
    with pytest.raises(CalibrationError, match="cannot be read"):
        read_points(tmp_path / "gone.csv")


def _middle(marker: Marker) -> tuple[float, float]:
    x, y = np.mean(marker.corners_mm, axis=0).tolist()
    return x, y


def test_reference_pictures_give_their_own_pose(shared: Path) -> None:
    """Photo-like frames: the camera's place from four markers, to within two millimetres of the truth."""
    solved = 0
    for path in sorted((shared / "frames").glob("*.jpg")):
        truth = load_calibration(path.with_suffix(".json"))
        spots = [MarkerSpot(m.number, *_middle(m), m.z_mm) for m in truth.markers]
        found = find_markers(load_image(path))
        if len(found.keys() & {spot.number for spot in spots}) < 4:
            continue
        fit = solve_markers(found, spots, truth.lens)
        assert fit, (path.name, str(fit))
        assert np.linalg.norm(fit.fit.pose.camera_mm - truth.pose.camera_mm) < 2.0, path.name
        solved += 1
    assert solved >= 4
