"""Accounts, keys and second factors in the database, and their verification against the record.

`service.record.store.migrations` describes the columns. Nobody can sign in with a row that differs from the record.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from sqlalchemy import Boolean, column, delete, select, table

from service.access.roles import UserRole
from service.record.store import schema
from service.record.store.covered_rows import TELLING, Covered, Expected
from service.record.store.entries import Entry, timestamp
from service.record.store.faults import Fault
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection

    from service.record.store.record import Record

account_table = table(
    "accounts",
    *map(column, ("name", "role", "password", "created_at", "sessions_since", "password_until")),
    *map(column, ("pits", "origin", "subject")),
    column("initial", Boolean),
    column("disabled", Boolean),
)
key_table = table(
    "api_keys",
    *map(column, ("id", "name", "role", "digest", "created_at", "created_by", "expires_at", "revoked_at", "pits")),
)
factor_table = table(
    "second_factors",
    *map(column, ("id", "account", "kind", "name", "secret", "credential", "site", "counter", "added_at", "used_at")),
)
recovery_code_table = table("recovery_codes", *map(column, ("account", "digest")))
session_table = table(
    "page_sessions", *map(column, ("digest", "account", "started_at", "ends_at", "used_at", "browser", "address"))
)
telephone_table = table(
    "telephones",
    *map(column, ("id", "account", "endpoint", "p256dh", "auth", "site", "language", "browser", "added_at")),
)

Origin: TypeAlias = Literal["oidc"]
OIDC: Final = "oidc"
"""Origin of an account of an identity provider: it has no password, and groups there decide its role and pits."""


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account.

    Attributes:
        password: its hash.
        initial: the password was chosen for the person, not by the person.
        disabled: nobody can sign in with it.
        sessions_since: page sessions that started earlier have ended.
        password_until: when a password made by an administrator expires unused; None for a person's own, and for that
            of the first start.
        pits: on a hub, the pits whose tables it may see; empty for all tables.
        origin: ``oidc`` for an account of an identity provider; None for a local account.
        subject: the person's id at the identity provider.
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
    subject: str | None = None

    @property
    def must_change(self) -> bool:
        """Whether the person must choose another password before anything else."""
        return self.initial and self.password_until is not None

    @property
    def expired(self) -> bool:
        """Whether a password made by an administrator was not used in time."""
        return self.initial and self.password_until is not None and self.password_until <= timestamp()


@dataclass(frozen=True, slots=True)
class MachineKey:
    """A machine's key; ``id`` is public, ``digest`` is the hash of its full text. ``pits`` as of an account."""

    id: str
    name: str
    role: UserRole
    digest: str = field(repr=False)
    created_at: str
    created_by: str
    expires_at: str
    revoked_at: str | None
    pits: tuple[str, ...] = ()

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
        secret: of an app, encrypted; of a passkey, its public key.
        credential: a passkey's id; empty for an app.
        site: the host name a passkey was made for; empty for an app.
        counter: an app's newest used time step, or a passkey's use count.
        used_at: when it was last used.
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
class StoredAccounts:
    """All accounts, keys and factors; ``codes`` counts recovery codes by account.

    ``refused`` names accounts and keys that differ from the record, with which nobody can sign in.
    """

    accounts: Mapping[str, Account]
    keys: Mapping[str, MachineKey]
    factors: tuple[Factor, ...]
    codes: Mapping[str, int]
    refused: frozenset[str] = frozenset()

    def without(self, accounts: frozenset[str], keys: frozenset[str]) -> StoredAccounts:
        """Return a copy without these refused accounts and keys."""
        return StoredAccounts(
            {name: one for name, one in self.accounts.items() if name not in accounts},
            {key_id: one for key_id, one in self.keys.items() if key_id not in keys},
            self.factors,
            self.codes,
            accounts | keys,
        )

    def administrators(self) -> list[Account]:
        return [one for one in self.accounts.values() if one.role is UserRole.ADMIN and not one.disabled]


def load_accounts(connection: Connection) -> StoredAccounts:
    """Read everything; rows with an unknown role are ignored."""
    accounts = _with_roles(dict(row._mapping) for row in connection.execute(select(account_table)))  # noqa: SLF001
    keys = _with_roles(dict(row._mapping) for row in connection.execute(select(key_table)))  # noqa: SLF001
    factors = connection.execute(select(factor_table).order_by(factor_table.c.added_at))
    codes = connection.execute(select(recovery_code_table.c.account))
    return StoredAccounts(
        {row["name"]: Account(**row) for row in accounts},
        {row["id"]: MachineKey(**row) for row in keys},
        tuple(Factor(**row._mapping) for row in factors),  # noqa: SLF001
        Counter(row.account for row in codes),
    )


def _with_roles(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    roles = set(UserRole)
    for row in rows:
        if row["role"] in roles:
            yield {**row, "role": UserRole(row["role"]), "pits": tuple((row["pits"] or "").split())}


def pits_column(pits: Iterable[str]) -> str | None:
    """Encode pits for a row."""
    return " ".join(sorted(set(pits))) or None


def remove_factors(connection: Connection, account: str) -> None:
    """Delete an account's second factors and recovery codes; the caller records it."""
    for each in (factor_table, recovery_code_table):
        connection.execute(delete(each).where(each.c.account == account))


def remove_account(connection: Connection, account: str) -> None:
    """Delete an account with its factors and sessions; the caller records it."""
    remove_factors(connection, account)
    for each in (session_table, telephone_table):
        connection.execute(delete(each).where(each.c.account == account))
    connection.execute(delete(account_table).where(account_table.c.name == account))


class RowVerifier:
    """Compares rows with the record's entries about them; reads each entry once."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._expected = Expected()
        self._through = 0
        self._key_known = False

    def catch_up(self, connection: Connection) -> None:
        """Read new entries; entries not signed with the record's own key are reported as faults."""
        if self._key_known is not (self._record.public_key is not None):
            # Entries that were read before the record's key was known are verified again.
            self._expected, self._through, self._key_known = Expected(), 0, not self._key_known
        columns, signature = schema.OWN.entries.c, schema.OWN.signatures.c
        query = select(schema.OWN.entries, signature.signature).join(
            schema.OWN.signatures, signature.seq == columns.seq
        )
        new = query.where(columns.kind.in_(TELLING), columns.seq > self._through).order_by(columns.seq)
        for *fields, signed in connection.execute(new):
            entry = Entry(*fields)
            self._through = entry.seq
            if not self._key_known or self._record.is_own(entry, signed):
                self._expected.take(entry)
            else:
                self._record.faults.add(Fault.of(entry.seq, RecordCode.SIGNED_WITH_ANOTHER_KEY))

    def refused(self, connection: Connection, covered: Covered) -> frozenset[str]:
        """Return the names of rows that differ from the entries or are missing, and report each as a fault."""
        rows = {covered.name_of(row): row for row in covered.rows(connection)}
        found = {name: self._expected.fault_of(covered, row) for name, row in rows.items()}
        faults = {name: fault for name, fault in found.items() if fault is not None}
        faults |= self._expected.gone(covered, rows)
        self._record.faults.add(*faults.values())
        return frozenset(faults)
