"""Calibrations that somebody sends: whatever stands in them, they are used or refused as calibrations."""

import copy
import json
from contextlib import suppress
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.files.calibration_file import CalibrationError, TableCalibration, calibration_from
from calibration.files.seal import content_hash
from service.table.monitor.inspection import Inspector
from tests.sample import FILE
from vision.detect.detections import Detections
from vision.placing import in_play, place_tiles, table_region, tile_length_px

OWN: Final[dict[str, Any]] = json.loads(FILE.read_text())
DESCRIBED: Final[dict[str, Any]] = {
    "size": OWN["size"],
    "camera": OWN["camera"],
    "dealer_side": OWN["dealer_side"],
    "markers": [{"id": 1, "corners_mm": [[0, 0], [60, 0], [60, 60], [0, 60]], "z_mm": 0.4}],
    "layout": {
        "house": [0, -240, 0],
        "boxes": {"1": [800, 0, 90], "2": [600, 200]},
        "float_rect": [0, -400, 300, 100],
        "table_mm": [2000, 1000],
    },
}
_NUMBERS = st.one_of(
    st.floats(allow_nan=True),
    st.integers(),
    st.sampled_from([0, -1, 1e-9, 1e308, -1e308, 5e-324, 10**30, 10**400, 1e6, -0.0, 2**63, 0.5]),
)
ANY_VALUE = st.one_of(
    _NUMBERS,
    st.none(),
    st.booleans(),
    st.sampled_from(["", "box1", "box0", "hand99999999999999999999", "\ud800", "..", "a\0b", "bottom of image"]),
    st.just([]),
    st.just({}),
    st.lists(_NUMBERS, max_size=4),
    st.dictionaries(st.sampled_from(["1", "9", "x", "name", "\ud800"]), _NUMBERS, max_size=2),
)


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, one in inner for each in places(one, (*path, key)))][0 if path else 1 :]


def changed(document: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any]:
    """The document with another value at a path, sealed again: any sender can seal it."""
    new = copy.deepcopy(document)
    at: Any = new
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    if "sha256" in new and path != ("sha256",):
        new["sha256"] = content_hash(new)
    return new


def use(calibration: TableCalibration) -> None:
    Inspector.of(calibration, None)
    tile_length_px(calibration)
    table_region(calibration)
    width, height = calibration.size
    middles = np.array([[0, 0], [width / 2, height / 2], [width, height]], np.float32)
    sizes = np.full((3, 2), (48.0, 20.0), np.float32)
    boxes = np.concatenate([middles - 20, middles + 20], 1)
    found = Detections(
        np.array([0, 1, 2], np.int8), np.ones(3, np.float32), middles, sizes, np.zeros(3, np.float32), boxes
    )
    place_tiles(found.take(in_play(found, calibration)), calibration)


@settings(max_examples=500, deadline=None)
@given(data=st.data(), document=st.sampled_from([OWN, DESCRIBED]))
def test_a_value_of_any_kind_anywhere(data: st.DataObject, document: dict[str, Any]) -> None:
    sent = document
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(places(sent)))
        sent = changed(sent, path, data.draw(ANY_VALUE))
    with suppress(CalibrationError):
        use(calibration_from(json.dumps(sent).encode(), "calibration"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"camera":' * 100_000, id="objects-without-end"),
        pytest.param('{"camera":' + "[" * 100_000, id="lists-without-end"),
        pytest.param('{"camera":' + "[" * 900 + "]" * 900 + "}", id="nested-deeply"),
        pytest.param('{"camera":' + "1" * 5_000 + "}", id="a-number-of-5000-digits"),
        pytest.param('{"camera":1e999}', id="infinity"),
        pytest.param('{"camera":NaN}', id="nan"),
        pytest.param('{"format":"\\ud800"}', id="half-a-character"),
        pytest.param("[" * 900 + "]" * 900, id="a-list-of-lists"),
        pytest.param('"' + "x" * 100_000 + '"', id="a-text"),
        pytest.param("\x00", id="a-null-byte"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_hardly_json(text: str) -> None:
    with pytest.raises(CalibrationError):
        calibration_from(text.encode(), "calibration")


@pytest.mark.parametrize(
    ("focal_px", "says"),
    [(1.0, "focal lengths"), (60.0, "focal lengths"), (1e7, "focal lengths"), (300.0, "tile would be")],
)
def test_a_focal_length_of_no_camera_over_a_table(focal_px: float, says: str) -> None:
    camera = {**OWN["camera"], "K": [[focal_px, 0, 1000.0], [0, focal_px, 600.0], [0, 0, 1]], "t": [0, 0, 9000.0]}
    camera["R"] = [[1, 0, 0], [0, -1, 0], [0, 0, -1]]
    with pytest.raises(CalibrationError, match=says):
        tile_length_px(calibration_from(json.dumps({**DESCRIBED, "camera": camera}).encode(), "calibration"))
