"""How much one request may send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from service.errors import problem_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """ASGI middleware that refuses a body larger than ``max_bytes`` before and while it arrives."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse by the announced length, and count what arrives without one."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        detail = f"The request body is larger than {self.max_bytes // 1_000_000} MB, the most this service takes."
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > self.max_bytes:
            await problem_response(413, detail, scope["path"])(scope, receive, send)
            return
        arrived = 0

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > self.max_bytes:
                # Answered as a problem by the handlers inside, where the body is being read.
                raise HTTPException(413, detail)
            return message

        await self.app(scope, counted, send)
