"""Administration of accounts and keys, and the page of the last changes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Path
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import Field

from service.access.accounts import LONGEST_KEY_DAYS, Accounts
from service.access.credentials import new_password
from service.access.roles import Permission, UserRole
from service.api.parts import Parts
from service.api.permissions import CallerDep, requires
from service.api.routes.record import ChangeOut
from service.record.changes import Attribution
from service.record.store.entries import CHANGES
from service.web.routes.sign_in import not_changed
from service.web.templating import Page, PageDep
from service.words.wording import WordedError, Words, words

_CHANGES_SHOWN = 30

router = APIRouter(include_in_schema=False)
administration = APIRouter(include_in_schema=False, dependencies=[requires(Permission.ACCOUNTS)])

Name = Annotated[str, Form(max_length=100)]
AccountName = Annotated[str, Path(max_length=40)]
RoleChosen = Annotated[UserRole, Form()]
Pits = Annotated[list[Annotated[str, Field(max_length=40)]], Form(max_length=200)]


@dataclass(frozen=True, slots=True)
class _Change:
    """A form by which something is changed."""

    page: Page
    accounts: Accounts
    why: Attribution

    def make(self, change: Callable[[], object], *, shown: Words | None = None, secret: str = "") -> Response:
        """Make the change and show what there is now with a secret that is shown once, or say why it was not made."""
        try:
            made = change()
        except WordedError as error:
            return _answer(self.page, fault=not_changed(error), status=422)
        if shown is None:
            return RedirectResponse("/accounts", status_code=303)
        return _answer(self.page, notice=shown, secret=secret or str(made))


def _change(page: PageDep, caller: CallerDep, reason: Annotated[str, Form(max_length=500)]) -> _Change:
    return _Change(page, page.parts.access.accounts, caller.attribution(reason))


ChangeDep = Annotated[_Change, Depends(_change)]


@router.get("/changes", dependencies=[requires(Permission.CHANGES)])
def read_changes_page(page: PageDep) -> HTMLResponse:
    """The last changes, newest first."""
    return page.answer("changes.html", changes=_last_changes(page.parts))


@administration.get("/accounts")
def read_accounts(page: PageDep) -> HTMLResponse:
    """Accounts, keys, and what was changed last."""
    return _answer(page)


@administration.post("/accounts")
def add_account(form: ChangeDep, name: Name, role: RoleChosen, pit: Pits = []) -> Response:  # noqa: B006  of a form
    """Add an account with a password that is shown once."""
    password, name = new_password(), name.strip()
    return form.make(
        lambda: form.accounts.add(name, role, password, form.why, initial=True, pits=pit),
        shown=words("Password of %(name)s, shown only now:", name=name),
        secret=password,
    )


@administration.post("/accounts/{name}/role")
def change_role(form: ChangeDep, name: AccountName, role: RoleChosen) -> Response:
    """Give an account another role."""
    return form.make(lambda: form.accounts.set_role(name, role, form.why))


@administration.post("/accounts/{name}/pits")
def change_pits(form: ChangeDep, name: AccountName, pit: Pits = []) -> Response:  # noqa: B006  of a form
    """Limit an account to pits, or to all tables without any."""
    return form.make(lambda: form.accounts.set_pits(name, pit, form.why))


@administration.post("/accounts/{name}/disable")
def disable_account(form: ChangeDep, name: AccountName) -> Response:
    """Let nobody sign in with an account any more."""
    return form.make(lambda: form.accounts.disable(name, form.why))


@administration.post("/accounts/{name}/enable")
def enable_account(form: ChangeDep, name: AccountName) -> Response:
    """Let an account be signed in with again."""
    return form.make(lambda: form.accounts.enable(name, form.why))


@administration.post("/accounts/{name}/password")
def reset_password(form: ChangeDep, name: AccountName) -> Response:
    """Give an account a new password that is shown once."""
    password = new_password()
    return form.make(
        lambda: form.accounts.set_password(name, password, form.why, initial=True),
        shown=words("New password of %(name)s, shown only now:", name=name),
        secret=password,
    )


@administration.post("/accounts/{name}/second-factors/remove")
def remove_second_factors(form: ChangeDep, name: AccountName) -> Response:
    """Remove all second factors of somebody who lost them."""
    return form.make(lambda: form.page.parts.access.factors.remove_all(name, form.why))


@administration.post("/keys")
def add_key(
    form: ChangeDep,
    name: Name,
    role: RoleChosen,
    days: Annotated[int, Form(ge=1, le=LONGEST_KEY_DAYS)],
    pit: Pits = [],  # noqa: B006  of a form
) -> Response:
    """Add a key, which is shown once."""
    return form.make(
        lambda: form.accounts.add_key(name.strip(), role, days, form.why, pit)[1],
        shown=words("Key %(name)s, shown only now:", name=name.strip()),
    )


@administration.post("/keys/{key_id}/revoke")
def revoke_key(form: ChangeDep, key_id: Annotated[str, Path(max_length=60)]) -> Response:
    """Refuse a key from now on."""
    return form.make(lambda: form.accounts.revoke_key(key_id, form.why))


router.include_router(administration)


def _answer(
    page: Page, *, fault: Words | None = None, notice: Words | None = None, secret: str = "", status: int = 200
) -> HTMLResponse:
    accounts = page.parts.access.accounts
    return page.answer(
        "accounts.html",
        status=status,
        fault=fault,
        notice=notice,
        secret=secret,
        accounts=accounts.all_accounts(),
        with_second_factor={each.name for each in accounts.all_accounts() if accounts.factors_of(each.name)},
        keys=accounts.all_keys(),
        roles=tuple(UserRole),
        pits=accounts.pits,
        longest_days=LONGEST_KEY_DAYS,
        changes=_last_changes(page.parts),
    )


def _last_changes(parts: Parts) -> tuple[ChangeOut, ...]:
    return tuple(map(ChangeOut.of, parts.record.last(CHANGES, count=_CHANGES_SHOWN)))
