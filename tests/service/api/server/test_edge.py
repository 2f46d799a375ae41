"""A real server, and clients that mean it harm before anybody knows them."""

import asyncio
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import httpx2
import pytest

from service.api import middleware
from service.api.server import protocol, server
from service.cli.serving import listen, server_of
from service.system.service_settings import LimitsConfig
from tests.service.serving import Served, serving
from tests.service.stand_ins import FakeReader, app_of, config, wait_until

UNLIMITED = {"requests_per_minute": 0, "strangers_per_minute": 0, "sign_ins_per_minute": 0, "guesses_per_hour": 0}
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
FORM = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@contextmanager
def service(**limits: float) -> Iterator[Served]:
    settings = config(port=0).model_copy(update={"limits": LimitsConfig.model_validate({**UNLIMITED, **limits})})
    with serving(settings) as served:
        yield served


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with service() as served:
        yield served


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SWEEP_S", 0.05)
    monkeypatch.setattr(protocol, "HEAD_S", 0.5)
    monkeypatch.setattr(protocol, "SLOW_READER_S", 0.5)
    monkeypatch.setattr(middleware, "_ANONYMOUS_S", 0.5)


def connected(served: Served, address: str = "127.0.0.1") -> socket.socket:
    port = int(served.url.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(address, 0))


def said(sent: socket.socket) -> bytes:
    """All that is answered until the service closes; nothing if it closed without."""
    answer = b""
    try:
        while piece := sent.recv(65_536):
            answer += piece
    except ConnectionResetError:
        pass
    return answer


def asked(served: Served, request: bytes) -> bytes:
    """The status line of the response to a request, sent until the server refuses to read on."""
    with connected(served) as sent:
        with suppress(OSError):
            sent.sendall(request)
        sent.settimeout(3)
        try:
            return sent.recv(65_536).partition(b"\r\n")[0].removeprefix(b"HTTP/1.1 ")
        except ConnectionResetError:
            return b""


def answers(served: Served) -> bool:
    return httpx2.get(f"{served.url}/healthz").status_code == 200


def _takes(sent: socket.socket, more: bytes) -> bool:
    try:
        sent.sendall(more)
    except OSError:
        return False
    return True


def closed(sent: socket.socket) -> bool:
    sent.settimeout(0.01)
    try:
        return sent.recv(65_536) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_who_comes_as_the_service_stops_is_let_go() -> None:
    settings = config(port=0)

    async def stop_with_somebody_at_the_door(listening: socket.socket) -> bytes:
        stopping = server_of(app_of(settings, reader=FakeReader(), watch=False))
        assert isinstance(stopping, server.Server)
        stopping.lifespan = stopping.config.lifespan_class(stopping.config)
        await stopping.startup([listening])
        with socket.create_connection(listening.getsockname(), timeout=1) as client:
            stopping._accept(listening)
            await stopping.shutdown()  # before the response starts
            return said(client)

    with listen(settings) as listening:
        assert asyncio.run(stop_with_somebody_at_the_door(listening)) == b""


class TestHeads:
    @pytest.mark.parametrize(
        ("request_", "status"),
        [
            pytest.param(HEALTH + b"X: " + b"x" * 30_000 + b"\r\n\r\n", b"200 OK", id="a-long-header"),
            pytest.param(HEALTH + b"a:b\r\n" * 98 + b"\r\n", b"200 OK", id="many-headers"),
            pytest.param(HEALTH + b"a:b\r\n" * 101 + b"\r\n", b"431", id="too-many-headers"),
            pytest.param(HEALTH + b"X: " + b"x" * 400_000, b"431", id="a-header-without-end"),
            pytest.param(HEALTH + b"x" * 400_000, b"431", id="a-name-without-end"),
            pytest.param(b"GET /" + b"x" * 400_000, b"431", id="a-target-without-end"),
            pytest.param(b"\r\n" * 200_000, b"431", id="empty-lines-without-end"),
            pytest.param(b"GET" * 100 + b" / HTTP/1.1\r\n\r\n", b"400", id="no-method"),
            pytest.param(b"\x16\x03\x01\x02\x00\x01\x00" + bytes(500), b"400", id="tls-to-a-plain-port"),
        ],
    )
    def test_heads_are_bounded(self, served: Served, request_: bytes, status: bytes) -> None:
        assert asked(served, request_).startswith(status)
        assert answers(served)

    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            pytest.param(b"Host: localhost\r\n", b"200 OK", id="one-host"),
            pytest.param(b"", b"400", id="no-host"),
            pytest.param(b"Host: localhost\r\nHost: evil.example\r\n", b"400", id="two-hosts"),
            pytest.param(b"Host: localhost\r\nhost: localhost\r\n", b"400", id="the-same-host-twice"),
            pytest.param(b"Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"400", id="both"),
            pytest.param(
                b"Host: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n", b"400", id="both-2"
            ),
            pytest.param(b"Host: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n", b"400", id="two-lengths"),
            pytest.param(b"Host: localhost\r\nContent-Length: -5\r\n", b"400", id="no-length"),
            pytest.param(b"Host: localhost\r\nTransfer-Encoding: xchunked\r\n", b"", id="another-encoding"),
            pytest.param(b"Host: localhost\r\nTransfer-Encoding : chunked\r\n", b"400", id="blank-before-the-colon"),
            pytest.param(b"Host: localhost\r\nX: a\r\n b\r\n", b"400", id="folded"),
        ],
    )
    def test_a_request_means_one_thing(self, served: Served, headers: bytes, status: bytes) -> None:
        found = asked(served, b"GET /healthz HTTP/1.1\r\n" + headers + b"\r\n")
        if headers.endswith(b" b\r\n") and not found.startswith(b"400"):
            pytest.skip("the parser joins folded lines, as old programs send them")
        assert found.startswith(status)

    def test_what_comes_behind_a_body_is_no_header(self, served: Served) -> None:
        body = b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
        assert asked(served, FORM + body + b"Host: other\r\n\r\n").startswith(b"422")
        with connected(served) as sent:
            sent.sendall(FORM + body + b"X: ")
            with pytest.raises(OSError):  # noqa: PT011  reset or broken pipe, by the system's timing
                sent.sendall(b"x" * 12_000_000)

    def test_a_few_requests_may_be_sent_at_once_and_no_more(self, served: Served) -> None:
        with connected(served) as sent:
            sent.sendall((HEALTH + b"\r\n") * 8 + HEALTH + b"Connection: close\r\n\r\n")
            assert said(sent).count(b"HTTP/1.1 200 OK") == 9
        with connected(served) as sent:
            sent.sendall((HEALTH + b"\r\n") * 2_000)
            assert said(sent).count(b"HTTP/1.1") <= protocol.MOST_PIPELINED + 1
        assert answers(served)

    def test_an_upgrade_is_an_ordinary_request(self, served: Served) -> None:
        upgrade = HEALTH + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"
        assert asked(served, upgrade).startswith(b"200")


@pytest.mark.usefixtures("quick")
class TestTime:
    @pytest.mark.parametrize("start", [b"", b"GET /he", HEALTH], ids=["idle", "half-sent", "no-end"])
    def test_a_first_request_has_to_come(self, served: Served, start: bytes) -> None:
        with connected(served) as sent:
            started = time.monotonic()
            sent.sendall(start)
            for _ in range(50):
                if closed(sent):
                    break
                time.sleep(0.1)
                if start == HEALTH:
                    try:
                        sent.sendall(b"X: x\r\n")
                    except OSError:
                        break
            assert 0.4 < time.monotonic() - started < 3

    def test_a_second_one_too(self, served: Served) -> None:
        with connected(served) as sent:
            sent.sendall(HEALTH + b"\r\n")
            assert sent.recv(65_536).startswith(b"HTTP/1.1 200")
            sent.sendall(b"GET /he")
            assert said(sent) == b""

    def test_a_strangers_body_has_to_come(self, served: Served) -> None:
        with connected(served) as sent:
            sent.sendall(FORM + b"Content-Length: 1000\r\n\r\nname=")
            answer = said(sent)
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"had not arrived after 0.5 s" in answer

    def test_a_body_that_nobody_reads_has_an_end(self, served: Served) -> None:
        with connected(served) as sent:
            sent.sendall(b"POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n")
            assert sent.recv(65_536).startswith(b"HTTP/1.1 401")
            started = time.monotonic()
            wait_until(lambda: not _takes(sent, b"x" * 1_000))
            assert time.monotonic() - started < 4

    def test_who_does_not_read_is_given_up(self, served: Served) -> None:
        connections = served.server.connections  # type: ignore[attr-defined]
        with connected(served) as sent:
            sent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            key = f"Authorization: Bearer {served.key}\r\n\r\n".encode()
            for _ in range(60):
                try:
                    sent.sendall((b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n" + key) * 8)
                except OSError:
                    break
                time.sleep(0.05)
            wait_until(lambda: len(connections) == 0)
        assert answers(served)

    def test_a_reader_may_take_its_time(self, served: Served) -> None:
        """An event stream on which nothing happens, and a page between two requests."""
        headers = {"Authorization": f"Bearer {served.key}"}
        with httpx2.stream("GET", f"{served.url}/v1/events", headers=headers, timeout=5) as stream:
            time.sleep(1.2)
            assert next(stream.iter_lines()).startswith(":")


class TestMany:
    def test_strangers_give_way_to_whoever_signs_in_and_to_health(self) -> None:
        with service(connections=24, connections_per_address=100) as served, ExitStack() as opened:
            idle = [opened.enter_context(connected(served, f"127.0.1.{1 + n % 3}")) for n in range(60)]
            half = [opened.enter_context(connected(served, f"127.0.2.{1 + n % 3}")) for n in range(60)]
            for each in half:
                with suppress(OSError):  # gave way already
                    each.sendall(HEALTH)
            connections = served.server.connections  # type: ignore[attr-defined]
            wait_until(lambda: len(connections) == 24)
            with httpx2.Client(base_url=served.url, headers=served.headers) as client:
                for _ in range(5):
                    assert answers(served)
                    assert client.get("/v1/tables").status_code == 200
            assert len(connections) <= 24
            assert sum(closed(each) for each in (*idle, *half)) >= 120 - 24
            text = httpx2.get(f"{served.url}/metrics", headers=served.headers).text
            (count,) = re.findall(r'houseway_connections_closed_total\{why="no_room"\} (\d+)', text)
            assert int(count) >= 96

    def test_an_address_has_its_share_and_pages_of_a_floor_do_not_count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(server, "SWEEP_S", 0.05)
        with service(connections=64, connections_per_address=4) as served, ExitStack() as opened:
            floor = [
                opened.enter_context(httpx2.Client(base_url=served.url, headers=served.headers)) for _ in range(12)
            ]
            assert [each.get("/v1/tables").status_code for each in floor] == [200] * 12
            strangers = [opened.enter_context(connected(served)) for _ in range(20)]
            connections = served.server.connections  # type: ignore[attr-defined]
            wait_until(lambda: [closed(each) for each in strangers] == [True] * 16 + [False] * 4)
            assert len(connections) == 12 + 4
            assert [each.get("/v1/tables").status_code for each in floor] == [200] * 12

    def test_one_key_has_its_share(self) -> None:
        with service(connections_per_caller=3) as served, ExitStack() as opened:
            for _ in range(3):
                stream = httpx2.stream("GET", f"{served.url}/v1/events", headers=served.headers, timeout=5)
                assert opened.enter_context(stream).status_code == 200
            answer = httpx2.get(f"{served.url}/v1/tables", headers=served.headers)
            assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
            assert int(answer.headers["retry-after"]) > 0
            assert answers(served)
