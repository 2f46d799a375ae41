"""``houseway doctor``: from one end to the other, and what it says when something is not well."""

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.files.calibration_file import save_calibration
from calibration.table.presets import preset_layout
from calibration.table.zones import Layout
from engine.game.tiles import FULL_SET
from service.cli import app as command_line
from service.record.ledger import open_record
from service.record.store.entries import Draft
from service.system.settings import Config
from service.system.table_settings import SourceConfig
from service.system.versions import service_versions
from service.table.doctor import machine_checks, program_checks
from service.table.doctor import table_checks as table
from service.table.doctor.diagnosis import Diagnosis
from service.table.doctor.examination import examine
from service.table.doctor.program_checks import record
from service.words.diagnoses import DiagnosisCode
from tests.sample import CALIBRATION, FILE
from tests.service.stand_ins import config, picture, with_table
from tests.vision.markers.drawn_markers import Drawn, learnt_of, marker
from vision.dice.die_look import DieLook
from vision.enrolment.dice_file import save_dice
from vision.enrolment.enrolment import Enrolment, OwnTile
from vision.enrolment.enrolment_file import save_enrolment
from vision.enrolment.own_dice import OwnDice, OwnThrow
from vision.markers.markers_file import save_markers
from vision.networks.runtime import default_weights


def _levels(found: list[Diagnosis]) -> dict[str, str]:
    return {one.name: one.level for one in found}


def test_the_sample_table_is_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    found = CliRunner().invoke(command_line, ["doctor", "--json"])
    told = json.loads(found.stdout)
    failed = [one for one in told["findings"] if one["level"] == "fail"]
    # The port may be taken where the tests run; nothing else may be wrong.
    assert {one["name"] for one in failed} <= {"port"}
    assert found.exit_code == (1 if failed else 0)
    assert told["well"] is not bool(failed)
    names = [one["name"] for one in told["findings"]]
    assert names[:11] == [
        *("python", "libraries", "code", "models", "settings"),
        *("rulebook", "calibration", "enrolment", "dice", "markers", "source"),
    ]
    assert {"record", "record_folder", "disk", "memory", "clock", "temperature", "power", "port"} <= {*names}
    assert list(tmp_path.iterdir()) == []  # it only looked


@pytest.mark.parametrize("running", [False, True])
def test_a_simulated_table_is_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, running: bool) -> None:
    settings = tmp_path / "table.toml"
    session = "seed=4,rounds=1,fps=5,size=1152x648"
    settings.write_text(
        f'[[tables]]\nname = "one"\n[tables.source]\nkind = "simulator"\nsimulator = "{session}"\n'
        '[record]\nfolder = "record"\n'
    )
    if running:
        monkeypatch.setattr(machine_checks, "running", lambda _: 1)
    found = {one.name: one for one in examine(settings)}
    assert found["calibration"].code is DiagnosisCode.CALIBRATION_SIMULATED
    assert {found[name].level for name in ("calibration", "source", "picture", "layout")} == {"ok"}
    assert found["picture"].code is DiagnosisCode.PICTURE_WELL
    assert found["layout"].code is DiagnosisCode.LAYOUT_FROM_RIGHT


def test_a_simulated_table_has_as_long_for_its_first_picture_as_the_service_gives_it() -> None:
    source = SourceConfig(kind="simulator", simulator="rounds=1,size=512x288")
    first, *_ = table.source(with_table(config(), source=source), patience_s=0.01)
    assert first.code is DiagnosisCode.SOURCE_WELL


def test_bad_settings_end_it_with_status_1(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("[[tables]]\nname = 3\n")
    found = CliRunner().invoke(command_line, ["doctor", "--config", str(tmp_path / "table.toml")])
    assert found.exit_code == 1
    assert f"FAIL  settings       {tmp_path / 'table.toml'}:2: tables 1: name" in found.stdout
    assert "-> correct them" in found.stdout


def test_each_table_with_a_camera_is_examined_and_remote_ones_are_not(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("key-of-far")
    tables = "".join(
        f'[[tables]]\nname = "{name}"\nrulebook = "{book}"\n[tables.source]\npath = "none-{name}"\n'
        for name, book in (("one", "crown-6.1"), ("two", "no-such"))
    )
    remote = '[[tables]]\nname = "far"\nurl = "http://127.0.0.1:9"\nkey_file = "key"\n'
    settings = tmp_path / "table.toml"
    settings.write_text(f'{tables}{remote}[service]\nname = "house"\n[record]\nfolder = "record"\n')
    books = [(one.table, one.level) for one in examine(settings) if one.name == "rulebook"]
    assert books == [("one", "ok"), ("two", "fail")]
    said = CliRunner().invoke(command_line, ["doctor", "--config", str(settings)]).stdout
    assert "rulebook       two: " in said
    assert "far" not in {one.table for one in examine(settings)}


def test_every_fault_comes_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(
        '[[tables]]\nname = "one"\nrulebook = "no-such"\ncalibration = "none.json"\n[tables.source]\npath = "none"\n'
        '[record]\nfolder = "table.toml/x"\nmin_free_mb = 1000000\n'
    )
    found = list(examine(tmp_path / "table.toml"))
    levels = _levels(found)
    for name in ("rulebook", "calibration", "source", "disk"):
        assert levels[name] == "fail", name
    assert all(one.remedy for one in found if one.level != "ok")


def test_models_that_were_altered_or_are_missing(tmp_path: Path) -> None:
    assert program_checks.models(tmp_path).level == "fail"
    for name in ("tiles.onnx", "tiles.card.json"):
        (tmp_path / name).write_bytes((default_weights() / name).read_bytes())
    assert program_checks.models(tmp_path).level == "ok"
    (tmp_path / "tiles.onnx").write_bytes(b"other")
    assert "its card says" in program_checks.models(tmp_path).message


def test_an_old_python_and_a_distribution_that_is_not_there() -> None:
    assert program_checks.python((3, 10, 9)).level == "fail"
    assert program_checks.libraries("no-such-distribution").level == "warn"


def _table(
    source: Path, calibration: Path | None = None, enrolment: Path | None = None, markers: Path | None = None
) -> Config:
    plain = config()
    watched = plain.table.watched.model_copy(update={"path": source})
    return with_table(plain, calibration=calibration, enrolment=enrolment, markers=markers, source=watched)


def test_a_calibrations_age_and_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    save_calibration(path, CALIBRATION)
    fresh = table.calibration(_table(tmp_path, path))
    assert (fresh.level, "without a picture of the empty table" in fresh.message) == ("warn", True)
    # The same as on the pages and with each round: of the file's bytes.
    assert service_versions(_table(tmp_path, path))["calibration"].removeprefix("sha256:")[:16] in fresh.message
    old = table.calibration(_table(tmp_path, path), datetime.now(UTC) + timedelta(days=400))
    assert (old.level, "more than 180 days old" in old.message) == ("warn", True)
    path.write_text(path.read_text().replace('"size"', '"dealer_size"', 1))
    assert table.calibration(_table(tmp_path, path)).level == "fail"


def test_the_layout_is_checked_and_its_order_told(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    known = replace(CALIBRATION, layout=preset_layout("nz", box1_at_right=False))
    save_calibration(path, known)
    well = table.layout(_table(tmp_path, path))
    assert well is not None
    assert (well.name, well.level) == ("layout", "ok")
    assert "boxes 8 7 6 5 4 3 2 1 counter-clockwise, numbered from the dealer's left" in well.message
    for wrong, said in (
        (replace(known, layout=replace(known.layout, box1_at_dealers_right=True)), "box 1 is at the dealer's right"),
        (replace(known, dealer_side="top of image"), "the dealer is at the top of the picture, but its camera"),
    ):
        save_calibration(path, wrong)
        found = table.layout(_table(tmp_path, path))
        assert found is not None
        assert (found.level, said in found.message, "calibrate zones" in found.remedy) == ("fail", True, True)


def test_an_enrolment_and_the_calibration_it_was_learnt_under(tmp_path: Path) -> None:
    calibration, path = tmp_path / "table.json", tmp_path / "enrolment.json"
    seal = save_calibration(calibration, CALIBRATION)
    assert table.enrolment(_table(tmp_path, calibration)).level == "ok"
    absent = table.enrolment(_table(tmp_path, calibration, path))
    assert (absent.level, "does not exist yet" in absent.message) == ("warn", True)
    crops = [np.full((96, 48, 3), 10 + 6 * number, np.uint8) for number in range(32)]
    tiles = tuple(OwnTile.of(face, crop) for face, crop in zip(FULL_SET, crops, strict=True))
    save_enrolment(path, Enrolment(tiles, (60.0, 110.0, 20.0), 0.5, "singly", 6, seal.sha256))
    fresh = table.enrolment(_table(tmp_path, calibration, path))
    assert (fresh.level, "32 tiles from 6 pictures" in fresh.message) == ("ok", True)
    save_calibration(calibration, replace(CALIBRATION, layout=Layout(())))
    other = table.enrolment(_table(tmp_path, calibration, path))
    assert (other.level, "under another calibration" in other.message) == ("warn", True)
    path.write_text(path.read_text().replace('"pictures": 6', '"pictures": 7', 1))
    assert table.enrolment(_table(tmp_path, calibration, path)).level == "fail"


def test_the_dice_and_the_calibration_they_were_learnt_under(tmp_path: Path) -> None:
    calibration, path = tmp_path / "table.json", tmp_path / "dice.json"
    seal = save_calibration(calibration, CALIBRATION)
    at = with_table(_table(tmp_path, calibration), dice=path)
    assert table.dice(_table(tmp_path, calibration)).level == "ok"
    absent = table.dice(at)
    assert (absent.level, "does not exist yet" in absent.message) == ("warn", True)
    crop = np.full((80, 80, 3), 90, np.uint8)
    die = DieLook(crop, np.array([0.0, 0.4], np.float32), 18.0, (60.0, 110.0, 20.0), 3)
    save_dice(path, OwnDice((OwnThrow((die,) * 4),), seal.sha256))
    fresh = table.dice(at)
    assert (fresh.level, "throws learnt: 1" in fresh.message) == ("ok", True)
    save_calibration(calibration, replace(CALIBRATION, layout=Layout(())))
    other = table.dice(at)
    assert (other.level, "under another calibration" in other.message) == ("warn", True)
    path.write_text(path.read_text().replace('"side_mm": 18.0', '"side_mm": 19.0', 1))
    assert table.dice(at).level == "fail"


@pytest.mark.slow
def test_markers_fit_their_calibration_and_the_camera(tmp_path: Path) -> None:
    drawn = Drawn.of(4)
    calibration, path = tmp_path / "table.json", tmp_path / "markers.json"
    seal = save_calibration(calibration, drawn.calibration)
    assert table.markers(_table(tmp_path, calibration)).level == "ok"
    absent = table.markers(_table(tmp_path, calibration, markers=path))
    assert (absent.level, "no such markers" in absent.message, "enrol --marker" in absent.remedy) == (
        "fail",
        True,
        True,
    )
    large = learnt_of(drawn, marker("chung", drawn.spot(2)))
    save_markers(path, replace(large, calibration=seal.sha256))
    fresh = table.markers(_table(tmp_path, calibration, markers=path))
    assert (fresh.name, fresh.level, "markers.json, chung" in fresh.message) == ("markers", "ok", True)
    small = learnt_of(drawn, replace(marker("chung", drawn.spot(2)), text="BANKERS CHUNG"))
    save_markers(path, replace(small, calibration=seal.sha256))
    fine = table.markers(_table(tmp_path, calibration, markers=path))
    assert (fine.level, "print of chung" in fine.message, "larger print" in fine.remedy) == ("warn", True, True)
    save_calibration(calibration, replace(drawn.calibration, layout=Layout(())))
    other = table.markers(_table(tmp_path, calibration, markers=path))
    assert (other.level, "under another calibration" in other.message) == ("warn", True)
    path.write_text(path.read_text().replace('"chung"', '"off_button"', 1))
    assert table.markers(_table(tmp_path, calibration, markers=path)).level == "fail"


@pytest.mark.parametrize(
    ("image", "levels", "said"),
    [
        pytest.param(picture(), ["ok", "ok"], "read in", id="plain-felt"),
        pytest.param(np.zeros((360, 640, 3), np.uint8), ["ok", "fail"], "too dark", id="black"),
        pytest.param(np.full((360, 640, 3), 255, np.uint8), ["ok", "fail"], "overexposed", id="burnt"),
    ],
)
def test_the_picture(tmp_path: Path, image: np.ndarray, levels: list[str], said: str) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), image)
    found = list(table.source(_table(tmp_path / "one.png")))
    assert [one.level for one in found] == levels
    assert said in found[-1].message


def test_a_picture_of_another_size_than_the_calibration(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "one.png"), picture())
    found = list(table.source(_table(tmp_path / "one.png", FILE)))
    assert "The calibration is for pictures of 1920 x 1080" in found[-1].message


def test_a_picture_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "one.png").write_bytes(b"no picture")
    (found,) = table.source(_table(tmp_path / "one.png"))
    assert (found.level, "one.png" in found.message) == ("fail", True)


def test_a_source_that_hangs_is_given_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    (found,) = table.source(_table(tmp_path), patience_s=0.2)
    assert (found.level, "no picture within" in found.message) == ("fail", True)


def test_the_record_is_proven_without_being_changed(tmp_path: Path) -> None:
    settings = config()
    assert _levels(list(record(settings, tmp_path))) == {"record_folder": "ok", "record": "ok"}
    written = open_record(settings)
    written.append(Draft("start", {"versions": {}}, table="test"))
    written.close()
    (_, found) = record(settings, tmp_path)
    assert (found.level, "entries 1 to 2" in found.message) == ("ok", True)
    with closing(sqlite3.connect(settings.record_folder / "record.db", isolation_level=None)) as database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE record_entries SET body = '{}' WHERE seq = 2")
    database.close()
    (_, found) = record(settings, tmp_path)
    assert (found.level, "broken at entry 2" in found.message) == ("fail", True)


def test_a_record_in_memory_is_told(tmp_path: Path) -> None:
    settings = config()
    (tmp_path / "proc/self").mkdir(parents=True)
    folder = settings.record_folder
    (tmp_path / "proc/self/mounts").write_text(f"/dev/sda1 / ext4 rw 0 0\nnone {folder} tmpfs rw 0 0\n")
    (found, _) = record(settings, tmp_path)
    assert (found.level, "on tmpfs" in found.message) == ("warn", True)
