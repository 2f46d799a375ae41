"""Authentication of requests by key or page session, and sign-in."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from starlette.concurrency import run_in_threadpool

from service.access.account_store import OIDC
from service.access.accounts import AccountError, Accounts
from service.access.credentials import (
    BusyError,
    PasswordChecks,
    csrf_token,
    csrf_token_matches,
    digest,
    new_password,
    new_secret,
    password_matches,
    secret_matches,
)
from service.access.rate_limits import PasswordGuesses, RateLimitedError, RateLimiter, known_browser
from service.access.roles import MAY, OF_ALL_PITS, Permission, UserRole
from service.access.second_factors import KEY_FILE, Sealer, SecondFactors
from service.access.sessions import NOWHERE, Sessions, Visit
from service.access.sign_in_steps import Pending, SecondSteps
from service.access.signed_links import SignedLinks
from service.access.telephones import Telephones
from service.record.changes import FIRST_START, OWN_PASSWORD, Attribution
from service.system.account_settings import AccountsConfig
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.access.account_store import Account
    from service.access.single_sign_on import SingleSignOn
    from service.record.store.record import Record
    from service.system.service_settings import LimitsConfig

_log = logging.getLogger(__name__)

FIRST_ACCOUNT: Final = "admin"
_OPEN: Final = 10
"""Health and static files have this many times the limit of other requests without credentials."""
LINK_LASTS_S: Final = 3600.0
KEY_CALLER: Final = "key:"
_PATIENCE_S: Final = 0.5
"""A healthy database answers within milliseconds."""

First: TypeAlias = Literal["password", "second_factor"]
"""What a person must do first: replace a password that an administrator made, or add a second factor."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request.

    Attributes:
        id: the account's name, or ``key:`` and the key's id.
        session: the secret of the page's session; None for a key.
        initial_password: the person has not chosen a password yet.
        first: what the person must do before anything else, if anything.
        pits: on a hub, the pits whose tables the caller may see; empty for all tables.
        key_name: the key's name; None for a person.
    """

    id: str
    name: str
    role: UserRole
    session: str | None = field(default=None, repr=False)
    initial_password: bool = False
    first: First | None = None
    pits: tuple[str, ...] = ()
    key_name: str | None = None

    def may(self, permission: Permission) -> bool:
        """Return whether the role has the permission, and a caller limited to pits does not need it for all pits."""
        return permission in MAY[self.role] and not (self.pits and permission in OF_ALL_PITS)

    @property
    def counted_as(self) -> str:
        """The name its requests are counted under; each page session has its own."""
        return self.id if self.session is None else digest(self.session)

    @property
    def csrf_token(self) -> str:
        """The token that pages of this session send; empty for a key."""
        return "" if self.session is None else csrf_token(self.session)

    def sent_by_own_page(self, token: str) -> bool:
        """Return whether the token is that of the caller's session."""
        return self.session is not None and csrf_token_matches(self.session, token)

    def attribution(self, reason: str) -> Attribution:
        """Return the attribution of a change that the caller makes."""
        return Attribution(self.name, reason)


@dataclass(frozen=True, slots=True)
class FirstSignIn:
    """The first administrator and a one-time link, printed before any account is set up."""

    account: str
    code: str
    password: str | None


@dataclass(frozen=True, slots=True)
class SecondStep:
    """The password was right and a second factor is needed; the browser keeps this secret."""

    secret: str


class Access:
    """Accounts, sessions and rate limits of one service.

    Attributes:
        single_sign_on: None if the settings name no identity provider.

    Args:
        record: has the accounts.
        limits: on requests and wrong passwords.
        session_hours: how long a page's session lasts.
        settings: of accounts.
        names: names of the casino and table, which passwords must not consist of.
        pits: on a hub, the pits to which accounts can be limited.
    """

    def __init__(
        self,
        record: Record,
        limits: LimitsConfig,
        session_hours: float,
        settings: AccountsConfig | None = None,
        names: Sequence[str] = (),
        *,
        pits: Sequence[str] = (),
    ) -> None:
        settings = settings or AccountsConfig()
        self.accounts = Accounts(record, names, settings.password_days, pits)
        self.sessions = Sessions(record, self.accounts, session_hours, settings.idle_hours)
        self._reloader = _Reloader(self.accounts)
        sealer = Sealer(record.settings.folder / KEY_FILE)
        self.factors = SecondFactors(record, self.accounts, sealer)
        self.links = SignedLinks(sealer)
        self.telephones = Telephones(record, self.accounts)
        self.second_steps = SecondSteps(self.accounts, self.sessions, self.factors)
        self.adding: Pending[tuple[str, bytes]] = Pending()
        self._must_have_two: frozenset[str] = frozenset(settings.second_factor)
        self.single_sign_on = self._single_sign_on(settings)
        self.callers = RateLimiter(limits.requests_per_minute / 60, limits.burst)
        self.strangers = RateLimiter(limits.strangers_per_minute / 60, limits.strangers_burst)
        # For routes that are open to anybody and cost little.
        self.anybody = RateLimiter(_OPEN * limits.strangers_per_minute / 60, _OPEN * limits.strangers_burst)
        self.guesses = PasswordGuesses(limits)
        # By whether the browser is known, so that guesses from elsewhere do not delay a sign-in.
        self._checks = {True: PasswordChecks(), False: PasswordChecks()}
        self._own_passwords = RateLimiter(limits.sign_ins_per_minute / 60, limits.sign_in_burst)
        self._link: tuple[str, str, float] | None = None
        self._lock = threading.Lock()

    def _single_sign_on(self, settings: AccountsConfig) -> SingleSignOn | None:
        if settings.oidc is None:
            return None
        # Its library takes time and memory to import.
        from service.access.single_sign_on import SingleSignOn  # noqa: PLC0415

        return SingleSignOn(settings.oidc, self.accounts, self.sessions, self._must_have_two)

    def by_key(self, text: str) -> Caller | None:
        """Return the caller with this key; None if the key is unknown, expired or revoked."""
        key = self.accounts.key_of(text)
        if key is None:
            return None
        return Caller(f"{KEY_CALLER}{key.id}", f"key {key.name}", key.role, pits=key.pits, key_name=key.name)

    def by_session(self, secret: str) -> Caller | None:
        """Return the caller of a page session; None if it has ended."""
        account = self.sessions.account_of(secret)
        if account is None:
            return None
        first = None if account.origin == OIDC else self._first(account)
        return Caller(account.name, account.name, account.role, secret, account.initial, first, account.pits)

    def _first(self, account: Account) -> First | None:
        if account.must_change:
            return "password"
        lacks_one = account.role.value in self._must_have_two and not self.factors.of(account.name)
        return "second_factor" if lacks_one else None

    async def refresh(self) -> None:
        """Reload accounts that another program may have changed; RecordUnavailableError if none are known.

        Waits only a moment for a database that does not answer, and continues with the known accounts.
        """
        await self._reloader.reload()

    async def reload_for_key(self, text: str) -> bool:
        """Reload accounts if the key is unknown, since a command may just have added it; return whether it was."""
        if self.accounts.knows_key_id(text):
            return False
        await asyncio.sleep(self.accounts.reload_in_s)
        await self._reloader.reload(patient=True)
        return True

    async def still_allowed(self, caller: Caller) -> bool:
        """Return whether the caller of a long request would still be accepted, with the same role and pits."""
        await self.refresh()
        if caller.session is not None:
            account = self.sessions.account_of(caller.session)
            return account is not None and (account.role, account.pits) == (caller.role, caller.pits)
        return self.accounts.key_holds(caller.id.removeprefix(KEY_CALLER))

    async def sign_in(
        self, name: str, password: str, visit: Visit, cookie: str | None = None, path: str = "/"
    ) -> str | SecondStep | None:
        """Start a session with a password; returns its secret, or None if name or password is wrong.

        An account with a second factor gets a `SecondStep` instead.

        Args:
            name: of the account.
            password: as it was typed.
            visit: the browser.
            cookie: the browser's cookie of an earlier sign-in to this account.
            path: the requested page.

        Raises:
            RateLimitedError: too many wrong passwords.
            BusyError: too many passwords are waiting to be checked.
            AccountError: a password made by an administrator was not used in time.
            RecordUnavailableError: accounts cannot be read.
        """
        address = visit.address
        account = self.accounts.account(name)
        browser = None if account is None or cookie is None else known_browser(account, cookie)
        guess = self.guesses.take(name, address, browser)
        try:
            checks = self._checks[browser is not None]
            right = await checks.matches(None if account is None else account.password, password)
        except BusyError:
            guess.give_back()
            raise
        if account is None or not right or account.disabled:
            _log.warning("sign-in as %r from %s refused", name[:40], address)
            return None
        guess.give_back()
        if account.expired:
            _log.warning("sign-in as %r from %s refused: the password made for it has expired", account.name, address)
            raise AccountError(
                words("this password was not used in time and has expired: ask an administrator for a new one")
            )
        if self.factors.of(account.name):
            return SecondStep(self.second_steps.start(account.name, visit, path))
        _log.info("%s signed in from %s", account.name, address)
        return await run_in_threadpool(self.sessions.start, account.name, visit)

    def known_browser(self, cookies: Mapping[str, str], prefix: str) -> str | None:
        """Return the id of a browser in which an account has signed in before; None for an unknown browser.

        Args:
            cookies: that the browser sent.
            prefix: of the cookies of known browsers, before the account's name.
        """
        for name, cookie in cookies.items():
            if name.startswith(prefix) and (account := self.accounts.account(name.removeprefix(prefix))) is not None:
                browser = known_browser(account, cookie)
                if browser is not None and not account.disabled:
                    return browser
        return None

    def prepare_first_sign_in(self) -> FirstSignIn | None:
        """Make the one-time link of the first administrator; None if an administrator has chosen a password."""
        if self.accounts.configured:
            return None
        password = None
        if self.accounts.account(FIRST_ACCOUNT) is None:
            password = new_password()
            self.accounts.add(FIRST_ACCOUNT, UserRole.ADMIN, password, FIRST_START, first=True)
        code = new_secret()
        self._link = (FIRST_ACCOUNT, digest(code), time.monotonic() + LINK_LASTS_S)
        return FirstSignIn(FIRST_ACCOUNT, code, password)

    def use_link(self, code: str, visit: Visit = NOWHERE) -> str | None:
        """Start a session with the link of the first start; None if it was used, has expired or is wrong."""
        with self._lock:
            link = self._link
            if link is None or not secret_matches(link[1], code) or time.monotonic() > link[2]:
                return None
            self._link = None
        account = self.accounts.account(link[0])
        if account is None or account.disabled or not account.initial:
            return None
        return self.sessions.start(account.name, visit)

    def change_own_password(self, caller: Caller, current: str, password: str, visit: Visit) -> str:
        """Replace the caller's password, end all sessions, and return the secret of a new one.

        Raises AccountError if the current one is wrong, WeakPasswordError, RateLimitedError, RecordUnavailableError.
        """
        account = self.confirm(caller, current)
        if account.must_change and password_matches(account.password, password):
            raise AccountError(words("this is the password that an administrator made for you; choose another one"))
        self.accounts.set_password(caller.id, password, caller.attribution(OWN_PASSWORD))
        return self.sessions.start(caller.id, visit)

    def confirm(self, caller: Caller, current: str) -> Account:
        """Check the caller's password, as the page may be unattended, and return the account.

        Raises AccountError if it is wrong, RateLimitedError after too many, RecordUnavailableError.
        """
        if wait_s := self._own_passwords.take(caller.id):
            raise RateLimitedError(wait_s)
        account = self.accounts.account(caller.id)
        # The first administrator signed in with a link and may never have seen the generated password.
        if account is None or not (account.initial or password_matches(account.password, current)):
            raise AccountError(words("that is not the current password"))
        self._own_passwords.give_back(caller.id)
        return account


@dataclass(slots=True)
class _Reloader:
    """Reloads accounts in a thread, one reload at a time, so that a silent database delays no request."""

    accounts: Accounts
    _busy: threading.Lock = field(default_factory=threading.Lock)
    _slow: bool = False

    async def reload(self, *, patient: bool = False) -> None:
        """Reload accounts if that is due, waiting only a moment; RecordUnavailableError if none are known.

        Args:
            patient: wait also for a database that was silent the last time, and for a reload of another request.
        """
        if not self.accounts.claim_reload() or not self._busy.acquire(blocking=False):
            ends = time.monotonic() + (_PATIENCE_S if patient else 0.0)
            while self._busy.locked() and time.monotonic() < ends:  # noqa: ASYNC110  a lock of threads wakes no loop
                await asyncio.sleep(0.01)
            return
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def read() -> None:
            error: Exception | None = None
            started = time.monotonic()
            try:
                self.accounts.reload()
            except Exception as failed:  # noqa: BLE001  passed to the caller that waits
                error = failed
            finally:
                self._slow = time.monotonic() - started > _PATIENCE_S
                self._busy.release()
            if not loop.is_closed():
                loop.call_soon_threadsafe(_finish, done, error)

        threading.Thread(target=read, name="accounts", daemon=True).start()
        # A database that was silent the last time is queried, but not waited for.
        patience = None if not self.accounts.known else 0.0 if self._slow and not patient else _PATIENCE_S
        await asyncio.wait({done}, timeout=patience)
        self._slow |= not done.done()
        if done.done():
            done.result()


def _finish(done: asyncio.Future[None], error: Exception | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
        done.exception()  # a caller that did not wait does not see it; it is in the log
