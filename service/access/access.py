"""Who is asking: credentials turned into a caller, and persons signed in."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from service.access.accounts import AccountError, Accounts
from service.access.rate_limit import RateLimitedError, RateLimiter
from service.access.reading_again import ReadingAgain
from service.access.roles import MAY, Permission, UserRole
from service.access.secrets import csrf_token, csrf_token_is, digest, new_password, new_secret, password_is, secret_is
from service.access.sessions import Sessions
from service.record.changes import Attribution
from service.words.wording import words

if TYPE_CHECKING:
    from service.config.service_settings import LimitsConfig
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

FIRST_ACCOUNT: Final = "admin"
LINK_LASTS_S: Final = 3600.0
KEY_CALLER: Final = "key:"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request.

    Attributes:
        id: the account's name, or ``key:`` and the key's id.
        session: the secret of the page's session; None for a key.
        initial_password: the person has not chosen a password yet.
    """

    id: str
    name: str
    role: UserRole
    session: str | None = field(default=None, repr=False)
    initial_password: bool = False

    def may(self, permission: Permission) -> bool:
        """Whether the caller's role has it."""
        return permission in MAY[self.role]

    @property
    def counted_as(self) -> str:
        """Under what name its requests are counted: each page for itself."""
        return self.id if self.session is None else digest(self.session)

    @property
    def csrf_token(self) -> str:
        """What pages of this session send along; empty for a key."""
        return "" if self.session is None else csrf_token(self.session)

    def sent_by_own_page(self, token: str) -> bool:
        """Whether this was sent along by a page of this session."""
        return self.session is not None and csrf_token_is(self.session, token)

    def attribution(self, reason: str) -> Attribution:
        """Names the caller as who makes a change."""
        return Attribution(self.name, reason)


@dataclass(frozen=True, slots=True)
class FirstSignIn:
    """What is shown once where nobody has set up anything: the first administrator, and a link's one-time secret."""

    account: str
    code: str
    password: str | None


class Access:
    """Accounts, sessions and rate limits of one table service."""

    def __init__(self, record: Record, limits: LimitsConfig, session_hours: float) -> None:
        self.accounts = Accounts(record)
        self._reading_again = ReadingAgain(self.accounts)
        self.sessions = Sessions(record, self.accounts, session_hours)
        self.callers = RateLimiter(limits.requests_per_minute / 60, limits.burst)
        self.strangers = RateLimiter(limits.strangers_per_minute / 60, limits.strangers_burst)
        self._sign_ins = RateLimiter(limits.sign_ins_per_minute / 60, limits.sign_in_burst)
        self._link: tuple[str, str, float] | None = None
        self._lock = threading.Lock()

    def by_key(self, text: str) -> Caller | None:
        """The caller who holds a key; None if it is none, has expired or was revoked."""
        key = self.accounts.key_of(text)
        return None if key is None else Caller(f"{KEY_CALLER}{key.id}", f"key {key.name}", key.role)

    def by_session(self, secret: str) -> Caller | None:
        """The caller whose page holds a session; None if it has ended."""
        account = self.sessions.account_of(secret)
        if account is None:
            return None
        return Caller(account.name, account.name, account.role, secret, account.initial)

    async def refresh(self) -> None:
        """Read again what another program may have changed, now and then; RecordUnavailableError if it never was.

        Nobody waits for a database that is silent: after a moment the request goes on with what is known.
        """
        await self._reading_again.refresh()

    async def holds(self, caller: Caller) -> bool:
        """Whether a caller whose request is still being answered would be let in again, and in the same role."""
        await self.refresh()
        if caller.session is not None:
            account = self.sessions.account_of(caller.session)
            return account is not None and account.role is caller.role
        return self.accounts.key_holds(caller.id.removeprefix(KEY_CALLER))

    def sign_in(self, name: str, password: str, address: str) -> str | None:
        """Begin a session with a password; returns its secret, None if name or password is wrong.

        Too many wrong ones raise RateLimitedError; RecordUnavailableError if accounts cannot be read.
        """
        tries = (f"address {address}", f"account {name[:40]}")
        for each in tries:
            if wait_s := self._sign_ins.take(each):
                raise RateLimitedError(wait_s)
        account = self.accounts.account(name)
        right = password_is(None if account is None else account.password, password)
        if account is None or not right or account.disabled:
            _log.warning("sign-in as %r from %s refused", name[:40], address)
            return None
        _log.info("%s signed in from %s", account.name, address)
        for each in tries:
            self._sign_ins.give_back(each)
        return self.sessions.begin(account.name)

    def begin_first_use(self) -> FirstSignIn | None:
        """Make a link that signs in where nobody has set up anything; None if somebody has; RecordUnavailableError."""
        if self.accounts.configured:
            return None
        password = None
        if self.accounts.account(FIRST_ACCOUNT) is None:
            password = new_password()
            why = Attribution("first start", "nobody could sign in yet")
            self.accounts.add(FIRST_ACCOUNT, UserRole.ADMIN, password, why, initial=True)
        code = new_secret()
        self._link = (FIRST_ACCOUNT, digest(code), time.monotonic() + LINK_LASTS_S)
        return FirstSignIn(FIRST_ACCOUNT, code, password)

    def use_link(self, code: str) -> str | None:
        """Begin a session with the link of the first start; None if it was used, has expired or is none."""
        with self._lock:
            link = self._link
            if link is None or not secret_is(link[1], code) or time.monotonic() > link[2]:
                return None
            self._link = None
        account = self.accounts.account(link[0])
        if account is None or account.disabled or not account.initial:
            return None
        return self.sessions.begin(account.name)

    def change_own_password(self, caller: Caller, current: str, password: str) -> str:
        """Give the caller's account another password; returns the secret of a new session, all others have ended.

        AccountError if the current one is wrong, WeakPasswordError, RateLimitedError, RecordUnavailableError.
        """
        if wait_s := self._sign_ins.take(f"account {caller.id}"):
            raise RateLimitedError(wait_s)
        account = self.accounts.account(caller.id)
        # The first administrator came by a link and may never have seen the password that was made.
        if account is None or not (account.initial or password_is(account.password, current)):
            raise AccountError(words("that is not the current password"))
        self._sign_ins.give_back(f"account {caller.id}")
        self.accounts.set_password(caller.id, password, caller.attribution("own password"))
        return self.sessions.begin(caller.id)
