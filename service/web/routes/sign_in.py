"""Signing in and out, and one's own account."""

import math
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.guessing import KNOWN_FOR_S, new_browser
from service.access.hashing import BusyError
from service.access.rate_limit import RateLimitedError
from service.access.roles import Permission
from service.access.secrets import LONGEST_PASSWORD, SHORTEST_PASSWORD
from service.http.authentication import SIGN_IN, browser_cookie_of, cookie_of
from service.http.deps import Parts, PartsDep
from service.http.permissions import PUBLIC, PersonDep, requires
from service.web.templating import Page, PageDep, inside
from service.words.wording import WordedError, Words, words

router = APIRouter(include_in_schema=False)

_OWN = requires(Permission.OWN_ACCOUNT)

Name = Annotated[str, Form(max_length=100)]
Password = Annotated[str, Form(max_length=1000)]


@router.get(SIGN_IN, dependencies=[PUBLIC])
def read_sign_in(page: PageDep, next: Annotated[str, Query(max_length=200)] = "/") -> HTMLResponse:  # noqa: A002  as it is in the address
    """The form that takes name and password."""
    return _sign_in_page(page, next)


@router.post(SIGN_IN, dependencies=[PUBLIC])
async def sign_in(
    page: PageDep,
    name: Name,
    password: Password,
    next: Annotated[str, Form(max_length=200)] = "/",  # noqa: A002  as it is in the form
) -> Response:
    """Begin a session."""
    address = page.request.client.host if page.request.client else ""
    name = name.strip().lower()
    kept = page.request.cookies.get(browser_cookie_of(cookie_of(page.parts.config), name))
    try:
        secret = await page.parts.access.sign_in(name, password, address, kept)
    except RateLimitedError as error:
        return await run_in_threadpool(_too_often, error, lambda fault: _sign_in_page(page, next, fault, 429))
    except BusyError as error:
        fault = words(
            "Many sign-ins are being checked now. Try again in %(seconds)s seconds.", seconds=round(error.wait_s)
        )
        refused = await run_in_threadpool(_sign_in_page, page, next, fault, 503)
        refused.headers["Retry-After"] = str(round(error.wait_s))
        return refused
    if secret is None:
        return await run_in_threadpool(_sign_in_page, page, next, words("Wrong name or password."), 401)
    return _signed_in(page, secret, inside(next))


@router.get("/set-up", dependencies=[PUBLIC])
def set_up(page: PageDep, code: Annotated[str, Query(max_length=100)] = "") -> Response:
    """The link that the first start prints: signs in once."""
    secret = page.parts.access.use_link(code)
    if secret is None:
        fault = words(
            "This link was used or has expired. Until an administrator has chosen a password, each start of the "
            "service prints a new one."
        )
        return _sign_in_page(page, "/", fault, 401)
    return _signed_in(page, secret, "/" if page.parts.setting_up.chosen else "/setup")


@router.post("/sign-out", dependencies=[_OWN])
def sign_out(parts: PartsDep, person: PersonDep) -> Response:
    """End this page's session."""
    parts.access.sessions.end(person.session or "")
    return _signed_out(parts)


@router.get("/account", dependencies=[_OWN])
def read_account(page: PageDep, person: PersonDep) -> HTMLResponse:  # noqa: ARG001  only for persons
    """One's own account."""
    return _account_page(page)


@router.post("/account/password", dependencies=[_OWN])
def change_password(
    page: PageDep, person: PersonDep, password: Password, again: Password, current: Password = ""
) -> Response:
    """Choose another password; every other session of the account ends."""
    if password != again:
        return _account_page(page, words("The two new passwords are not the same."), 422)
    try:
        secret = page.parts.access.change_own_password(person, current, password)
    except RateLimitedError as error:
        return _too_often(error, lambda fault: _account_page(page, fault, 429))
    except WordedError as error:
        return _account_page(page, not_changed(error), 422)
    return _signed_in(page, secret, "/account")


@router.post("/account/sign-out-everywhere", dependencies=[_OWN])
def sign_out_everywhere(parts: PartsDep, person: PersonDep) -> Response:
    """End every session of the account."""
    parts.access.accounts.end_sessions(person.id, person.attribution("own account"))
    return _signed_out(parts)


def not_changed(error: WordedError) -> Words:
    """Why a change was not made."""
    return words("Not changed: %(why)s.", why=error.words)


def _signed_in(page: Page, secret: str, path: str) -> Response:
    entered = RedirectResponse(path, status_code=303)
    cookie, secure = cookie_of(page.parts.config), page.request.url.scheme == "https"
    access = page.parts.access
    entered.set_cookie(cookie, secret, max_age=access.sessions.lasts_s, httponly=True, samesite="lax", secure=secure)
    if (account := access.sessions.account_of(secret)) is not None:
        name, kept = browser_cookie_of(cookie, account.name), new_browser(account)
        entered.set_cookie(name, kept, max_age=KNOWN_FOR_S, httponly=True, samesite="lax", secure=secure)
    return entered


def _signed_out(parts: Parts) -> Response:
    left = RedirectResponse(SIGN_IN, status_code=303)
    left.delete_cookie(cookie_of(parts.config))
    return left


def _too_often(error: RateLimitedError, page: Callable[[Words], Response]) -> Response:
    wait_s = math.ceil(error.wait_s)
    refused = page(words("Too many wrong passwords. Try again in %(seconds)s seconds.", seconds=wait_s))
    refused.headers["Retry-After"] = str(wait_s)
    return refused


def _sign_in_page(page: Page, path: str, fault: Words | None = None, status: int = 200) -> HTMLResponse:
    return page.answer("sign_in.html", status=status, fault=fault, next=inside(path))


def _account_page(page: Page, fault: Words | None = None, status: int = 200) -> HTMLResponse:
    lengths = {"shortest": SHORTEST_PASSWORD, "longest": LONGEST_PASSWORD}
    return page.answer("account.html", status=status, fault=fault, **lengths)
