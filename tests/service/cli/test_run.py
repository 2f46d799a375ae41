"""``houseway run``: what stops it from starting, and a real server on a real port."""

import asyncio
import os
import re
import signal
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from fastapi import FastAPI
from sqlalchemy import text
from typer.testing import CliRunner

from service.access.roles import UserRole
from service.access.sessions import Visit
from service.cli import app as command_line
from service.cli.run import ServiceRun
from service.cli.serving import CertificateError, NotSetUpError, PortError, first_use, listen, server_of, url_of
from service.record.changes import Attribution, note_settings
from service.record.store.database import writing
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.section import Address
from service.system.service_settings import LimitsConfig
from service.system.settings import SAMPLE_CONFIG, load_config
from service.system.subscriber_settings import MqttConfig, WebhookConfig
from service.system.table_settings import SourceConfig
from tests.service.api.test_http import play
from tests.service.stand_ins import HOUSE_RIGHT, FakeReader, app_of, config, key_for, with_table
from vision.networks.model_card import ModelError
from vision.reader import Reader

TABLE = '[[tables]]\nname = "one"\n[tables.source]\npath = "frames"\n'


def _run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(command_line, ["run", *map(str, arguments)])
    return result.exit_code, result.stderr


@contextmanager
def _taken_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_an_occupied_port(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(TABLE)
    with _taken_port() as port:
        code, said = _run("--config", tmp_path / "table.toml", "--port", port)
    assert code == 2
    assert f"port {port}: address already in use. Stop" in said
    assert "--port" in said


def test_an_address_that_is_not_ours() -> None:
    with pytest.raises(PortError, match=r"cannot listen on 192\.0\.2\.1"):
        listen(config(host="192.0.2.1", plain_http=True))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        pytest.param(TABLE + "[sever]\n", "sever: unknown key", id="unknown-key"),
        pytest.param(TABLE + '[server]\nhost = "0.0.0.0"\n', "in the clear", id="open-to-others"),
    ],
)
def test_bad_settings(tmp_path: Path, written: str, says: str) -> None:
    (tmp_path / "table.toml").write_text(written)
    code, said = _run("--config", tmp_path / "table.toml")
    assert code == 2
    assert says in said


def test_each_fault_of_the_settings_is_on_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "hub.toml"
    path.write_text("[table]\n[server]\ncolour = 1\n")
    code, said = _run("--config", path)
    assert code == 2
    *unknown, missing = said.splitlines()
    assert unknown == [
        f"houseway run: {path}:3: server.colour: unknown key",
        f"{path}:1: table: unknown key; did you mean 'tables'?",
    ]
    assert missing.startswith(f"{path}: tables: no [[tables]] is given: add one")


@pytest.mark.parametrize("sample", [True, False])
def test_a_record_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, sample: bool) -> None:
    monkeypatch.setattr(Reader, "load", lambda *_, **__: FakeReader())
    (tmp_path / "table.toml").write_text(TABLE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    settings = RecordSettings.of(load_config(SAMPLE_CONFIG if sample else tmp_path / "table.toml"))
    record = Record(settings)
    with writing(record.database) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0013'"))
    record.close()
    code, said = _run(*(() if sample else ("--config", tmp_path / "table.toml")), "--port", 0)
    assert code == 2
    assert "houseway run: another version of Houseway made the record in" in said
    assert said.count("another version of Houseway") == 1
    assert (f"delete {settings.folder} and {settings.mark_file} to start it afresh" in said) == sample


def test_a_folder_that_another_service_writes_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "load", lambda *_, **__: FakeReader())
    (tmp_path / "table.toml").write_text(TABLE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first = Record(RecordSettings.of(load_config(tmp_path / "table.toml")))
    code, said = _run("--config", tmp_path / "table.toml", "--port", 0)
    assert code == 2
    other = f"another service (process {os.getpid()}) writes to {first.settings.folder}: stop it"
    assert said.splitlines()[-1].startswith(f"houseway run: {other}")
    first.close()


def test_settings_that_are_not_there(tmp_path: Path) -> None:
    code, said = _run("--config", tmp_path / "no" / "none.toml")
    assert code == 2
    assert "no such settings file" in said


def test_settings_that_name_no_camera_yet_are_set_up_in_the_page(tmp_path: Path) -> None:
    run = ServiceRun(tmp_path / "pit4.toml", port=0)
    assert run.place is not None
    assert (run.settings.table.name, run.settings.table.source) == ("pit4", None)
    (tmp_path / "pit4.toml").write_text(TABLE)


def test_models_that_were_altered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> Reader:
        raise ModelError("detector.onnx is not the file its card describes")

    monkeypatch.setattr(Reader, "load", refuse)
    (tmp_path / "table.toml").write_text(TABLE)
    code, said = _run("--config", tmp_path / "table.toml", "--port", 0)
    assert code == 2
    assert "not the file its card describes" in said


def test_a_rulebook_without_a_house_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "load", lambda *_, **__: FakeReader())
    (tmp_path / "table.toml").write_text(TABLE.replace("[tables.source]", 'rulebook = "uk-poster"\n[tables.source]'))
    code, said = _run("--config", tmp_path / "table.toml", "--port", 0)
    assert code == 2
    assert "prints no House Way" in said


def test_a_real_server_streams_news_and_stops_at_once() -> None:
    """Signals reach only the main thread, so the server is stopped as its handler would."""
    settings = config(port=0)
    listening = listen(settings)
    app = app_of(settings, reader=FakeReader([HOUSE_RIGHT]), watch=False)
    server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = url_of(settings, listening)
    assert url.startswith("http://localhost:")
    url = url.replace("localhost", "127.0.0.1")
    with httpx2.stream("GET", f"{url}/v1/events", headers=key_for(app), timeout=10) as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        lines = events.iter_lines()
        assert '"round":null' in _next_data(lines)
        play(app)
        assert '"round":"r1.1"' in _next_data(lines)
        assert '"type":"houseway.result"' in _next_data(lines)
        server.handle_exit(signal.SIGINT, None)
        assert not [line for line in lines if line.startswith("data:")]
    thread.join(timeout=10)
    assert not thread.is_alive()


def _next_data(lines: Iterator[str]) -> str:
    return next(line for line in lines if line.startswith("data:"))


def test_the_first_start_prints_a_link_and_a_password(capsys: pytest.CaptureFixture[str]) -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    first_use(app, "http://localhost:8000")
    said = capsys.readouterr().out
    (code,) = re.findall(r"http://localhost:8000/set-up\?code=(\S+)", said)
    (password,) = re.findall(r"chosen: (\S+)$", said, re.MULTILINE)
    *_, link, edge = said.splitlines()
    assert code in link
    assert set(edge) == {"+", "-"}
    assert len(link) == len(edge)
    access = app.state.parts.access
    assert access.use_link(code) is not None
    assert asyncio.run(access.sign_in("admin", password, Visit("192.0.2.1"))) is not None
    first_use(app, "http://localhost:8000")
    assert password not in capsys.readouterr().out
    access.accounts.set_password("admin", "several plain words", Attribution("admin", "own password"))
    first_use(app, "http://localhost:8000")
    assert "| Open http://localhost:8000 |" in capsys.readouterr().out


def test_changed_settings_are_told_once_and_without_secrets() -> None:
    settings = config()
    camera = SourceConfig(kind="rtsp", url=Address("rtsp://user:secret@camera.example/1"))
    app = app_of(settings, reader=FakeReader(), watch=False)
    record, why = app.state.parts.record, Attribution("ann", "as found when the service started")
    assert [note_settings(record, settings, why) for _ in range(2)] == [True, False]
    assert note_settings(record, with_table(settings, source=camera), why)
    changed, first = record.last(("config",), count=9)
    assert (first.data["act"], changed.data["by"]) == ("first settings", "ann")
    assert changed.data["act"] == "changed " + ", ".join(
        f"tables.test.source.{key}" for key in ("interval_s", "kind", "path", "url")
    )
    assert "secret" not in changed.body
    assert "rtsp://camera.example" in changed.body
    told = {"webhooks": (WebhookConfig(name="floor", url=Address("https://floor.example/"), secret_env="FLOOR"),)}  # noqa: S106  a name
    assert note_settings(record, settings.model_copy(update={**told, "mqtt": MqttConfig(host="broker")}), why)
    (changed,) = record.last(("config",))
    assert {"webhooks.floor", "mqtt"} <= set(changed.data["act"].removeprefix("changed ").split(", "))


def test_other_machines_wait_until_somebody_has_been_set_up() -> None:
    app = app_of(config(host="0.0.0.0", plain_http=True), reader=FakeReader(), watch=False)  # noqa: S104  refused
    with pytest.raises(NotSetUpError, match="houseway account add"):
        first_use(app, "http://0.0.0.0:8000")
    app.state.parts.access.accounts.add("boss", UserRole.ADMIN, "several plain words", Attribution("x", "y"))
    first_use(app, "http://0.0.0.0:8000")


def test_tls(tmp_path: Path) -> None:
    certificate, key = certificate_of_this_machine(tmp_path)
    app = app_of(config(port=0, tls_certificate=certificate, tls_key=key), reader=FakeReader(), watch=False)
    trusted = ssl.create_default_context(cafile=str(certificate))
    with running(app) as url, httpx2.Client(base_url=url, verify=trusted) as client:
        assert url.startswith("https://localhost:")
        assert client.get("/healthz").status_code == 200
        first = app.state.parts.access.prepare_first_sign_in()
        assert "; secure" in client.get("/set-up", params={"code": first.code}).headers["set-cookie"].lower()


@contextmanager
def running(app: FastAPI) -> Iterator[str]:
    """A real server on a real port; yields its address."""
    settings = app.state.parts.config
    with listen(settings) as listening:
        server = server_of(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield url_of(settings, listening)
        finally:
            server.should_exit = True
            thread.join(timeout=10)


@pytest.mark.parametrize("trusted", [("127.0.0.0/8",), ("192.0.2.7",), ()], ids=["trusted", "another", "none"])
def test_only_a_trusted_proxy_is_believed(trusted: tuple[str, ...]) -> None:
    settings = config(port=0, trusted_proxies=trusted).model_copy(
        update={"limits": LimitsConfig(strangers_per_minute=1, strangers_burst=2)}
    )
    app = app_of(settings, reader=FakeReader(), watch=False)
    first = app.state.parts.access.prepare_first_sign_in()
    with running(app) as url, httpx2.Client(base_url=url) as client:
        told = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.1"}
        answer = client.get("/set-up", params={"code": first.code}, headers=told)
        believed = trusted == ("127.0.0.0/8",)
        assert ("; secure" in answer.headers["set-cookie"].lower()) == believed
        client.cookies.clear()
        # Strangers are counted by the address that the proxy tells, if it is believed.
        said = [client.get("/v1/tables", headers={**told, "X-Forwarded-For": f"198.51.100.{n}"}) for n in range(2, 5)]
        assert [each.status_code for each in said] == ([401, 401, 401] if believed else [401, 429, 429])


def test_a_certificate_that_cannot_be_used(tmp_path: Path) -> None:
    certificate, _ = certificate_of_this_machine(tmp_path)
    for key in (tmp_path / "none.pem", certificate):
        app = app_of(config(tls_certificate=certificate, tls_key=key), reader=FakeReader(), watch=False)
        with pytest.raises(CertificateError, match=r"server\.tls_key .* cannot be used"):
            server_of(app)


def certificate_of_this_machine(folder: Path) -> tuple[Path, Path]:
    """A certificate of this machine's own name, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return certificate, private
