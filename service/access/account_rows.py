"""Accounts, keys and second factors as their rows have them, and reading all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from service.access import account_tables as tables
from service.access.roles import UserRole
from service.record.store.chain import timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account.

    Attributes:
        password: its hash.
        initial: the password was chosen for the person, not by the person.
        sessions_since: page sessions begun before have ended.
        password_until: until when somebody can sign in with a password that an administrator made; None for one of
            their own, and for that of the first start.
    """

    name: str
    role: UserRole
    password: str = field(repr=False)
    initial: bool
    disabled: bool
    created_at: str
    sessions_since: str
    password_until: str | None = None

    @property
    def must_change(self) -> bool:
        """Whether another password must be chosen before anything else."""
        return self.initial and self.password_until is not None

    @property
    def expired(self) -> bool:
        """Whether a password that an administrator made was not used in time."""
        return self.initial and self.password_until is not None and self.password_until <= timestamp()


@dataclass(frozen=True, slots=True)
class MachineKey:
    """A machine's key; ``id`` is the part of it that may be shown, ``digest`` is of the key as it was shown once."""

    id: str
    name: str
    role: UserRole
    digest: str = field(repr=False)
    created_at: str
    created_by: str
    expires_at: str
    revoked_at: str | None

    @property
    def state(self) -> str:
        """``active``, ``expired`` or ``revoked``."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= timestamp() else "active"


@dataclass(frozen=True, slots=True)
class Factor:
    """A second factor of an account.

    Attributes:
        kind: ``totp`` for an authenticator app, or ``passkey``.
        secret: of an app, sealed; of a passkey its public key.
        credential: id of a passkey, and ``site`` where it was made; empty for an app.
        counter: the newest step of an app, or count of a passkey, that was used; ``used_at`` when that was.
    """

    id: str
    account: str
    kind: str
    name: str
    secret: str = field(repr=False)
    credential: str
    site: str
    counter: int
    added_at: str
    used_at: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """All that there are; those of ``refused`` are not as the record has them, and let nobody in."""

    accounts: Mapping[str, Account]
    keys: Mapping[str, MachineKey]
    factors: tuple[Factor, ...]
    codes: Mapping[str, int]
    refused: frozenset[str] = frozenset()


def remove_factors(connection: Connection, account: str) -> None:
    """Remove all second factors and recovery codes of an account; the caller has it recorded."""
    for each in (tables.factors, tables.recovery_codes):
        connection.execute(delete(each).where(each.c.account == account))


def without_refused(known: Known, accounts: frozenset[str], keys: frozenset[str]) -> Known:
    """The same without accounts and keys that are not as the record has them."""
    return Known(
        {name: one for name, one in known.accounts.items() if name not in accounts},
        {key_id: one for key_id, one in known.keys.items() if key_id not in keys},
        known.factors,
        known.codes,
        accounts | keys,
    )


def administrators(known: Known) -> list[Account]:
    """Accounts that can administer."""
    return [one for one in known.accounts.values() if one.role is UserRole.ADMIN and not one.disabled]


def load(connection: Connection) -> Known:
    """All accounts and keys; a row with a role that there is not was written by somebody else, and is none."""
    accounts = _with_roles(dict(row._mapping) for row in connection.execute(select(tables.accounts)))  # noqa: SLF001
    keys = _with_roles(dict(row._mapping) for row in connection.execute(select(tables.keys)))  # noqa: SLF001
    factors = connection.execute(select(tables.factors).order_by(tables.factors.c.added_at))
    codes = connection.execute(select(tables.recovery_codes.c.account))
    return Known(
        {row["name"]: Account(**{**row, "role": UserRole(row["role"])}) for row in accounts},
        {row["id"]: MachineKey(**{**row, "role": UserRole(row["role"])}) for row in keys},
        tuple(Factor(**row._mapping) for row in factors),  # noqa: SLF001
        Counter(row.account for row in codes),
    )


def _with_roles(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    roles = set(UserRole)
    return (row for row in rows if row["role"] in roles)
