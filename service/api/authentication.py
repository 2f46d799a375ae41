"""Authentication of every request by its headers, with rate limits and protection against requests from other sites.

Only public routes are open without a key or a session. Permissions are checked later, by each route
(:mod:`service.api.permissions`).
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse

from service.access.rate_limits import client_network
from service.api.error_handlers import wants_page
from service.api.parts import browser_cookie_of
from service.api.permissions import SAFE_METHODS
from service.api.problems import ProblemError, problem_response
from service.record.store.entries import RecordUnavailableError
from service.words.findings import words_of
from service.words.wording import Words, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.datastructures import Headers
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from service.access.access import Access, Caller, First
    from service.access.rate_limits import RateLimiter
    from service.api.server.connections import Connection
    from service.words.wording import Sayable

STATIC: Final = "/static/"
HEALTH: Final = "/healthz"
SIGN_IN: Final = "/sign-in"
_TOO_MANY_CONNECTIONS: Final = words("Too many connections at once for this key or page. Close some, then try again.")
ACCOUNT: Final = "/account"
_FIRST: Final[dict[First, Words]] = {
    "password": words("An administrator made your password. Choose one of your own first."),
    "second_factor": words("Your role needs a second factor. Add one to your account first."),
}
"""Messages to people who must complete their account first."""
_PASSWORD_FIRST: Final = frozenset({ACCOUNT, "/account/password", "/sign-out"})
_LEADS_ON: Final[dict[First, frozenset[str]]] = {
    "password": _PASSWORD_FIRST,
    "second_factor": _PASSWORD_FIRST
    | {f"{ACCOUNT}/second-factor/{path}" for path in ("app", "app/confirm", "passkey", "passkey/options")},
}
"""The pages where they can, and sign-out."""
_LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


@dataclass(frozen=True, slots=True)
class Authentication:
    """ASGI middleware that identifies the caller of a request, or refuses it.

    Attributes:
        cookie: name of the page's cookie.
        public_paths: paths of the public routes.
        local_only: whether requests must be addressed to this machine by its local names, so that no web page can reach
            the service through a DNS name that it points here.
        page: renders the page for a refused request of a browser.
    """

    app: ASGIApp
    access: Access
    cookie: str
    public_paths: frozenset[str]
    local_only: bool
    page: Callable[[Request, int, Sayable | str], Response]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Authenticate one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "web sockets are not supported"})
            return
        if scope["type"] == "http":
            request = Request(scope)
            try:
                if scope["path"] == HEALTH:
                    # Limited by address alone: health never waits for the database.
                    _count(self.access.anybody, client_network(request.client.host if request.client else ""))
                elif scope["path"].startswith(STATIC):
                    self._limit_static(request)
                else:
                    await self._authenticate(request)
            except ProblemError as problem:
                await self._refusal(request, problem)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _limit_static(self, request: Request) -> None:
        """Apply the generous limit of static files to anonymous clients."""
        with suppress(RecordUnavailableError):
            if self._named(request) is not None:
                return
        _count(self.access.anybody, self._stranger(request))

    async def _authenticate(self, request: Request) -> None:
        """Store the caller in the request's state; ProblemError if it is refused."""
        if self.local_only and _host_name(request.headers.get("host", "")) not in _LOCAL_NAMES:
            detail = words(
                "This service answers only its own machine: open http://localhost, or give server.host another "
                "address; behind a proxy, name the proxy in server.trusted_proxies."
            )
            raise ProblemError("unknown_host", detail)
        try:
            caller = await self._caller(request)
        except RecordUnavailableError as error:
            why = words_of(error.finding)
            detail = words("Nobody can sign in now, because the accounts cannot be read: %(why)s", why=why)
            raise ProblemError("record_unavailable", detail) from None
        address = request.client.host if request.client else ""
        connection: Connection | None = getattr(request.state, "connection", None)  # None in tests
        if connection is not None and not connection.claim(address, None if caller is None else caller.counted_as):
            raise ProblemError("too_many_requests", _TOO_MANY_CONNECTIONS, headers={"Retry-After": "5"})
        if caller is not None:
            _count(self.access.callers, caller.counted_as)
            request.state.caller = caller
        else:
            _count(self.access.strangers, self._stranger(request))
            # Not request.url, which depends on the Host header.
            if request.scope["path"] not in self.public_paths:
                detail = words(
                    "This request carries no valid key or session: send the header 'Authorization: Bearer KEY', or "
                    "sign in on the page. A key may have expired or been revoked."
                )
                headers = {"WWW-Authenticate": 'Bearer realm="houseway"'}
                raise ProblemError("not_signed_in", detail, headers=headers)
        by_browser = caller is None or caller.session is not None
        if by_browser and request.method not in SAFE_METHODS and _foreign(request.headers):
            detail = words("This request came from a page of another site, so it was refused.")
            raise ProblemError("not_from_our_page", detail)
        if caller is not None and caller.session is not None:
            await self._person(request, caller, caller.session)

    async def _person(self, request: Request, caller: Caller, session: str) -> None:
        """Extend the session; ProblemError if the account must be completed first."""
        if _by_person(request):
            await run_in_threadpool(self.access.sessions.used, session)
        path = request.scope["path"]
        if caller.first is not None and path not in self.public_paths and path not in _LEADS_ON[caller.first]:
            raise ProblemError("account_not_ready", _FIRST[caller.first])

    async def _caller(self, request: Request) -> Caller | None:
        await self.access.refresh()
        caller = self._named(request)
        if caller is None and "authorization" in request.headers and await self.access.reload_for_key(_key_in(request)):
            caller = self._named(request)
        return caller

    def _named(self, request: Request) -> Caller | None:
        """The caller by key or session, if any, from the accounts as last read."""
        if "authorization" in request.headers:
            return self.access.by_key(_key_in(request))
        secret = request.cookies.get(self.cookie)
        return None if secret is None else self.access.by_session(secret)

    def _stranger(self, request: Request) -> str:
        """The name that an anonymous client counts under: a browser known from earlier sign-ins, or the network."""
        try:
            browser = self.access.known_browser(request.cookies, browser_cookie_of(self.cookie))
        except RecordUnavailableError:
            browser = None
        return browser or client_network(request.client.host if request.client else "")

    def _refusal(self, request: Request, problem: ProblemError) -> Response:
        path = request.scope["path"]
        if not wants_page(request):
            return problem_response(problem.status, problem.detail, path, code=problem.code, headers=problem.headers)
        if problem.code == "account_not_ready" and request.method == "GET":
            return RedirectResponse(ACCOUNT, status_code=303)
        if problem.status == 401 and request.method == "GET":
            return RedirectResponse(SIGN_IN if path == "/" else f"{SIGN_IN}?next={quote(path)}", status_code=303)
        answer = self.page(request, problem.status, problem.detail)
        answer.headers.update(problem.headers)
        return answer


def _key_in(request: Request) -> str:
    """The bearer key of a request; empty without one."""
    scheme, _, given = request.headers["authorization"].partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""


def _count(buckets: RateLimiter, name: str) -> None:
    """Count a request against a rate limit; ProblemError beyond it."""
    if wait_s := buckets.take(name):
        retry = str(math.ceil(wait_s))
        detail = words(
            "Too many requests. Try again in %(seconds)s s. To wait for news, use ?wait= instead of asking often.",
            seconds=retry,
        )
        raise ProblemError("too_many_requests", detail, headers={"Retry-After": retry})


def _by_person(request: Request) -> bool:
    """Whether a person acted, by opening a page or sending a form; open pages poll automatically."""
    return request.method not in SAFE_METHODS or wants_page(request)


def _foreign(headers: Headers) -> bool:
    """Whether the browser's headers say that the request comes from another site."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def _host_name(host: str) -> str:
    """A Host header without its port; an IPv6 address keeps its brackets."""
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0].lower()
