"""Signing in and out, and one's own account."""

import math
from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.access import SecondStep
from service.access.account_store import OIDC
from service.access.accounts import AccountError
from service.access.credentials import LONGEST_PASSWORD, SHORTEST_PASSWORD, BusyError
from service.access.passkeys import Site
from service.access.rate_limits import KNOWN_BROWSER_S, RateLimitedError, known_browser_cookie
from service.access.roles import Permission
from service.access.sessions import BrowserSession, Visit
from service.access.sign_in_steps import PENDING_S
from service.api.authentication import SIGN_IN
from service.api.deps import PartsDep
from service.api.parts import Parts, browser_cookie_of, step_cookie_of
from service.api.permissions import PUBLIC, PersonDep, caller_of, requires
from service.web.browsers import browser_name
from service.web.looks import inside
from service.web.templating import Page, PageDep
from service.words.wording import Capitalised, Sayable, WordedError, Words, sentence, words

router = APIRouter(include_in_schema=False)

SECOND_STEP = "/sign-in/second-step"
_OWN = requires(Permission.OWN_ACCOUNT)

Name = Annotated[str, Form(max_length=100)]
Password = Annotated[str, Form(max_length=1000)]


@router.get(SIGN_IN, dependencies=[PUBLIC])
def read_sign_in(
    page: PageDep,
    next: Annotated[str, Query(max_length=200)] = "/",  # noqa: A002  as it is in the address
    *,
    left: bool = False,
) -> HTMLResponse:
    """The form that takes name and password."""
    return sign_in_page(page, next, left=left)


@router.post(SIGN_IN, dependencies=[PUBLIC])
async def sign_in(
    page: PageDep,
    name: Name,
    password: Password,
    next: Annotated[str, Form(max_length=200)] = "/",  # noqa: A002  as it is in the form
    *,
    alone: Annotated[bool, Form()] = False,
) -> Response:
    """Begin a session; with ``alone`` every other session of the account ends."""
    name = name.strip().lower()
    kept = page.request.cookies.get(browser_cookie_of(page.parts.cookie, name))
    try:
        entered = await page.parts.access.sign_in(name, password, visit_of(page, alone=alone), kept, inside(next))
    except RateLimitedError as error:
        return await run_in_threadpool(too_often, error, lambda fault: sign_in_page(page, next, fault, 429))
    except BusyError as error:
        fault = words(
            "Many sign-ins are being checked now. Try again in %(seconds)s seconds.", seconds=round(error.wait_s)
        )
        refused = await run_in_threadpool(sign_in_page, page, next, fault, 503)
        refused.headers["Retry-After"] = str(round(error.wait_s))
        return refused
    except AccountError as error:
        return await run_in_threadpool(sign_in_page, page, next, capitalised(error), 401)
    if entered is None:
        return await run_in_threadpool(sign_in_page, page, next, words("Wrong name or password."), 401)
    if isinstance(entered, SecondStep):
        return with_step(page, RedirectResponse(SECOND_STEP, status_code=303), entered.secret)
    return signed_in(page, entered, inside(next))


@router.get("/set-up", dependencies=[PUBLIC])
def set_up(page: PageDep, code: Annotated[str, Query(max_length=100)] = "") -> Response:
    """The link that the first start prints: signs in once."""
    secret = page.parts.access.use_link(code, visit_of(page))
    if secret is None:
        fault = words(
            "This link was used or has expired. Until an administrator has chosen a password, each start of the "
            "service prints a new one."
        )
        return sign_in_page(page, "/", fault, 401)
    return signed_in(page, secret, page.parts.start_page)


@router.post("/sign-out", dependencies=[_OWN])
def sign_out(parts: PartsDep, person: PersonDep) -> Response:
    """End this page's session; who came by an identity provider may then sign out of that too."""
    account = parts.access.accounts.account(person.id)
    parts.access.sessions.end(person.session or "")
    by_provider = account is not None and account.origin == OIDC
    return _signed_out(parts, f"{SIGN_IN}?left=true" if by_provider else SIGN_IN)


@router.get("/account", dependencies=[_OWN])
def read_account(page: PageDep, person: PersonDep) -> HTMLResponse:  # noqa: ARG001  only for persons
    """One's own account."""
    return account_page(page)


@router.post("/account/password", dependencies=[_OWN])
def change_password(
    page: PageDep, person: PersonDep, password: Password, again: Password, current: Password = ""
) -> Response:
    """Choose another password; every other session of the account ends."""
    if password != again:
        return account_page(page, words("The two new passwords are not the same."), 422)
    try:
        secret = page.parts.access.change_own_password(person, current, password, visit_of(page))
    except RateLimitedError as error:
        return too_often(error, lambda fault: account_page(page, fault, 429))
    except WordedError as error:
        return account_page(page, not_changed(error), 422)
    return signed_in(page, secret, "/" if person.first else "/account")


@router.post("/account/sessions/{session_id}/end", dependencies=[_OWN])
def end_session(page: PageDep, person: PersonDep, session_id: Annotated[str, Path(max_length=40)]) -> Response:
    """Sign one browser out."""
    sessions = page.parts.access.sessions
    if sessions.is_at(person.session or "", session_id):
        return sign_out(page.parts, person)
    sessions.end_of(person.id, session_id)
    return RedirectResponse("/account", status_code=303)


@router.post("/account/used", status_code=204, dependencies=[_OWN])
def used(person: PersonDep) -> None:
    """Somebody uses a page that they opened earlier."""


@router.post("/account/sign-out-everywhere", dependencies=[_OWN])
def sign_out_everywhere(parts: PartsDep, person: PersonDep) -> Response:
    """End every session of the account."""
    parts.access.accounts.end_sessions(person.id, person.attribution("own account"))
    return _signed_out(parts)


def capitalised(error: WordedError) -> Sayable:
    """Why something was refused, as a sentence of its own."""
    return words("%(why)s.", why=Capitalised(error.words))


def not_changed(error: WordedError) -> Words:
    """Why a change was not made."""
    return words("Not changed: %(why)s.", why=error.words)


def visit_of(page: Page, *, alone: bool = False) -> Visit:
    """Where somebody signs in."""
    sent = page.request
    replaces = sent.cookies.get(page.parts.cookie, "")
    return Visit(sent.client.host if sent.client else "", sent.headers.get("user-agent", ""), replaces, alone)


def signed_in(page: Page, secret: str, path: str) -> Response:
    """Lead to a page with a session that began."""
    return with_session(page, RedirectResponse(path, status_code=303), secret)


def with_session(page: Page, entered: Response, secret: str) -> Response:
    """Have the browser keep a session that began."""
    cookie, secure = page.parts.cookie, page.request.url.scheme == "https"
    access = page.parts.access
    entered.set_cookie(cookie, secret, max_age=access.sessions.lasts_s, httponly=True, samesite="lax", secure=secure)
    if (account := access.sessions.account_of(secret)) is not None:
        name, value = browser_cookie_of(cookie, account.name), known_browser_cookie(account)
        entered.set_cookie(name, value, max_age=KNOWN_BROWSER_S, httponly=True, samesite="lax", secure=secure)
    if (step := step_cookie_of(page.parts.cookie)) in page.request.cookies:
        entered.delete_cookie(step)
    return entered


def with_step(page: Page, answer: Response, secret: str) -> Response:
    """Have the browser keep how far signing in has got."""
    secure = page.request.url.scheme == "https"
    cookie = step_cookie_of(page.parts.cookie)
    answer.set_cookie(cookie, secret, max_age=PENDING_S, httponly=True, samesite="lax", secure=secure)
    return answer


def site_of(page: Page) -> Site:
    """Where the page is, as the browser says."""
    url = page.request.url
    return Site(url.hostname or "", f"{url.scheme}://{url.netloc}")


def _signed_out(parts: Parts, path: str = SIGN_IN) -> Response:
    left = RedirectResponse(path, status_code=303)
    left.delete_cookie(parts.cookie)
    return left


TOO_MANY_PASSWORDS = sentence("Too many wrong passwords. Try again in %(seconds)s seconds.")


def too_often(error: RateLimitedError, page: Callable[[Words], Response], said: str = TOO_MANY_PASSWORDS) -> Response:
    """Say how long to wait after too many wrong passwords, or what else was tried."""
    wait_s = math.ceil(error.wait_s)
    refused = page(Words(said, {"seconds": wait_s}))
    refused.headers["Retry-After"] = str(wait_s)
    return refused


def sign_in_page(
    page: Page, path: str, fault: Sayable | None = None, status: int = 200, *, left: bool = False
) -> HTMLResponse:
    """The form of signing in, with what was wrong; ``left``: somebody signed out who came by an identity provider."""
    single = page.parts.access.single_sign_on
    return page.answer(
        "sign_in.html",
        status=status,
        fault=fault,
        next=inside(path),
        passkeys=page.parts.access.factors.passkeys_at(site_of(page)),
        single_sign_on=None if single is None else single.settings.title,
        left=left,
    )


def account_page(page: Page, fault: Words | None = None, status: int = 200) -> HTMLResponse:
    """One's own account, with what was wrong."""
    access, caller = page.parts.access, caller_of(page.request)
    sessions = access.sessions
    return page.answer(
        "account.html",
        status=status,
        fault=fault,
        shortest=SHORTEST_PASSWORD,
        longest=LONGEST_PASSWORD,
        origin=None if (own := access.accounts.account(caller.id)) is None else own.origin,
        passkeys=site_of(page).allows_passkeys,
        factors=access.factors.of(caller.id),
        recovery_codes=access.accounts.recovery_codes_of(caller.id),
        signed_in=[
            _shown(one, here=sessions.is_at(caller.session or "", name), session_id=name)
            for name, one in sessions.of(caller.id).items()
        ],
    )


def _shown(session: BrowserSession, *, session_id: str, here: bool) -> dict[str, object]:
    at = {name: datetime.fromisoformat(getattr(session, name)) for name in ("begun_at", "used_at")}
    return {"id": session_id, "browser": browser_name(session.browser), "address": session.address, "here": here, **at}
