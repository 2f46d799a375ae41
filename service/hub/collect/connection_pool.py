"""What carries the HTTP client's requests to one table: aiohttp, whose parser is compiled.

The client's own transport takes three times the processor time for a request, and a floor makes hundreds a second.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import aiohttp
import httpx2

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Iterator

_AT_ONCE: Final = 4


class Connections(httpx2.AsyncBaseTransport):
    """Connections to one table's service, of which the last one is kept; made in a running event loop.

    Args:
        trusting: which certificates are trusted.
    """

    def __init__(self, trusting: ssl.SSLContext) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=_AT_ONCE, ssl=trusting),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and wait for the head of its answer."""
        told = request.extensions.get("timeout", {})
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=told.get("connect"), sock_read=told.get("read"))
        with _as_of_httpx():
            answer = await self._session.request(
                request.method,
                str(request.url),
                headers=request.headers.items(),
                data=await request.aread() or None,
                timeout=timeout,
                allow_redirects=False,
            )
        return httpx2.Response(answer.status, headers=list(answer.raw_headers), stream=_Body(answer))

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._session.close()


class _Body(httpx2.AsyncByteStream):
    """The body of an answer, as it comes."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_of_httpx():
            async for piece in self._answer.content.iter_any():
                yield piece

    async def aclose(self) -> None:
        self._answer.release()


@contextmanager
def _as_of_httpx() -> Iterator[None]:
    """Raise what aiohttp raises as what the client's own transport would."""
    try:
        yield
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise httpx2.TransportError(str(error) or type(error).__name__) from error
