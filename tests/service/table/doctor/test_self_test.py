"""The self-test: what it finds is part of health and of the record, and holds everything back if it fails."""

from pathlib import Path

import cv2

from service.record.health import Check, Watch
from service.record.ledger import open_record
from service.record.store.record import Record
from service.system.settings import Config
from service.system.table_settings import ClockConfig
from service.system.versions import SEAL
from service.table.doctor import program_checks
from service.table.doctor.diagnosis import Diagnosis
from service.table.doctor.examination import as_check, self_test, watches_of
from service.words.codes import ServiceCode
from service.words.diagnoses import DiagnosisCode
from tests.service.stand_ins import FakeReader, app_of, config, picture, signed_in, with_table


def _settings() -> Config:
    return with_table(config(), clock=ClockConfig(need_sync=False))


def test_a_program_as_installed_passes_and_says_what_it_is() -> None:
    settings = _settings()
    record = open_record(settings)
    check = as_check(self_test(settings, record))
    record.close()
    assert check.ok
    for said in ("sha256:", "detector", "the newest entries are valid"):
        assert said in check.message


def test_one_failure_is_enough_and_is_told_with_its_remedy() -> None:
    failed = Diagnosis.of(DiagnosisCode.MODELS_MISSING, folder="weights")
    check = as_check((Diagnosis.of(DiagnosisCode.CALIBRATION_NONE), failed))
    assert not check.ok
    assert check.message == f"the self-test failed: models: weights contains no model ({failed.remedy})"


def test_altered_code_fails_it(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "tiles.py").write_text("as it is now")
    (tmp_path / SEAL).write_text("0" * 64 + "  engine/game/tiles.py\n")
    assert program_checks.code(tmp_path).level == "fail"


def _failed(_config: Config, _record: Record) -> tuple[Watch, ...]:
    return (lambda: Check.of("self_test", ServiceCode.SELF_TEST_FAILED, ok=False, why="models: altered"),)


def test_a_failed_one_keeps_everything_at_needs_review() -> None:
    settings = _settings()
    app = app_of(settings, reader=FakeReader(), watch=False, watches=_failed)
    _, encoded = cv2.imencode(".jpg", picture())
    with signed_in(app) as client:
        checks = client.get("/v1/tables/test").json()["local"]["checks"]
        sent = client.post("/v1/read", content=encoded.tobytes(), headers={"Content-Type": "image/jpeg"}).json()
    said = [(each["name"], each["ok"], each["message"]) for each in checks]
    assert ("self_test", False, "the self-test failed: models: altered") in said
    assert {hand["status"] for hand in sent["hands"]} == {"uncertain"}
    assert all("the self-test failed: models: altered" in hand["reasons"] for hand in sent["hands"])
    assert [hand["house_way"]["verdict"] for hand in sent["hands"] if hand["house_way"]] == ["needs_review"]


def test_a_running_service_watches_self_test_and_clock() -> None:
    settings = _settings()
    record = open_record(settings)
    found = [watch() for watch in watches_of(settings, record)]
    record.close()
    assert [(check.name, check.ok) for check in found] == [("self_test", True), ("clock", True)]
