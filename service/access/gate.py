"""What stands before all routes: who is asking, how often, and whether from a page of ours; judged by headers alone.

Only what is declared open gets through without a key or a session. What a caller may do is asked behind, beside each
route (:mod:`service.access.needs`).
"""

from __future__ import annotations

import math
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse

from service.access.needs import SAFE_METHODS
from service.errors import problem_response
from service.store.protocols import RecordUnavailableError

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from service.access.access import Access, Caller
    from service.access.rates import Buckets

STATIC: Final = "/static/"
UNCOUNTED: Final = "/healthz"
SIGN_IN: Final = "/sign-in"
_LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Gate:
    """ASGI middleware that lets a request through with its caller, or refuses it.

    Args:
        app: what stands behind.
        access: who may ask.
        cookie: name of the page's cookie.
        open_paths: paths open to everybody.
        local_only: requests must be addressed to this machine by name, so that no page elsewhere can reach the service
            through a name that it points here.
    """

    def __init__(
        self, app: ASGIApp, *, access: Access, cookie: str, open_paths: frozenset[str], local_only: bool
    ) -> None:
        self.app = app
        self.access = access
        self.cookie = cookie
        self.open_paths = open_paths
        self.local_only = local_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Judge one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "there are no web sockets here"})
            return
        if scope["type"] == "http" and scope["path"] != UNCOUNTED and not scope["path"].startswith(STATIC):
            refusal = await self._judge(scope)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def _judge(self, scope: Scope) -> Response | None:
        """Name the caller in the scope, or say why not."""
        headers, path = Headers(scope=scope), scope["path"]
        if self.local_only and _host_name(headers.get("host", "")) not in _LOCAL_NAMES:
            detail = (
                "This service listens for its own machine only: open http://localhost, or give server.host another "
                "address; behind a proxy, name it in server.trusted_proxies."
            )
            return problem_response(421, detail, path)
        try:
            caller = await self._caller(headers)
        except RecordUnavailableError as error:
            detail = f"Nobody can be let in just now, the accounts cannot be read: {error}"
            return problem_response(503, detail, path, code="record_unavailable", headers={"Retry-After": "5"})
        if caller is None:
            refusal = _too_often(self.access.strangers, scope["client"][0] if scope.get("client") else "", path)
            if refusal is None and path not in self.open_paths:
                refusal = _not_signed_in(scope, headers)
        else:
            refusal = _too_often(self.access.callers, caller.counted_as, path)
            scope.setdefault("state", {})["caller"] = caller
        by_browser = caller is None or caller.session is not None
        if refusal is None and by_browser and scope["method"] not in SAFE_METHODS and _foreign(headers):
            detail = "This request was sent by a page of another site, which may change nothing here."
            refusal = problem_response(403, detail, path, code="not_from_our_page")
        return refusal

    async def _caller(self, headers: Headers) -> Caller | None:
        await self.access.refresh()
        if authorization := headers.get("authorization"):
            scheme, _, given = authorization.partition(" ")
            return self.access.by_key(given.strip()) if scheme.lower() == "bearer" else None
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        return None if morsel is None else self.access.by_session(morsel.value)


def _too_often(buckets: Buckets, name: str, path: str) -> Response | None:
    wait_s = buckets.take(name)
    if not wait_s:
        return None
    retry = str(math.ceil(wait_s))
    detail = f"Too many requests; ask again in {retry} s, and wait for news with ?wait= in place of asking often."
    return problem_response(429, detail, path, headers={"Retry-After": retry})


def _not_signed_in(scope: Scope, headers: Headers) -> Response:
    path = scope["path"]
    if scope["method"] == "GET" and "text/html" in headers.get("accept", "") and not path.startswith("/v1/"):
        return RedirectResponse(SIGN_IN if path == "/" else f"{SIGN_IN}?next={quote(path)}", status_code=303)
    detail = (
        "This request carries no valid key or session: send the header 'Authorization: Bearer KEY', or sign in on the "
        "page. A key may have expired or been revoked."
    )
    return problem_response(401, detail, path, headers={"WWW-Authenticate": 'Bearer realm="houseway"'})


def _foreign(headers: Headers) -> bool:
    """Whether a browser says that the request comes from another site's page."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def _host_name(host: str) -> str:
    """A Host header without its port; an IPv6 address keeps its brackets."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].lower()
