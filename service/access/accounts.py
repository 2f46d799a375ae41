"""People's accounts and machines' keys; every change is recorded in the same transaction.

The entry has the digest of the changed row; nobody can sign in with a row that differs from its last entry. Everything
is cached in memory and reloaded when it is older than `RELOAD_S`, since other programs may change it.
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert, update

from service.access.account_store import (
    OIDC,
    Account,
    Factor,
    MachineKey,
    RowVerifier,
    StoredAccounts,
    account_table,
    key_table,
    load_accounts,
    pits_column,
    remove_factors,
)
from service.access.credentials import check_password, digest, hash_password, new_secret, secret_matches
from service.access.roles import UserRole
from service.record.store.covered_rows import ACCOUNTS, KEYS, OF_ACCOUNTS
from service.record.store.database import faults_as_unavailable, reading
from service.record.store.entries import Draft, RecordUnavailableError, timestamp
from service.words.codes import RecordCode
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from service.record.changes import Attribution
    from service.record.store.covered_rows import Covered, Digests
    from service.record.store.entries import Kind
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

RELOAD_S: Final = 1.0
LONGEST_KEY_DAYS: Final = 3_650
KEY_PREFIX: Final = "hw"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_KEY_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}")


class AccountError(WordedError):
    """A change to an account or key is refused; the message says why and what to do."""


class Accounts:
    """The accounts and keys of a service, in the database of its record.

    Args:
        record: the record.
        names: names of the casino and table, which passwords must not consist of.
        password_days: days for which a password made by an administrator is valid.
        pits: on a hub, the pits to which accounts and keys can be limited.
    """

    def __init__(
        self,
        record: Record,
        names: Sequence[str] = (),
        password_days: float = 7.0,
        pits: Sequence[str] = (),
    ) -> None:
        self.record = record
        self.pits = tuple(pits)
        self._names = names
        self._password_days = password_days
        self._lock = threading.RLock()
        self._known: StoredAccounts | None = None
        self._rows = RowVerifier(record)
        self._loaded_at = float("-inf")

    def all_accounts(self) -> tuple[Account, ...]:
        """Return all accounts by name; RecordUnavailableError if they could never be read."""
        return tuple(sorted(self._now().accounts.values(), key=lambda account: account.name))

    def all_keys(self) -> tuple[MachineKey, ...]:
        """Return all keys, oldest first; raises as :meth:`all_accounts`."""
        return tuple(sorted(self._now().keys.values(), key=lambda key: key.created_at))

    def account(self, name: str) -> Account | None:
        """Return an account by its name; raises as :meth:`all_accounts`."""
        return self._now().accounts.get(name)

    def key_of(self, text: str) -> MachineKey | None:
        """Return the active key with this text; raises as :meth:`all_accounts`."""
        key = self._now().keys.get(_id_in(text))
        holds = secret_matches(key.digest if key is not None else digest(""), text)
        return key if key is not None and holds and key.state == "active" else None

    def knows_key_id(self, text: str) -> bool:
        """Return whether the text has no id or that of a known key, so that a reload would change nothing."""
        known, one = self._known, _id_in(text)
        return not one or known is None or one in known.keys

    def key_holds(self, key_id: str) -> bool:
        """Return whether the key with this id is active; raises as :meth:`all_accounts`."""
        key = self._now().keys.get(key_id)
        return key is not None and key.state == "active"

    def factors_of(self, name: str) -> tuple[Factor, ...]:
        """Return an account's second factors, oldest first; raises as :meth:`all_accounts`."""
        return tuple(each for each in self._now().factors if each.account == name)

    def passkey_of(self, credential: str) -> Factor | None:
        """Return the passkey with this id; raises as :meth:`all_accounts`."""
        return next((each for each in self._now().factors if each.credential == credential and credential), None)

    def some_passkey(self, site: str) -> bool:
        """Return whether any account has a passkey of a site; raises as :meth:`all_accounts`."""
        return any(each.site == site for each in self._now().factors)

    def recovery_codes_of(self, name: str) -> int:
        """Return the number of an account's unused recovery codes; raises as :meth:`all_accounts`."""
        return self._now().codes.get(name, 0)

    @property
    def configured(self) -> bool:
        """Whether an administrator has replaced the password of the first start; raises as :meth:`all_accounts`.

        Also true if a row was changed by hand, so that this does not produce a new sign-in link.
        """
        known = self._now()
        ready = any(not one.initial or one.must_change for one in known.administrators())
        return bool(known.refused) or ready

    @property
    def known(self) -> bool:
        """Whether accounts and keys were read at least once."""
        return self._known is not None

    def claim_reload(self) -> bool:
        """Return whether a reload is due and this caller must do it; others continue with the known accounts."""
        if self._known is not None and self.reload_in_s > 0.0:
            return False
        self._loaded_at = time.monotonic()
        return True

    @property
    def reload_in_s(self) -> float:
        """Seconds until the next reload is due."""
        return max(0.0, self._loaded_at + RELOAD_S - time.monotonic())

    def reload(self) -> None:
        """Read accounts and keys again; if that fails, the known ones remain valid."""
        self._loaded_at = time.monotonic()
        try:
            self._load()
        except RecordUnavailableError as error:
            self.record.met(error)
            if self._known is None:
                raise
            _log.warning("accounts cannot be read again: %s", error)

    def add(
        self,
        name: str,
        role: UserRole,
        password: str,
        why: Attribution,
        *,
        initial: bool = False,
        first: bool = False,
        pits: Sequence[str] = (),
    ) -> None:
        """Add an account; AccountError if it exists or the name is not valid; WeakPasswordError.

        Args:
            name: of the account.
            role: of the account.
            password: of the account.
            why: who adds it, and why.
            initial: the password was made for the person, who must replace it in time.
            first: the account of the first start, whose password was made by :func:`new_password` and never expires.
            pits: on a hub, the pits whose tables it may see; empty for all tables.
        """
        if not _NAME.fullmatch(name):
            wrong = words(
                "%(name)s is not a valid account name: use small letters, digits, '.', '_' and '-', at most 40 "
                "characters",
                name=repr(name),
            )
            raise AccountError(wrong)
        self._check_pits(role, pits)
        if not first:  # that one is random
            check_password(password, name, self._names)
        at = timestamp()
        values = {
            "name": name,
            "role": role.value,
            "password": hash_password(password),
            "initial": initial or first,
            "disabled": False,
            "created_at": at,
            "sessions_since": at,
            "password_until": self._until() if initial else None,
            "pits": pits_column(pits),
        }

        def change(connection: Connection) -> None:
            if name in load_accounts(connection).accounts:
                raise AccountError(words("the account %(name)s already exists", name=repr(name)))
            connection.execute(insert(account_table).values(values))

        self._change(ACCOUNTS, name, {"act": "added", "role": role.value, **_pits_entry(pits)}, why, change)

    def set_role(self, name: str, role: UserRole, why: Attribution) -> None:
        """Change an account's role; raises as :meth:`add`, also if no administrator would be left."""
        before = self._fresh().accounts.get(name)
        self._check_pits(role, () if before is None else before.pits)
        self._update(name, {"act": "role changed", "role": role.value}, why, role=role.value)

    def set_pits(self, name: str, pits: Sequence[str], why: Attribution) -> None:
        """Limit an account to pits of the hub; no pits, no limit. Raises as :meth:`add`."""
        before = self._fresh().accounts.get(name)
        self._check_pits(UserRole.VIEWER if before is None else before.role, pits)
        self._update(name, {"act": "pits changed", "pits": sorted(set(pits))}, why, pits=pits_column(pits))

    def disable(self, name: str, why: Attribution) -> None:
        """Disable an account and end its sessions; raises as :meth:`set_role`.

        An account that differs from the record also gets a random password and loses its second factors.
        """
        values: dict[str, Any] = {"disabled": True, "sessions_since": timestamp()}
        if refused := name in self._fresh().refused:
            values |= {"password": hash_password(new_secret()), "role": UserRole.VIEWER.value}
        self._update(name, {"act": "disabled"}, why, even_refused=True, without_factors=refused, **values)

    def enable(self, name: str, why: Attribution) -> None:
        """Enable a disabled account; raises as :meth:`set_role`."""
        self._update(name, {"act": "enabled"}, why, disabled=False)

    def set_password(self, name: str, password: str, why: Attribution, *, initial: bool = False) -> None:
        """Change an account's password, and end its sessions; raises as :meth:`add`."""
        check_password(password, name, self._names)
        changed: dict[str, Any] = {
            "password": hash_password(password),
            "initial": initial,
            "sessions_since": timestamp(),
        }
        until = self._until() if initial else None
        self._update(name, {"act": "password changed"}, why, **changed, password_until=until)

    def end_sessions(self, name: str, why: Attribution) -> None:
        """Sign an account out everywhere; raises as :meth:`set_role`."""
        self._update(name, {"act": "signed out everywhere"}, why, sessions_since=timestamp())

    def add_key(
        self, name: str, role: UserRole, days: int, why: Attribution, pits: Sequence[str] = ()
    ) -> tuple[MachineKey, str]:
        """Add a key; return it with its text, which is not stored and cannot be shown again.

        AccountError if a key with this name is active, or name or days are invalid; RecordUnavailableError.
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
        self._check_pits(role, pits)
        at = datetime.now(UTC)
        key_id = secrets.token_hex(5)
        text = f"{KEY_PREFIX}_{key_id}_{new_secret()}"
        expires_at = timestamp(at + timedelta(days=days))
        key = MachineKey(key_id, name, role, digest(text), timestamp(at), why.by, expires_at, None, tuple(pits))

        def change(connection: Connection) -> None:
            if any(one.name == name and one.state == "active" for one in load_accounts(connection).keys.values()):
                wrong = words(
                    "an active key %(name)s already exists; revoke it first, or use another name", name=repr(name)
                )
                raise AccountError(wrong)
            values = {column: getattr(key, column) for column in MachineKey.__slots__}
            values |= {"role": role.value, "pits": pits_column(pits)}
            connection.execute(insert(key_table).values(values))

        details = {"act": "added", "name": name, "role": role.value, "expires_at": key.expires_at, **_pits_entry(pits)}
        self._change(KEYS, key_id, details, why, change)
        return key, text

    def revoke_key(self, name: str, why: Attribution) -> MachineKey:
        """Refuse a key from now on; AccountError if no active key has this id or name."""
        known = self._fresh()
        found = [key for key in known.keys.values() if key.state == "active" and name in {key.id, key.name}]
        if not found:
            raise AccountError(words("there is no active key %(name)s", name=repr(name)))
        (key,) = found[:1]
        details = {"act": "revoked", "name": key.name, "role": key.role.value}

        def change(connection: Connection) -> None:
            connection.execute(update(key_table).where(key_table.c.id == key.id).values(revoked_at=timestamp()))

        self._change(KEYS, key.id, details, why, change)
        return key

    def record_change(
        self, name: str, details: dict[str, Any], why: Attribution, change: Callable[[Connection], None]
    ) -> None:
        """Record any change to an account, and make it in the same transaction."""
        self._change(ACCOUNTS, name, details, why, change)

    def change_account(
        self, name: str, details: dict[str, Any], why: Attribution, change: Callable[[Connection], None]
    ) -> None:
        """Record a change to an existing account's credentials, and make it in the same transaction."""

        def with_account(connection: Connection) -> None:
            if name not in load_accounts(connection).accounts:
                raise AccountError(words("there is no account %(name)s", name=repr(name)))
            self._refuse_changed(connection, name)
            change(connection)

        self._change(ACCOUNTS, name, details, why, with_account)

    def _refuse_changed(self, connection: Connection, name: str) -> None:
        """Raise AccountError for an account that was changed in the database by another program."""
        with self._lock:
            self._rows.catch_up(connection)
            refused = self._refused_accounts(connection)
        if name in refused:
            wrong = words(
                "the account %(name)s was changed in the database, not by the service: disable it, or accept "
                "the change with `houseway record accept`",
                name=repr(name),
            )
            raise AccountError(wrong)

    def _check_pits(self, role: UserRole, pits: Sequence[str]) -> None:
        """Raise AccountError if an account or key of this role cannot be limited to these pits."""
        if unknown := sorted(set(pits) - set(self.pits)):
            there = ", ".join(self.pits) or "-"
            raise AccountError(
                words("there is no pit %(pit)s here; there are: %(pits)s", pit=repr(unknown[0]), pits=there)
            )
        if pits and role is UserRole.ADMIN:
            raise AccountError(words("an administrator is always for the whole floor: choose another role, or no pits"))

    def _until(self) -> str:
        return timestamp(datetime.now(UTC) + timedelta(days=self._password_days))

    def _refused_accounts(self, connection: Connection) -> frozenset[str]:
        return frozenset().union(*(self._rows.refused(connection, covered) for covered in OF_ACCOUNTS))

    def _update(
        self,
        name: str,
        details: dict[str, Any],
        why: Attribution,
        *,
        even_refused: bool = False,
        without_factors: bool = False,
        **values: object,
    ) -> None:
        def change(connection: Connection) -> None:
            before = load_accounts(connection)
            if name not in before.accounts:
                raise AccountError(words("there is no account %(name)s", name=repr(name)))
            if before.accounts[name].origin == OIDC and values.keys() & {"password", "role", "pits"}:
                wrong = words("%(name)s comes from the identity provider: its groups decide this", name=repr(name))
                raise AccountError(wrong)
            if not even_refused:
                self._refuse_changed(connection, name)
            connection.execute(update(account_table).where(account_table.c.name == name).values(values))
            if without_factors:
                remove_factors(connection, name)
            if before.administrators() and not load_accounts(connection).administrators():
                raise AccountError(words("%(name)s is the last administrator; add another one first", name=repr(name)))

        self._change(ACCOUNTS, name, details, why, change)

    def _change(
        self, of: Covered, subject: str, details: dict[str, Any], why: Attribution, change: Callable[[Connection], None]
    ) -> None:
        if not why.reason.strip():
            raise AccountError(words("give a reason: every change is recorded with one"))
        body = {**details, "by": why.by, "reason": why.reason.strip()[:500]}
        kind: Kind = "account" if of is ACCOUNTS else "key"

        def beside(connection: Connection) -> Digests:
            change(connection)
            covered = OF_ACCOUNTS if of is ACCOUNTS else (of,)
            return {name: rows for each in covered for name, rows in each.digests(connection, subject).items()}

        self.record.append(Draft(kind, body, subject=subject), beside=beside)
        _log.info("%s %s: %s by %s", kind, subject, details["act"], why.by)
        self.reload()

    def _now(self) -> StoredAccounts:
        return self._fresh() if self._known is None else self._known

    def _fresh(self) -> StoredAccounts:
        if self.record.state.finding.code is RecordCode.UNREACHABLE:
            raise RecordUnavailableError(self.record.state.finding)  # do not wait for a silent database
        self._loaded_at = time.monotonic()
        return self._load()

    def _load(self) -> StoredAccounts:
        # The lock before the transaction: rows must not be compared with newer entries.
        with self._lock, faults_as_unavailable(), reading(self.record.database) as connection:
            self._rows.catch_up(connection)
            refused = self._refused_accounts(connection), self._rows.refused(connection, KEYS)
            self._known = known = load_accounts(connection).without(*refused)
        return known


def _id_in(text: str) -> str:
    """Return the id in the text of a key; empty if the text is not a key."""
    prefix, _, rest = text.partition("_")
    return rest.partition("_")[0] if prefix == KEY_PREFIX else ""


def _pits_entry(pits: Sequence[str]) -> dict[str, Any]:
    """Return the field of an entry for a limit to pits; empty without a limit."""
    return {"pits": sorted(set(pits))} if pits else {}
