"""A person's own account: password, browsers and second factors; language and brightness of the pages."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Final

import segno
from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.access import Caller
from service.access.credentials import LONGEST_PASSWORD, SHORTEST_PASSWORD
from service.access.passkeys import registration_challenge, verify_registration
from service.access.rate_limits import RateLimitedError
from service.access.roles import Permission
from service.access.second_factors import new_totp_secret, provisioning_uri
from service.access.sessions import BrowserSession
from service.access.sign_in_steps import Pending
from service.api.deps import PartsDep
from service.api.parts import telephone_cookie_of
from service.api.permissions import PersonDep, caller_of, requires
from service.api.problems import ProblemError
from service.record.changes import OWN_ACCOUNT
from service.web.parameters import local_path
from service.web.routes.sign_in import (
    Password,
    capitalised,
    not_changed,
    sign_out,
    signed_in,
    signed_out,
    site_of,
    too_often,
    visit_of,
    with_session,
)
from service.web.templating import THEME_COOKIE, THEMES, Page, PageDep
from service.words import languages
from service.words.wording import Sayable, WordedError, Words, words

router = APIRouter(include_in_schema=False)

_OWN = requires(Permission.OWN_ACCOUNT)


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
        return sign_out(page.parts, person, page.request)
    sessions.end_of(person.id, session_id)
    return RedirectResponse("/account", status_code=303)


@router.post("/account/used", status_code=204, dependencies=[_OWN])
def used(person: PersonDep) -> None:
    """Somebody uses a page that they opened earlier."""


@router.post("/account/sign-out-everywhere", dependencies=[_OWN])
def sign_out_everywhere(parts: PartsDep, person: PersonDep) -> Response:
    """End every session of the account."""
    parts.access.accounts.end_sessions(person.id, person.attribution(OWN_ACCOUNT))
    return signed_out(parts)


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
        telephones=[(each, browser_name(each.browser)) for each in access.telephones.of(caller.id)],
        telephone=page.request.cookies.get(telephone_cookie_of(page.parts.cookie), ""),
        recovery_codes=access.accounts.recovery_codes_of(caller.id),
        signed_in=[
            _shown(one, here=sessions.is_at(caller.session or "", name), session_id=name)
            for name, one in sessions.of(caller.id).items()
        ],
    )


def _shown(session: BrowserSession, *, session_id: str, here: bool) -> dict[str, object]:
    at = {name: datetime.fromisoformat(getattr(session, name)) for name in ("started_at", "used_at")}
    return {"id": session_id, "browser": browser_name(session.browser), "address": session.address, "here": here, **at}


_FACTOR = "/account/second-factor"
Called = Annotated[str, Form(max_length=60)]


@router.post(f"{_FACTOR}/app", dependencies=[_OWN])
def begin_app(page: PageDep, person: PersonDep, current: Password = "", name: Called = "") -> Response:
    """Show the secret of an authenticator app, as a QR code and in letters."""

    def begin() -> Response:
        page.parts.access.confirm(person, current)
        secret = new_totp_secret()
        _pending(page).put(person.session or "", (secret, name.encode()))
        return _app_page(page, person, secret)

    return _try(page, begin)


@router.post(f"{_FACTOR}/app/confirm", dependencies=[_OWN])
def confirm_app(page: PageDep, person: PersonDep, code: Annotated[str, Form(max_length=100)]) -> Response:
    """Add the app once it shows a right code."""
    started = _pending(page).find(person.session or "")
    if started is None:
        return account_page(page, words("This took too long. Start again."), 422)
    secret, name = started
    why = person.attribution(OWN_ACCOUNT)
    try:
        made = page.parts.access.factors.add_app(person.id, secret, code, name.decode(), why)
    except WordedError as error:
        return _app_page(page, person, secret, capitalised(error), 422)
    _pending(page).take(person.session or "")
    return _with_new_session(page, person, made)


@router.post(f"{_FACTOR}/passkey/options", dependencies=[_OWN])
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


@router.post(f"{_FACTOR}/passkey", dependencies=[_OWN])
def add_passkey(
    page: PageDep, person: PersonDep, credential: Annotated[str, Form(max_length=20_000)], name: Called = ""
) -> Response:
    """Add the passkey that the browser had made."""
    started = _pending(page).take(person.session or "")
    if started is None:
        return account_page(page, words("This took too long. Start again."), 422)

    def add() -> Response:
        site = site_of(page)
        made = verify_registration(site, started[1], credential)
        why = person.attribution(OWN_ACCOUNT)
        return _with_new_session(page, person, page.parts.access.factors.add_passkey(person.id, made, site, name, why))

    return _try(page, add)


@router.post(f"{_FACTOR}/recovery-codes", dependencies=[_OWN])
def make_recovery_codes(page: PageDep, person: PersonDep, current: Password = "") -> Response:
    """Make recovery codes, which are shown once."""

    def make() -> Response:
        access = page.parts.access
        access.confirm(person, current)
        return _added(page, access.factors.new_recovery_codes(person.id, person.attribution(OWN_ACCOUNT)))

    return _try(page, make)


@router.post(f"{_FACTOR}/{{factor_id}}/remove", dependencies=[_OWN])
def remove(
    page: PageDep, person: PersonDep, factor_id: Annotated[str, Path(max_length=40)], current: Password = ""
) -> Response:
    """Remove a second factor."""

    def take_away() -> Response:
        access = page.parts.access
        access.confirm(person, current)
        access.factors.remove(person.id, factor_id, person.attribution(OWN_ACCOUNT))
        return RedirectResponse("/account", status_code=303)

    return _try(page, take_away)


def _pending(page: Page) -> Pending[tuple[str, bytes]]:
    """What people are adding: an app's secret with its name, or a passkey's challenge, by the secret of the session."""
    return page.parts.access.adding


def _try(page: Page, act: Callable[[], Response]) -> Response:
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


def _with_new_session(page: Page, person: Caller, recovery_codes: tuple[str, ...]) -> Response:
    """Go on in this browser: a new second factor has ended all sessions that started without it."""
    secret = page.parts.access.sessions.start(person.id, visit_of(page))
    return with_session(page, _added(page, recovery_codes), secret)


def _added(page: Page, recovery_codes: tuple[str, ...]) -> Response:
    if not recovery_codes:
        return RedirectResponse("/account", status_code=303)
    return page.answer("recovery_codes.html", recovery_codes=recovery_codes)


# The first that is found: later ones are named by others as well.
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def browser_name(agent: str) -> str:
    """Such as ``Firefox, Windows``; the beginning of what it calls itself if that is unknown.

    >>> browser_name("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox, Linux'
    """
    found = [next((name for sign, name in known.items() if sign in agent), "") for known in (_BROWSERS, _SYSTEMS)]
    return ", ".join(filter(None, found)) or agent[:40]


_YEAR_S = 365 * 24 * 3600
_WATCH = requires(Permission.WATCH)

Next = Annotated[str, Query(max_length=500, alias="next")]


@router.get("/language/{language}", dependencies=[_WATCH])
def choose_language(request: Request, language: str, then: Next = "/") -> Response:
    """Remember the language that somebody chose."""
    return _remember(request, languages.COOKIE, language if language in languages.LANGUAGES else None, then)


@router.get("/theme/{theme}", dependencies=[_WATCH])
def choose_theme(request: Request, theme: str, then: Next = "/") -> Response:
    """Remember how bright the page is to be; ``device`` leaves it to the device."""
    return _remember(request, THEME_COOKIE, theme if theme in (*THEMES, "device") else None, then)


def _remember(request: Request, cookie: str, choice: str | None, path: str) -> Response:
    """Lead back to a page, with what somebody chose kept by the browser; None changes nothing."""
    chosen = RedirectResponse(local_path(path), status_code=303)
    if choice is not None:
        secure = request.url.scheme == "https"
        chosen.set_cookie(cookie, choice, max_age=_YEAR_S, httponly=True, samesite="strict", secure=secure)
    return chosen
