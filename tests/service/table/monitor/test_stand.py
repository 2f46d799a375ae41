"""A single picture is compared with its calibration before anything in it is verified."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from calibration.files.calibration_file import load_calibration
from calibration.files.picture_file import PictureFile
from service.table.monitor.inspection import Inspector, checked_against_table
from service.words.codes import ServiceCode
from tests.conftest import ROOT
from tests.sample import CALIBRATION, EMPTY, HOUSE_WRONG
from tests.service.stand_ins import HOUSE_RIGHT
from tests.service.table.monitor.test_inspection import nudged
from vision.capture.images import load_image
from vision.reader import Reader

if TYPE_CHECKING:
    from vision.capture.images import Image
    from vision.reading import DieReading, HandReading, Reading, TileReading

IN_PLAY = load_image(HOUSE_WRONG)
TABLES = ROOT / "tests/data/tables"


@pytest.fixture(scope="module")
def inspector() -> Inspector:
    return Inspector.of(CALIBRATION, load_image(EMPTY))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.load()


def held(inspector: Inspector, image: Image, exif: int = 1) -> Reading:
    return checked_against_table(inspector, np.ascontiguousarray(image), HOUSE_RIGHT, exif)


def verified(reading: Reading) -> list[str]:
    parts: list[TileReading | DieReading | HandReading] = [*reading.tiles, *reading.dice, *reading.hands]
    return [one.status for one in parts if one.status == "verified"]


def test_where_the_camera_stands_the_reading_stays_as_it_is(inspector: Inspector) -> None:
    assert held(inspector, IN_PLAY) == HOUSE_RIGHT


@pytest.mark.parametrize(
    ("image", "code"),
    [
        pytest.param(IN_PLAY[::-1, ::-1], ServiceCode.PICTURE_TURNED, id="turned"),
        pytest.param(IN_PLAY[:, ::-1], ServiceCode.PICTURE_MIRRORED, id="mirrored"),
        pytest.param(IN_PLAY[::-1], ServiceCode.PICTURE_FLIPPED, id="flipped"),
        pytest.param(nudged(IN_PLAY), ServiceCode.DRIFTED, id="nudged"),
    ],
)
def test_where_it_does_not_stand_nothing_is_verified(inspector: Inspector, image: Image, code: ServiceCode) -> None:
    reading = held(inspector, image)
    assert [finding.code for finding in reading.findings] == [code]
    assert verified(reading) == []
    assert all(one.doubts[-1].code is code for one in reading.hands)


def test_a_half_turn_that_exif_asked_for_is_named_with_it(inspector: Inspector) -> None:
    turned = IN_PLAY[::-1, ::-1]
    assert dict(held(inspector, turned, exif=3).findings[0].params) == {"exif": 3}
    assert dict(held(inspector, turned, exif=1).findings[0].params) == {}


def test_what_nothing_is_known_of_is_read_and_told() -> None:
    blind = Inspector.of(CALIBRATION, None)
    reading = held(blind, IN_PLAY)
    assert [finding.code for finding in reading.findings] == [ServiceCode.STAND_NOT_CHECKED]
    assert verified(reading) == verified(HOUSE_RIGHT)


def test_a_reference_that_was_not_sent_is_asked_for() -> None:
    known = replace(CALIBRATION, reference=PictureFile("table-reference.png", 64 * "0"))
    reading = held(Inspector.of(known, None), IN_PLAY)
    assert [str(finding) for finding in reading.findings] == ["reference_not_sent(file=table-reference.png)"]
    assert verified(reading) == []


@pytest.mark.parametrize("name", ["hard_0003", "round_0000"])
def test_hands_that_lie_where_they_cannot_be_are_told(reader: Reader, name: str) -> None:
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
