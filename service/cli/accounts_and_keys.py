"""``houseway account`` and ``houseway key``: accounts for people and keys for programs, without the page."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from service.access.roles import UserRole
from service.cli.common import attribution, opened_settings, record_of, refuse, say
from service.cli.options import AccountName, Pits, Reason, RoleOption, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from service.access.accounts import Accounts


def add_account(
    name: AccountName, role: RoleOption, reason: Reason, *, pit: Pits = None, config: Settings = None
) -> None:
    """Add an account for a person.

    Asks for a password, or reads it from standard input. The person must choose another one at the first sign-in.
    """
    with _accounts(config) as accounts:
        accounts.add(name, role, _password(), attribution(reason), initial=True, pits=pit or ())
    say(f"{name} can sign in as {role.value}, and must choose another password then")


def change_account(
    name: AccountName,
    reason: Reason,
    *,
    role: Annotated[UserRole | None, typer.Option("--role", help="What the account may do from now on.")] = None,
    pit: Annotated[
        list[str] | None,
        typer.Option("--pit", help="At a hub: a pit whose tables the account may see from now on. May be repeated."),
    ] = None,
    all_pits: Annotated[bool, typer.Option("--all-pits", help="At a hub: let the account see all tables.")] = False,
    password: Annotated[
        bool, typer.Option("--password", help="Set a new password, and sign out all pages of the account.")
    ] = False,
    remove_second_factor: Annotated[
        bool,
        typer.Option(
            "--remove-second-factor",
            help="Remove all second factors of somebody who lost them, and sign out all pages.",
        ),
    ] = False,
    block: Annotated[
        bool | None,
        typer.Option("--block/--unblock", help="Block the account and sign out all its pages; or unblock it."),
    ] = None,
    config: Settings = None,
) -> None:
    """Change the role, pits, password or second factors of an account, or block it.

    Asks for a new password, or reads it from standard input. The person must choose another one at the next sign-in.
    """
    from service.access.second_factors import KEY_FILE, Sealer, SecondFactors

    if role is None and block is None and not (pit or all_pits or password or remove_second_factor):
        refuse("say what to change: --role, --pit, --all-pits, --password, --remove-second-factor or --block")
    if pit and all_pits:
        refuse("give either --pit or --all-pits")
    with _accounts(config) as accounts:
        if role is not None:
            accounts.set_role(name, role, attribution(reason))
            say(f"{name} is {role.value} now")
        if pit or all_pits:
            accounts.set_pits(name, pit or (), attribution(reason))
            seen = f"the tables of {', '.join(pit)}" if pit else "all tables"
            say(f"{name} may see {seen} now")
        if remove_second_factor:
            record = accounts.record
            factors = SecondFactors(record, accounts, Sealer(record.settings.folder / KEY_FILE))
            factors.remove_all(name, attribution(reason))
            say(f"{name} now signs in with the password only")
        if password:
            accounts.set_password(name, _password(), attribution(reason), initial=True)
            say(f"{name} has a new password, and must choose another at the next sign-in")
        if block is not None:
            (accounts.disable if block else accounts.enable)(name, attribution(reason))
            say(f"{name} is {'blocked' if block else 'unblocked'}")


def add_key(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    role: RoleOption,
    reason: Reason,
    *,
    days: Annotated[int, typer.Option("--days", help="How many days the key is valid.")] = 365,
    pit: Pits = None,
    config: Settings = None,
) -> None:
    """Add a key for a program, and print it once.

    The key itself is not stored and cannot be shown again.
    """
    with _accounts(config) as accounts:
        key, text = accounts.add_key(name, role, days, attribution(reason), pit or ())
    say(f"key {key.id} for {name}, {role.value}, valid until {key.expires_at[:10]}; shown only now:", err=True)
    say(text)


def revoke_key(
    key: Annotated[str, typer.Argument(help="Id or name of the key.")], reason: Reason, *, config: Settings = None
) -> None:
    """Revoke a key: it is refused from now on."""
    with _accounts(config) as accounts:
        revoked = accounts.revoke_key(key, attribution(reason))
    say(f"key {revoked.id} ({revoked.name}) is revoked")


@contextmanager
def _accounts(config: Path | None) -> Iterator[Accounts]:
    """Open the accounts of a service."""
    from service.access.accounts import Accounts
    from service.access.credentials import names_of

    with opened_settings(config) as settings, record_of(settings) as record:
        pits = [each.name for each in settings.pits]
        yield Accounts(record, names_of(*settings.names), settings.accounts.password_days, pits)


def _password() -> str:
    """Read a password from the terminal or from standard input; arguments are visible to other users."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return password
