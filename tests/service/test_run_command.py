"""``houseway run``: what stops it from starting, and a real server on a real port."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx2
import pytest
from typer.testing import CliRunner

from service.app import create_app
from service.commands import app as command_line
from service.commands.run import PortError, listen, server_of, url_of
from tests.service.stand_ins import HOUSE_RIGHT, FakeReader, config
from tests.service.test_http import play
from vision.card import ModelError
from vision.pipeline import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TABLE = '[table]\nname = "one"\n[source]\npath = "frames"\n'


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
    assert f"port {port}: address already in use. End" in said
    assert "--port" in said


def test_an_address_that_is_not_ours() -> None:
    with pytest.raises(PortError, match=r"cannot listen on 192\.0\.2\.1"):
        listen(config(host="192.0.2.1", token="x" * 16))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(TABLE + "[sever]\n", "sever: unknown key", id="unknown-key"),
        pytest.param(TABLE + '[server]\nhost = "0.0.0.0"\n', "token", id="open-to-others"),
    ],
)
def test_bad_settings(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "table.toml").write_text(text)
    code, said = _run("--config", tmp_path / "table.toml")
    assert code == 2
    assert says in said


def test_settings_that_are_not_there(tmp_path: Path) -> None:
    code, said = _run("--config", tmp_path / "none.toml")
    assert code == 2
    assert "no such settings file" in said


def test_models_that_were_altered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Reader:
        raise ModelError("detector.onnx is not the file its card describes")

    monkeypatch.setattr(Reader, "load", refuse)
    (tmp_path / "table.toml").write_text(TABLE)
    code, said = _run("--config", tmp_path / "table.toml", "--port", 0)
    assert code == 2
    assert "not the file its card describes" in said


def test_a_rulebook_without_a_house_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reader, "load", FakeReader)
    (tmp_path / "table.toml").write_text(TABLE.replace("[source]", 'rulebook = "uk-poster"\n[source]'))
    code, said = _run("--config", tmp_path / "table.toml", "--port", 0)
    assert code == 2
    assert "prints no House Way" in said


def test_a_real_server_streams_news_and_stops_at_once() -> None:
    """Signals reach only the main thread, so the server is stopped as its handler would."""
    settings = config(port=0)
    listening = listen(settings)
    app = create_app(settings, reader=FakeReader([HOUSE_RIGHT]), watch=False)
    server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = url_of(settings, listening)
    assert url.startswith("http://localhost:")
    url = url.replace("localhost", "127.0.0.1")
    with httpx2.stream("GET", f"{url}/v1/events", timeout=10) as events:
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
