"""How many wrong passwords are taken: by address, by account, and from browsers in which the account has signed in.

Whoever guesses from elsewhere uses up an account's share for unknown browsers, never that of the browsers in which it
has signed in before.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.access.addresses import counted_address
from service.access.rate_limit import RateLimitedError, RateLimiter

if TYPE_CHECKING:
    from service.access.account_rows import Account
    from service.config.service_settings import LimitsConfig

ADDRESSES_SHARE: Final = 5
"""One address may use the fifth part of what all unknown browsers may guess at an account."""
KNOWN_FOR_S: Final = 180 * 24 * 3600
"""How long a browser is known after its last sign-in."""
_LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Guess:
    """One password that is being tried, as it was counted."""

    counted: tuple[tuple[RateLimiter, str], ...]

    def was_none(self) -> None:
        """The password was right, or was not looked at."""
        for limiter, name in self.counted:
            limiter.give_back(name)


class Guesses:
    """Limits on wrong passwords."""

    def __init__(self, limits: LimitsConfig) -> None:
        per_s = limits.guesses_per_hour / 3600
        self._addresses = RateLimiter(limits.sign_ins_per_minute / 60, limits.sign_in_burst)
        self._account_there = RateLimiter(per_s / ADDRESSES_SHARE, limits.sign_in_burst)
        self._accounts = RateLimiter(per_s, limits.guesses_burst)
        self._browsers = RateLimiter(per_s, limits.sign_in_burst)

    def take(self, account: str, address: str, browser: str | None) -> Guess:
        """Count a guess before it is looked at; RateLimitedError if there were too many.

        Args:
            account: the name that was given; there need not be such an account.
            address: of the client.
            browser: in which the account has signed in before; None for any other.
        """
        account, address = account[:_LONGEST_NAME], counted_address(address)
        if browser is not None:
            wanted = [(self._browsers, f"{account} {browser}")]
        else:
            wanted = [
                (self._addresses, address),
                (self._account_there, f"{account} {address}"),
                (self._accounts, account),
            ]
        counted: list[tuple[RateLimiter, str]] = []
        for limiter, name in wanted:
            if wait_s := limiter.take(name):
                Guess(tuple(counted)).was_none()
                raise RateLimitedError(wait_s)
            counted.append((limiter, name))
        return Guess(tuple(counted))


def new_browser(account: Account) -> str:
    """What a browser keeps to be known by: an id, and the proof that this account signed in there.

    The proof is made with what is kept of the password, so that another password makes all browsers unknown.
    """
    browser = secrets.token_urlsafe(9)
    return f"{browser}.{_proof(account, browser)}"


def browser_of(account: Account, kept: str) -> str | None:
    """The id of a browser in which the account has signed in; None if this proves nothing."""
    browser, _, proof = kept.partition(".")
    if not hmac.compare_digest(_proof(account, browser).encode(), proof.encode("utf-8", "surrogateescape")):
        return None
    return browser


def _proof(account: Account, browser: str) -> str:
    said = f"houseway browser\n{account.name}\n{browser}".encode("utf-8", "surrogateescape")
    return hmac.new(account.password.encode(), said, hashlib.sha256).hexdigest()[:32]
