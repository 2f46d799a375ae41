"""Headers of every answer: what may be kept, by whom, and over what it must come."""

import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.access.roles import UserRole
from service.api.permissions import routes_of
from service.record.changes import Attribution
from service.system.service_settings import LimitsConfig
from service.table.monitor import calibrating
from service.web.routes import game
from tests.service.api.test_http import play
from tests.service.cli.test_run import certificate_of_this_machine, running
from tests.service.stand_ins import FakeReader, app_of, config, key_for, signed_in

PATHS = {"{table}": "test", "{round_id}": "r1", "{sha256}": "0" * 64}
KEPT = ("no-store", "private, no-cache", "private, max-age=31536000, immutable")


@pytest.fixture(scope="module", autouse=True)
def _no_waiting() -> Iterator[None]:
    """Nobody waits for a camera that there is not, nor for figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game, "_ANSWERED_S", 0.01)
        patch.setattr(calibrating, "_WAIT_S", 0.01)
        yield


@pytest.fixture(scope="module")
def app() -> Iterator[FastAPI]:
    app = app_of(config(), reader=FakeReader(), watch=False)
    play(app)
    app.state.parts.only.live.close()  # the event stream ends at once
    yield app
    app.state.parts.record.close()


def _paths(app: FastAPI) -> list[str]:
    found = {context.path or "" for context in routes_of(app) if "GET" in (context.methods or ())}
    for name, value in PATHS.items():
        found = {path.replace(name, value) for path in found}
    return sorted(found)


def test_nothing_private_is_kept(app: FastAPI) -> None:
    paths = _paths(app)
    assert len(paths) > 30
    with signed_in(app, UserRole.ADMIN, raise_server_exceptions=False) as client:
        for path in (*paths, "/nothing/here"):
            answer = client.get(path, follow_redirects=False)
            assert answer.headers["cache-control"] in KEPT, (path, answer.status_code)
            assert answer.headers["cache-control"] == "no-store" or "etag" in answer.headers, path
            held = answer.headers.get("etag")
            if held is not None and answer.status_code == 200:
                again = client.get(path, headers={"If-None-Match": held})
                assert again.status_code == 304 or again.headers["etag"] != held, path
                assert again.headers["cache-control"] in KEPT, path
        assert "no-store" not in client.get("/static/page.css").headers.get("cache-control", "")


def test_nor_what_a_stranger_is_told(app: FastAPI) -> None:
    client = TestClient(app, base_url="http://localhost", follow_redirects=False)
    for path in ("/", "/healthz", "/sign-in", "/v1/tables", "/set-up?code=x"):
        assert client.get(path, headers={"Accept": "text/html"}).headers["cache-control"] == "no-store", path


def test_over_tls_browsers_are_told_to_stay_there() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    headers = key_for(app, UserRole.VIEWER)
    for scheme, told in (("https", "max-age=31536000"), ("http", None)):
        client = TestClient(app, base_url=f"{scheme}://localhost", headers=headers)
        for path in ("/healthz", "/v1/tables", "/nothing"):
            assert client.get(path).headers.get("strict-transport-security") == told, path


@pytest.mark.parametrize("trusted", [("127.0.0.0/8",), ("192.0.2.7",)], ids=["trusted", "another"])
def test_a_trusted_proxy_says_whether_it_was_tls(trusted: tuple[str, ...]) -> None:
    app = app_of(config(port=0, trusted_proxies=trusted), reader=FakeReader(), watch=False)
    with running(app) as url:
        answer = httpx2.get(f"{url}/healthz", headers={"X-Forwarded-Proto": "https"})
        assert ("strict-transport-security" in answer.headers) == (trusted == ("127.0.0.0/8",))


def test_tls_itself(tmp_path: Path) -> None:
    """Clients that never start a TLS handshake are disconnected to make room."""
    certificate, key = certificate_of_this_machine(tmp_path)
    limits = LimitsConfig(connections=16)
    settings = config(port=0, tls_certificate=certificate, tls_key=key).model_copy(update={"limits": limits})
    app = app_of(settings, reader=FakeReader(), watch=False)
    trusted = ssl.create_default_context(cafile=str(certificate))
    with running(app) as url, ExitStack() as opened:
        port = int(url.rpartition(":")[2])
        silent = [opened.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(40)]
        for _ in range(3):
            answer = httpx2.get(f"{url}/healthz", verify=trusted)
            assert answer.headers["strict-transport-security"] == "max-age=31536000"
        gone = 0
        for each in silent:
            each.settimeout(0.05)
            with suppress(TimeoutError):
                try:
                    gone += each.recv(1) == b""
                except ConnectionResetError:
                    gone += 1
        assert gone >= 40 - 16


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "removed"])
def test_everything_is_under_the_path_of_a_proxy(*, kept: bool) -> None:
    """Whether the proxy removes the path from requests or not."""
    app = app_of(config(path="/pits/houseway"), reader=FakeReader(), watch=False)
    own = "/pits/houseway" if kept else ""
    app.state.parts.access.accounts.add("ann", UserRole.ADMIN, "several plain words", Attribution("x", "y"))
    client = TestClient(app, base_url="http://localhost", follow_redirects=False)
    first = client.get(f"{own}/rounds", headers={"Accept": "text/html"})
    assert first.headers["location"].startswith("/pits/houseway/sign-in?")
    page = client.get(f"{own}/sign-in?next=/rounds")
    assert len(page.content) == int(page.headers["content-length"])
    assert 'href="/pits/houseway/static/page.css"' in page.text
    assert 'action="/pits/houseway/sign-in"' in page.text
    assert not re.search('(href|src|action)="/(?!pits/houseway/)', page.text)
    form = {"name": "ann", "password": "several plain words", "next": "/pits/houseway/rounds"}
    entered = client.post(f"{own}/sign-in", data=form, headers={"Origin": "http://localhost"})
    assert entered.headers["location"] == "/pits/houseway/rounds"
    assert "; Path=/pits/houseway;" in entered.headers["set-cookie"]
    script = client.get(f"{own}/static/table.js").text
    assert 'EventSource("/pits/houseway/v1/events?' in script
    assert '"start_url": "/pits/houseway/"' in client.get(f"{own}/static/app.webmanifest").text
    assert client.get(f"{own}/healthz").json()["status"] == "alive"
