"""Who may ask: nobody but this machine without a token, and everybody with it.

On a loopback address the service answers without a token, but only to requests addressed to this machine by name, so
that a web page elsewhere cannot reach it through a name it controls. With a token set, every request but ``/healthz``
carries it, as ``Authorization: Bearer ...`` or, for the page, as a signed cookie that the sign-in form hands out.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse

from service.errors import problem_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "houseway_session"
SESSION_S = 12 * 3600
_OPEN_PATHS = frozenset({"/healthz", "/sign-in"})
_OPEN_PREFIX = "/static/"
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


def token_is(expected: str, given: str) -> bool:
    """Compare two tokens in a time that says nothing about where they differ."""
    return hmac.compare_digest(expected.encode(), given.encode())


def new_session(token: str) -> str:
    """The value of a page's cookie: when it ends, and a signature only the token's holder can make."""
    ends = str(int(time.time()) + SESSION_S)
    return f"{ends}.{_sign(token, ends)}"


def session_holds(token: str, value: str) -> bool:
    """Whether a cookie was signed with this token and has not ended."""
    ends, _, signature = value.partition(".")
    return token_is(_sign(token, ends), signature) and ends.isdecimal() and int(ends) > time.time()


def _sign(token: str, ends: str) -> str:
    return hmac.new(token.encode(), f"houseway page session until {ends}".encode(), hashlib.sha256).hexdigest()


class Gate:
    """ASGI middleware that lets a request through or answers 401 or 421 itself."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self.app = app
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Judge one request by its headers alone."""
        if scope["type"] != "http" or scope["path"] in _OPEN_PATHS or scope["path"].startswith(_OPEN_PREFIX):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if self.token is None:
            if _host_name(headers.get("host", "")) in _LOCAL_NAMES:
                await self.app(scope, receive, send)
                return
            refusal = problem_response(
                421,
                "Without a token this service answers only to localhost. Open http://localhost, or set a token.",
                scope["path"],
            )
        elif self._is_known(headers, self.token):
            await self.app(scope, receive, send)
            return
        elif scope["path"] == "/" and scope["method"] == "GET":
            await RedirectResponse("/sign-in", status_code=303)(scope, receive, send)
            return
        else:
            refusal = problem_response(
                401,
                "This request carries no valid token: send the header 'Authorization: Bearer TOKEN'.",
                scope["path"],
                headers={"WWW-Authenticate": 'Bearer realm="houseway"'},
            )
        await refusal(scope, receive, send)

    def _is_known(self, headers: Headers, token: str) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token_is(token, given.strip()):
            return True
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return morsel is not None and session_holds(token, morsel.value)


def _host_name(host: str) -> str:
    """A Host header without its port; an IPv6 address keeps its brackets."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower()
