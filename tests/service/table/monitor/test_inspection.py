"""The bundled sample round: play is no fault; a nudge, a soft focus, a dead lamp and a cover are found in mid-play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from calibration.files.calibration_file import CalibrationError
from calibration.table.places import HOUSE
from service.table.monitor.inspection import Inspector, draw_inspection, draw_places
from tests.sample import CALIBRATION, DEALT, DISPLAY, EMPTY, HOUSE_WRONG
from vision.capture.images import load_image

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from vision.capture.images import Image


@pytest.fixture(scope="module")
def inspector() -> Inspector:
    return Inspector.of(CALIBRATION, load_image(EMPTY))


def nudged(image: Image) -> NDArray[np.generic]:
    """As from 5 mm further along the table."""
    scale = float(CALIBRATION.px_per_mm(np.zeros((1, 3)))[0])
    move = np.array([[1, 0, 5 * scale], [0, 1, 0.0]])
    return np.asarray(cv2.warpAffine(image, move, CALIBRATION.size, borderMode=cv2.BORDER_REPLICATE))


@pytest.mark.parametrize("seen", [DISPLAY, DEALT, HOUSE_WRONG], ids=lambda path: path.stem)
def test_play_is_no_fault(inspector: Inspector, seen: Path) -> None:
    assert inspector.inspect(load_image(seen)).faults == ()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (nudged, "drifted"),
        (lambda image: cv2.GaussianBlur(image, (0, 0), 2), "defocused"),
        (lambda image: image * 0.5, "dim"),
        (lambda image: image * 0 + 9, "covered"),
    ],
)
def test_what_happens_in_mid_play_is_found(
    inspector: Inspector, change: Callable[[Image], NDArray[np.generic]], code: str
) -> None:
    image = np.asarray(change(load_image(HOUSE_WRONG)), np.uint8)
    inspection = inspector.inspect(image)
    assert code in [fault.code for fault in inspection.faults]
    drawn = draw_inspection(image, inspection)
    assert drawn.shape == image.shape
    assert (drawn != image).any()


@pytest.mark.parametrize(
    ("way", "turn", "exif"),
    [("clockwise", cv2.ROTATE_90_CLOCKWISE, 6), ("counter-clockwise", cv2.ROTATE_90_COUNTERCLOCKWISE, 8)],
)
def test_a_picture_turned_by_a_quarter_names_the_way(inspector: Inspector, way: str, turn: int, exif: int) -> None:
    image = np.asarray(cv2.rotate(load_image(HOUSE_WRONG), turn), np.uint8)
    with pytest.raises(CalibrationError, match=f"by 90 degrees {way}, as one looks at it: set the camera"):
        inspector.inspect(image)
    with pytest.raises(CalibrationError, match=f"{way}, as one looks at it, by the orientation in its EXIF data"):
        inspector.check_size(image, exif=exif)
    blind = Inspector.of(CALIBRATION, None)
    with pytest.raises(CalibrationError, match="by 90 degrees: set the camera"):
        blind.check_size(image)
    with pytest.raises(CalibrationError, match=f"by 90 degrees {way}"):
        blind.check_size(image, exif=exif)


def test_without_a_picture_of_the_empty_table_little_can_be_told() -> None:
    blind = Inspector.of(CALIBRATION, None)
    assert not blind.comparable
    inspection = blind.inspect(load_image(EMPTY))
    assert inspection.health is None
    assert [fault.code for fault in inspection.faults] == ["drift_unknown"]


def test_places_are_drawn_where_they_are() -> None:
    image = load_image(EMPTY)
    drawn = draw_places(image, CALIBRATION)
    house = CALIBRATION.layout.zone(HOUSE)
    assert house is not None
    corners = CALIBRATION.project(np.array([(*corner, 0.0) for corner in house.corners_mm]))
    for x, y in np.round(corners).astype(int).tolist():
        assert (drawn[y, x] != image[y, x]).any()
