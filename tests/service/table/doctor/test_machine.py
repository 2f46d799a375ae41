"""What the doctor says of a machine, from the files of one."""

import socket
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.x509.oid import NameOID
from pydantic import SecretStr

from service.cli.serving import server_of
from service.system.table_settings import ClockConfig
from service.table.doctor import machine_checks as machine
from service.table.doctor.machine_checks import ClockSync
from tests.service.stand_ins import FakeReader, app_of, config, wait_until

MODEL = "Raspberry Pi 5 Model B Rev 1.0\0"


def _write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("available", "level"),
    [(3_000_000, "ok"), (976_562, "warn"), (300_000, "warn")],
    ids=["much", "just-less", "little"],
)
def test_memory(tmp_path: Path, available: int, level: str) -> None:
    root = _write(tmp_path, "proc/meminfo", f"MemTotal: 8000000 kB\nMemFree: 1 kB\nMemAvailable: {available} kB\n")
    assert machine.memory(root).level == level


@pytest.mark.parametrize(
    ("available", "level", "said"),
    [(1_024, "ok", "1024 file handles"), (1_023, "warn", "767 connections only"), (100, "warn", "16 connections only")],
)
def test_file_handles(available: int, level: str, said: str) -> None:
    found = machine.handles(config(), lambda: available)
    assert (found.level, said in found.message) == (level, True)
    assert ("LimitNOFILE" in found.remedy) is (level == "warn")


@pytest.mark.parametrize(
    ("temperatures", "level", "said"),
    [
        ((), "ok", "no sensor"),
        (("48312", "51000"), "ok", "51 degrees"),
        (("48312", "75000"), "warn", "75 degrees"),
        (("86500",), "fail", "86 degrees"),
        (("", "40000"), "ok", "40 degrees"),
    ],
)
def test_temperature(tmp_path: Path, temperatures: tuple[str, ...], level: str, said: str) -> None:
    for number, text in enumerate(temperatures):
        _write(tmp_path, f"sys/class/thermal/thermal_zone{number}/temp", f"{text}\n")
    found = machine.temperature(tmp_path)
    assert (found.level, said in found.message) == (level, True)


@pytest.mark.parametrize(
    ("flags", "level", "said"),
    [
        pytest.param("0", "ok", "supply and speed are OK", id="well"),
        pytest.param(
            "50000", "warn", "at times since its start: the supply voltage is too low, slowed down", id="before"
        ),
        pytest.param("50005", "fail", "the supply voltage is too low, slowed down", id="now"),
        pytest.param("80008", "fail", "too warm", id="warm"),
        pytest.param(None, "warn", "does not report", id="no-firmware"),
    ],
)
def test_power_of_a_raspberry_pi(tmp_path: Path, flags: str | None, level: str, said: str) -> None:
    _write(tmp_path, "proc/device-tree/model", MODEL)
    if flags is not None:
        _write(tmp_path, "sys/devices/platform/soc/soc:firmware/get_throttled", f"{flags}\n")
    found = machine.power(tmp_path)
    assert (found.level, said in found.message) == (level, True)


@pytest.mark.parametrize(
    ("said", "level"), [("throttled=0x0", "ok"), ("throttled=0x1", "fail"), ("VCHI failed", "warn")]
)
def test_power_as_the_makers_own_command_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, level: str
) -> None:
    _write(tmp_path, "proc/device-tree/model", MODEL)
    _write(tmp_path, "bin/vcgencmd", f"#!/bin/sh\necho '{said}'\n")
    (tmp_path / "bin/vcgencmd").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    assert machine.power(tmp_path).level == level


def test_power_of_another_machine(tmp_path: Path) -> None:
    assert machine.power(tmp_path).level == "ok"


@pytest.mark.parametrize(
    ("sync", "need", "level"),
    [
        (ClockSync(synchronised=True, max_error_s=0.02), True, "ok"),
        (ClockSync(synchronised=False), True, "fail"),
        (ClockSync(synchronised=False), False, "warn"),
        (ClockSync(None), True, "fail"),
    ],
)
def test_clock(sync: ClockSync, need: bool, level: str) -> None:  # noqa: FBT001
    assert machine.clock(ClockConfig(need_sync=need), lambda: sync).level == level


def test_disk() -> None:
    roomy, full = config(), config()
    full = full.model_copy(update={"record": full.record.model_copy(update={"min_free_mb": 1_000_000_000})})
    assert machine.disk(roomy).level in {"ok", "warn"}
    assert machine.disk(full).level == "fail"


def test_a_port_that_is_free_taken_and_our_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        assert machine.port(config(port=number)).level == "fail"
    assert machine.port(config(port=number)).level == "ok"
    server = server_of(app_of(config(port=number), reader=FakeReader(), watch=False))
    with socket.create_server(("127.0.0.1", number)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        wait_until(lambda: server.started)
        found = machine.port(config(port=number))
        server.should_exit = True
        thread.join(timeout=10)
    assert (found.level, "Houseway" in found.message) == ("ok", True)


@pytest.mark.parametrize(("mode", "level"), [(0o600, "ok"), (0o400, "ok"), (0o640, "fail"), (0o604, "fail")])
def test_secrets(tmp_path: Path, mode: int, level: str) -> None:
    token = tmp_path / "table.key"
    token.write_text("x" * 20)
    token.chmod(mode)
    (found,) = machine.secrets(config(tls_key=token, tls_certificate=token), None)
    assert found.level == level
    assert (f"chmod 600 {token}" in found.remedy) is (level == "fail")


def test_settings_that_hold_a_secret_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOUSEWAY_RECORD_URL", raising=False)
    settings = tmp_path / "table.toml"
    settings.write_text("")
    settings.chmod(0o644)
    plain = config()
    secret = plain.model_copy(update={"record": plain.record.model_copy(update={"url": SecretStr("x" * 20)})})
    assert [found.level for found in machine.secrets(secret, settings)] == ["fail"]
    assert not list(machine.secrets(config(), settings))


@pytest.mark.parametrize(("days", "level"), [(365, "ok"), (20, "warn"), (-1, "fail")])
def test_a_certificate_is_looked_at_before_it_ends(tmp_path: Path, days: int, level: str) -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "table")])
    ends = datetime.now(UTC) + timedelta(days=days)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, ends - timedelta(days=400), ends)
    file = tmp_path / "table.pem"
    file.write_bytes(made.sign(key, None).public_bytes(serialization.Encoding.PEM))
    assert machine.tls(config(tls_certificate=file, tls_key=file)).level == level


def test_a_certificate_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "table.pem").write_text("no certificate")
    file = tmp_path / "table.pem"
    assert machine.tls(config(tls_certificate=file, tls_key=file)).level == "fail"
    assert machine.tls(config()).level == "ok"
