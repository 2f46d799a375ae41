"""Incomplete sign-ins: a second factor, a passkey or the answer of an identity provider is missing."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from service.access.credentials import digest, new_secret
from service.access.passkeys import PasskeyChallenge, PasskeyError, Site, credential_of, sign_in_challenge
from service.access.rate_limits import RateLimitedError, RateLimiter
from service.record.store.entries import timestamp
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from service.access.account_store import Account
    from service.access.accounts import Accounts
    from service.access.second_factors import SecondFactors
    from service.access.sessions import Sessions, Visit

_log = logging.getLogger(__name__)

PENDING_S: Final = 300
_MAX_PENDING: Final = 10_000
CODES_AT_ONCE: Final = 5
CODES_PER_S: Final = 1 / 300
"""Limit on wrong codes of an account: three of a million are right at any time, so guessing takes years."""
T = TypeVar("T")


class Pending(Generic[T]):
    """Values stored in memory for some minutes under secrets of browsers; the oldest are dropped first."""

    def __init__(self) -> None:
        self._values: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, value: T) -> str:
        """Store a value, and return its secret."""
        secret = new_secret()
        self.put(secret, value)
        return secret

    def put(self, secret: str, value: T) -> None:
        """Store a value under an existing secret."""
        with self._lock:
            self._values.pop(digest(secret), None)
            self._values[digest(secret)] = (time.monotonic() + PENDING_S, value)
            if len(self._values) > _MAX_PENDING:
                self._values.popitem(last=False)

    def find(self, secret: str) -> T | None:
        """Return the value of a secret; None if it has expired."""
        with self._lock:
            until, value = self._values.get(digest(secret), (0.0, None))
        return value if time.monotonic() < until else None

    def take(self, secret: str) -> T | None:
        """Return the value of a secret, which is not valid afterwards."""
        value = self.find(secret)
        with self._lock:
            self._values.pop(digest(secret), None)
        return value


class SignOnError(WordedError):
    """A sign-in with an identity provider failed; the message says why and what to do."""


class StepExpiredError(WordedError):
    """The first step has expired or is missing; the message says what to do."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A sign-in that has started.

    Attributes:
        account: the account whose password was right; empty without a password.
        started_at: moment of the start, in the format of entries.
        path: the requested page.
        challenge: for a passkey; empty without one.
    """

    visit: Visit
    account: str = ""
    started_at: str = ""
    path: str = "/"
    challenge: bytes = b""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session, and the requested page."""

    session: str
    path: str


class SecondSteps:
    """Completes sign-ins with a second factor, or with a passkey instead of a password and a second factor."""

    def __init__(self, accounts: Accounts, sessions: Sessions, factors: SecondFactors) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._factors = factors
        self._steps: Pending[_Step] = Pending()
        self._codes = RateLimiter(CODES_PER_S, CODES_AT_ONCE)

    def start(self, account: str, visit: Visit, path: str) -> str:
        """Start the second step after a right password, and return its secret for the browser."""
        return self._steps.add(_Step(visit, account, timestamp(), path))

    def account_at(self, step: str) -> str | None:
        """Return the account whose second factor is needed; None if the step has expired or had no password."""
        found = self._steps.find(step)
        return None if found is None else found.account or None

    def finish_with_code(self, step: str, code: str) -> SignedIn | None:
        """Start a session with a code of an app or a recovery code; None if it is wrong.

        StepExpiredError; RateLimitedError after too many; RecordUnavailableError.
        """
        found = self._steps.find(step)
        account = None if found is None else self._allowed_account(found)
        if found is None or account is None:
            raise _expired()
        if wait_s := self._codes.take(account.name):
            raise RateLimitedError(wait_s)
        if not self._factors.use_code(account.name, code):
            _log.warning("%s: right password, wrong code from %s", account.name, found.visit.address)
            return None
        self._codes.give_back(account.name)
        return self._sign_in(step, found, account)

    def ask_for_passkey(self, step: str, site: Site, visit: Visit, path: str) -> tuple[str, PasskeyChallenge]:
        """Request a passkey in either step, and return the secret of the step, which may be a new one."""
        found = self._steps.find(step)
        if found is None:
            step, found = "", _Step(visit, path=path)
        known = [each.credential for each in self._factors.of(found.account) if each.kind == "passkey"]
        challenge = sign_in_challenge(site, known if found.account else ())
        found = replace(found, challenge=challenge.challenge)
        if not step:
            return self._steps.add(found), challenge
        self._steps.put(step, found)
        return step, challenge

    def finish_with_passkey(self, step: str, site: Site, answer: str) -> SignedIn:
        """Start a session with a passkey, as second step or instead of both; PasskeyError, StepExpiredError."""
        found = self._steps.take(step)
        if found is None or not found.challenge:
            raise _expired()
        factor = self._factors.passkey(credential_of(answer))
        if factor is None or found.account not in {"", factor.account}:
            raise PasskeyError(words("this passkey is not known here"))
        self._factors.use_passkey(factor, site, found.challenge, answer)
        account = self._allowed_account(replace(found, account=factor.account))
        if account is None:
            raise PasskeyError(words("this account cannot be used now: ask an administrator"))
        return self._sign_in(step, found, account)

    def _allowed_account(self, step: _Step) -> Account | None:
        account = self._accounts.account(step.account)
        if account is None or account.disabled or account.expired:
            return None
        return None if step.started_at and step.started_at < account.sessions_since else account

    def _sign_in(self, step: str, found: _Step, account: Account) -> SignedIn:
        self._steps.take(step)
        _log.info("%s signed in from %s with a second factor", account.name, found.visit.address)
        return SignedIn(self._sessions.start(account.name, found.visit), found.path)


def _expired() -> StepExpiredError:
    return StepExpiredError(words("Signing in took too long. Start again."))
