"""Adding and removing one's own second factors. Each needs the password again: a page may have been left open."""

from collections.abc import Callable
from typing import Annotated

import segno
from fastapi import APIRouter, Form, Path
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.access import Caller
from service.access.passkeys import registration_challenge, verify_registration
from service.access.rate_limits import RateLimitedError
from service.access.roles import Permission
from service.access.second_factors import new_totp_secret, provisioning_uri
from service.access.sign_in_steps import Pending
from service.api.permissions import PersonDep, requires
from service.api.problems import ProblemError
from service.web.routes.sign_in import (
    account_page,
    capitalised,
    not_changed,
    site_of,
    too_often,
    visit_of,
    with_session,
)
from service.web.templating import Page, PageDep
from service.words.wording import Sayable, WordedError, words

router = APIRouter(include_in_schema=False, prefix="/account/second-factor")

_OWN = requires(Permission.OWN_ACCOUNT)

Password = Annotated[str, Form(max_length=1000)]
Called = Annotated[str, Form(max_length=60)]


@router.post("/app", dependencies=[_OWN])
def begin_app(page: PageDep, person: PersonDep, current: Password = "", name: Called = "") -> Response:
    """Show the secret of an authenticator app, as a QR code and in letters."""

    def begin() -> Response:
        page.parts.access.confirm(person, current)
        secret = new_totp_secret()
        _pending(page).put(person.session or "", (secret, name.encode()))
        return _app_page(page, person, secret)

    return _tried(page, begin)


@router.post("/app/confirm", dependencies=[_OWN])
def confirm_app(page: PageDep, person: PersonDep, code: Annotated[str, Form(max_length=100)]) -> Response:
    """Add the app once it shows a right code."""
    begun = _pending(page).find(person.session or "")
    if begun is None:
        return account_page(page, words("This took too long. Start again."), 422)
    secret, name = begun
    why = person.attribution("own account")
    try:
        made = page.parts.access.factors.add_app(person.id, secret, code, name.decode(), why)
    except WordedError as error:
        return _app_page(page, person, secret, capitalised(error), 422)
    _pending(page).take(person.session or "")
    return _signed_in_anew(page, person, made)


@router.post("/passkey/options", dependencies=[_OWN])
def ask_for_passkey(page: PageDep, person: PersonDep, current: Password = "") -> Response:
    """What the browser asks an authenticator: as JSON, for the page's script."""
    access, site = page.parts.access, site_of(page)
    try:
        access.confirm(person, current)
        known = [each.credential for each in access.factors.of(person.id) if each.kind == "passkey"]
        question = registration_challenge(site, person.id, known)
    except RateLimitedError as error:
        raise ProblemError("too_many_requests", words("Too many wrong passwords.")) from error
    except WordedError as error:
        raise ProblemError("not_allowed", capitalised(error)) from None
    _pending(page).put(person.session or "", ("", question.challenge))
    return Response(question.options, media_type="application/json")


@router.post("/passkey", dependencies=[_OWN])
def add_passkey(
    page: PageDep, person: PersonDep, credential: Annotated[str, Form(max_length=20_000)], name: Called = ""
) -> Response:
    """Add the passkey that the browser had made."""
    begun = _pending(page).take(person.session or "")
    if begun is None:
        return account_page(page, words("This took too long. Start again."), 422)

    def add() -> Response:
        site = site_of(page)
        made = verify_registration(site, begun[1], credential)
        why = person.attribution("own account")
        return _signed_in_anew(page, person, page.parts.access.factors.add_passkey(person.id, made, site, name, why))

    return _tried(page, add)


@router.post("/recovery-codes", dependencies=[_OWN])
def make_recovery_codes(page: PageDep, person: PersonDep, current: Password = "") -> Response:
    """Make recovery codes, which are shown once."""

    def make() -> Response:
        access = page.parts.access
        access.confirm(person, current)
        return _added(page, access.factors.new_recovery_codes(person.id, person.attribution("own account")))

    return _tried(page, make)


@router.post("/{factor_id}/remove", dependencies=[_OWN])
def remove(
    page: PageDep, person: PersonDep, factor_id: Annotated[str, Path(max_length=40)], current: Password = ""
) -> Response:
    """Remove a second factor."""

    def take_away() -> Response:
        access = page.parts.access
        access.confirm(person, current)
        access.factors.remove(person.id, factor_id, person.attribution("own account"))
        return RedirectResponse("/account", status_code=303)

    return _tried(page, take_away)


def _pending(page: Page) -> Pending[tuple[str, bytes]]:
    """What people are adding: an app's secret with its name, or a passkey's challenge, by the secret of the session."""
    return page.parts.access.adding


def _tried(page: Page, act: Callable[[], Response]) -> Response:
    try:
        return act()
    except RateLimitedError as error:
        return too_often(error, lambda fault: account_page(page, fault, 429))
    except WordedError as error:
        return account_page(page, not_changed(error), 422)


def _app_page(page: Page, person: Caller, secret: str, fault: Sayable | None = None, status: int = 200) -> HTMLResponse:
    address = provisioning_uri(secret, person.id, page.parts.title)
    code = segno.make(address, error="m").svg_inline(scale=5, border=4, dark="#000", light="#fff")
    letters = " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))
    return page.answer("add_app.html", status=status, fault=fault, qr=code, letters=letters, address=address)


def _signed_in_anew(page: Page, person: Caller, recovery_codes: tuple[str, ...]) -> Response:
    """Go on in this browser: a new second factor has ended all sessions that began without it."""
    secret = page.parts.access.sessions.start(person.id, visit_of(page))
    return with_session(page, _added(page, recovery_codes), secret)


def _added(page: Page, recovery_codes: tuple[str, ...]) -> Response:
    if not recovery_codes:
        return RedirectResponse("/account", status_code=303)
    return page.answer("recovery_codes.html", recovery_codes=recovery_codes)
