"""Inspection of pictures: play is no fault; drift, blur, darkness, covers and turned pictures are."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.files.calibration_file import CalibrationError, load_calibration
from calibration.files.picture_file import PictureFile
from calibration.table.places import HOUSE
from service.table.monitor.inspection import Inspector, checked_against_table, draw_inspection, draw_places
from service.words.codes import ServiceCode
from tests.conftest import ROOT
from tests.sample import CALIBRATION, DEALT, DISPLAY, EMPTY, HOUSE_WRONG
from tests.service.stand_ins import HOUSE_RIGHT
from vision.capture.images import Image, load_image
from vision.reader import Reader
from vision.reading import DieReading, HandReading, Reading, TileReading


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


IN_PLAY = load_image(HOUSE_WRONG)
TABLES = ROOT / "tests/data/tables"


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.load()


def checked(inspector: Inspector, image: Image, exif: int = 1) -> Reading:
    return checked_against_table(inspector, np.ascontiguousarray(image), HOUSE_RIGHT, exif)


def verified(reading: Reading) -> list[str]:
    parts: list[TileReading | DieReading | HandReading] = [*reading.tiles, *reading.dice, *reading.hands]
    return [one.status for one in parts if one.status == "verified"]


def test_a_reading_from_the_calibrated_place_is_unchanged(inspector: Inspector) -> None:
    assert checked(inspector, IN_PLAY) == HOUSE_RIGHT


@pytest.mark.parametrize(
    ("image", "code"),
    [
        pytest.param(IN_PLAY[::-1, ::-1], ServiceCode.PICTURE_TURNED, id="turned"),
        pytest.param(IN_PLAY[:, ::-1], ServiceCode.PICTURE_MIRRORED, id="mirrored"),
        pytest.param(IN_PLAY[::-1], ServiceCode.PICTURE_FLIPPED, id="flipped"),
        pytest.param(nudged(IN_PLAY), ServiceCode.DRIFTED, id="nudged"),
    ],
)
def test_nothing_is_verified_from_another_place(inspector: Inspector, image: Image, code: ServiceCode) -> None:
    reading = checked(inspector, image)
    assert [finding.code for finding in reading.findings] == [code]
    assert verified(reading) == []
    assert all(one.doubts[-1].code is code for one in reading.hands)


def test_a_half_turn_that_exif_asked_for_is_named_with_it(inspector: Inspector) -> None:
    turned = IN_PLAY[::-1, ::-1]
    assert dict(checked(inspector, turned, exif=3).findings[0].params) == {"exif": 3}
    assert dict(checked(inspector, turned, exif=1).findings[0].params) == {}


def test_without_anything_to_compare_with_a_finding_says_so() -> None:
    blind = Inspector.of(CALIBRATION, None)
    reading = checked(blind, IN_PLAY)
    assert [finding.code for finding in reading.findings] == [ServiceCode.STAND_NOT_CHECKED]
    assert verified(reading) == verified(HOUSE_RIGHT)


def test_a_reference_that_was_not_sent_is_asked_for() -> None:
    known = replace(CALIBRATION, reference=PictureFile("table-reference.png", 64 * "0"))
    reading = checked(Inspector.of(known, None), IN_PLAY)
    assert [str(finding) for finding in reading.findings] == ["reference_not_sent(file=table-reference.png)"]
    assert verified(reading) == []


@pytest.mark.parametrize("name", ["hard_0003", "round_0000"])
def test_a_turned_picture_is_known_by_its_hands(reader: Reader, name: str) -> None:
    image, calibration = load_image(TABLES / f"{name}.jpg"), load_calibration(TABLES / f"{name}.json")
    blind = Inspector.of(replace(calibration, markers=()), None)
    for turned in (False, True):
        seen = np.ascontiguousarray(image[::-1, ::-1] if turned else image)
        reading = checked_against_table(blind, seen, reader.read(seen, calibration=blind.calibration))
        code = ServiceCode.HANDS_LIE_TURNED if turned else ServiceCode.STAND_NOT_CHECKED
        assert reading.findings[-1].code is code
        assert bool(verified(reading)) is not turned


@pytest.mark.parametrize("name", ["dice_0001", "display_0002"])
def test_where_no_hands_lie_none_are_missed(reader: Reader, name: str) -> None:
    image, calibration = load_image(TABLES / f"{name}.jpg"), load_calibration(TABLES / f"{name}.json")
    blind = Inspector.of(replace(calibration, markers=()), None)
    reading = checked_against_table(blind, image, reader.read(image, calibration=blind.calibration))
    assert reading.findings[-1].code is ServiceCode.STAND_NOT_CHECKED
