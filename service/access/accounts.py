"""Accounts of persons and keys of machines: who there is, and every change to them with its entry in the record.

The entry has the digest of the row as it then stands; a row that is not as its last entry has it lets nobody in. All
are held in memory and read again once older than :data:`READ_AGAIN_S`, for what another program changed.
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert, select, update

from service.access import account_tables as tables
from service.access.proven import ProvenRows
from service.access.roles import UserRole
from service.access.secrets import check_password, digest, hash_password, new_secret, secret_is
from service.codes import RecordCode
from service.record.store.beside import ACCOUNTS, KEYS
from service.record.store.chain import timestamp
from service.record.store.database import reading
from service.record.store.entries import Draft, RecordUnavailableError
from service.record.store.storage_faults import faults_as_unavailable
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sqlalchemy import Connection

    from service.record.changes import Attribution
    from service.record.store.beside import Covered, Digests
    from service.record.store.entries import Kind
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

READ_AGAIN_S: Final = 1.0
LONGEST_KEY_DAYS: Final = 3_650
KEY_PREFIX: Final = "hw"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_KEY_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}")


class AccountError(WordedError):
    """An account or key cannot be made or changed so; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account.

    Attributes:
        password: its hash.
        initial: the password was chosen for the person, not by the person.
        sessions_since: page sessions begun before have ended.
    """

    name: str
    role: UserRole
    password: str = field(repr=False)
    initial: bool
    disabled: bool
    created_at: str
    sessions_since: str


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
class _Known:
    """All that there are; those of ``refused`` are not as the record has them, and let nobody in."""

    accounts: Mapping[str, Account]
    keys: Mapping[str, MachineKey]
    refused: frozenset[str] = frozenset()


class Accounts:
    """The accounts and keys of a table service, in the database of its record, which tells of every change."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lock = threading.RLock()
        self._known: _Known | None = None
        self._proven = ProvenRows(record)
        self._read_at = float("-inf")

    def all_accounts(self) -> tuple[Account, ...]:
        """All accounts by name; RecordUnavailableError if they never could be read."""
        return tuple(sorted(self._now().accounts.values(), key=lambda account: account.name))

    def all_keys(self) -> tuple[MachineKey, ...]:
        """All keys, oldest first; raises as :meth:`all_accounts`."""
        return tuple(sorted(self._now().keys.values(), key=lambda key: key.created_at))

    def account(self, name: str) -> Account | None:
        """An account by its name; raises as :meth:`all_accounts`."""
        return self._now().accounts.get(name)

    def key_of(self, text: str) -> MachineKey | None:
        """The key that was shown so once, unless it has expired or been revoked; raises as :meth:`all_accounts`."""
        prefix, _, rest = text.partition("_")
        key = self._now().keys.get(rest.partition("_")[0]) if prefix == KEY_PREFIX else None
        holds = secret_is(key.digest if key is not None else digest(""), text)
        return key if key is not None and holds and key.state == "active" else None

    def key_holds(self, key_id: str) -> bool:
        """Whether the key of this id is still let in; raises as :meth:`all_accounts`."""
        key = self._now().keys.get(key_id)
        return key is not None and key.state == "active"

    @property
    def configured(self) -> bool:
        """Whether an administrator has chosen a password; raises as :meth:`all_accounts`.

        One whose row was changed by hand counts: whoever did that is not shown a link to sign in with.
        """
        known = self._now()
        return bool(known.refused) or any(not one.initial for one in _administrators(known))

    @property
    def known(self) -> bool:
        """Whether accounts and keys could be read at all so far."""
        return self._known is not None

    def take_turn(self) -> bool:
        """Whether the caller is the one to read again; hundreds of pollers meanwhile go on with what is known."""
        if self._known is not None and time.monotonic() - self._read_at <= READ_AGAIN_S:
            return False
        self._read_at = time.monotonic()
        return True

    def read_again(self) -> None:
        """Read accounts and keys anew; if that fails, what was known holds on."""
        self._read_at = time.monotonic()
        try:
            self._read()
        except RecordUnavailableError as error:
            if self._known is None:
                raise
            _log.warning("accounts cannot be read again: %s", error)

    def add(self, name: str, role: UserRole, password: str, why: Attribution, *, initial: bool = False) -> None:
        """Add an account; AccountError if there is one or the name is none; WeakPasswordError; never half done."""
        if not _NAME.fullmatch(name):
            wrong = words(
                "%(name)s is not a valid account name: use small letters, digits, '.', '_' and '-', at most 40 "
                "characters",
                name=repr(name),
            )
            raise AccountError(wrong)
        check_password(password, name)
        at = timestamp()
        values = {
            "name": name,
            "role": role.value,
            "password": hash_password(password),
            "initial": initial,
            "disabled": False,
            "created_at": at,
            "sessions_since": at,
        }

        def change(connection: Connection) -> None:
            if name in _load(connection).accounts:
                raise AccountError(words("the account %(name)s already exists", name=repr(name)))
            connection.execute(insert(tables.accounts).values(values))

        self._change(ACCOUNTS, name, {"act": "added", "role": role.value}, why, change)

    def set_role(self, name: str, role: UserRole, why: Attribution) -> None:
        """Give an account another role; raises as :meth:`add`, also if no administrator would be left."""
        self._update(name, {"act": "role changed", "role": role.value}, why, role=role.value)

    def disable(self, name: str, why: Attribution) -> None:
        """Let nobody sign in with an account any more, and end its sessions; raises as :meth:`set_role`.

        One that is not as the record has it gets another password with it, which nobody knows.
        """
        values: dict[str, object] = {"disabled": True, "sessions_since": timestamp()}
        if name in self._fresh().refused:
            values |= {"password": hash_password(new_secret()), "role": UserRole.VIEWER.value}
        self._update(name, {"act": "disabled"}, why, even_refused=True, **values)

    def enable(self, name: str, why: Attribution) -> None:
        """Let an account be signed in with again; raises as :meth:`set_role`."""
        self._update(name, {"act": "enabled"}, why, disabled=False)

    def set_password(self, name: str, password: str, why: Attribution, *, initial: bool = False) -> None:
        """Give an account another password, and end its sessions; raises as :meth:`add`."""
        check_password(password, name)
        kept = hash_password(password)
        told = {"act": "password changed"}
        self._update(name, told, why, password=kept, initial=initial, sessions_since=timestamp())

    def end_sessions(self, name: str, why: Attribution) -> None:
        """Sign an account out everywhere; raises as :meth:`set_role`."""
        self._update(name, {"act": "signed out everywhere"}, why, sessions_since=timestamp())

    def add_key(self, name: str, role: UserRole, days: int, why: Attribution) -> tuple[MachineKey, str]:
        """Add a key; returns it with its text, which is not kept and cannot be shown again.

        AccountError if a key of the name is active, or name or days are out of range; RecordUnavailableError as above.
        """
        if not _KEY_NAME.fullmatch(name):
            wrong = words(
                "%(name)s is not a valid key name: use letters, digits, blanks, '.', '_' and '-', at most 60 "
                "characters",
                name=repr(name),
            )
            raise AccountError(wrong)
        if not 1 <= days <= LONGEST_KEY_DAYS:
            raise AccountError(words("a key is valid for 1 to %(days)s days", days=LONGEST_KEY_DAYS))
        at = datetime.now(UTC)
        key_id = secrets.token_hex(5)
        text = f"{KEY_PREFIX}_{key_id}_{new_secret()}"
        expires_at = timestamp(at + timedelta(days=days))
        key = MachineKey(key_id, name, role, digest(text), timestamp(at), why.by, expires_at, None)

        def change(connection: Connection) -> None:
            if any(one.name == name and one.state == "active" for one in _load(connection).keys.values()):
                wrong = words(
                    "an active key %(name)s already exists; revoke it first, or use another name", name=repr(name)
                )
                raise AccountError(wrong)
            values = {column: getattr(key, column) for column in MachineKey.__slots__}
            connection.execute(insert(tables.keys).values({**values, "role": role.value}))

        told = {"act": "added", "name": name, "role": role.value, "expires_at": key.expires_at}
        self._change(KEYS, key_id, told, why, change)
        return key, text

    def revoke_key(self, name: str, why: Attribution) -> MachineKey:
        """Refuse a key from now on; AccountError if no active key has this id or name."""
        known = self._fresh()
        found = [key for key in known.keys.values() if key.state == "active" and name in {key.id, key.name}]
        if not found:
            raise AccountError(words("there is no active key %(name)s", name=repr(name)))
        (key,) = found[:1]
        told = {"act": "revoked", "name": key.name, "role": key.role.value}

        def change(connection: Connection) -> None:
            connection.execute(update(tables.keys).where(tables.keys.c.id == key.id).values(revoked_at=timestamp()))

        self._change(KEYS, key.id, told, why, change)
        return key

    def _update(
        self, name: str, told: dict[str, Any], why: Attribution, *, even_refused: bool = False, **values: object
    ) -> None:
        def change(connection: Connection) -> None:
            before = _load(connection)
            if name not in before.accounts:
                raise AccountError(words("there is no account %(name)s", name=repr(name)))
            self._proven.catch_up(connection)
            if not even_refused and name in self._proven.refused(connection, ACCOUNTS):
                wrong = words(
                    "the account %(name)s was changed in the database, not by the service: disable it, or answer for "
                    "it with `houseway record accept`",
                    name=repr(name),
                )
                raise AccountError(wrong)
            connection.execute(update(tables.accounts).where(tables.accounts.c.name == name).values(values))
            if _administrators(before) and not _administrators(_load(connection)):
                raise AccountError(words("%(name)s is the last administrator; add another one first", name=repr(name)))

        self._change(ACCOUNTS, name, told, why, change)

    def _change(
        self, of: Covered, subject: str, told: dict[str, Any], why: Attribution, change: Callable[[Connection], None]
    ) -> None:
        if not why.reason.strip():
            raise AccountError(words("give a reason: every change is recorded with one"))
        body = {**told, "by": why.by, "reason": why.reason.strip()[:500]}
        kind: Kind = "account" if of is ACCOUNTS else "key"

        def beside(connection: Connection) -> Digests:
            change(connection)
            return of.digests(connection, subject)

        self._record.append(Draft(kind, body, subject=subject), beside=beside)
        _log.info("%s %s: %s by %s", kind, subject, told["act"], why.by)
        self.read_again()

    def _now(self) -> _Known:
        return self._known if self._known is not None else self._fresh()

    def _fresh(self) -> _Known:
        if self._record.state.finding.code is RecordCode.UNREACHABLE:
            raise RecordUnavailableError(self._record.state.finding)  # nobody waits for a database that is silent
        self._read_at = time.monotonic()
        return self._read()

    def _read(self) -> _Known:
        with self._lock, faults_as_unavailable(), reading(self._record.database) as connection:
            self._proven.catch_up(connection)
            refused = self._proven.refused(connection, ACCOUNTS), self._proven.refused(connection, KEYS)
            self._known = known = _without(_load(connection), *refused)
        return known


def _without(known: _Known, accounts: frozenset[str], keys: frozenset[str]) -> _Known:
    return _Known(
        {name: one for name, one in known.accounts.items() if name not in accounts},
        {key_id: one for key_id, one in known.keys.items() if key_id not in keys},
        accounts | keys,
    )


def _administrators(known: _Known) -> list[Account]:
    return [one for one in known.accounts.values() if one.role is UserRole.ADMIN and not one.disabled]


def _load(connection: Connection) -> _Known:
    """All accounts and keys; a row with a role that there is not was written by somebody else, and is none."""
    accounts = _with_roles(dict(row._mapping) for row in connection.execute(select(tables.accounts)))  # noqa: SLF001
    keys = _with_roles(dict(row._mapping) for row in connection.execute(select(tables.keys)))  # noqa: SLF001
    return _Known(
        {row["name"]: Account(**{**row, "role": UserRole(row["role"])}) for row in accounts},
        {row["id"]: MachineKey(**{**row, "role": UserRole(row["role"])}) for row in keys},
    )


def _with_roles(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    roles = set(UserRole)
    return (row for row in rows if row["role"] in roles)
