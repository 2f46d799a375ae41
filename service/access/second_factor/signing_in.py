"""The second step of signing in: somebody gave the right password and has still to show a second factor.

A passkey may also stand in place of the password, for it is two factors by itself.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from service.access.rate_limit import RateLimitedError, RateLimiter
from service.access.second_factor.passkeys import PasskeyError, Question, Site, ask_for_one, credential_of
from service.access.second_factor.pending import LASTS_S, Pending
from service.record.store.chain import timestamp
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from service.access.account_rows import Account
    from service.access.accounts import Accounts
    from service.access.second_factor.factors import SecondFactors
    from service.access.sessions import Sessions, Visit

_log = logging.getLogger(__name__)

STEP_LASTS_S: Final = LASTS_S
CODES_AT_ONCE: Final = 5
CODES_PER_S: Final = 1 / 300
"""Wrong codes of one account: three of a million are right at any time, so that guessing takes years."""


class StepOverError(WordedError):
    """The first step is too long ago, or was never made; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Step:
    """Where somebody stands who has begun to sign in.

    Attributes:
        account: whose password was right; empty if none was given.
        begun_at: when, as entries have it.
        path: the page that was asked for.
        challenge: what a passkey has to answer; empty if none was asked.
    """

    visit: Visit
    account: str = ""
    begun_at: str = ""
    path: str = "/"
    challenge: bytes = b""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that began, and the page that was asked for."""

    session: str
    path: str


class SecondSteps:
    """Everybody who is between the two steps; what is half done is forgotten after some minutes."""

    def __init__(self, accounts: Accounts, sessions: Sessions, factors: SecondFactors) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._factors = factors
        self._steps: Pending[Step] = Pending()
        self._codes = RateLimiter(CODES_PER_S, CODES_AT_ONCE)

    def begin(self, account: str, visit: Visit, path: str) -> str:
        """The password was right; returns the secret of the step, for the browser to keep."""
        return self._steps.begin(Step(visit, account, timestamp(), path))

    def account_at(self, step: str) -> str | None:
        """Whose second factor is asked for; None if the step is over or no password was given."""
        found = self._steps.find(step)
        return None if found is None else found.account or None

    def finish_with_code(self, step: str, code: str) -> SignedIn | None:
        """Begin a session with a code of an app or for recovery; None if it is not right.

        StepOverError; RateLimitedError after too many; RecordUnavailableError.
        """
        found = self._steps.find(step)
        account = None if found is None else self._may_enter(found)
        if found is None or account is None:
            raise _over()
        if wait_s := self._codes.take(account.name):
            raise RateLimitedError(wait_s)
        if not self._factors.code_is(account.name, code):
            _log.warning("%s: right password, wrong code from %s", account.name, found.visit.address)
            return None
        self._codes.give_back(account.name)
        return self._enter(step, found, account)

    def ask_for_passkey(self, step: str, site: Site, visit: Visit, path: str) -> tuple[str, Question]:
        """Have a passkey asked for, in either step; returns the secret of the step, which may be a new one."""
        found = self._steps.find(step)
        if found is None:
            step, found = "", Step(visit, path=path)
        known = [each.credential for each in self._factors.of(found.account) if each.kind == "passkey"]
        question = ask_for_one(site, known if found.account else ())
        asked = replace(found, challenge=question.challenge)
        if not step:
            return self._steps.begin(asked), question
        self._steps.put(step, asked)
        return step, question

    def finish_with_passkey(self, step: str, site: Site, answer: str) -> SignedIn:
        """Begin a session with a passkey, as second step or in place of both; PasskeyError, StepOverError."""
        found = self._steps.take(step)
        if found is None or not found.challenge:
            raise _over()
        factor = self._factors.passkey(credential_of(answer))
        if factor is None or found.account not in {"", factor.account}:
            raise PasskeyError(words("this passkey is not known here"))
        self._factors.passkey_is(factor, site, found.challenge, answer)
        account = self._may_enter(replace(found, account=factor.account))
        if account is None:
            raise PasskeyError(words("this account cannot be used now: ask an administrator"))
        return self._enter(step, found, account)

    def _may_enter(self, step: Step) -> Account | None:
        account = self._accounts.account(step.account)
        if account is None or account.disabled or account.expired:
            return None
        return None if step.begun_at and step.begun_at < account.sessions_since else account

    def _enter(self, step: str, found: Step, account: Account) -> SignedIn:
        self._steps.take(step)
        _log.info("%s signed in from %s with a second factor", account.name, found.visit.address)
        return SignedIn(self._sessions.begin(account.name, found.visit), found.path)


def _over() -> StepOverError:
    return StepOverError(words("Signing in took too long. Start again."))
