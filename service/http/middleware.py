"""Limits on what one request may send, and headers that every answer carries."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from service.http.errors import problem_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECURITY_HEADERS: Final = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    # With "no-referrer", browsers would hide the origin of our own forms from authentication as well.
    "referrer-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class SecurityHeaders:
    """ASGI middleware that adds the headers by which a browser keeps the page to itself."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add them to the answer."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_SECURITY_HEADERS)
            await send(message)

        await self.app(scope, receive, with_headers)


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """ASGI middleware that refuses a body of more bytes or seconds than allowed, before and while it arrives."""

    app: ASGIApp
    max_bytes: int
    max_s: float

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse by the announced length, count what arrives without one, and look at the clock."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        detail = f"The request body is larger than {self.max_bytes // 1_000_000} MB, the most this service takes."
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > self.max_bytes:
            await problem_response(413, detail, scope["path"])(scope, receive, send)
            return
        arrived, whole = 0, False
        ends = time.monotonic() + self.max_s

        async def counted() -> Message:
            nonlocal arrived, whole
            if whole:
                return await receive()  # that the client goes away; a long poll waits for it
            try:
                message = await asyncio.wait_for(receive(), ends - time.monotonic())
            except TimeoutError:
                whole = True
                raise HTTPException(
                    408,
                    f"The request had not arrived after {self.max_s:g} s; send it again, over a better connection.",
                    headers={"Connection": "close"},
                ) from None
            arrived += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if arrived > self.max_bytes:
                # Answered as a problem by the handlers inside, where the body is being read.
                raise HTTPException(413, detail)
            return message

        await self.app(scope, counted, send)
