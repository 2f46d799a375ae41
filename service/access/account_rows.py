"""Accounts, keys and second factors as their rows have them, and reading all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from sqlalchemy import delete, select

from service.access import account_tables as tables
from service.access.roles import UserRole
from service.record.store.chain import timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection


Origin: TypeAlias = Literal["floor", "oidc"]
FLOOR: Final = "floor"
"""Of an account or key that the floor gave to this table, and that is changed there alone."""
OIDC: Final = "oidc"
"""Of an account that an identity provider stands for: it has no password, and its groups say what it may do."""


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account.

    Attributes:
        password: its hash.
        initial: the password was chosen for the person, not by the person.
        sessions_since: page sessions begun before have ended.
        password_until: until when somebody can sign in with a password that an administrator made; None for one of
            their own, and for that of the first start.
        pits: of a floor, those whose tables it may see; none for all tables.
        origin: ``floor`` for one that the floor gave to this table, ``oidc`` for one that an identity provider stands
            for, which has no password; None for one that was added here.
        floor_since: of one that the floor gave, since when sessions there hold, by the floor's clock.
        subject: of one that an identity provider stands for, which person that is there.
    """

    name: str
    role: UserRole
    password: str = field(repr=False)
    initial: bool
    disabled: bool
    created_at: str
    sessions_since: str
    password_until: str | None = None
    pits: tuple[str, ...] = ()
    origin: Origin | None = None
    floor_since: str | None = None
    subject: str | None = None

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
    """A machine's key; ``id`` is the part of it that may be shown, ``digest`` is of the key as it was shown once.

    ``pits`` and ``origin`` are as of an account.
    """

    id: str
    name: str
    role: UserRole
    digest: str = field(repr=False)
    created_at: str
    created_by: str
    expires_at: str
    revoked_at: str | None
    pits: tuple[str, ...] = ()
    origin: Origin | None = None

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


def remove_account(connection: Connection, account: str) -> None:
    """Remove an account with all that hangs on it; the caller has it recorded."""
    remove_factors(connection, account)
    connection.execute(delete(tables.sessions).where(tables.sessions.c.account == account))
    connection.execute(delete(tables.accounts).where(tables.accounts.c.name == account))


def without_floors(known: Known) -> Known:
    """The same without what the floor gave."""
    return replace(
        known,
        accounts={name: one for name, one in known.accounts.items() if one.origin != FLOOR},
        keys={key_id: one for key_id, one in known.keys.items() if one.origin != FLOOR},
    )


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
    """Accounts of this service itself that can administer; a floor that is away may have them in an emergency."""
    return [
        one
        for one in known.accounts.values()
        if one.role is UserRole.ADMIN and not one.disabled and one.origin != FLOOR
    ]


def pits_column(pits: Iterable[str]) -> str | None:
    """Pits as a row has them."""
    return " ".join(sorted(set(pits))) or None


def load(connection: Connection) -> Known:
    """All accounts and keys; a row with a role that there is not was written by somebody else, and is none."""
    accounts = _with_roles(dict(row._mapping) for row in connection.execute(select(tables.accounts)))  # noqa: SLF001
    keys = _with_roles(dict(row._mapping) for row in connection.execute(select(tables.keys)))  # noqa: SLF001
    factors = connection.execute(select(tables.factors).order_by(tables.factors.c.added_at))
    codes = connection.execute(select(tables.recovery_codes.c.account))
    return Known(
        {row["name"]: Account(**_read(row)) for row in accounts},
        {row["id"]: MachineKey(**_read(row)) for row in keys},
        tuple(Factor(**row._mapping) for row in factors),  # noqa: SLF001
        Counter(row.account for row in codes),
    )


def _read(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "role": UserRole(row["role"]), "pits": tuple((row["pits"] or "").split())}


def _with_roles(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    roles = set(UserRole)
    return (row for row in rows if row["role"] in roles)
