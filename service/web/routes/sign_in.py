"""Signing in and out: password, second step, passkey, and identity provider."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.access import SecondStep
from service.access.account_store import OIDC
from service.access.accounts import AccountError
from service.access.credentials import BusyError
from service.access.passkeys import PasskeyError, Site
from service.access.rate_limits import KNOWN_BROWSER_S, RateLimitedError, known_browser_cookie
from service.access.roles import Permission
from service.access.sessions import Visit
from service.access.sign_in_steps import PENDING_S, SignOnError, StepExpiredError
from service.api.authentication import SIGN_IN
from service.api.deps import PartsDep
from service.api.parts import Parts, browser_cookie_of, step_cookie_of, telephone_cookie_of
from service.api.permissions import PUBLIC, PersonDep, requires
from service.api.problems import ProblemError
from service.web.parameters import local_path
from service.web.templating import Page, PageDep
from service.words.wording import Capitalised, Sayable, WordedError, Words, sentence, words

if TYPE_CHECKING:
    from service.access.single_sign_on import SingleSignOn


router = APIRouter(include_in_schema=False)

SECOND_STEP = "/sign-in/second-step"
_OWN = requires(Permission.OWN_ACCOUNT)

Name = Annotated[str, Form(max_length=100)]
Password = Annotated[str, Form(max_length=1000)]


@router.get(SIGN_IN, dependencies=[PUBLIC])
def read_sign_in(
    page: PageDep,
    next: Annotated[str, Query(max_length=200)] = "/",  # noqa: A002  the parameter's name in the address
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
    next: Annotated[str, Form(max_length=200)] = "/",  # noqa: A002  the field's name in the form
    *,
    alone: Annotated[bool, Form()] = False,
) -> Response:
    """Start a session; with ``alone`` every other session of the account ends."""
    name = name.strip().lower()
    kept = page.request.cookies.get(browser_cookie_of(page.parts.cookie, name))
    try:
        entered = await page.parts.access.sign_in(name, password, visit_of(page, alone=alone), kept, local_path(next))
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
    return signed_in(page, entered, local_path(next))


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
def sign_out(parts: PartsDep, person: PersonDep, request: Request) -> Response:
    """End this page's session; who came by an identity provider may then sign out of that too."""
    account = parts.access.accounts.account(person.id)
    if telephone := request.cookies.get(telephone_cookie_of(parts.cookie)):
        parts.access.telephones.remove(telephone, person.id)
    parts.access.sessions.end(person.session or "")
    by_provider = account is not None and account.origin == OIDC
    return signed_out(parts, f"{SIGN_IN}?left=true" if by_provider else SIGN_IN)


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
    """Redirect to a page with a new session."""
    return with_session(page, RedirectResponse(path, status_code=303), secret)


def with_session(page: Page, entered: Response, secret: str) -> Response:
    """Set the cookie of a new session."""
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


def address_of(page: Page) -> str:
    """The address of all pages, without a slash at the end."""
    return f"{site_of(page).origin}{page.parts.config.server.path}"


def signed_out(parts: Parts, path: str = SIGN_IN) -> Response:
    left = RedirectResponse(path, status_code=303)
    left.delete_cookie(parts.cookie)
    return left


TOO_MANY_PASSWORDS = sentence("Too many wrong passwords. Try again in %(seconds)s seconds.")


def too_often(error: RateLimitedError, page: Callable[[Words], Response], text: str = TOO_MANY_PASSWORDS) -> Response:
    """Say how long to wait after too many wrong passwords, or what else was tried."""
    wait_s = math.ceil(error.wait_s)
    refused = page(Words(text, {"seconds": wait_s}))
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
        next=local_path(path),
        passkeys=page.parts.access.factors.passkeys_at(site_of(page)),
        single_sign_on=None if single is None else single.settings.title,
        left=left,
    )


_TOO_MANY = sentence("Too many wrong codes. Try again in %(seconds)s seconds, or use a passkey.")

Answer = Annotated[str, Form(max_length=20_000)]


@router.get(SECOND_STEP, dependencies=[PUBLIC])
def read_second_step(page: PageDep) -> Response:
    """The form that takes a code or a passkey; without a password given before, it redirects to sign-in."""
    if page.parts.access.second_steps.account_at(_step(page)) is None:
        return RedirectResponse(SIGN_IN, status_code=303)
    return _second_step_page(page)


@router.post(SECOND_STEP, dependencies=[PUBLIC])
def finish_with_code(page: PageDep, code: Annotated[str, Form(max_length=100)]) -> Response:
    """Start a session with the code of an app, or a recovery code."""
    try:
        found = page.parts.access.second_steps.finish_with_code(_step(page), code)
    except StepExpiredError as error:
        return sign_in_page(page, "/", error.words, 401)
    except RateLimitedError as error:
        return too_often(error, lambda fault: _second_step_page(page, fault, 429), _TOO_MANY)
    if found is None:
        fault = words("This code is not right, or was used already. Wait for the next one.")
        return _second_step_page(page, fault, 401)
    return signed_in(page, found.session, found.path)


@router.get("/sign-in/passkey", dependencies=[PUBLIC])
def ask_for_passkey(page: PageDep, next: Annotated[str, Query(max_length=200)] = "/") -> Response:  # noqa: A002
    """What the browser asks a passkey: as JSON, for the page's script."""
    steps = page.parts.access.second_steps
    try:
        step, question = steps.ask_for_passkey(_step(page), site_of(page), visit_of(page), local_path(next))
    except PasskeyError as error:
        raise ProblemError("not_allowed", capitalised(error)) from None
    return with_step(page, Response(question.options, media_type="application/json"), step)


@router.post("/sign-in/passkey", dependencies=[PUBLIC])
def finish_with_passkey(page: PageDep, credential: Answer) -> Response:
    """Start a session with a passkey."""
    try:
        found = page.parts.access.second_steps.finish_with_passkey(_step(page), site_of(page), credential)
    except StepExpiredError as error:
        return sign_in_page(page, "/", error.words, 401)
    except PasskeyError as error:
        return sign_in_page(page, "/", capitalised(error), 401)
    return signed_in(page, found.session, found.path)


def _step(page: Page) -> str:
    return page.request.cookies.get(step_cookie_of(page.parts.cookie), "")


def _second_step_page(page: Page, fault: Sayable | None = None, status: int = 200) -> HTMLResponse:
    access = page.parts.access
    account = access.second_steps.account_at(_step(page)) or ""
    held = access.factors.of(account)
    site = site_of(page)
    return page.answer(
        "second_step.html",
        status=status,
        fault=fault,
        app=any(each.kind == "totp" for each in held),
        passkeys=site.allows_passkeys and any(each.site == site.host for each in held),
        elsewhere=sorted({each.site for each in held if each.kind == "passkey"} - {site.host}),
        codes=access.accounts.recovery_codes_of(account) > 0,
    )


_BACK = "/sign-in/oidc/callback"


@router.get("/sign-in/oidc", dependencies=[PUBLIC])
async def start_single_sign_on(page: PageDep, next: Annotated[str, Query(max_length=200)] = "/") -> Response:  # noqa: A002
    """Lead to the identity provider's page."""
    try:
        secret, at = await _single_sign_on(page).start(address_of(page) + _BACK, visit_of(page), local_path(next))
    except SignOnError as error:
        return await run_in_threadpool(sign_in_page, page, next, capitalised(error), 503)
    return with_step(page, RedirectResponse(at, status_code=303), secret)


@router.get(_BACK, dependencies=[PUBLIC])
async def finish_single_sign_on(request: Request, page: PageDep) -> Response:
    """Finish a sign-in at the identity provider."""
    single = _single_sign_on(page)
    secret = request.cookies.get(step_cookie_of(page.parts.cookie), "")
    try:
        found = await single.finish(secret, dict(request.query_params))
    except SignOnError as error:
        return await run_in_threadpool(sign_in_page, page, "/", capitalised(error), 401)
    return await run_in_threadpool(signed_in, page, found.session, found.path)


@router.get("/sign-in/oidc/sign-out", dependencies=[PUBLIC])
async def leave_provider(page: PageDep) -> Response:
    """Lead to where one signs out of the identity provider too."""
    try:
        at = await _single_sign_on(page).provider.sign_out_page(address_of(page) + SIGN_IN)
    except SignOnError as error:
        return await run_in_threadpool(sign_in_page, page, "/", capitalised(error), 503)
    return RedirectResponse(at or SIGN_IN, status_code=303)


def _single_sign_on(page: Page) -> "SingleSignOn":
    if (single := page.parts.access.single_sign_on) is None:
        raise ProblemError("not_found", words("There is nothing at this path."))
    return single
