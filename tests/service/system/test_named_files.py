"""``houseway config check`` looks at the files that settings name; devices are named by number or file."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli import app
from service.system.settings import load_config
from service.system.settings_file import ConfigError
from service.table.doctor import table_checks
from vision.capture.sources import open_source

TABLE = '[[tables]]\nname = "one"\n{}\n[tables.source]\n{}\n'
FRAMES = 'path = "."'
SIMULATED = (
    ":6: tables 1 (one): source.simulator: the simulated table plays crown-6.1, but its hands are judged by nz-1998: "
    "write rulebook=nz-1998 here"
)
HOOK = '[[webhooks]]\nname = "a"\nurl = "https://a/"\nsecret_file = "c"'
BROKER = '[mqtt]\nhost = "a"\n'


@pytest.mark.parametrize(
    ("table", "rest", "told"),
    [
        pytest.param('calibration = "none.json"', "", ":3: tables 1 (one): calibration: ", id="calibration"),
        pytest.param(
            'calibration = "table.toml"\nmarkers = "none.json"', "", ":4: tables 1 (one): markers: ", id="markers"
        ),
        pytest.param('rulebook = "none.toml"', "", ":3: tables 1 (one): rulebook: ", id="house-way"),
        pytest.param("", '[server]\ntls_certificate = "a"\ntls_key = "."', ":7: server.tls_certificate: ", id="tls"),
        pytest.param("", '[models]\nshadow = "none"', ":7: models.shadow: ", id="shadow"),
        pytest.param("", f'{BROKER}tls = true\nca_file = "none"', ":9: mqtt.ca_file: ", id="broker"),
        pytest.param("", f'{BROKER}username = "b"\npassword_file = "c"', "mqtt: its secret cannot", id="secret"),
        pytest.param("", HOOK, "webhook 'a': its secret cannot be read", id="hook"),
    ],
)
def test_a_file_that_is_not_there_is_told_with_its_line(tmp_path: Path, table: str, rest: str, told: str) -> None:
    (tmp_path / "table.toml").write_text(TABLE.format(table, FRAMES) + rest)
    result = CliRunner().invoke(app, ["config", "check", str(tmp_path / "table.toml")])
    assert result.exit_code == 2
    assert told in result.stderr
    assert "no such file" in result.stderr.lower()


@pytest.mark.parametrize(
    ("table", "source", "told"),
    [
        (
            'rulebook = "nz-1998"\nvariant = "crown-pai-gow"',
            FRAMES,
            ":4: tables 1 (one): variant: nz-1998 has no variants",
        ),
        (
            'variant = "bonanza"',
            FRAMES,
            ":3: tables 1 (one): variant: crown-6.1 has no variant 'bonanza'; it has: crown-",
        ),
        ('rulebook = "crown-7"', FRAMES, ":3: tables 1 (one): rulebook: "),
        ('title = "x"\nhouse_way = "crown-7"', FRAMES, ":4: tables 1 (one): house_way: "),
        ('rulebook = "nz-1998"', 'simulator = "seed=2,rulebook=crown-6.1"', SIMULATED),
        (
            'variant = "crown-pai-gow"',
            'simulator = "variant=none"',
            ":6: tables 1 (one): source.simulator: crown-6.1 has no",
        ),
        (
            "",
            'simulator = "variant=crown-pai-gow"',
            "but its hands are judged by crown-6.1: write rulebook=crown-6.1 here without a variant, ",
        ),
        ("", 'simulator = "sed=2"', ":6: tables 1 (one): source.simulator: "),
        ("", 'simulator = "seed=2,rulebook=crown-6.1"', ""),
        ('variant = "crown-pai-gow"', 'simulator = "rulebook=crown-6.1"', ""),
    ],
)
def test_rules_that_contradict_are_told_with_their_line(tmp_path: Path, table: str, source: str, told: str) -> None:
    if "simulator" in source:
        source = f'kind = "simulator"\n{source}'
    file = tmp_path / "table.toml"
    file.write_text(TABLE.format(table, source))
    result = CliRunner().invoke(app, ["config", "check", str(file)])
    assert (result.exit_code, told in result.stderr) == (2 if told else 0, True)
    if told:
        assert CliRunner().invoke(app, ["run", "--config", str(file)]).stderr == result.stderr.replace(
            "houseway:", "houseway run:"
        )


def test_an_enrolment_is_written_later(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(TABLE.format('calibration = "table.toml"\nenrolment = "own.json"', FRAMES))
    assert CliRunner().invoke(app, ["config", "check", str(tmp_path / "table.toml")]).exit_code == 0


DEVICE = "/dev/v4l/by-id/usb-Maker_Camera_123-video-index0"


@pytest.mark.parametrize("device", ["0", "63", f'"{DEVICE}"', '"/dev/video2"'])
def test_a_camera_is_a_number_or_a_file(tmp_path: Path, device: str) -> None:
    (tmp_path / "table.toml").write_text(TABLE.format("", f'kind = "camera"\ndevice = {device}'))
    assert load_config(tmp_path / "table.toml").table.watched.spec == device.strip('"')


@pytest.mark.parametrize(
    ("kind", "device"),
    [("camera", '"video0"'), ("camera", "64"), ("camera", '"/dev/../etc/x"'), ("picamera2", f'"{DEVICE}"')],
)
def test_what_is_no_camera(tmp_path: Path, kind: str, device: str) -> None:
    (tmp_path / "table.toml").write_text(TABLE.format("", f'kind = "{kind}"\ndevice = {device}'))
    with pytest.raises(ConfigError, match="number"):
        load_config(tmp_path / "table.toml")


def test_a_camera_by_its_file_is_opened() -> None:
    camera = open_source(DEVICE)
    assert camera.live
    camera.close()


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ('kind = "camera"\ndevice = "/dev/v4l/by-id/none"', "source.device"),
        ('kind = "rtsp"\nurl = "rtsp://127.0.0.1:1/"', "address, user and password"),
        ('path = "empty.jpg"', "source.path"),
    ],
)
@pytest.mark.slow
def test_the_doctor_speaks_of_the_source_there_is(tmp_path: Path, source: str, hint: str) -> None:
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "table.toml").write_text(TABLE.format("", source))
    (found,) = table_checks.source(load_config(tmp_path / "table.toml"), patience_s=20.0)
    assert found.level == "fail"
    assert hint in found.remedy
