"""Transport of the HTTP client through aiohttp, whose parser is compiled.

The client's own transport takes three times the processor time for a request, and a hub makes hundreds a second.
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


class ConnectionPool(httpx2.AsyncBaseTransport):
    """Persistent connections to one table's service; made in a running event loop.

    Args:
        trusting: TLS settings.
    """

    def __init__(self, trusting: ssl.SSLContext) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=_AT_ONCE, ssl=trusting),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and wait for the headers of its answer."""
        limits = request.extensions.get("timeout", {})
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=limits.get("connect"), sock_read=limits.get("read"))
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
        """Close the connections."""
        await self._session.close()


class _Body(httpx2.AsyncByteStream):
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
    """Raise errors of aiohttp as the client's own transport would."""
    try:
        yield
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        # As text it also has the address, with a cursor that says nothing to a person.
        why = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
        raise httpx2.TransportError(why or type(error).__name__) from error
