"""The second factors of all accounts: added, used and removed, with an entry in the record of each change."""

from __future__ import annotations

import logging
import secrets
import threading
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, update

from service.access import account_tables as tables
from service.access.account_rows import Factor, remove_factors
from service.access.accounts import AccountError
from service.access.second_factor import codes
from service.access.second_factor.passkeys import PasskeyError, used_passkey
from service.access.second_factor.sealing import SealError
from service.access.secrets import digest
from service.record.changes import Attribution
from service.record.store.chain import timestamp
from service.record.store.database import writing
from service.record.store.storage_faults import FAULTS, unavailable
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from service.access.accounts import Accounts
    from service.access.second_factor.passkeys import NewPasskey, Site
    from service.access.second_factor.sealing import Sealer
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

_MOST: Final = 10
"""Second factors of one account."""
_LONGEST_NAME: Final = 60


class SecondFactors:
    """Adds, checks and removes them; what is refused raises AccountError, PasskeyError or SealError."""

    def __init__(self, record: Record, accounts: Accounts, sealer: Sealer) -> None:
        self._record = record
        self._accounts = accounts
        self._sealer = sealer
        # So that no code counts twice even while nothing can be written: the newest step or count of each factor.
        self._counted: dict[str, int] = {}
        self._lock = threading.Lock()

    def of(self, account: str) -> tuple[Factor, ...]:
        """Those of an account, oldest first."""
        return self._accounts.factors_of(account)

    def secret_of(self, factor: Factor) -> str:
        """The secret of an app, or the public key of a passkey; SealError."""
        return factor.secret if factor.kind != "totp" else self._sealer.open(factor.secret, _of(factor))

    def add_app(self, account: str, secret: str, typed: str, name: str, why: Attribution) -> tuple[str, ...]:
        """Add an authenticator app that shows a right code; returns recovery codes if it is the first factor.

        All sessions of the account end: they began without it.
        """
        code = codes.plain_code(typed)
        step = codes.step_of(secret, code) if codes.is_of_app(code) else None
        if step is None:
            raise AccountError(
                words(
                    "this code is not right: check the clocks of the phone and of this machine, then type the next one"
                )
            )
        factor = _new(account, "totp", name or "app", counter=step)
        return self._add(factor, self._sealer.seal(secret, _of(factor)), why)

    def add_passkey(self, account: str, made: NewPasskey, site: Site, name: str, why: Attribution) -> tuple[str, ...]:
        """Add a passkey, as :meth:`add_app`."""
        factor = _new(
            account, "passkey", name or "passkey", counter=made.counter, credential=made.credential, site=site.host
        )
        return self._add(factor, made.public_key, why)

    def new_recovery_codes(self, account: str, why: Attribution) -> tuple[str, ...]:
        """Make recovery codes; those from before hold no longer."""
        if not self.of(account):
            raise AccountError(words("there is no second factor yet"))
        made = codes.new_recovery_codes()
        self._accounts.change_account(
            account, {"act": "recovery codes made"}, why, lambda connection: _put_codes(connection, account, made)
        )
        return made

    def remove(self, account: str, factor_id: str, why: Attribution) -> None:
        """Remove one; with the last one, recovery codes go too."""
        held = self.of(account)
        found = [each for each in held if each.id == factor_id]
        if not found:
            raise AccountError(words("there is no such second factor"))

        def change(connection: Connection) -> None:
            connection.execute(delete(tables.factors).where(tables.factors.c.id == factor_id))
            if len(held) == 1:
                connection.execute(delete(tables.recovery_codes).where(tables.recovery_codes.c.account == account))

        told = {"act": "second factor removed", "factor": found[0].kind, "called": found[0].name}
        self._accounts.change_account(account, told, why, change)

    def remove_all(self, account: str, why: Attribution) -> None:
        """Remove all that an account has, for somebody who lost them, and end its sessions."""
        held = self.of(account)
        if not held:
            raise AccountError(words("%(name)s has no second factor", name=repr(account)))

        def change(connection: Connection) -> None:
            remove_factors(connection, account)
            _end_sessions(connection, account)

        told = {"act": "all second factors removed", "factors": [each.kind for each in held]}
        self._accounts.change_account(account, told, why, change)

    def code_is(self, account: str, typed: str) -> bool:
        """Whether a code is right now, of an app or for recovery; it holds once."""
        code = codes.plain_code(typed)
        if not codes.is_of_app(code):
            return bool(code) and self._use_recovery_code(account, code)
        for factor in self.of(account):
            if factor.kind != "totp":
                continue
            try:
                step = codes.step_of(self._sealer.open(factor.secret, _of(factor)), code)
            except SealError as error:
                _log.error("%s: %s", account, error)
                continue
            if step is not None and self._count(factor, step):
                return True
        return False

    def passkeys_at(self, site: Site) -> bool:
        """Whether anybody can use a passkey at a site."""
        return site.can and self._accounts.some_passkey(site.host)

    def passkey(self, credential: str) -> Factor | None:
        """The passkey of an id."""
        return self._accounts.passkey_of(credential)

    def passkey_is(self, factor: Factor, site: Site, challenge: bytes, answer: str) -> None:
        """Check the answer of a passkey; PasskeyError if it is not right."""
        if factor.site != site.host:
            raise PasskeyError(words("this passkey is for %(site)s", site=factor.site))
        counted = max(factor.counter, self._counted.get(factor.id, 0))
        counter = used_passkey(site, challenge, answer, factor.secret, counted)
        self._count(factor, counter)

    def _add(self, factor: Factor, secret: str, why: Attribution) -> tuple[str, ...]:
        held = self.of(factor.account)
        if len(held) >= _MOST:
            raise AccountError(words("an account has %(most)s second factors at most", most=_MOST))
        made = () if held else codes.new_recovery_codes()

        def change(connection: Connection) -> None:
            values = {name: getattr(factor, name) for name in Factor.__slots__} | {"secret": secret}
            connection.execute(insert(tables.factors).values(values))
            _end_sessions(connection, factor.account)
            if made:
                _put_codes(connection, factor.account, made)

        told = {"act": "second factor added", "factor": factor.kind, "called": factor.name}
        self._accounts.change_account(factor.account, told, why, change)
        return made

    def _count(self, factor: Factor, count: int) -> bool:
        """Note that a code or a passkey was used; returns whether it is newer than any that was."""
        # An app's step counts once; a passkey may count nothing, and then says 0 for ever.
        least = count - 1 if factor.kind == "totp" else count
        with self._lock:
            if self._counted.get(factor.id, factor.counter) > least:
                return False
            self._counted[factor.id] = count
        columns = tables.factors.c
        used = update(tables.factors).values(counter=count, used_at=timestamp())
        try:
            with writing(self._record.database) as connection:
                return connection.execute(used.where(columns.id == factor.id, columns.counter <= least)).rowcount == 1
        except FAULTS as error:
            _log.warning("that a second factor was used is forgotten once the service ends: %s", unavailable(error))
            return True

    def _use_recovery_code(self, account: str, code: str) -> bool:
        columns = tables.recovery_codes.c
        of_it = (columns.account == account) & (columns.digest == digest(code))

        def change(connection: Connection) -> None:
            if connection.execute(delete(tables.recovery_codes).where(of_it)).rowcount != 1:
                raise AccountError(words("this is no recovery code of this account, or it was used"))

        try:
            self._accounts.change_account(
                account, {"act": "recovery code used"}, Attribution(account, "signing in"), change
            )
        except AccountError as error:
            _log.warning("%s: %s", account, error)
            return False
        _log.warning("%s used a recovery code", account)
        return True


def _new(account: str, kind: str, name: str, *, counter: int, **more: str) -> Factor:
    values: Mapping[str, str] = {"credential": "", "site": "", **more}
    name = name.strip()[:_LONGEST_NAME]
    return Factor(
        secrets.token_hex(8), account, kind, name, "", values["credential"], values["site"], counter, timestamp(), None
    )


def bound_to(account: str, factor_id: str) -> str:
    """What a sealed secret is bound to, so that no row can be put in place of another."""
    return f"{account} {factor_id}"


def _of(factor: Factor) -> str:
    return bound_to(factor.account, factor.id)


def _end_sessions(connection: Connection, account: str) -> None:
    of_it = tables.accounts.c.name == account
    connection.execute(update(tables.accounts).where(of_it).values(sessions_since=timestamp()))


def _put_codes(connection: Connection, account: str, made: tuple[str, ...]) -> None:
    connection.execute(delete(tables.recovery_codes).where(tables.recovery_codes.c.account == account))
    rows = [{"account": account, "digest": digest(codes.plain_code(each))} for each in made]
    connection.execute(insert(tables.recovery_codes).values(rows))
