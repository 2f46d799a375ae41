"""Bounded requests, against servers that answer slowly, without end, packed or from elsewhere."""

import ast
import asyncio
import gzip
from pathlib import Path
from time import monotonic

import httpx2
import pytest

import service
from service.system.outgoing import Bounds, client
from tests.service.raw_answers import Answer, answering, dripping, sent

BOUNDS = Bounds(seconds=0.5, most_bytes=1_000)


async def failed(answer: Answer) -> tuple[httpx2.TransportError, float]:
    began = monotonic()
    async with answering(answer) as url, client(BOUNDS) as asking:
        with pytest.raises(httpx2.TransportError) as error:
            await asking.get(url)
    return error.value, monotonic() - began


async def body_of(answer: Answer) -> bytes:
    async with answering(answer) as url, client(BOUNDS) as asking:
        return (await asking.get(url)).content


@pytest.mark.parametrize(
    "answer",
    [
        dripping("200 OK\r\nContent-Length: 900\r\n", b"x"),
        dripping("200 OK\r\nTransfer-Encoding: chunked\r\n", b"1\r\nx\r\n"),
        dripping("200 OK", b"X-More: 1\r\n"),
        dripping("200 OK\r\nX-Long: ", b"x"),
    ],
    ids=["body", "chunks", "headers", "one header"],
)
def test_an_answer_that_never_ends_is_given_up_at_the_deadline(answer: Answer) -> None:
    error, took_s = asyncio.run(failed(answer))
    assert isinstance(error, httpx2.TimeoutException)
    assert took_s < 10 * BOUNDS.seconds


@pytest.mark.parametrize(
    "answer",
    [
        sent("200 OK\r\nContent-Length: 1001", b"x" * 1001),
        sent(f"200 OK\r\nContent-Length: {10**30}", b"x"),
        sent("200 OK\r\nTransfer-Encoding: chunked", b"400\r\n" + b"x" * 1024 + b"\r\n0\r\n\r\n"),
        sent("200 OK\r\nConnection: close", b"x" * 1001),
    ],
    ids=["length", "absurd length", "chunks", "until the end"],
)
def test_a_larger_answer_than_allowed_is_refused(answer: Answer) -> None:
    error, _ = asyncio.run(failed(answer))
    assert not isinstance(error, httpx2.TimeoutException)


def test_a_compressed_answer_is_refused_before_it_is_unpacked() -> None:
    packed = gzip.compress(b"x" * 10_000_000)[:900]
    error, _ = asyncio.run(failed(sent(f"200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}", packed)))
    assert "compressed" in str(error)


def test_an_answer_within_its_bounds_is_read() -> None:
    assert asyncio.run(body_of(sent("200 OK\r\nContent-Length: 1000", b"x" * 1000))) == b"x" * 1000


def test_a_redirect_is_not_followed() -> None:
    async def status() -> int:
        elsewhere = sent("302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0")
        async with answering(elsewhere) as url, client(BOUNDS) as asking:
            return (await asking.get(url)).status_code

    assert asyncio.run(status()) == 302


def test_a_request_may_have_its_own_bounds() -> None:
    async def length() -> int:
        async with answering(sent("200 OK\r\nContent-Length: 2000", b"x" * 2000)) as url, client(BOUNDS) as asking:
            return len((await asking.get(url, extensions=Bounds(5.0, 2_000).extensions)).content)

    assert asyncio.run(length()) == 2_000


_OPENERS = {
    "httpx2": {"AsyncClient", "Client", "get", "post", "put", "request", "stream", "AsyncHTTPTransport"},
    "urllib": {"urlopen"},
    "http": {"HTTPConnection", "HTTPSConnection"},
}
_BOUNDED = {"service/system/outgoing.py"}


def test_nothing_else_in_the_service_makes_an_http_client() -> None:
    root = Path(service.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                base = node.func.value
                while isinstance(base, ast.Attribute):
                    base = base.value
                if isinstance(base, ast.Name) and node.func.attr in _OPENERS.get(base.id, ()):
                    found.add(path.relative_to(root.parent).as_posix())
    assert found == _BOUNDED
