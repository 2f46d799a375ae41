"""A picture sent with a calibration is compared with the picture of the empty table."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import pytest
from fastapi.testclient import TestClient

from calibration.drift.reference import save_reference
from calibration.files.calibration_file import save_calibration
from tests.sample import CALIBRATION, EMPTY, HOUSE_WRONG
from tests.service.api.test_http import problem_of
from tests.service.stand_ins import FakeReader, app_of, config, signed_in, with_table
from vision.capture.images import load_image

IN_PLAY = load_image(HOUSE_WRONG)
UPRIGHT, TURNED = (cv2.imencode(".jpg", image)[1].tobytes() for image in (IN_PLAY, IN_PLAY[::-1, ::-1]))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with signed_in(app_of(config(max_upload_mb=20), reader=FakeReader(), watch=False)) as client:
        yield client


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A calibration's file and that of its empty table."""
    file = tmp_path_factory.mktemp("calibration") / "table.json"
    empty = save_reference(file, load_image(EMPTY))
    save_calibration(file, replace(CALIBRATION, reference=empty))
    return file, file.with_name(empty.name)


@pytest.mark.parametrize(
    ("picture", "with_reference", "codes"),
    [
        pytest.param(UPRIGHT, True, [], id="stands"),
        pytest.param(TURNED, True, ["picture_turned"], id="turned"),
        pytest.param(UPRIGHT, False, ["reference_not_sent"], id="not-known"),
    ],
)
def test_what_does_not_stand_as_calibrated_verifies_nothing(
    client: TestClient, calibrated: tuple[Path, Path], picture: bytes, *, with_reference: bool, codes: list[str]
) -> None:
    file, empty = calibrated
    sent = {"picture": ("a.jpg", picture), "calibration": ("c.json", file.read_bytes())}
    if with_reference:
        sent["reference"] = ("empty.png", empty.read_bytes())
    said = client.post("/v1/read", files=sent).json()
    assert [found["code"] for found in said["findings"]] == codes
    assert {hand["status"] for hand in said["hands"]} == {"uncertain" if codes else "verified"}


def test_another_reference_is_refused(client: TestClient, calibrated: tuple[Path, Path]) -> None:
    sent = {"picture": ("a.jpg", UPRIGHT), "calibration": ("c.json", calibrated[0].read_bytes())}
    said = problem_of(client.post("/v1/read", files={**sent, "reference": ("empty.png", UPRIGHT)}))
    assert (said["status"], said["code"]) == (422, "bad_calibration")
    assert calibrated[1].name in str(said["detail"])


def test_the_tables_own_reference_need_not_be_sent(calibrated: tuple[Path, Path]) -> None:
    known = config(max_upload_mb=20)
    known = with_table(known, calibration=calibrated[0])
    sent = {"picture": ("a.jpg", TURNED), "calibration": ("c.json", calibrated[0].read_bytes())}
    with signed_in(app_of(known, reader=FakeReader(), watch=False)) as client:
        said = client.post("/v1/read", files=sent).json()
    assert [found["code"] for found in said["findings"]] == ["picture_turned"]
