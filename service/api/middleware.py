"""ASGI middleware: limits on request bodies, security headers, and a log line for each request."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException

from service.api.problems import problem_response
from service.system.logs import REQUESTS, request_id

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from service.table.metrics import Metrics

_SECURITY_HEADERS: Final = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    # With "no-referrer", browsers would hide the origin of our own forms from authentication as well.
    "referrer-policy": "same-origin",
}


REQUEST_ID_HEADER: Final = "X-Request-Id"
_GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET = frozenset({"/healthz", "/metrics", "/static"})
_ANONYMOUS_BYTES: Final = 20_000
_ANONYMOUS_S: Final = 10.0
_HSTS: Final = f"max-age={365 * 24 * 3600}"


_log = logging.getLogger(REQUESTS)


@dataclass(frozen=True, slots=True)
class SecurityHeaders:
    """ASGI middleware that adds security headers, HSTS over TLS, and a cache policy.

    Only static files may be cached by anyone; private responses with an ETag are revalidated every time.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to the response."""
        private = not scope.get("path", "").startswith("/static/")
        by_tls = scope.get("scheme") == "https"

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_SECURITY_HEADERS)
                if by_tls:
                    headers["strict-transport-security"] = _HSTS
                if private and headers.get("cache-control") in {None, "no-cache"}:
                    headers["cache-control"] = "private, no-cache" if "etag" in headers else "no-store"
            await send(message)

        await self.app(scope, receive, with_headers)


@dataclass(frozen=True, slots=True)
class HeadAsGet:
    """ASGI middleware that answers HEAD as GET wherever there is GET; the server sends no body then (RFC 9110 9.3.2).

    A stream of events never ends, so HEAD is refused there.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        head = scope["type"] == "http" and scope["method"] == "HEAD" and not scope["path"].endswith("/events")
        await self.app({**scope, "method": "GET"} if head else scope, receive, send)


_IN_HTML = re.compile(rb"""((?:\s(?:href|src|action|formaction|data-[a-z-]+)="|; url=))/(?!/)""")
_IN_SCRIPT = re.compile(rb"""(["'`])/(?=[a-z]|\1)""")
_PATHS_IN: Final = {
    "text/html": _IN_HTML,
    "text/javascript": _IN_SCRIPT,
    "application/manifest+json": _IN_SCRIPT,
}
"""Paths of ours in files of these types."""
_COOKIE_PATH = re.compile("(; path=)/(?=;|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UnderPath:
    """ASGI middleware that serves everything under a path of a proxy, which may remove it from requests or not.

    Attributes:
        path: without a slash at the end.
    """

    app: ASGIApp
    path: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Remove the path from the request, and add it to what leads to pages of ours in the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if f"{scope['path']}/".startswith(f"{self.path}/"):
            scope = {**scope, "path": scope["path"].removeprefix(self.path) or "/"}
        held: list[Message] = []

        async def send_under(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                self._lead(headers)
                if headers.get("content-type", "").partition(";")[0] in _PATHS_IN:
                    held.append(message)
                    return
            elif held:
                held.append(message)
                if not message.get("more_body", False):
                    for each in self._with_paths(*held):
                        await send(each)
                return
            await send(message)

        await self.app(scope, receive, send_under)

    def _lead(self, headers: MutableHeaders) -> None:
        """Let a redirect and cookies have the path."""
        to = headers.get("location", "")
        if to.startswith("/") and not to.startswith(("//", f"{self.path}/")):
            headers["location"] = f"{self.path}{to}"
        cookies = headers.getlist("set-cookie")
        del headers["set-cookie"]
        for cookie in cookies:
            headers.append("set-cookie", _COOKIE_PATH.sub(rf"\1{self.path}", cookie))

    def _with_paths(self, start: Message, *pieces: Message) -> tuple[Message, Message]:
        headers = MutableHeaders(scope=start)
        body = b"".join(piece.get("body", b"") for piece in pieces)
        pattern = _PATHS_IN[headers["content-type"].partition(";")[0]]
        body = pattern.sub(lambda found: found[1] + self.path.encode() + b"/", body)
        if "content-length" in headers and body:
            headers["content-length"] = str(len(body))
        return start, {"type": "http.response.body", "body": body}


@dataclass(frozen=True, slots=True)
class OneHost:
    """ASGI middleware that refuses requests without exactly one Host header: a proxy might use another one."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] == "http" and sum(name == b"host" for name, _ in scope["headers"]) != 1:
            detail = "A request must have exactly one Host header."
            await problem_response(400, detail, scope["path"])(scope, receive, send)
            return
        await self.app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """ASGI middleware that limits the size and duration of request bodies.

    Anonymous clients only need to send a name and a password: their limits are lower, and their bodies are buffered.
    """

    app: ASGIApp
    max_bytes: int
    max_s: float

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the announced length, then count bytes and time as the body arrives."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        anonymous = "caller" not in scope.get("state", {})
        arriving = _Arriving(
            receive,
            min(self.max_bytes, _ANONYMOUS_BYTES) if anonymous else self.max_bytes,
            min(self.max_s, _ANONYMOUS_S) if anonymous else self.max_s,
        )
        announced = Headers(scope=scope).get("content-length", "0")
        try:
            if announced.isdecimal() and int(announced) > arriving.max_bytes:
                raise arriving.too_large()
            inside = await arriving.buffered() if anonymous else arriving.next
        except HTTPException as error:
            await problem_response(error.status_code, error.detail, scope["path"], headers=error.headers)(
                scope, receive, send
            )
            return
        if inside is not None:
            await self.app(scope, inside, send)


@dataclass(slots=True)
class _Arriving:
    """A request body as it arrives; HTTPException if it is too large or too slow, answered by the handlers inside."""

    receive: Receive
    max_bytes: int
    max_s: float
    started: float = field(default_factory=time.monotonic)
    arrived: int = 0
    whole: bool = False

    def too_large(self) -> HTTPException:
        """The exception for an oversized body."""
        most = f"{self.max_bytes / 1_000_000:g} MB"
        return HTTPException(413, f"The request body is larger than {most}, the most this service takes here.")

    async def next(self) -> Message:
        """The next message."""
        if self.whole:
            return await self.receive()  # the client's disconnect, which long polls wait for
        try:
            message = await asyncio.wait_for(self.receive(), self.started + self.max_s - time.monotonic())
        except TimeoutError:
            self.whole = True
            raise HTTPException(
                408,
                f"The request had not arrived after {self.max_s:g} s; send it again, over a better connection.",
                headers={"Connection": "close"},
            ) from None
        self.arrived += len(message.get("body", b""))
        self.whole = not message.get("more_body", False)
        if self.arrived > self.max_bytes:
            raise self.too_large()
        return message

    async def buffered(self) -> Receive | None:
        """Buffer the body, and return a receiver of it; None if the client disconnected."""
        pieces = []
        while not self.whole:
            message = await self.next()
            if message["type"] == "http.disconnect":
                return None
            pieces.append(message.get("body", b""))
        first: list[Message] = [{"type": "http.request", "body": b"".join(pieces), "more_body": False}]

        async def receive() -> Message:
            return first.pop() if first else await self.receive()

        return receive


class RequestLog:
    """ASGI middleware that gives each request an id, counts its response and logs one line.

    The line names the route template, since the path may contain a secret, such as a sign-in link.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Use the client's request id if it is valid, or make one."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        current = given if _GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
        reset = request_id.set(current)
        started, status = time.perf_counter(), 500

        async def with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = current
            await send(message)

        try:
            await self.app(scope, receive, with_id)
        finally:
            route = _route_of(scope)
            self.metrics.requests.labels(_method_of(scope), route, status).inc()
            spent_ms = round((time.perf_counter() - started) * 1e3, 1)
            line = {"method": _method_of(scope), "route": route, "status": status, "spent_ms": spent_ms}
            level = logging.DEBUG if route in _QUIET else logging.INFO
            _log.log(level, "%s %s %s in %s ms", *line.values(), extra=line)
            request_id.reset(reset)


def _method_of(scope: Scope) -> str:
    """Return the method, or ``other``: clients may send any word, which must not become a label."""
    method = str(scope["method"])
    return method if method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "other"


def _route_of(scope: Scope) -> str:
    if scope["path"].startswith("/static/"):
        return "/static"
    return str(getattr(scope.get("route"), "path", None) or "none")
