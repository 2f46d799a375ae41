import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.files.calibration_file import CalibrationError, TableCalibration, load_calibration, save_calibration
from calibration.files.seal import content_hash
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.places import BOX_PLACES, DICE, DISCARD, HOUSE, Place
from calibration.table.sizes import TILE_MM
from calibration.table.zones import Layout

DESCRIBED: dict[str, Any] = {
    "image": "a.jpg",
    "size": [2304, 1296],
    "camera": {
        "K": [[1316.0, 0.0, 1129.0], [0.0, 1316.0, 628.0], [0.0, 0.0, 1.0]],
        "dist": [-0.3, 0.1, -0.0006, 0.001, -0.01],
        "R": [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]],
        "t": [-9.0, 7.0, 1512.0],
    },
    "layout": {
        "boxes": {"1": [500, 400, 0], "2": [-500, 400, 0]},
        "tile_places": {"1": [100.0, 240.0, -8.0], "2": [-100.0, 240.0, 8.0]},
        "house": [0, -233, 0],
        "dice": [540, -265],
        "discard": [-625, -280],
        "float_rect": [-34, -432, 566, 176],
        "felt": "green",
        "table_mm": [2104, 1104],
    },
    "dealer_side": "bottom of image",
    "markers": [{"id": 3, "corners_mm": [[0, 0], [60, 0], [60, 60], [0, 60]], "z_mm": 0.45, "in_frame": True}],
    "objects": [],
}


def described(**changes: object) -> dict[str, Any]:
    return {**copy.deepcopy(DESCRIBED), **changes}


def load(folder: Path, data: object) -> TableCalibration:
    path = folder / "table.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return load_calibration(path)


def changed(path: str, value: object) -> dict[str, Any]:
    """The description with one value replaced, by its dotted path."""
    data = described()
    *parents, last = path.split(".")
    inner = data
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return data


@settings(deadline=None)
@given(
    x=st.floats(-1000, 1000), y=st.floats(-500, 500), z=st.floats(0, 40), k1=st.floats(-0.3, 0.3), turn=st.floats(-3, 3)
)
def test_a_plane_is_seen_and_found_again(x: float, y: float, z: float, k1: float, turn: float) -> None:
    """From a point at a height to its pixel and back, for lenses bent inward and outward and any turn of the camera."""
    flip = np.diag([1.0, -1.0, -1.0])
    cosine, sine = np.cos(turn), np.sin(turn)
    rotation = flip @ np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    lens = Lens(np.array([[1300.0, 0, 1150], [0, 1300, 650], [0, 0, 1]]), np.array([k1, 0.02, 1e-3, -1e-3, 0]))
    table = TableCalibration((2304, 1296), lens, Pose(rotation, np.array([20.0, -30.0, 1500.0])), Layout(()))
    pixel = table.project(np.array([[x, y, z]]))
    assert table.to_plane(pixel, z) == pytest.approx(np.array([[x, y]]), abs=1e-3)


def test_a_camera_straight_above_scales_as_focal_over_distance(tmp_path: Path) -> None:
    table = load(tmp_path, changed("camera.dist", [0, 0, 0, 0]))
    scale = table.px_per_mm(np.array([[0.0, 0.0, 0.0], [300.0, 200.0, 0.0], [0.0, 0.0, 500.0]]))
    assert scale == pytest.approx([1316 / 1512, 1316 / 1512, 1316 / 1012])


def test_what_the_camera_cannot_see_is_not_a_number(tmp_path: Path) -> None:
    table = load(tmp_path, described())
    behind = np.array([[0.0, 0.0, 2000.0]])
    assert np.isnan(table.project(behind)).all()
    # Beyond the radius where this barrel lens folds over, the bare formula would give a pixel inside the picture.
    assert np.isnan(table.project(np.array([[4000.0, 0.0, 0.0]]))).all()
    assert np.isnan(table.to_plane(np.array([[np.nan, 5.0], [1e7, 1e7]]), 0.0)).all()
    assert table.project(np.empty((0, 3))).shape == (0, 2)
    assert table.to_plane(np.empty((0, 2)), 0.0).shape == (0, 2)


def test_a_horizon_has_no_place_on_the_felt() -> None:
    """A camera tipped by 80 degrees: pixels above the horizon see no table."""
    angle = np.radians(100)
    rotation = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
    lens = Lens(np.array([[1000.0, 0, 500], [0, 1000, 500], [0, 0, 1]]), np.zeros(5))
    pose = Pose(rotation, rotation @ np.array([0.0, 1500.0, -800.0]))
    table = TableCalibration((1000, 1000), lens, pose, Layout(()))
    below, above = table.to_plane(np.array([[500.0, 999.0], [500.0, 0.0]]), 0.0)
    assert np.isfinite(below).all()
    assert np.isnan(above).all()


def test_the_description_of_a_picture_is_a_calibration(tmp_path: Path) -> None:
    table = load(tmp_path, described())
    assert (table.size, table.dealer_side) == ((2304, 1296), "bottom of image")
    assert table.layout.table_mm == (2104.0, 1104.0)
    assert table.markers[0].number == 3
    assert table.place_of(0, -233) == HOUSE
    assert table.place_of(130, 200) == BOX_PLACES[0]
    assert table.place_of(-100, 330) == BOX_PLACES[1]
    assert table.place_of(540, -265) == DICE
    assert table.place_of(-625, -280) == DISCARD
    assert table.place_of(0, 0) is None


def test_what_lies_in_the_picture_is_never_looked_at(tmp_path: Path) -> None:
    before = load(tmp_path, described())
    for objects in ("rubbish", None, [{"kind": "tile", "face": "6-6", "place": "house"}], {"polygon": [1e400]}):
        after = load(tmp_path, described(objects=objects))
        assert after.layout == before.layout
        assert np.array_equal(after.pose.rotation, before.pose.rotation)


@pytest.mark.parametrize(
    ("x", "given", "fault"), [(1, True, ""), (1, False, "left"), (-1, False, ""), (-1, True, "right")]
)
def test_which_end_box_1_is_at_is_read_and_checked(tmp_path: Path, x: int, *, given: bool, fault: str) -> None:
    boxes = {"1": [x * 120, 270], "2": [x * -120, 270]}
    layout = {"house": [0, -235], "tile_places": boxes, "box1_at_dealers_right": given}
    table = load(tmp_path, described(layout=layout))
    assert table.layout.boxes_counter_clockwise == ((1, 2) if x > 0 else (2, 1))
    assert table.layout.numbered_from_right is (None if fault else given)
    assert [finding.code for finding in table.faults] == ([f"box1_not_at_{fault}"] if fault else [])


@pytest.mark.parametrize("side", ["bottom of image", "top of image", None])
def test_the_side_of_the_dealer_is_held_against_the_camera(tmp_path: Path, side: str | None) -> None:
    table = load(tmp_path, described(dealer_side=side))
    assert table.pose.dealer_side == "bottom of image"
    found = [finding.code for finding in table.faults if finding.code.startswith("dealer")]
    assert found == (["dealer_not_at_top"] if side == "top of image" else [])


def test_the_version_before_had_the_numbers_of_its_places(tmp_path: Path) -> None:
    """Version 2 did not say from which end the boxes are numbered."""
    before = load(tmp_path, described())
    save_calibration(tmp_path / "own.json", before)
    data = json.loads((tmp_path / "own.json").read_text())
    del data["box1_at_dealers_right"]
    data["version"] = 2
    data["sha256"] = content_hash(data)
    (tmp_path / "own.json").write_text(json.dumps(data))
    after = load_calibration(tmp_path / "own.json")
    assert after.layout == replace(before.layout, box1_at_dealers_right=None)
    assert after.layout.numbered_from_right is True


def test_our_own_form_reads_back_the_same(tmp_path: Path) -> None:
    before = load(tmp_path, described())
    save_calibration(tmp_path / "own.json", before)
    after = load_calibration(tmp_path / "own.json")
    assert (after.size, after.layout, after.markers, after.dealer_side) == (
        before.size,
        before.layout,
        before.markers,
        before.dealer_side,
    )
    assert np.array_equal(after.lens.matrix, before.lens.matrix)
    assert np.array_equal(after.lens.distortion, before.lens.distortion)
    assert np.array_equal(after.pose.translation, before.pose.translation)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("size", None, "size: expected a valid array, got null"),
        ("size", [2304], r"size\[1\]: is missing"),
        ("size", ["2304", 1296], r'size\[0\]: expected a valid integer, got "2304"'),
        ("camera", None, "neither 'format' nor 'camera'"),
        ("camera.K", [[1, 0], [0, 1]], r"camera\.K\[0\]\[2\]: is missing"),
        ("camera.K", [[1316, 0.1, 1129], [0, 1316, 628], [0, 0, 1]], r"expected \[\[fx, 0, cx\]"),
        ("camera.K", [[-1316, 0, 1129], [0, 1316, 628], [0, 0, 1]], "above zero"),
        ("camera.K", [[1316, 0, 4129], [0, 1316, 628], [0, 0, 1]], "another picture size"),
        ("camera.dist", [0, 0, 0], "camera.dist: .*at least 4 items"),
        ("camera.dist", [0, 0, 0, 0, float("nan")], "finite"),
        ("camera.R", [[1, 0, 0], [0, -1, 0], [0, 0, 1]], "not a rotation"),
        ("camera.R", [[1, 0, 0], [0, -1.1, 0], [0, 0, -1]], "not a rotation"),
        ("camera.t", [0, 0, 1.5], "millimetres"),
        ("camera.t", [0, 0, -1512], "millimetres"),
        ("camera.t", [0, 0, True], r"camera\.t\[2\]: expected a valid number, got true"),
        ("camera.t", [0, 0, float("inf")], "finite"),
        ("layout", None, "layout: expected an object, got null"),
        ("layout.house", [1], "layout.house: .*at least 2 items"),
        ("layout.tile_places", {"9": [0, 0, 0]}, "boxes are box1 to box8"),
        ("dealer_side", "left", "expected 'bottom of image' or 'top of image', got \"left\""),
        ("markers", [{"id": 1}], r"markers\[0\]\.corners_mm: is missing"),
    ],
)
def test_an_impossible_calibration_is_refused_with_its_fault(
    tmp_path: Path, path: str, value: object, message: str
) -> None:
    with pytest.raises(CalibrationError, match=message):
        load(tmp_path, changed(path, value))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 4}, "reads version 2 or 3"),
        ({"version": 1}, "reads version 2 or 3"),
        ({"format": "other"}, "expected 'houseway-calibration'"),
        ({"colour": 1}, "colour: unknown key"),
        (
            {"places": [{"name": "bar", "center_mm": [0, 0], "size_mm": [1, 1], "angle_deg": 0}]},
            "there is no place 'bar'",
        ),
        (
            {"places": [{"name": "house", "center_mm": [0, 0], "size_mm": [0, 1], "angle_deg": 0}]},
            r"size_mm\[0\]: .*greater than 0",
        ),
        ({"places": [{"name": "house", "center_mm": [0, 0], "size_mm": [9, 9], "angle_deg": 0}] * 2}, "there twice"),
    ],
)
def test_our_own_form_is_strict(tmp_path: Path, change: dict[str, object], message: str) -> None:
    save_calibration(tmp_path / "own.json", load(tmp_path, described()))
    data = json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))
    changed = {**data, **change}
    with pytest.raises(CalibrationError, match=message):
        load(tmp_path, changed | {"sha256": content_hash(changed)})


def test_our_own_form_is_sealed_and_what_it_replaces_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    calibration = load(tmp_path, described())
    for _ in range(2):
        seal = save_calibration(path, calibration)
        assert load_calibration(path).seal == seal
    (kept,) = (tmp_path / "history").iterdir()
    assert load_calibration(kept).layout == calibration.layout
    data = json.loads(path.read_text(encoding="utf-8"))
    with pytest.raises(CalibrationError, match="changed by hand"):
        load(tmp_path, {**data, "dealer_side": None})
    with pytest.raises(CalibrationError, match="sha256: is missing"):
        load(tmp_path, {key: value for key, value in data.items() if key != "sha256"})
    undated = {**data, "made_at": "yesterday"}
    with pytest.raises(CalibrationError, match="made_at: expected a valid datetime"):
        load(tmp_path, undated | {"sha256": content_hash(undated)})


def test_a_folder_has_one_file_for_each_picture(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(described()), encoding="utf-8")
    assert load_calibration(tmp_path, Path("elsewhere/a.jpg")).size == (2304, 1296)
    with pytest.raises(CalibrationError, match=r"holds no b\.json for b\.jpg"):
        load_calibration(tmp_path, Path("b.jpg"))
    with pytest.raises(CalibrationError, match="folder of calibrations"):
        load_calibration(tmp_path)
    with pytest.raises(CalibrationError, match="no such calibration"):
        load_calibration(tmp_path / "gone.json")
    (tmp_path / "c.json").write_text("[]", encoding="utf-8")
    with pytest.raises(CalibrationError, match=r"expected a JSON object, got \[\]"):
        load_calibration(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("size", "advice"), [((4608, 2592), "Same shape: set the camera to 2304 x 1296"), ((640, 480), "another camera")]
)
def test_a_picture_of_another_size_is_refused_with_advice(tmp_path: Path, size: tuple[int, int], advice: str) -> None:
    table = load(tmp_path, described())
    table.check_size((2304, 1296))
    with pytest.raises(CalibrationError, match=advice):
        table.check_size(size, "a.jpg")


def test_the_validation_frames_agree_with_their_own_truth(shared: Path) -> None:
    """Markers, tiles and places of every frame come out where the renderer says they are."""
    for path in sorted((shared / "frames").glob("*.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        table = load_calibration(path)
        for marker in truth["markers"]:
            corners = np.column_stack([marker["corners_mm"], np.full(4, marker["z_mm"])])
            assert table.project(corners) == pytest.approx(np.array(marker["corners_px"]), abs=0.02)
        for tile in truth["objects"]:
            if tile["kind"] != "tile" or tile.get("leaning"):
                continue
            found = table.to_plane(np.array(tile["polygon"]), tile["top_center_z_mm"])
            assert found.mean(axis=0) == pytest.approx(np.array(tile["center_mm"]), abs=0.1)
            middle = np.array([[*tile["center_mm"], tile["top_center_z_mm"]]])
            area_px = cv2.contourArea(np.array(tile["polygon"], np.float32))
            expected_scale = np.sqrt(area_px / (TILE_MM[0] * TILE_MM[1]))
            assert table.px_per_mm(middle)[0] == pytest.approx(expected_scale, rel=5e-3)
            expected = Place.parse(tile["place"]) if tile["place"] not in ("display", "retrieved", None) else None
            assert table.place_of(*tile["center_mm"]) == expected, (path.name, tile["place"])
