"""HTTP requests to other programs, each with a deadline for the complete answer and a limit on its size.

No other module of the service opens a connection by HTTP. Compression is not offered, and a compressed answer is
refused, since its size is unknown until it is unpacked. There is no proxy from the environment and no redirect: a
request goes only where the settings say.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import httpx2

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Mapping

_BOUNDS: Final = "bounds"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one answer.

    Attributes:
        seconds: from the start of the request to the last byte of the answer.
        most_bytes: of its body.
    """

    seconds: float
    most_bytes: int

    @property
    def extensions(self) -> dict[str, object]:
        """Extensions of a request that has these limits instead of its client's."""
        return {_BOUNDS: self}


class TooLargeError(httpx2.TransportError):
    """The body of an answer exceeds its limit."""


def client(
    bounds: Bounds,
    *,
    trusting: ssl.SSLContext | bool = True,
    transport: httpx2.AsyncBaseTransport | None = None,
    base_url: str = "",
    headers: Mapping[str, str] | None = None,
) -> httpx2.AsyncClient:
    """Return a client of which every answer is bounded; what exceeds its bounds raises ``httpx2.TransportError``.

    Args:
        bounds: of each answer, unless a request has its own.
        trusting: TLS settings, or whether to verify certificates.
        transport: carries the requests; default: that of httpx2.
        base_url: of relative addresses.
        headers: of every request.
    """
    return httpx2.AsyncClient(
        transport=bounded(bounds, trusting=trusting, transport=transport),
        timeout=bounds.seconds,
        trust_env=False,
        follow_redirects=False,
        base_url=base_url,
        headers={**(headers or {}), "Accept-Encoding": "identity"},
    )


def bounded(
    bounds: Bounds, *, trusting: ssl.SSLContext | bool = True, transport: httpx2.AsyncBaseTransport | None = None
) -> httpx2.AsyncBaseTransport:
    """Return the transport of :func:`client`, for libraries that make the client themselves."""
    return _BoundedTransport(transport or httpx2.AsyncHTTPTransport(verify=trusting, trust_env=False), bounds)


class _BoundedTransport(httpx2.AsyncBaseTransport):
    def __init__(self, inner: httpx2.AsyncBaseTransport, bounds: Bounds) -> None:
        self._inner, self._bounds = inner, bounds

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        bounds = request.extensions.get(_BOUNDS, self._bounds)
        request.headers["Accept-Encoding"] = "identity"  # a library that makes the client offers more
        deadline = asyncio.get_running_loop().time() + bounds.seconds
        try:
            async with asyncio.timeout_at(deadline):
                answer = await self._inner.handle_async_request(request)
        except TimeoutError:
            raise _late(bounds) from None
        if answer.headers.get("Content-Encoding", "identity").strip().lower() not in {"", "identity"}:
            await answer.aclose()
            raise httpx2.RemoteProtocolError("the answer is compressed, which was not offered")
        return httpx2.Response(
            answer.status_code,
            headers=answer.headers,
            stream=_BoundedStream(answer, bounds, deadline),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, answer: httpx2.Response, bounds: Bounds, deadline: float) -> None:
        self._answer, self._bounds, self._deadline = answer, bounds, deadline

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = self._answer.headers.get("Content-Length", "")
        if length.isascii() and length.isdecimal() and int(length[:20]) > self._bounds.most_bytes:
            raise _large(self._bounds)
        received, pieces = 0, aiter(self._answer.stream)  # type: ignore[arg-type]  # of an asynchronous transport
        while True:
            try:
                async with asyncio.timeout_at(self._deadline):
                    piece = await anext(pieces, None)
            except TimeoutError:
                raise _late(self._bounds) from None
            if piece is None:
                return
            received += len(piece)
            if received > self._bounds.most_bytes:
                raise _large(self._bounds)
            yield piece

    async def aclose(self) -> None:
        await self._answer.aclose()


def _late(bounds: Bounds) -> httpx2.TimeoutException:
    return httpx2.ReadTimeout(f"the answer is not complete after {bounds.seconds:g} s")


def _large(bounds: Bounds) -> TooLargeError:
    return TooLargeError(f"the answer is larger than {bounds.most_bytes:,} bytes")
