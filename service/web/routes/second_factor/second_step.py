"""The second step of signing in, and signing in with a passkey alone."""

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.passkeys import PasskeyError
from service.access.rate_limits import RateLimitedError
from service.access.sign_in_steps import StepExpiredError
from service.api.authentication import SIGN_IN
from service.api.parts import step_cookie_of
from service.api.permissions import PUBLIC
from service.api.problems import ProblemError
from service.web.looks import inside
from service.web.routes.sign_in import (
    SECOND_STEP,
    capitalised,
    sign_in_page,
    signed_in,
    site_of,
    too_often,
    visit_of,
    with_step,
)
from service.web.templating import Page, PageDep
from service.words.wording import Sayable, sentence, words

router = APIRouter(include_in_schema=False)

_TOO_MANY = sentence("Too many wrong codes. Try again in %(seconds)s seconds, or use a passkey.")

Answer = Annotated[str, Form(max_length=20_000)]


@router.get(SECOND_STEP, dependencies=[PUBLIC])
def read_second_step(page: PageDep) -> Response:
    """The form that takes a code or a passkey; who has not given a password is led to that first."""
    if page.parts.access.second_steps.account_at(_step(page)) is None:
        return RedirectResponse(SIGN_IN, status_code=303)
    return _second_step_page(page)


@router.post(SECOND_STEP, dependencies=[PUBLIC])
def finish_with_code(page: PageDep, code: Annotated[str, Form(max_length=100)]) -> Response:
    """Begin a session with the code of an app, or one for recovery."""
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
        step, question = steps.ask_for_passkey(_step(page), site_of(page), visit_of(page), inside(next))
    except PasskeyError as error:
        raise ProblemError("not_allowed", capitalised(error)) from None
    return with_step(page, Response(question.options, media_type="application/json"), step)


@router.post("/sign-in/passkey", dependencies=[PUBLIC])
def finish_with_passkey(page: PageDep, credential: Answer) -> Response:
    """Begin a session with a passkey."""
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
