"""Signing in and out, one's own account, and the administration of accounts and keys."""

import math
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.access import TooOftenError
from service.access.accounts import LONGEST_KEY_DAYS
from service.access.gate import SIGN_IN
from service.access.needs import OPEN, CallerDep, PersonDep, needs
from service.access.roles import Permission, Role
from service.access.secrets import LONGEST_PASSWORD, SHORTEST_PASSWORD, new_password
from service.config.settings import Config
from service.http.deps import Parts, PartsDep
from service.http.errors import problems
from service.http.schemas import ChangeOut, ChangesOut
from service.record.store.entries import CHANGES
from service.web.templating import answer, inside
from service.words.wording import WordedError, Words, words

router = APIRouter()

_ADMINISTER = needs(Permission.ACCOUNTS)
_OWN = needs(Permission.OWN_ACCOUNT)
_SHOWN = 30

Name = Annotated[str, Form(max_length=100)]
AccountName = Annotated[str, Path(max_length=40)]
Password = Annotated[str, Form(max_length=1000)]
Reason = Annotated[str, Form(max_length=500)]


def cookie_of(config: Config) -> str:
    """Name of the page's cookie: browsers share cookies among the ports of a machine, so each table has its own."""
    return f"houseway_{config.table.name}"


@router.get("/v1/changes", dependencies=[needs(Permission.CHANGES)], responses=problems(422), tags=["record"])
def read_changes(
    parts: PartsDep,
    since: Annotated[int, Query(ge=0, le=2**53, description="number of the last entry already held")] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> ChangesOut:
    """Who changed what about accounts, keys and settings, and why; oldest first."""
    found = parts.record.after(since, kinds=CHANGES, limit=limit)
    return ChangesOut(changes=tuple(map(ChangeOut.of, found)), next=found[-1].seq if found else since)


@router.get("/changes", dependencies=[needs(Permission.CHANGES)], include_in_schema=False)
def read_changes_page(request: Request, parts: PartsDep) -> HTMLResponse:
    """The last changes, newest first."""
    return answer(request, parts, "changes.html", {"changes": _last_changes(parts)})


@router.get(SIGN_IN, dependencies=[OPEN], include_in_schema=False)
def read_sign_in(request: Request, parts: PartsDep, next: Annotated[str, Query(max_length=200)] = "/") -> HTMLResponse:  # noqa: A002  as it is in the address
    """The form that takes name and password."""
    return _sign_in_page(request, parts, next)


@router.post(SIGN_IN, dependencies=[OPEN], include_in_schema=False)
def sign_in(
    request: Request,
    parts: PartsDep,
    name: Name,
    password: Password,
    next: Annotated[str, Form(max_length=200)] = "/",  # noqa: A002  as it is in the form
) -> Response:
    """Begin a session."""
    address = request.client.host if request.client else ""
    try:
        secret = parts.access.sign_in(name.strip().lower(), password, address)
    except TooOftenError as error:
        return _too_often(error, lambda told: _sign_in_page(request, parts, next, told, 429))
    if secret is None:
        return _sign_in_page(request, parts, next, words("Name and password do not belong together."), 401)
    return _signed_in(request, parts, secret, inside(next))


@router.get("/set-up", dependencies=[OPEN], include_in_schema=False)
def set_up(request: Request, parts: PartsDep, code: Annotated[str, Query(max_length=100)] = "") -> Response:
    """The link that the first start prints: signs in once."""
    secret = parts.access.use_link(code)
    if secret is None:
        told = words(
            "This link was used or has expired. Until an administrator has chosen a password, each start of the "
            "service prints a new one."
        )
        return _sign_in_page(request, parts, "/", told, 401)
    return _signed_in(request, parts, secret, "/")


@router.post("/sign-out", dependencies=[_OWN], include_in_schema=False)
def sign_out(parts: PartsDep, person: PersonDep) -> Response:
    """End this page's session."""
    parts.access.sessions.end(person.session or "")
    left = RedirectResponse(SIGN_IN, status_code=303)
    left.delete_cookie(cookie_of(parts.config))
    return left


@router.get("/account", dependencies=[_OWN], include_in_schema=False)
def read_account(request: Request, parts: PartsDep, person: PersonDep) -> HTMLResponse:  # noqa: ARG001  only for persons
    """One's own account."""
    return _account_page(request, parts)


@router.post("/account/password", dependencies=[_OWN], include_in_schema=False)
def change_password(
    request: Request,
    parts: PartsDep,
    person: PersonDep,
    password: Password,
    again: Password,
    current: Password = "",
) -> Response:
    """Choose another password; every other session of the account ends."""
    if password != again:
        return _account_page(request, parts, words("The two new passwords are not the same."), 422)
    try:
        secret = parts.access.change_own_password(person, current, password)
    except TooOftenError as error:
        return _too_often(error, lambda told: _account_page(request, parts, told, 429))
    except WordedError as error:
        return _account_page(request, parts, _not_changed(error), 422)
    return _signed_in(request, parts, secret, "/account")


@router.post("/account/sign-out-everywhere", dependencies=[_OWN], include_in_schema=False)
def sign_out_everywhere(parts: PartsDep, person: PersonDep) -> Response:
    """End every session of the account."""
    parts.access.accounts.end_sessions(person.id, person.attribution("own account"))
    left = RedirectResponse(SIGN_IN, status_code=303)
    left.delete_cookie(cookie_of(parts.config))
    return left


@router.get("/accounts", dependencies=[_ADMINISTER], include_in_schema=False)
def read_accounts(request: Request, parts: PartsDep) -> HTMLResponse:
    """Accounts, keys, and what was changed last."""
    return _accounts_page(request, parts)


@router.post("/accounts", dependencies=[_ADMINISTER], include_in_schema=False)
def add_account(
    request: Request, parts: PartsDep, caller: CallerDep, name: Name, role: Annotated[Role, Form()], reason: Reason
) -> Response:
    """Add an account with a password that is shown once."""
    password = new_password()
    return _changed(
        request,
        parts,
        lambda: parts.access.accounts.add(name.strip(), role, password, caller.attribution(reason), initial=True),
        told=words("Password of %(name)s, shown only now:", name=name.strip()),
        secret=password,
    )


@router.post("/accounts/{name}/role", dependencies=[_ADMINISTER], include_in_schema=False)
def change_role(
    request: Request,
    parts: PartsDep,
    caller: CallerDep,
    name: AccountName,
    role: Annotated[Role, Form()],
    reason: Reason,
) -> Response:
    """Give an account another role."""
    return _changed(request, parts, lambda: parts.access.accounts.set_role(name, role, caller.attribution(reason)))


@router.post("/accounts/{name}/disable", dependencies=[_ADMINISTER], include_in_schema=False)
def disable_account(
    request: Request, parts: PartsDep, caller: CallerDep, name: AccountName, reason: Reason
) -> Response:
    """Let nobody sign in with an account any more."""
    return _changed(request, parts, lambda: parts.access.accounts.disable(name, caller.attribution(reason)))


@router.post("/accounts/{name}/enable", dependencies=[_ADMINISTER], include_in_schema=False)
def enable_account(request: Request, parts: PartsDep, caller: CallerDep, name: AccountName, reason: Reason) -> Response:
    """Let an account be signed in with again."""
    return _changed(request, parts, lambda: parts.access.accounts.enable(name, caller.attribution(reason)))


@router.post("/accounts/{name}/password", dependencies=[_ADMINISTER], include_in_schema=False)
def reset_password(request: Request, parts: PartsDep, caller: CallerDep, name: AccountName, reason: Reason) -> Response:
    """Give an account a new password that is shown once."""
    password = new_password()
    return _changed(
        request,
        parts,
        lambda: parts.access.accounts.set_password(name, password, caller.attribution(reason), initial=True),
        told=words("New password of %(name)s, shown only now:", name=name),
        secret=password,
    )


@router.post("/keys", dependencies=[_ADMINISTER], include_in_schema=False)
def add_key(
    request: Request,
    parts: PartsDep,
    caller: CallerDep,
    name: Name,
    role: Annotated[Role, Form()],
    days: Annotated[int, Form(ge=1, le=LONGEST_KEY_DAYS)],
    reason: Reason,
) -> Response:
    """Add a key, which is shown once."""
    try:
        _, text = parts.access.accounts.add_key(name.strip(), role, days, caller.attribution(reason))
    except WordedError as error:
        return _accounts_page(request, parts, fault=_not_changed(error), status=422)
    return _accounts_page(request, parts, told=words("Key %(name)s, shown only now:", name=name.strip()), secret=text)


@router.post("/keys/{key_id}/revoke", dependencies=[_ADMINISTER], include_in_schema=False)
def revoke_key(
    request: Request, parts: PartsDep, caller: CallerDep, key_id: Annotated[str, Path(max_length=60)], reason: Reason
) -> Response:
    """Refuse a key from now on."""
    return _changed(request, parts, lambda: parts.access.accounts.revoke_key(key_id, caller.attribution(reason)))


def _changed(
    request: Request, parts: Parts, change: Callable[[], object], *, told: Words | None = None, secret: str = ""
) -> Response:
    """Make a change and show what there is now, or say why it was not made."""
    try:
        change()
    except WordedError as error:
        return _accounts_page(request, parts, fault=_not_changed(error), status=422)
    if secret:
        return _accounts_page(request, parts, told=told, secret=secret)
    return RedirectResponse("/accounts", status_code=303)


def _not_changed(error: WordedError) -> Words:
    return words("Not changed: %(why)s.", why=error.words)


def _signed_in(request: Request, parts: Parts, secret: str, path: str) -> Response:
    entered = RedirectResponse(path, status_code=303)
    entered.set_cookie(
        cookie_of(parts.config),
        secret,
        max_age=parts.access.sessions.lasts_s,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return entered


def _too_often(error: TooOftenError, page: Callable[[Words], Response]) -> Response:
    wait_s = math.ceil(error.wait_s)
    told = page(words("Too many wrong passwords. Try again in %(seconds)s seconds.", seconds=wait_s))
    told.headers["Retry-After"] = str(wait_s)
    return told


def _sign_in_page(
    request: Request, parts: Parts, path: str, fault: Words | None = None, status: int = 200
) -> HTMLResponse:
    return answer(request, parts, "sign_in.html", {"fault": fault, "next": inside(path)}, status=status)


def _account_page(request: Request, parts: Parts, fault: Words | None = None, status: int = 200) -> HTMLResponse:
    told = {"fault": fault, "shortest": SHORTEST_PASSWORD, "longest": LONGEST_PASSWORD}
    return answer(request, parts, "account.html", told, status=status)


def _accounts_page(
    request: Request,
    parts: Parts,
    *,
    fault: Words | None = None,
    told: Words | None = None,
    secret: str = "",
    status: int = 200,
) -> HTMLResponse:
    return answer(
        request,
        parts,
        "accounts.html",
        {
            "fault": fault,
            "told": told,
            "secret": secret,
            "accounts": parts.access.accounts.all_accounts(),
            "keys": parts.access.accounts.all_keys(),
            "roles": tuple(Role),
            "longest_days": LONGEST_KEY_DAYS,
            "changes": _last_changes(parts),
        },
        status=status,
    )


def _last_changes(parts: Parts) -> tuple[ChangeOut, ...]:
    return tuple(map(ChangeOut.of, parts.record.last(CHANGES, count=_SHOWN)))
