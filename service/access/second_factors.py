"""Second factors of accounts: authenticator apps (TOTP, RFC 6238), passkeys, and recovery codes for when both are lost.

Authenticator secrets are encrypted with a key in a file beside the record. A copy of the database is not enough to
decrypt them; a copy of the whole folder is.
"""

from __future__ import annotations

import base64
import hmac
import logging
import os
import re
import secrets
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyotp
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import delete, insert, update

from service.access.account_store import Factor, account_table, factor_table, recovery_code_table, remove_factors
from service.access.accounts import AccountError
from service.access.credentials import digest, random_letters
from service.access.passkeys import PasskeyError, verify_passkey
from service.record.changes import SIGNING_IN, Attribution
from service.record.store.database import FAULTS, unavailable, writing
from service.record.store.entries import timestamp
from service.record.store.files import write_durably
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from service.access.accounts import Accounts
    from service.access.passkeys import NewPasskey, Site
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

RECOVERY_CODES: Final = 10
KEY_FILE: Final = "second-factor.key"
_MAX_FACTORS: Final = 10
_LONGEST_NAME: Final = 60
_STEP_S: Final = 30
_PRIVATE: Final = 0o600
_NONCE_BYTES: Final = 12
_KEY_BYTES: Final = 32


def new_totp_secret() -> str:
    """Return a secret for an authenticator app, base32: 160 bits."""
    return pyotp.random_base32()


def provisioning_uri(secret: str, account: str, place: str) -> str:
    """Return the content of the QR code that an authenticator app scans."""
    return pyotp.TOTP(secret).provisioning_uri(name=account, issuer_name=f"Houseway {place}")


def totp_step(secret: str, code: str, now: float | None = None) -> int | None:
    """Return the 30 s time step of a code: the current one or a neighbour, as clocks differ; None if it is wrong."""
    step = int((time.time() if now is None else now) // _STEP_S)
    totp = pyotp.TOTP(secret)
    found = [each for each in (step - 1, step, step + 1) if hmac.compare_digest(totp.generate_otp(each), code)]
    return max(found, default=None)


def normalized_code(typed: str) -> str:
    """Return a code without blanks and hyphens; empty if it has characters other than letters and digits."""
    code = re.sub(r"[\s-]", "", typed).lower()
    return code if code.isascii() and code.isalnum() else ""


def is_totp_code(code: str) -> bool:
    """Return whether a code has the form of an authenticator app's."""
    return len(code) == 6 and code.isdecimal()


def new_recovery_codes() -> tuple[str, ...]:
    """Return codes to print, 79 bits each, so that they cannot be guessed from their digests."""
    return tuple("-".join(random_letters(4) for _ in range(4)) for _ in range(RECOVERY_CODES))


class SealError(WordedError):
    """A secret cannot be encrypted or decrypted; the message says why."""


@dataclass(frozen=True, slots=True)
class Sealer:
    """Encrypts with AES-256-GCM; the key file is written when it is first needed."""

    file: Path

    def seal(self, secret: str, bound_to: str) -> str:
        """Encrypt a secret; it opens only with the same ``bound_to``. Raises SealError."""
        nonce = os.urandom(_NONCE_BYTES)
        sealed = AESGCM(self._key(make=True)).encrypt(nonce, secret.encode(), bound_to.encode())
        return base64.b64encode(nonce + sealed).decode()

    def open(self, sealed: str, bound_to: str) -> str:
        """Decrypt a secret; SealError if it was sealed with another key or binding, or the key is gone."""
        key, stored = self._key(make=False), base64.b64decode(sealed)
        try:
            return AESGCM(key).decrypt(stored[:_NONCE_BYTES], stored[_NONCE_BYTES:], bound_to.encode()).decode()
        except InvalidTag:
            raise SealError(
                words("a second factor cannot be decrypted with its key %(file)s", file=str(self.file))
            ) from None

    def _key(self, *, make: bool) -> bytes:
        try:
            if make and not self.file.exists():
                write_durably(self.file, os.urandom(_KEY_BYTES), mode=_PRIVATE, replace=False)
            key = self.file.read_bytes()
        except OSError as error:
            why = {"file": str(self.file), "why": error.strerror}
            raise SealError(words("the key of second factors %(file)s cannot be used (%(why)s)", **why)) from None
        if len(key) != _KEY_BYTES:
            raise SealError(words("a second factor cannot be decrypted with its key %(file)s", file=str(self.file)))
        return key


class SecondFactors:
    """Adds, checks and removes second factors; refusals raise AccountError, PasskeyError or SealError."""

    def __init__(self, record: Record, accounts: Accounts, sealer: Sealer) -> None:
        self._record = record
        self._accounts = accounts
        self._sealer = sealer
        # The newest step or count of each factor, so that no code counts twice even while nothing can be written.
        self._counted: dict[str, int] = {}
        self._lock = threading.Lock()

    def of(self, account: str) -> tuple[Factor, ...]:
        """Return the factors of an account, oldest first."""
        return self._accounts.factors_of(account)

    def add_app(self, account: str, secret: str, typed: str, name: str, why: Attribution) -> tuple[str, ...]:
        """Add an authenticator app after checking a code; return recovery codes if it is the first factor.

        All sessions of the account end, since they started without it.
        """
        code = normalized_code(typed)
        step = totp_step(secret, code) if is_totp_code(code) else None
        if step is None:
            raise AccountError(
                words(
                    "this code is not right: check the clocks of the phone and of this machine, then type the next one"
                )
            )
        factor = _new(account, "totp", name or "app", counter=step)
        return self._add(factor, self._sealer.seal(secret, _binding(factor)), why)

    def add_passkey(self, account: str, made: NewPasskey, site: Site, name: str, why: Attribution) -> tuple[str, ...]:
        """Add a passkey, as `add_app`."""
        factor = _new(account, "passkey", name or "passkey", made.counter, made.credential, site.host)
        return self._add(factor, made.public_key, why)

    def new_recovery_codes(self, account: str, why: Attribution) -> tuple[str, ...]:
        if not self.of(account):
            raise AccountError(words("there is no second factor yet"))
        made = new_recovery_codes()
        self._accounts.change_account(
            account, {"act": "recovery codes made"}, why, lambda connection: _put_codes(connection, account, made)
        )
        return made

    def remove(self, account: str, factor_id: str, why: Attribution) -> None:
        """Remove a factor; with the last one, recovery codes go too."""
        held = self.of(account)
        found = [each for each in held if each.id == factor_id]
        if not found:
            raise AccountError(words("there is no such second factor"))

        def change(connection: Connection) -> None:
            connection.execute(delete(factor_table).where(factor_table.c.id == factor_id))
            if len(held) == 1:
                connection.execute(delete(recovery_code_table).where(recovery_code_table.c.account == account))

        details = {"act": "second factor removed", "factor": found[0].kind, "called": found[0].name}
        self._accounts.change_account(account, details, why, change)

    def remove_all(self, account: str, why: Attribution) -> None:
        """Remove all factors of an account, and end its sessions."""
        held = self.of(account)
        if not held:
            raise AccountError(words("%(name)s has no second factor", name=repr(account)))

        def change(connection: Connection) -> None:
            remove_factors(connection, account)
            _end_sessions(connection, account)

        details = {"act": "all second factors removed", "factors": [each.kind for each in held]}
        self._accounts.change_account(account, details, why, change)

    def use_code(self, account: str, typed: str) -> bool:
        """Check a code of an app, or a recovery code; return whether it is right. Each can be used once."""
        code = normalized_code(typed)
        if not is_totp_code(code):
            return bool(code) and self._use_recovery_code(account, code)
        for factor in self.of(account):
            if factor.kind != "totp":
                continue
            try:
                step = totp_step(self._sealer.open(factor.secret, _binding(factor)), code)
            except SealError as error:
                _log.error("%s: %s", account, error)
                continue
            if step is not None and self._count(factor, step):
                return True
        return False

    def passkeys_at(self, site: Site) -> bool:
        """Return whether any account can use a passkey at a site."""
        return site.allows_passkeys and self._accounts.some_passkey(site.host)

    def passkey(self, credential: str) -> Factor | None:
        return self._accounts.passkey_of(credential)

    def use_passkey(self, factor: Factor, site: Site, challenge: bytes, answer: str) -> None:
        """Verify a passkey's answer, and count its use; PasskeyError."""
        if factor.site != site.host:
            raise PasskeyError(words("this passkey is for %(site)s", site=factor.site))
        counted = max(factor.counter, self._counted.get(factor.id, 0))
        self._count(factor, verify_passkey(site, challenge, answer, factor.secret, counted))

    def _add(self, factor: Factor, secret: str, why: Attribution) -> tuple[str, ...]:
        held = self.of(factor.account)
        if len(held) >= _MAX_FACTORS:
            raise AccountError(words("an account has %(most)s second factors at most", most=_MAX_FACTORS))
        made = () if held else new_recovery_codes()

        def change(connection: Connection) -> None:
            values = {name: getattr(factor, name) for name in Factor.__slots__} | {"secret": secret}
            connection.execute(insert(factor_table).values(values))
            _end_sessions(connection, factor.account)
            if made:
                _put_codes(connection, factor.account, made)

        details = {"act": "second factor added", "factor": factor.kind, "called": factor.name}
        self._accounts.change_account(factor.account, details, why, change)
        return made

    def _count(self, factor: Factor, count: int) -> bool:
        """Store an app's step or a passkey's count; return whether it is newer than any before."""
        # An app's step counts once; a passkey may not count at all and always reports 0.
        least = count - 1 if factor.kind == "totp" else count
        with self._lock:
            if self._counted.get(factor.id, factor.counter) > least:
                return False
            self._counted[factor.id] = count
        columns = factor_table.c
        used = update(factor_table).values(counter=count, used_at=timestamp())
        try:
            with writing(self._record.database) as connection:
                return connection.execute(used.where(columns.id == factor.id, columns.counter <= least)).rowcount == 1
        except FAULTS as error:
            _log.warning("the use of a second factor is forgotten at the next restart: %s", unavailable(error))
            return True

    def _use_recovery_code(self, account: str, code: str) -> bool:
        columns = recovery_code_table.c
        matching = (columns.account == account) & (columns.digest == digest(code))

        def change(connection: Connection) -> None:
            if connection.execute(delete(recovery_code_table).where(matching)).rowcount != 1:
                raise AccountError(words("this is no recovery code of this account, or it was used"))

        why = Attribution(account, SIGNING_IN)
        try:
            self._accounts.change_account(account, {"act": "recovery code used"}, why, change)
        except AccountError as error:
            _log.warning("%s: %s", account, error)
            return False
        _log.warning("%s used a recovery code", account)
        return True


def _new(account: str, kind: str, name: str, counter: int, credential: str = "", site: str = "") -> Factor:
    name = name.strip()[:_LONGEST_NAME]
    return Factor(secrets.token_hex(8), account, kind, name, "", credential, site, counter, timestamp(), None)


def _binding(factor: Factor) -> str:
    """Return the context that an encrypted secret is bound to, so that no row can replace another."""
    return f"{factor.account} {factor.id}"


def _end_sessions(connection: Connection, account: str) -> None:
    connection.execute(update(account_table).where(account_table.c.name == account).values(sessions_since=timestamp()))


def _put_codes(connection: Connection, account: str, made: tuple[str, ...]) -> None:
    connection.execute(delete(recovery_code_table).where(recovery_code_table.c.account == account))
    rows = [{"account": account, "digest": digest(normalized_code(each))} for each in made]
    connection.execute(insert(recovery_code_table).values(rows))
