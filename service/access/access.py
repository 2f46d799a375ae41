"""Who is asking: credentials turned into a caller, and persons signed in."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from starlette.concurrency import run_in_threadpool

from service.access.account_rows import FLOOR, OIDC
from service.access.accounts import AccountError, Accounts
from service.access.guessing import Guesses, browser_of
from service.access.hashing import BusyError, PasswordChecks
from service.access.rate_limit import RateLimitedError, RateLimiter
from service.access.reading_again import ReadingAgain
from service.access.roles import MAY, OF_ALL_PITS, Permission, UserRole
from service.access.roster import FloorTrust
from service.access.second_factor.factors import SecondFactors
from service.access.second_factor.pending import Pending
from service.access.second_factor.sealing import KEY_FILE, Sealer
from service.access.second_factor.signing_in import SecondSteps
from service.access.secrets import csrf_token, csrf_token_is, digest, new_password, new_secret, password_is, secret_is
from service.access.sessions import NOWHERE, Sessions, Visit
from service.access.taking_rosters import TakesRosters
from service.config.account_settings import AccountsConfig
from service.config.single_sign_on_settings import FloorAccountsConfig
from service.record.changes import Attribution
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.access.account_rows import Account
    from service.access.single_sign_on.sign_on import SingleSignOn
    from service.config.service_settings import LimitsConfig
    from service.record.store.record import Record

_log = logging.getLogger(__name__)

FIRST_ACCOUNT: Final = "admin"
_OPEN: Final = 10
"""Health and static files may be asked for so many times as often as other things by strangers."""
LINK_LASTS_S: Final = 3600.0
KEY_CALLER: Final = "key:"

First: TypeAlias = Literal["password", "second_factor"]
"""What a person must do first: choose a password in place of one that an administrator made, or add a second factor."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request.

    Attributes:
        id: the account's name, or ``key:`` and the key's id.
        session: the secret of the page's session; None for a key.
        initial_password: the person has not chosen a password yet.
        first: what the person must do before anything else; None if nothing.
        pits: of a floor, those whose tables the caller may see; none for all tables.
        key_name: the name of the key that was shown; None for a person.
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
        """Whether the caller's role has it, and the pits that the caller is bounded to do not forbid it."""
        return permission in MAY[self.role] and not (self.pits and permission in OF_ALL_PITS)

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


@dataclass(frozen=True, slots=True)
class SecondStep:
    """The password was right, and a second factor is to be shown; the browser keeps the secret of the step."""

    secret: str


def trusted_floor(settings: AccountsConfig) -> FloorTrust | None:
    """The floor whose accounts hold by some settings."""
    return None if settings.floor_key is None else FloorTrust(settings.floor_key, settings.floor_days)


class Access:
    """Accounts, sessions and rate limits of one service.

    Attributes:
        single_sign_on: has people sign in with an identity provider; None where there is none.
        rosters: takes what the floor gives out; None where it gives nothing, or another table takes it.

    Args:
        record: has the accounts.
        limits: how often each may ask.
        session_hours: how long a page's session lasts.
        settings: of accounts.
        names: what no password may be.
        pits: of a floor, those to which accounts can be bounded.
        floor: settings of the table that lends its accounts, which says what floor is honoured.
        shared: the accounts are those of other tables too.
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
        floor: AccountsConfig | None = None,
        shared: bool = False,
    ) -> None:
        settings = settings or AccountsConfig()
        self.accounts = Accounts(record, names, settings.password_days, pits, trusted_floor(floor or settings))
        self.sessions = Sessions(record, self.accounts, session_hours, settings.idle_hours)
        self._shared = shared
        self._reading_again = ReadingAgain(self.accounts, self.sessions if shared else None)
        sealer = Sealer(record.settings.folder / KEY_FILE)
        self.factors = SecondFactors(record, self.accounts, sealer)
        trust = None if floor is not None else self.accounts.floor
        self.rosters = None if trust is None else TakesRosters(self.accounts, sealer, trust)
        self.second_steps = SecondSteps(self.accounts, self.sessions, self.factors)
        self.adding: Pending[tuple[str, bytes]] = Pending()
        self._must_have_two: frozenset[str] = frozenset(settings.second_factor)
        self.single_sign_on = self._single_sign_on(settings)
        self.callers = RateLimiter(limits.requests_per_minute / 60, limits.burst)
        self.strangers = RateLimiter(limits.strangers_per_minute / 60, limits.strangers_burst)
        # What is open to anybody and costs little.
        self.anybody = RateLimiter(_OPEN * limits.strangers_per_minute / 60, _OPEN * limits.strangers_burst)
        self.guesses = Guesses(limits)
        # Of whoever knows the account's password: in a browser where it has signed in, and elsewhere.
        self._looked_at = {True: PasswordChecks(), False: PasswordChecks()}
        self._own_passwords = RateLimiter(limits.sign_ins_per_minute / 60, limits.sign_in_burst)
        self._link: tuple[str, str, float] | None = None
        self._lock = threading.Lock()

    def _single_sign_on(self, settings: AccountsConfig) -> SingleSignOn | None:
        if not isinstance(settings, FloorAccountsConfig) or settings.oidc is None:
            return None
        # Its library would take time and memory at every table.
        from service.access.single_sign_on.sign_on import SingleSignOn  # noqa: PLC0415

        return SingleSignOn(settings.oidc, self.accounts, self.sessions, self._must_have_two)

    def by_key(self, text: str) -> Caller | None:
        """The caller who holds a key; None if it is none, has expired or was revoked."""
        key = self.accounts.key_of(text)
        if key is None:
            return None
        return Caller(f"{KEY_CALLER}{key.id}", f"key {key.name}", key.role, pits=key.pits, key_name=key.name)

    def by_session(self, secret: str) -> Caller | None:
        """The caller whose page holds a session; None if it has ended."""
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
        """Read again what another program may have changed, now and then; RecordUnavailableError if it never was.

        Nobody waits for a database that is silent: after a moment the request goes on with what is known.
        """
        await self._reading_again.refresh()

    async def look_for_session(self) -> bool:
        """Read again which sessions there are, where another table may just have begun one; returns whether it may."""
        if self._shared:
            await asyncio.sleep(self.sessions.read_again_in_s)
            await run_in_threadpool(self.sessions.read_again)
        return self._shared

    async def look_for_key(self, text: str) -> bool:
        """Read the accounts again if a command may just have made the key that is shown; returns whether it may."""
        if self.accounts.knows_key(text):
            return False
        await asyncio.sleep(self.accounts.read_again_in_s)
        await self._reading_again.refresh(patient=True)
        return True

    async def holds(self, caller: Caller) -> bool:
        """Whether a caller whose request is still being answered would be let in again, and in the same role."""
        await self.refresh()
        if caller.session is not None:
            account = self.sessions.account_of(caller.session)
            return account is not None and (account.role, account.pits) == (caller.role, caller.pits)
        return self.accounts.key_holds(caller.id.removeprefix(KEY_CALLER))

    async def sign_in(
        self, name: str, password: str, visit: Visit, kept: str | None = None, path: str = "/"
    ) -> str | SecondStep | None:
        """Begin a session with a password; returns its secret, None if name or password is wrong.

        Where the account has a second factor, only a step towards it has begun.


        Too many wrong ones raise RateLimitedError, too many at once BusyError, a password that was made by an
        administrator and not used in time AccountError, and accounts that cannot be read RecordUnavailableError.

        Args:
            name: of the account.
            password: as it was typed.
            visit: where.
            kept: what the browser keeps of an earlier sign-in to this account.
            path: the page that was asked for.
        """
        address = visit.address
        account = self.accounts.account(name)
        browser = None if account is None or kept is None else browser_of(account, kept)
        guess = self.guesses.take(name, address, browser)
        try:
            checks = self._looked_at[browser is not None]
            right = await checks.is_right(None if account is None else account.password, password)
        except BusyError:
            guess.was_none()
            raise
        if account is None or not right or account.disabled:
            _log.warning("sign-in as %r from %s refused", name[:40], address)
            return None
        guess.was_none()
        if account.expired:
            _log.warning("sign-in as %r from %s refused: the password made for it has expired", account.name, address)
            raise AccountError(
                words("this password was not used in time and has expired: ask an administrator for a new one")
            )
        if self.factors.of(account.name):
            return SecondStep(self.second_steps.begin(account.name, visit, path))
        _log.info("%s signed in from %s", account.name, address)
        return await run_in_threadpool(self.sessions.begin, account.name, visit)

    def known_browser(self, cookies: Mapping[str, str], prefix: str) -> str | None:
        """The id of a browser in which somebody has signed in; None for any other.

        Args:
            cookies: what the browser sent.
            prefix: of the cookies that it keeps for this, before the account's name.
        """
        for name, kept in cookies.items():
            if name.startswith(prefix) and (account := self.accounts.account(name.removeprefix(prefix))) is not None:
                browser = browser_of(account, kept)
                if browser is not None and not account.disabled:
                    return browser
        return None

    def begin_first_use(self) -> FirstSignIn | None:
        """Make a link that signs in where nobody has set up anything; None if somebody has; RecordUnavailableError."""
        if self.accounts.configured:
            return None
        password = None
        first = self.accounts.account(FIRST_ACCOUNT)
        if first is None or first.origin == FLOOR:
            password = new_password()
            why = Attribution("first start", "nobody could sign in yet")
            self.accounts.add(FIRST_ACCOUNT, UserRole.ADMIN, password, why, first=True)
        code = new_secret()
        self._link = (FIRST_ACCOUNT, digest(code), time.monotonic() + LINK_LASTS_S)
        return FirstSignIn(FIRST_ACCOUNT, code, password)

    def use_link(self, code: str, visit: Visit = NOWHERE) -> str | None:
        """Begin a session with the link of the first start; None if it was used, has expired or is none."""
        with self._lock:
            link = self._link
            if link is None or not secret_is(link[1], code) or time.monotonic() > link[2]:
                return None
            self._link = None
        account = self.accounts.account(link[0])
        if account is None or account.disabled or not account.initial:
            return None
        return self.sessions.begin(account.name, visit)

    def change_own_password(self, caller: Caller, current: str, password: str, visit: Visit) -> str:
        """Give the caller's account another password; returns the secret of a new session, all others have ended.

        AccountError if the current one is wrong, WeakPasswordError, RateLimitedError, RecordUnavailableError.
        """
        account = self.confirm(caller, current)
        if account.must_change and password_is(account.password, password):
            raise AccountError(words("this is the password that an administrator made for you; choose another one"))
        self.accounts.set_password(caller.id, password, caller.attribution("own password"))
        return self.sessions.begin(caller.id, visit)

    def confirm(self, caller: Caller, current: str) -> Account:
        """The caller's account, if the password is right: whoever found a page left open does not know it.

        AccountError if it is wrong, RateLimitedError after too many, RecordUnavailableError.
        """
        if wait_s := self._own_passwords.take(caller.id):
            raise RateLimitedError(wait_s)
        account = self.accounts.account(caller.id)
        # The first administrator came by a link and may never have seen the password that was made.
        if account is None or not (account.initial or password_is(account.password, current)):
            raise AccountError(words("that is not the current password"))
        self._own_passwords.give_back(caller.id)
        return account
